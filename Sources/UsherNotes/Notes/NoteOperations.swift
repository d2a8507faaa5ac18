internal import UsherEngine
internal import UsherOperation
internal import UsherScene
internal import UsherStore
internal import UsherText

extension OperationContext {
    /// The note that the argument `note` names.
    func note(named text: String) throws(ControlError) -> Store.Note {
        try note(called: try Store.NoteName(argument: text, at: "/note"))
    }

    func note(called name: Store.NoteName) throws(ControlError) -> Store.Note {
        guard let note = try storing(try store.note(name)) else {
            throw .unknown(note: name)
        }
        return note
    }

    /// A transaction that may make links.
    func changing<Result: Sendable>(
        _ body: @escaping @Sendable (inout StoreState) throws(StoreError) -> Result
    ) throws(ControlError) -> Result {
        do throws(StoreError) {
            return try store.write(body)
        } catch {
            guard error.code == .contentDeleted else { throw ControlError(error) }
            throw ControlError(
                .contentDeleted, error.message, at: "/links", help: "usher content restore takes a deletion back")
        }
    }

    /// Gives the note that the argument `note` names another state.
    func change(_ text: String, to wanted: Store.Note.State) throws(ControlError) -> NoteChangeAnswer {
        let name = try Store.NoteName(argument: text, at: "/note")
        let note = try changing { (state) throws(StoreError) in try state.change(note: name, to: wanted) }
        guard let note else { throw .unknown(note: name) }
        return try answer(note)
    }

    // MARK: Answers

    /// Of a change.
    func answer(_ note: Store.Note) throws(ControlError) -> NoteChangeAnswer { NoteChangeAnswer(try whole(note)) }

    /// With its links and attachments.
    func whole(_ note: Store.Note) throws(ControlError) -> NoteAnswer {
        var answer = NoteAnswer(note)
        answer.short = try short(note.id, .note)
        answer.links = try links(of: note)
        answer.attachments = try storing(try store.attachments(of: note)).map(NoteAnswer.Attachment.init)
        return answer
    }

    /// As in a list.
    func summary(_ note: Store.Note) throws(ControlError) -> NoteAnswer {
        var answer = NoteAnswer(note)
        answer.short = try short(note.id, .note)
        answer.linkCount = try storing(try store.linkCount(of: note))
        return answer
    }

    /// The most that are shown with a note; `usher link list --note` shows all.
    private static let linkLimit = 1000

    /// The links of a note, the oldest first.
    private func links(of note: Store.Note) throws(ControlError) -> [LinkAnswer] {
        try storing(try store.links(note: note.id, limit: Self.linkLimit)).reversed().map(answer)
    }
}

extension Store.NoteName {
    /// What an argument names.
    init(argument text: String, at place: String) throws(ControlError) {
        guard let name = Store.NoteName(text) else {
            throw ControlError(
                .noteUnknown, "there is no note \(QuotedText.text(text))", at: place,
                help:
                    "a note is named by its id or at least \(UUIDv7.shortest) characters of its beginning, by usher-note: and"
                    + " its id, or as current; usher note list shows them")
        }
        self = name
    }
}

extension ControlError {
    static func unknown(note name: Store.NoteName) -> ControlError {
        switch name {
        case .current:
            ControlError(
                .noteNoneInProgress, "no note is in progress",
                help: "usher note new begins one; usher note resume takes up the one that was put aside last")
        case .id(let id):
            ControlError(.noteUnknown, "there is no note \(id)", help: "usher note list shows the notes")
        }
    }

    static func changedMeanwhile(_ note: Store.Note) -> ControlError {
        ControlError(
            .noteChangedMeanwhile,
            "the note \(note.id) was changed meanwhile (\(Instant(microseconds: note.changed).text))",
            help: "usher note show \(note.id) shows its text now")
    }
}
