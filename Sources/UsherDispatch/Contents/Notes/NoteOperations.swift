internal import UsherJSON
internal import UsherLog
internal import UsherOperation
internal import UsherScene
internal import UsherStore
internal import UsherText

/// `note` commands, for every interface (socket, HTTP, command line).
struct NoteOperations {
    private let service: ContentService

    init(_ service: ContentService) { self.service = service }

    private static let listLimit = 50

    // MARK: Looking

    func show(_ call: NoteShow) throws(ControlError) -> JSONValue { try whole(try note(named: call.note)) }

    func list(_ call: NoteList) throws(ControlError) -> JSONValue {
        let limit = call.limit ?? NoteOperations.listLimit
        let before = try call.before.map { (name) throws(ControlError) in
            try note(called: try NoteOperations.name(name, at: "/before"))
        }
        let state = call.state.flatMap(Store.Note.State.init)
        let tag = try call.tag.map { (text) throws(ControlError) in
            guard let tag = NoteTag(text) else {
                throw .argument(
                    "\(QuotedText.text(text)) is no tag", at: "/tag",
                    help: "a tag is a letter, then letters, digits, _, - and /")
            }
            return tag
        }
        let notes = try service.storing { () throws(StoreError) in
            try service.store.notes(state, tag: tag, limit: limit, before: before)
        }
        return try summaries(notes)
    }

    func search(_ call: NoteSearch) throws(ControlError) -> JSONValue {
        let query = call.query
        let limit = call.limit ?? NoteOperations.listLimit
        let found = try service.storing { () throws(StoreError) in
            try service.store.searchNotes(query, limit: limit)
        }
        var answers: [JSONValue] = []
        for hit in found {
            guard case .object(let members) = try summary(hit.note) else { continue }
            answers.append(
                .object(
                    members + [
                        .init("snippet", .string(hit.snippet)),
                        .init("found_in", .string(hit.isByLink ? "link" : "text")),
                    ]))
        }
        return .array(answers)
    }

    /// Every tag, and how many notes have it.
    func tags() throws(ControlError) -> JSONValue {
        let found = try service.storing { () throws(StoreError) in try service.store.noteTags() }
        return .array(
            found.map { tag, notes in
                .object([.init("tag", .string(tag.text)), .init("notes", .number(String(notes)))])
            })
    }

    // MARK: Changing

    /// What an addition comes to.
    private enum Appending: Sendable {
        case edited(Store.NoteEdit)
        /// In bytes.
        case tooLong(Int)
    }

    func append(_ call: NoteAppend) throws(ControlError) -> JSONValue {
        try NoteText.check(call.text)
        let name = try NoteOperations.name(call.note, at: "/note")
        let appended = call.text
        let outcome = try changing { (state) throws(StoreError) -> Appending in
            guard let found = try state.note(name) else { return .edited(.noNote) }
            let text = found.text + (found.text.utf8.last == 0x0A ? "" : "\n") + appended
            guard text.utf8.count <= Store.Note.maximumLength else { return .tooLong(text.utf8.count) }
            return .edited(
                try state.edit(note: name, text: text, insteadOf: nil) { before in
                    NoteText.lastChangedLine(from: before, to: text)
                })
        }
        switch outcome {
        case .edited(.done(let note)), .edited(.changedMeanwhile(let note)): return try answer(note)
        case .edited(.noNote): throw NoteOperations.unknown(name)
        case .tooLong(let count): throw NoteText.tooLong(count)
        }
    }

    func edit(_ call: NoteEdit) throws(ControlError) -> JSONValue {
        let (text, line) = (call.text, call.line)
        try NoteText.check(text)
        let links = try NoteOperations.changes(call.links)
        let found = try note(named: call.note)
        // The request gives the text at the start of the edit as a digest. The transaction compares the bytes of the
        // text.
        let isSameText = call.was?.utf8.elementsEqual(FileDigest.text(of: text).utf8) ?? false
        if let was = call.was, !isSameText, !was.utf8.elementsEqual(FileDigest.text(of: found.text).utf8),
            !text.hasSameBytes(as: found.text)
        {
            throw NoteOperations.changedMeanwhile(found)
        }
        let name = Store.NoteName.id(found.id)
        let old = call.was == nil ? nil : found.text
        let outcome = try changing { (state) throws(StoreError) -> Store.NoteEdit in
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
        case .done(let note): return try answer(note)
        case .changedMeanwhile(let note): throw NoteOperations.changedMeanwhile(note)
        case .noNote: throw NoteOperations.unknown(name)
        }
    }

