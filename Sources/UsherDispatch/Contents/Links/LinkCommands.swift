internal import UsherJSON
internal import UsherOperation
internal import UsherScene
internal import UsherStore
internal import UsherText

/// `link add|show|list|remove|suggest`, for every door.
struct LinkCommands {
    let service: ContentService

    init(_ service: ContentService) { self.service = service }

    func perform(_ request: ContentRequest) throws(ControlError) -> JSONValue {
        switch request.verb {
        case .addLink: try add(request.arguments)
        case .showLink: try show(request.arguments)
        case .listLinks: try list(request.arguments)
        case .removeLink: try remove(request.arguments)
        case .suggestLinks: try suggest(request.arguments)
        default: throw .protocolViolation("\(request.verb.rawValue) is no command about links")
        }
    }

    private func show(_ arguments: JSONValue) throws(ControlError) -> JSONValue {
        let id = try LinkCommands.reader(arguments, ["link"]).requiredText("link")
        let found = try service.storing { () throws(StoreError) in try service.store.link(id: id) }
        guard let found else { throw LinkCommands.unknown(id) }
        return LinkAnswer.value(found, hasDocument: true)
    }

    private func list(_ arguments: JSONValue) throws(ControlError) -> JSONValue {
        let arguments = try LinkCommands.reader(arguments, ["note", "target", "limit", "before"])
        let limit = try arguments.integer("limit", in: 1...1000) ?? 100
        var note: Store.Note?
        if let name = try arguments.text("note") { note = try self.note(called: name) }
        let target = try arguments.text("target").map { TargetContentIdentifier($0) }
        let before = try arguments.text("before")
        let (noteID, store) = (note?.id, service.store)
        let links = try service.storing { () throws(StoreError) in
            try store.links(note: noteID, target: target, limit: limit, before: before)
        }
        return .array(links.map { LinkAnswer.value($0) })
    }

    private func remove(_ arguments: JSONValue) throws(ControlError) -> JSONValue {
        let id = try LinkCommands.reader(arguments, ["link"]).requiredText("link")
        let removed = try service.storing { () throws(StoreError) in try service.store.remove(link: id) }
        guard let removed else { throw LinkCommands.unknown(id) }
        return .object([.init("link", LinkAnswer.value(removed))])
    }

    /// Of identifiers, else of what the user looks at: the system's current activity.
    private func suggest(_ arguments: JSONValue) throws(ControlError) -> JSONValue {
        let arguments = try LinkCommands.reader(arguments, ["targets"])
        let targets = try arguments.texts("targets")
        let current = targets.isEmpty ? try CurrentActivities(service).system() : nil
        let wanted = (current?.identifiers ?? targets).map { TargetContentIdentifier($0) }
        guard !wanted.isEmpty else { return .object([.init("suggestions", .array([]))]) }
        let found = try service.storing { () throws(StoreError) in try service.store.suggestions(for: wanted) }
        return .object([.init("suggestions", .array(found.map { LinkAnswer.value($0) }))])
    }

    // MARK: Arguments

    static func reader(_ arguments: JSONValue, _ allowed: [String]) throws(ControlError) -> MemberReader {
        try MemberReader(arguments, at: "", allowed: allowed)
    }

    /// The note of that name; an error where there is none.
    func note(called text: String) throws(ControlError) -> Store.Note {
        let name = try NoteCommands.name(text, at: "/note")
        let found = try service.storing { () throws(StoreError) in try service.store.note(name) }
        guard let found else { throw NoteCommands.unknown(name) }
        return found
    }

    static func unknown(_ id: String) -> ControlError {
        ControlError(
            .linkUnknown, "there is no link \(QuotedText.text(id))", at: "/link",
            help: "usher link list shows the last ones")
    }
}
