internal import UsherJSON
internal import UsherOperation
internal import UsherScene
internal import UsherStore

/// `note` commands, for every door.
struct NoteCommands {
    let service: ContentService

    init(_ service: ContentService) { self.service = service }

    static let listLimit = 50
    static let listLimits = 1...1000

    func perform(_ request: ContentRequest) throws(ControlError) -> JSONValue {
        let arguments = request.arguments
        switch request.verb {
        case .newNote: return try new(arguments)
        case .showNote: return try whole(try found(try reader(arguments, ["note"])))
        case .listNotes: return try list(arguments)
        case .editNote: return try edit(arguments)
        case .attachToNote: return try attach(arguments)
        case .putNoteAside: return try change(arguments, to: .aside)
        case .finishNote: return try change(arguments, to: .done)
        case .resumeNote: return try resume(arguments)
        case .deleteNote: return try delete(arguments)
        case .searchNotes: return try search(arguments)
        default: throw .protocolViolation("\(request.verb.rawValue) is no command about notes")
        }
    }

    // MARK: Looking

    private func list(_ arguments: JSONValue) throws(ControlError) -> JSONValue {
        let arguments = try reader(arguments, ["state", "limit", "before"])
        var state: Store.Note.State?
        if let name = try arguments.text("state") {
            guard let known = Store.Note.State(rawValue: name) else {
                throw .unknown(
                    .controlArgument, "state", name, among: Store.Note.State.allCases.map(\.rawValue), at: "/state")
            }
            state = known
        }
        let limit = try arguments.integer("limit", in: NoteCommands.listLimits) ?? NoteCommands.listLimit
        let before = try arguments.text("before").map { (name) throws(ControlError) in
            try note(called: try NoteCommands.name(name, at: "/before"))
        }
        let wanted = state
        let notes = try service.storing { () throws(StoreError) in
            try service.store.notes(wanted, limit: limit, before: before)
        }
        return try summaries(notes)
    }

    private func search(_ arguments: JSONValue) throws(ControlError) -> JSONValue {
        let arguments = try reader(arguments, ["query", "limit"])
        let query = try arguments.requiredText("query")
        let limit = try arguments.integer("limit", in: NoteCommands.listLimits) ?? NoteCommands.listLimit
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

    private func edit(_ arguments: JSONValue) throws(ControlError) -> JSONValue {
        let arguments = try reader(arguments, ["note", "text", "line", "was"])
        let text = try arguments.requiredText("text")
        try NoteText.check(text)
        let line = try arguments.integer("line", in: 1...Int(Int32.max))
        let found = try found(arguments)
        // What the text was when the editing began is told by its digest, and compared by its bytes in the transaction.
        if let was = try arguments.text("was"), !was.utf8.elementsEqual(FileDigest.text(of: found.text).utf8),
            !text.utf8.elementsEqual(found.text.utf8)
        {
            throw NoteCommands.changedMeanwhile(found)
        }
        let name = Store.NoteName.id(found.id)
        let old = try arguments.text("was") == nil ? nil : found.text
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

    private func attach(_ arguments: JSONValue) throws(ControlError) -> JSONValue {
        let arguments = try reader(arguments, ["note", "path", "digest"])
        let given = try ["path", "digest"].map { (name) throws(ControlError) in try arguments.text(name) }
        guard given.count(where: { $0 != nil }) == 1 else {
            throw .argument("one of path and digest is needed", at: "")
        }
        if let path = given[0], path.utf8.starts(with: "sha256:".utf8) {
            throw .argument("path is a digest", at: "/path", help: "give it as digest")
        }
        if let digest = given[1], !digest.utf8.starts(with: "sha256:".utf8) {
            throw .argument("digest does not begin with sha256:", at: "/digest")
        }
        let attachment = try FileDigest.attachment(
            given[0] ?? given[1] ?? "", at: given[0] == nil ? "/digest" : "/path")
        let name = try NoteCommands.name(try arguments.requiredText("note"), at: "/note")
        let note = try changing { (state) throws(StoreError) -> Store.Note? in
            guard let note = try state.note(name) else { return nil }
            try state.attach(attachment, to: note)
            return try state.note(name)
        }
        guard let note else { throw NoteCommands.unknown(name) }
        return try answer(note)
    }

    private func change(_ arguments: JSONValue, to wanted: Store.Note.State) throws(ControlError) -> JSONValue {
        let arguments = try reader(arguments, ["note"])
        let name = try arguments.text("note").map { (text) throws(ControlError) in
            try NoteCommands.name(text, at: "/note")
        }
        return try change(name ?? .current, to: wanted)
    }

    private func change(_ name: Store.NoteName, to wanted: Store.Note.State) throws(ControlError) -> JSONValue {
        let note = try changing { (state) throws(StoreError) in try state.change(note: name, to: wanted) }
        guard let note else { throw NoteCommands.unknown(name) }
        return try answer(note)
    }

    private func resume(_ arguments: JSONValue) throws(ControlError) -> JSONValue {
        let arguments = try reader(arguments, ["note"])
        if let text = try arguments.text("note") {
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

    private func delete(_ arguments: JSONValue) throws(ControlError) -> JSONValue {
        let arguments = try reader(arguments, ["note"])
        let name = try NoteCommands.name(try arguments.requiredText("note"), at: "/note")
        let note = try changing { (state) throws(StoreError) in try state.delete(note: name) }
        guard let note else { throw NoteCommands.unknown(name) }
        return .object([.init("note", .object(NoteAnswer.members(note, state: "deleted")))])
    }
}