    func attach(_ call: NoteAttach) throws(ControlError) -> JSONValue {
        guard (call.path == nil) != (call.digest == nil) else {
            throw .argument("one of path and digest is needed", at: "")
        }
        if let path = call.path, path.utf8.starts(with: "sha256:".utf8) {
            throw .argument("path is a digest", at: "/path", help: "give it as digest")
        }
        if let digest = call.digest, !digest.utf8.starts(with: "sha256:".utf8) {
            throw .argument("digest does not begin with sha256:", at: "/digest")
        }
        let attachment = try FileDigest.attachment(
            call.path ?? call.digest ?? "", at: call.path == nil ? "/digest" : "/path")
        let name = try NoteOperations.name(call.note, at: "/note")
        let note = try changing { (state) throws(StoreError) -> Store.Note? in
            guard let note = try state.note(name) else { return nil }
            try state.attach(attachment, to: note)
            return try state.note(name)
        }
        guard let note else { throw NoteOperations.unknown(name) }
        return try answer(note)
    }

    func change(_ note: String?, to wanted: Store.Note.State) throws(ControlError) -> JSONValue {
        let name = try note.map { (text) throws(ControlError) in
            try NoteOperations.name(text, at: "/note")
        }
        return try change(name ?? .current, to: wanted)
    }

    private func change(_ name: Store.NoteName, to wanted: Store.Note.State) throws(ControlError) -> JSONValue {
        let note = try changing { (state) throws(StoreError) in try state.change(note: name, to: wanted) }
        guard let note else { throw NoteOperations.unknown(name) }
        return try answer(note)
    }

    func resume(_ call: NoteResume) throws(ControlError) -> JSONValue {
        if let text = call.note {
            return try change(try NoteOperations.name(text, at: "/note"), to: .current)
        }
        let note = try changing { (state) throws(StoreError) -> Store.Note? in
            guard let last = try state.lastNoteAside() else { return nil }
            return try state.change(note: .id(last.id), to: .current)
        }
        guard let note else {
            throw ControlError(
                .noteNoneInProgress, "no note was put aside", help: "usher note resume NOTE names one that is done")
        }
        return try answer(note)
    }

    func delete(_ call: NoteDelete) throws(ControlError) -> JSONValue {
        let name = try NoteOperations.name(call.note, at: "/note")
        let note = try changing { (state) throws(StoreError) in try state.delete(note: name) }
        guard let note else { throw NoteOperations.unknown(name) }
        return .object([
            .init("note", try service.withShort(.note, .object(NoteAnswer.members(note, state: "deleted"))))
        ])
    }
}

// MARK: - Answering

extension NoteOperations {
    /// The note that the argument `note` names.
    private func note(named text: String) throws(ControlError) -> Store.Note {
        try note(called: try NoteOperations.name(text, at: "/note"))
    }

    private func note(called name: Store.NoteName) throws(ControlError) -> Store.Note {
        guard let note = try service.storing({ () throws(StoreError) in try service.store.note(name) }) else {
            throw NoteOperations.unknown(name)
        }
        return note
    }

    private func changing<Result: Sendable>(
        _ body: @escaping @Sendable (inout StoreState) throws(StoreError) -> Result
    ) throws(ControlError) -> Result {
        do throws(StoreError) {
            return try service.store.write(body)
        } catch {
            guard error.code == .contentDeleted else { throw ControlError(error) }
            throw ControlError(
                .contentDeleted, error.message, at: "/links", help: "usher content restore takes a deletion back")
        }
    }

    /// What a text names.
    static func name(_ text: String, at place: String) throws(ControlError) -> Store.NoteName {
        guard let name = Store.NoteName(text) else {
            throw ControlError(
                .noteUnknown, "there is no note \(QuotedText.text(text))", at: place,
                help:
                    "a note is named by its id or at least \(UUIDv7.shortest) characters of its beginning, by usher-note: and"
                    + " its id, or as current; usher note list shows them")
        }
        return name
    }

    static func unknown(_ name: Store.NoteName) -> ControlError {
        switch name {
        case .current:
            ControlError(
                .noteNoneInProgress, "no note is in progress",
                help: "usher note new begins one; usher note resume takes up the one that was put aside last")
        case .id(let id):
            ControlError(.noteUnknown, "there is no note \(id)", help: "usher note list shows the notes")
        }
    }

    private static func changedMeanwhile(_ note: Store.Note) -> ControlError {
        ControlError(
            .noteChangedMeanwhile,
            "the note \(note.id) was changed meanwhile (\(Instant(microseconds: note.changed).text))",
            help: "usher note show \(note.id) shows its text now")
    }

    // MARK: Answers

    /// Of a change.
    private func answer(_ note: Store.Note) throws(ControlError) -> JSONValue {
        .object([.init("note", try whole(note))])
    }

