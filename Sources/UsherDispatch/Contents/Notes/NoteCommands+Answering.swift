internal import UsherJSON
internal import UsherLog
internal import UsherOperation
internal import UsherScene
internal import UsherStore
internal import UsherText

extension NoteCommands {
    /// The note that the argument `note` names.
    func note(named text: String) throws(ControlError) -> Store.Note {
        try note(called: try NoteCommands.name(text, at: "/note"))
    }

    func note(called name: Store.NoteName) throws(ControlError) -> Store.Note {
        guard let note = try service.storing({ () throws(StoreError) in try service.store.note(name) }) else {
            throw NoteCommands.unknown(name)
        }
        return note
    }

    func changing<Result: Sendable>(
        _ body: @escaping @Sendable (inout StoreState) throws(StoreError) -> Result
    ) throws(ControlError) -> Result {
        try service.storing { () throws(StoreError) in try service.store.write(body) }
    }

    /// What a text names.
    static func name(_ text: String, at place: String) throws(ControlError) -> Store.NoteName {
        guard let name = Store.NoteName(text) else {
            throw ControlError(
                .noteUnknown, "there is no note \(QuotedText.text(text))", at: place,
                help: "a note is named by its id, by usher-note: and its id, or as current; usher note list shows them")
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

    static func changedMeanwhile(_ note: Store.Note) -> ControlError {
        ControlError(
            .noteChangedMeanwhile,
            "the note \(note.id) was changed meanwhile (\(Instant(microseconds: note.changed).text))",
            help: "usher note show \(note.id) shows its text now")
    }

    // MARK: Answers

    /// Of a change.
    func answer(_ note: Store.Note) throws(ControlError) -> JSONValue {
        .object([.init("note", try whole(note))])
    }

    /// With its links and attachments.
    func whole(_ note: Store.Note) throws(ControlError) -> JSONValue {
        let attachments = try service.storing { () throws(StoreError) in try service.store.attachments(of: note) }
        return NoteAnswer.whole(note, links: try links(of: note), attachments: attachments)
    }

    func summary(_ note: Store.Note) throws(ControlError) -> JSONValue {
        let count = try service.storing { () throws(StoreError) in try service.store.linkCount(of: note) }
        return NoteAnswer.summary(note, linkCount: count)
    }

    func summaries(_ notes: [Store.Note]) throws(ControlError) -> JSONValue {
        var answers: [JSONValue] = []
        for note in notes { answers.append(try summary(note)) }
        return .array(answers)
    }
}
