internal import UsherActivities
public import UsherEngine
public import UsherOperation
internal import UsherScene
internal import UsherStore
internal import UsherText

/// How many notes a list has.
private let limits = 1...1000
private let lines = 1...Int(Int32.max)
let noteHelp = "its id or the beginning of it, `usher-note:` and it, or `current`"

public struct NoteNew: ContentCall {
    public var text = ""
    public var links: [String] = []
    public var attachments: [String] = []
    public var activity: String?

    public init() {}
    public init(text: String, links: [String] = [], attachments: [String] = [], activity: String? = nil) {
        (self.text, self.links, self.attachments, self.activity) = (text, links, attachments, activity)
    }

    public var waits: Bool { activity != nil }

    public typealias Answer = NoteChangeAnswer
    public static let name = "note.new"
    public static let operation = Operation<Self>(
        "makes a note, which is then the one in progress", .edit,
        [
            Field("text", \.text, "its text"), Field("links", \.links, "identifiers of content"),
            Field("attachments", \.attachments, "files of this machine, by their paths or digests"),
            Field(
                "activity", \.activity, "an activity, by its id, or `current`: a link to it, if it can be linked to",
                identifies: .activity),
        ],
        http: [
            HTTPForm(
                .post, "/v1/notes", made: .init(["note", "id"], "/v1/notes/"),
                examples: [
                    (
                        "clown",
                        #"{"text":"Book Crusty for Saturday","links":["https://clowntown.example/clowns/crusty"]}"#
                    )
                ])
        ])

    /// A note with its links and attachments: all of it or nothing. Only the link to an activity may be missing.
    public func perform(in context: OperationContext) throws(ControlError) -> NoteChangeAnswer {
        try NoteText.check(self.text)
        var identifiers: [TargetContentIdentifier] = []
        for (index, link) in self.links.enumerated() {
            let identifier = try TargetContentIdentifier(
                argument: link, "an identifier", code: .controlArgument, at: "/links/\(index)")
            if !identifiers.contains(identifier) { identifiers.append(identifier) }
        }
        var attachments: [Store.Attachment] = []
        for (index, attachment) in self.attachments.enumerated() {
            attachments.append(try FileDigest.attachment(attachment, at: "/attachments/\(index)"))
        }
        var sources = identifiers.map { LinkSource(identifiers: [.init(.targetContentIdentifier, $0)]) }
        var warnings: [String] = []
        if let name = self.activity, let source = try self.source(of: name, &warnings, in: context) {
            sources.append(source)
        }
        let (note, deleted) = try make(links: sources, attachments: attachments, in: context)
        if let deleted { warnings.append(NoteNew.notLinked("\(deleted) [\(DiagnosticCode.contentDeleted)]")) }
        var answer = NoteChangeAnswer(try context.whole(note))
        answer.links = answer.note.links ?? []
        answer.warnings = warnings
        return answer
    }

    /// What a new note is linked to; nil where there is no such activity, or nothing to link to it by. A note is not lost
    /// because what the user looks at cannot be linked to.
    private func source(
        of name: String, _ warnings: inout [String], in context: OperationContext
    ) throws(ControlError) -> LinkSource? {
        do throws(ControlError) {
            if name == "current" {
                if let source = try LinkSource(currentIn: context, &warnings) { return source }
                if let obstacle = try CurrentActivities(context).obstacle() { throw obstacle }
                return nil
            }
            let found = try context.activity(id: name)
            return found.state == .current
                ? try LinkSource(showing: found, in: context, &warnings) : try LinkSource(found, in: context, &warnings)
        } catch {
            guard error.code != .linkNoIdentifier else { return nil }
            warnings.append(NoteNew.notLinked(error))
            return nil
        }
    }

    private static func notLinked(_ why: String) -> String { "the note is not linked to the activity: \(why)" }

    private static func notLinked(_ error: ControlError) -> String {
        guard error.code == .activityNotInFront else { return notLinked("\(error.message) [\(error.code)]") }
        return "the note has no link: \(error.message); \(error.help ?? "") [\(error.code)]"
    }

