public import UsherEngine
public import UsherOperation
internal import UsherScene
internal import UsherStore

public struct NoteAppend: ContentCall {
    public var note = ""
    public var text = ""

    public init() {}
    public init(note: String, text: String) { (self.note, self.text) = (note, text) }

    public typealias Answer = NoteChangeAnswer
    public static let name = "note.append"
    public static let operation = Operation<Self>(
        "adds text to a note, on a new line", .edit,
        [
            Field("note", \.note, noteHelp, identifies: .note), Field("text", \.text, "what is added"),
        ],
        http: [
            HTTPForm(
                .post, "/v1/notes/{note}/append",
                examples: [("line", #"{"text":"And a horn #shopping"}"#)])
        ])

    /// What an addition comes to.
    private enum Appending: Sendable {
        case edited(Store.NoteEdit)
        /// In bytes.
        case tooLong(Int)
    }

    public func perform(in context: OperationContext) throws(ControlError) -> NoteChangeAnswer {
        try NoteText.check(self.text)
        let name = try Store.NoteName(argument: self.note, at: "/note")
        let appended = self.text
        let outcome = try context.changing { (state) throws(StoreError) -> Appending in
            guard let found = try state.note(name) else { return .edited(.noNote) }
            let text = found.text + (found.text.utf8.last == 0x0A ? "" : "\n") + appended
            guard text.utf8.count <= Store.Note.maximumLength else { return .tooLong(text.utf8.count) }
            return .edited(
                try state.edit(note: name, text: text, insteadOf: nil) { before in
                    NoteText.lastChangedLine(from: before, to: text)
                })
        }
        switch outcome {
        case .edited(.done(let note)), .edited(.changedMeanwhile(let note)): return try context.answer(note)
        case .edited(.noNote): throw .unknown(note: name)
        case .tooLong(let count): throw NoteText.tooLong(count)
        }
    }
}

public struct NoteTags: ContentCall {
    public init() {}

    public typealias Answer = [NoteTagAnswer]
    public static let name = "note.tags"
    public static let operation = Operation<Self>(
        "the tags of all notes: `#` and a word in their texts", .read, [],
        http: [HTTPForm(.get, "/v1/tags")])

    /// Every tag, and how many notes have it.
    public func perform(in context: OperationContext) throws(ControlError) -> [NoteTagAnswer] {
        try context.storing(try context.store.noteTags()).map { tag, notes in NoteTagAnswer(tag.text, notes: notes) }
    }
}

/// One change of a link in the editor of its note.
public struct NoteLinkEdit: RecordValue {
    /// Of a link that is removed or renamed: its id.
    public var link: String?
    /// Of a new link.
    public var target: String?
    public var title: String?
    public var remove = false

    public init() {}

    public static func removal(of link: String) -> NoteLinkEdit {
        var edit = NoteLinkEdit()
        (edit.link, edit.remove) = (link, true)
        return edit
    }

    public static func renaming(of link: String, to title: String?) -> NoteLinkEdit {
        var edit = NoteLinkEdit()
        (edit.link, edit.title) = (link, title)
        return edit
    }

    public static func addition(of target: String, title: String?) -> NoteLinkEdit {
        var edit = NoteLinkEdit()
        (edit.target, edit.title) = (target, title)
        return edit
    }

    public static let fields: [Field<NoteLinkEdit>] = [
        Field("link", \.link, "of a link of the note: its id"),
        Field("target", \.target, "of a new link: the identifier of its content"),
        Field("title", \.title, "what the link is called; none if it is not given"),
        Field("remove", \.remove, "the link is removed"),
    ]

    public func checkCombination(at place: String) throws(ControlError) {
        guard (link == nil) != (target == nil) else {
            throw .argument("one of link and target is needed", at: place)
        }
        guard !remove || (link != nil && title == nil) else {
            throw .argument("remove goes with link alone", at: place + "/remove")
        }
    }
}