    /// With its links and attachments.
    private func whole(_ note: Store.Note) throws(ControlError) -> JSONValue {
        let attachments = try service.storing { () throws(StoreError) in try service.store.attachments(of: note) }
        return try service.withShort(
            .note, NoteAnswer.whole(note, links: try links(of: note), attachments: attachments))
    }

    private func summary(_ note: Store.Note) throws(ControlError) -> JSONValue {
        let count = try service.storing { () throws(StoreError) in try service.store.linkCount(of: note) }
        return try service.withShort(.note, NoteAnswer.summary(note, linkCount: count))
    }

    private func summaries(_ notes: [Store.Note]) throws(ControlError) -> JSONValue {
        var answers: [JSONValue] = []
        for note in notes { answers.append(try summary(note)) }
        return .array(answers)
    }
}

// MARK: - Links

extension NoteOperations {
    /// The most that are shown with a note; `usher link list --note` shows all.
    private static let linkLimit = 1000

    /// The links of a note, the oldest first.
    private func links(of note: Store.Note) throws(ControlError) -> [JSONValue] {
        let links = try service.storing { () throws(StoreError) in
            try service.store.links(note: note.id, limit: NoteOperations.linkLimit)
        }
        return try service.withShort(.link, links.reversed().map { LinkAnswer.value($0) })
    }
}

// MARK: - New

extension NoteOperations {
    /// A note with its links and attachments: all of it or nothing. Only the link to an activity may be missing.
    func new(_ call: NoteNew) throws(ControlError) -> JSONValue {
        try NoteText.check(call.text)
        var identifiers: [TargetContentIdentifier] = []
        for (index, link) in call.links.enumerated() {
            try NoteOperations.check(link, at: "/links/\(index)")
            let identifier = TargetContentIdentifier(link)
            if !identifiers.contains(identifier) { identifiers.append(identifier) }
        }
        var attachments: [Store.Attachment] = []
        for (index, attachment) in call.attachments.enumerated() {
            attachments.append(try FileDigest.attachment(attachment, at: "/attachments/\(index)"))
        }
        var sources = identifiers.map { LinkSource(identifiers: [.init(.targetContentIdentifier, $0)]) }
        var warnings: [String] = []
        if let name = call.activity, let source = try activity(name, &warnings) { sources.append(source) }
        let (note, deleted) = try make(call.text, links: sources, attachments: attachments)
        if let deleted { warnings.append(NoteOperations.notLinked("\(deleted) [\(DiagnosticCode.contentDeleted)]")) }
        let answer = try whole(note)
        var members: [JSONValue.Member] = [.init("note", answer), .init("links", answer["links"] ?? .array([]))]
        if !warnings.isEmpty { members.append(.init("warnings", .array(warnings.map { .string($0) }))) }
        return .object(members)
    }

    /// What a new note is linked to; nil where there is no such activity, or nothing to link to it by. A note is not lost
    /// because what the user looks at cannot be linked to.
    private func activity(_ name: String, _ warnings: inout [String]) throws(ControlError) -> LinkSource? {
        do throws(ControlError) {
            if name == "current" { return try LinkSource(currentIn: service, &warnings) }
            let found = try service.storing { () throws(StoreError) in try service.store.activity(id: name) }
            guard let found else { throw .noActivity(name) }
            return found.state == .current
                ? try LinkSource(showing: found, in: service, &warnings) : try LinkSource(found, in: service, &warnings)
        } catch {
            guard error.code != .linkNoIdentifier else { return nil }
            warnings.append(NoteOperations.notLinked("\(error.message) [\(error.code)]"))
            return nil
        }
    }

    private static func notLinked(_ why: String) -> String { "the note is not linked to the activity: \(why)" }

    /// - Returns: the note, and why it has no link to the activity, where that was deleted.
    private func make(
        _ text: String, links: [LinkSource], attachments: [Store.Attachment]
    ) throws(ControlError) -> (note: Store.Note, deleted: String?) {
        // The name is that of the note that is made; files are looked at before the transaction.
        let links = links.map { (isOfActivity: $0.activity != nil, link: $0.link(of: .current)) }
        return try changing { (state) throws(StoreError) -> (note: Store.Note, deleted: String?) in
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

    private static func check(_ link: String, at place: String) throws(ControlError) {
        if link.isEmpty { throw .argument("an identifier cannot be empty", at: place, help: LinkSource.empty) }
        guard link.utf8.count <= TargetContentIdentifier.maximumLength else {
            throw .argument(
                "an identifier has at most \(TargetContentIdentifier.maximumLength) bytes, not \(link.utf8.count)",
                at: place, help: LinkSource.tooLong)
        }
        if link.utf8.contains(0) {
            throw .argument("an identifier cannot hold a NUL character", at: place, help: LinkSource.nul)
        }
    }
}