    /// - Returns: the note, and why it has no link to the activity, where that was deleted.
    private func make(
        links: [LinkSource], attachments: [Store.Attachment], in context: OperationContext
    ) throws(ControlError) -> (note: Store.Note, deleted: String?) {
        // The name is that of the note that is made; files are looked at before the transaction.
        let links = links.map { (isOfActivity: $0.activity != nil, link: $0.link(of: .current)) }
        return try context.changing { (state) throws(StoreError) -> (note: Store.Note, deleted: String?) in
            let note = try state.newNote(text)
            var deleted: String?
            for (isOfActivity, link) in links {
                do throws(StoreError) {
                    try state.addToLiving(link)
                } catch {
                    guard isOfActivity, error.code == .contentDeleted else { throw error }
                    deleted = error.message
                }
            }
            for file in attachments { try state.attach(file, to: note) }
            return (try state.note(.id(note.id)) ?? note, deleted)
        }
    }
}

public struct NoteShow: ContentCall {
    public var note = ""

    public init() {}
    public init(note: String) { self.note = note }

    public typealias Answer = NoteAnswer
    public static let name = "note.show"
    public static let operation = Operation<Self>(
        "one note, with its links and attachments", .read, [Field("note", \.note, noteHelp, identifies: .note)],
        http: [HTTPForm(.get, "/v1/notes/{note}")])

    public func perform(in context: OperationContext) throws(ControlError) -> NoteAnswer {
        try context.whole(try context.note(named: self.note))
    }
}

public struct NoteList: ContentCall {
    public var state: String?
    public var tag: String?
    public var limit: Int?
    public var before: String?

    static let defaultLimit = 50

    public init() {}
    public init(state: String? = nil, tag: String? = nil, limit: Int? = nil, before: String? = nil) {
        (self.state, self.tag, self.limit, self.before) = (state, tag, limit, before)
    }

    public typealias Answer = [NoteAnswer]
    public static let name = "note.list"
    public static let operation = Operation<Self>(
        "the notes, first the one that was changed last", .read,
        [
            Field("state", \.state, oneOf: ["current", "aside", "done"], "in this state only"),
            Field("tag", \.tag, "with this tag only, with or without its `#`"),
            Field("limit", \.limit, in: limits, "at most so many (50)"),
            Field("before", \.before, "older than this note: the next page", identifies: .note),
        ],
        http: [HTTPForm(.get, "/v1/notes")])

    public func perform(in context: OperationContext) throws(ControlError) -> [NoteAnswer] {
        let before = try self.before.map { (name) throws(ControlError) in
            try context.note(called: try Store.NoteName(argument: name, at: "/before"))
        }
        let state = self.state.flatMap(Store.Note.State.init)
        let tag = try self.tag.map { (text) throws(ControlError) in
            guard let tag = NoteTag(text) else {
                throw .argument(
                    "\(QuotedText.text(text)) is no tag", at: "/tag",
                    help: "a tag is a letter, then letters, digits, _, - and /")
            }
            return tag
        }
        let notes = try context.storing(
            try context.store.notes(state, tag: tag, limit: limit ?? NoteList.defaultLimit, before: before))
        return try notes.map(context.summary)
    }
}

public struct NoteEdit: ContentCall {
    public var note = ""
    public var text = ""
    public var line: Int?
    public var was: String?
    public var links: [NoteLinkEdit] = []

    public init() {}
    public init(note: String, text: String, line: Int? = nil, was: String? = nil, links: [NoteLinkEdit] = []) {
        (self.note, self.text, self.line, self.was, self.links) = (note, text, line, was, links)
    }

