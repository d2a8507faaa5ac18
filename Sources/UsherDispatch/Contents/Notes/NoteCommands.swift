internal import UsherJSON
internal import UsherOperation
internal import UsherScene
internal import UsherStore

/// `note` commands, for every door.
struct NoteCommands {
    let service: ContentService

    init(_ service: ContentService) { self.service = service }

    private static let listLimit = 50

    // MARK: Looking

    func show(_ call: NoteShow) throws(ControlError) -> JSONValue { try whole(try note(named: call.note)) }

    func list(_ call: NoteList) throws(ControlError) -> JSONValue {
        var state: Store.Note.State?
        if let name = call.state {
            guard let known = Store.Note.State(rawValue: name) else {
                throw .unknown(
                    .controlArgument, "state", name, among: Store.Note.State.allCases.map(\.rawValue), at: "/state")
            }
            state = known
        }
        let limit = call.limit ?? NoteCommands.listLimit
        let before = try call.before.map { (name) throws(ControlError) in
            try note(called: try NoteCommands.name(name, at: "/before"))
        }
        let wanted = state
        let notes = try service.storing { () throws(StoreError) in
            try service.store.notes(wanted, limit: limit, before: before)
        }
        return try summaries(notes)
    }

    func search(_ call: NoteSearch) throws(ControlError) -> JSONValue {
        let query = call.query
        let limit = call.limit ?? NoteCommands.listLimit
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

    // MARK: Changing

    func edit(_ call: NoteEdit) throws(ControlError) -> JSONValue {
        let (text, line) = (call.text, call.line)
        try NoteText.check(text)
        let found = try note(named: call.note)
        // What the text was when the editing began is told by its digest, and compared by its bytes in the transaction.
        if let was = call.was, !was.utf8.elementsEqual(FileDigest.text(of: found.text).utf8),
            !text.utf8.elementsEqual(found.text.utf8)
        {
            throw NoteCommands.changedMeanwhile(found)
        }
        let name = Store.NoteName.id(found.id)
        let old = call.was == nil ? nil : found.text
        let outcome = try changing { (state) throws(StoreError) in
            try state.edit(note: name, text: text, insteadOf: old) { before in
                line ?? NoteText.lastChangedLine(from: before, to: text)
            }
        }
        switch outcome {
        case .done(let note): return try answer(note)
        case .changedMeanwhile(let note): throw NoteCommands.changedMeanwhile(note)
        case .noNote: throw NoteCommands.unknown(name)
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
        let name = try NoteCommands.name(call.note, at: "/note")
        let note = try changing { (state) throws(StoreError) -> Store.Note? in
            guard let note = try state.note(name) else { return nil }
            try state.attach(attachment, to: note)
            return try state.note(name)
        }
        guard let note else { throw NoteCommands.unknown(name) }
        return try answer(note)
    }

    func change(_ note: String?, to wanted: Store.Note.State) throws(ControlError) -> JSONValue {
        let name = try note.map { (text) throws(ControlError) in
            try NoteCommands.name(text, at: "/note")
        }
        return try change(name ?? .current, to: wanted)
    }

    private func change(_ name: Store.NoteName, to wanted: Store.Note.State) throws(ControlError) -> JSONValue {
        let note = try changing { (state) throws(StoreError) in try state.change(note: name, to: wanted) }
        guard let note else { throw NoteCommands.unknown(name) }
        return try answer(note)
    }

    func resume(_ call: NoteResume) throws(ControlError) -> JSONValue {
        if let text = call.note {
            return try change(try NoteCommands.name(text, at: "/note"), to: .current)
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
        let name = try NoteCommands.name(call.note, at: "/note")
        let note = try changing { (state) throws(StoreError) in try state.delete(note: name) }
        guard let note else { throw NoteCommands.unknown(name) }
        return .object([.init("note", .object(NoteAnswer.members(note, state: "deleted")))])
    }
}