    public typealias Answer = NoteChangeAnswer
    public static let name = "note.edit"
    public static let operation = Operation<Self>(
        "gives a note another text", .edit,
        [
            Field("note", \.note, noteHelp, identifies: .note), Field("text", \.text, "the new text"),
            Field("line", \.line, in: lines, "where one is in it"),
            Field("was", \.was, "the digest of the text that is edited: another one is an error"),
            Field("links", \.links, "changes of its links"),
        ],
        http: [
            HTTPForm(
                .patch, "/v1/notes/{note}", refusals: [409],
                examples: [("text", #"{"text":"Book Crusty for Sunday","line":1}"#)])
        ])

    public func perform(in context: OperationContext) throws(ControlError) -> NoteChangeAnswer {
        try NoteText.check(text)
        let links = try NoteLinkEdit.changes(self.links)
        let found = try context.note(named: self.note)
        // The request gives the text at the start of the edit as a digest. The transaction compares the bytes of the
        // text.
        let isSameText = self.was?.utf8.elementsEqual(FileDigest.text(of: text).utf8) ?? false
        if let was = self.was, !isSameText, !was.utf8.elementsEqual(FileDigest.text(of: found.text).utf8),
            !text.hasSameBytes(as: found.text)
        {
            throw .changedMeanwhile(found)
        }
        let name = Store.NoteName.id(found.id)
        let old = self.was == nil ? nil : found.text
        let outcome = try context.changing { (state) throws(StoreError) -> Store.NoteEdit in
            // An edit of the links alone leaves a text alone that another one wrote meanwhile.
            if isSameText, !links.isEmpty {
                guard let note = try state.note(name) else { return .noNote }
                try state.change(links, of: note)
                return .done(note)
            }
            let edit = try state.edit(note: name, text: text, insteadOf: old) { before in
                line ?? NoteText.lastChangedLine(from: before, to: text)
            }
            if case .done(let note) = edit { try state.change(links, of: note) }
            return edit
        }
        switch outcome {
        case .done(let note): return try context.answer(note)
        case .changedMeanwhile(let note): throw .changedMeanwhile(note)
        case .noNote: throw .unknown(note: name)
        }
    }
}

public struct NoteAttach: ContentCall {
    public var note = ""
    public var path: String?
    public var digest: String?

    public init() {}
    public init(note: String, path: String? = nil, digest: String? = nil) {
        (self.note, self.path, self.digest) = (note, path, digest)
    }

    public typealias Answer = NoteChangeAnswer
    public static let name = "note.attach"
    public static let operation = Operation<Self>(
        "attaches a file of this machine", .edit,
        [
            Field("note", \.note, noteHelp, identifies: .note), Field("path", \.path, "where it is"),
            Field("digest", \.digest, "instead of the path: `sha256:` and its digest"),
        ],
        http: [
            HTTPForm(
                .post, "/v1/notes/{note}/attachments",
                made: .init(["note", "id"], "/v1/notes/"), examples: [("path", #"{"path":"/home/me/contract.pdf"}"#)])
        ])

    public func perform(in context: OperationContext) throws(ControlError) -> NoteChangeAnswer {
        guard (self.path == nil) != (self.digest == nil) else {
            throw .argument("one of path and digest is needed", at: "")
        }
        if let path = self.path, path.utf8.starts(with: "sha256:".utf8) {
            throw .argument("path is a digest", at: "/path", help: "give it as digest")
        }
        if let digest = self.digest, !digest.utf8.starts(with: "sha256:".utf8) {
            throw .argument("digest does not begin with sha256:", at: "/digest")
        }
        let attachment = try FileDigest.attachment(
            self.path ?? self.digest ?? "", at: self.path == nil ? "/digest" : "/path")
        let name = try Store.NoteName(argument: self.note, at: "/note")
        let note = try context.changing { (state) throws(StoreError) -> Store.Note? in
            guard let note = try state.note(name) else { return nil }
            try state.attach(attachment, to: note)
            return try state.note(name)
        }
        guard let note else { throw .unknown(note: name) }
        return try context.answer(note)
    }
}

public struct NoteAside: ContentCall {
    public var note: String?

    public init() {}

    public typealias Answer = NoteChangeAnswer
    public static let name = "note.aside"
    public static let operation = Operation<Self>(
        "puts the note in progress aside, or another one back there", .edit,
        [Field("note", \.note, "which; else the one in progress", identifies: .note)],
        http: [HTTPForm(.post, "/v1/notes/{note}/aside")])

    public func perform(in context: OperationContext) throws(ControlError) -> NoteChangeAnswer {
        try context.change(note ?? "current", to: .aside)
    }
}

public struct NoteResume: ContentCall {
    public var note: String?

    public init() {}

    public typealias Answer = NoteChangeAnswer
    public static let name = "note.resume"
    public static let operation = Operation<Self>(
        "takes up a note again: it is then the one in progress", .edit,
        [Field("note", \.note, "which; else the one that was put aside last", identifies: .note)],
        http: [HTTPForm(.post, "/v1/notes/{note}/resume")])

    public func perform(in context: OperationContext) throws(ControlError) -> NoteChangeAnswer {
        if let text = self.note { return try context.change(text, to: .current) }
        let note = try context.changing { (state) throws(StoreError) -> Store.Note? in
            guard let last = try state.lastNoteAside() else { return nil }
            return try state.change(note: .id(last.id), to: .current)
        }
        guard let note else {
            throw ControlError(
                .noteNoneInProgress, "no note was put aside", help: "usher note resume NOTE names one that is done")
        }
        return try context.answer(note)
    }
}

public struct NoteDone: ContentCall {
    public var note: String?

    public init() {}

    public typealias Answer = NoteChangeAnswer
    public static let name = "note.done"
    public static let operation = Operation<Self>(
        "finishes the note in progress, or another one", .edit,
        [Field("note", \.note, "which; else the one in progress", identifies: .note)],
        http: [HTTPForm(.post, "/v1/notes/{note}/done")])

    public func perform(in context: OperationContext) throws(ControlError) -> NoteChangeAnswer {
        try context.change(note ?? "current", to: .done)
    }
}

public struct NoteDelete: ContentCall {
    public var note = ""

    public init() {}

    public typealias Answer = NoteChangeAnswer
    public static let name = "note.delete"
    public static let operation = Operation<Self>(
        "removes a note with its links and attachments", .edit, [Field("note", \.note, noteHelp, identifies: .note)],
        http: [HTTPForm(.delete, "/v1/notes/{note}")])

    public func perform(in context: OperationContext) throws(ControlError) -> NoteChangeAnswer {
        let name = try Store.NoteName(argument: self.note, at: "/note")
        let note = try context.changing { (state) throws(StoreError) in try state.delete(note: name) }
        guard let note else { throw .unknown(note: name) }
        var answer = NoteAnswer(note, isDeleted: true)
        answer.short = try context.short(note.id, .note)
        return NoteChangeAnswer(answer)
    }
}

public struct NoteSearch: ContentCall {
    public var query = ""
    public var limit: Int?

    public init() {}

    public typealias Answer = [NoteAnswer]
    public static let name = "note.search"
    public static let operation = Operation<Self>(
        "the notes with all of these words: in their text, or in titles and addresses of links", .read,
        [
            Field("query", \.query, "beginnings of words, tags with their `#`, or an identifier that notes link to"),
            Field("limit", \.limit, in: limits, "at most so many (50)"),
        ],
        http: [HTTPForm(.get, "/v1/notes", renamed: ["q": "query"], selector: "q")])

    public func perform(in context: OperationContext) throws(ControlError) -> [NoteAnswer] {
        let limit = self.limit ?? NoteList.defaultLimit
        let found = try context.storing(try context.store.searchNotes(query, limit: limit))
        return try found.map { (hit) throws(ControlError) in
            var note = try context.summary(hit.note)
            (note.snippet, note.foundIn) = (hit.snippet, hit.isByLink ? .link : .text)
            return note
        }
    }
}

public struct NoteImportation: ContentCall {
    public var file = ""
    public var choice: String?

    public init() {}
    public init(file: String, choice: String? = nil) { (self.file, self.choice) = (file, choice) }

    public typealias Answer = NoteImportAnswer
    public static let name = "note.import"
    public static let operation = Operation<Self>(
        "takes in what `usher note export` wrote", .edit,
        [
            Field("file", \.file, "an absolute path"),
            Field("choice", \.choice, oneOf: ["refuse", "keep", "replace"], "what becomes of notes that differ"),
        ])

    public func perform(in context: OperationContext) throws(ControlError) -> NoteImportAnswer {
        let reader = ExportReader(path: file)
        guard reader.path.utf8.first == UInt8(ascii: "/") else {
            throw .argument("file is no absolute path", at: "/file")
        }
        let choice = self.choice.flatMap(Store.ImportChoice.init) ?? .refuse
        // The file is read twice: first outside a transaction, then within the one that imports it. Because of the first
        // pass, a truncated or damaged file does not block other writers.
        let imported = try context.storing { () throws(StoreError) in
            try reader.read { _, _ in }
            return try context.store.importContent(onConflict: choice, file: reader.path) {
                (take) throws(StoreError) in try reader.read(take)
            }
        }
        return NoteImportAnswer(imported)
    }
}
