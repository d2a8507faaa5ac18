internal import UsherJSON
internal import UsherOperation
internal import UsherScene
internal import UsherStore
internal import UsherText

/// `link add|show|list|remove|suggest`, for every door.
struct LinkCommands {
    let service: ContentService

    init(_ service: ContentService) { self.service = service }

    func show(_ call: LinkShow) throws(ControlError) -> JSONValue {
        let id = call.link
        let found = try service.storing { () throws(StoreError) in try service.store.link(id: id) }
        guard let found else { throw LinkCommands.unknown(id) }
        return LinkAnswer.value(found, hasDocument: true)
    }

    func list(_ call: LinkList) throws(ControlError) -> JSONValue {
        let limit = call.limit ?? 100
        var note: Store.Note?
        if let name = call.note { note = try self.note(called: name) }
        let target = call.target.map { TargetContentIdentifier($0) }
        let before = call.before
        let (noteID, store) = (note?.id, service.store)
        let links = try service.storing { () throws(StoreError) in
            try store.links(note: noteID, target: target, limit: limit, before: before)
        }
        return .array(links.map { LinkAnswer.value($0) })
    }

    func remove(_ call: LinkRemove) throws(ControlError) -> JSONValue {
        let id = call.link
        let removed = try service.storing { () throws(StoreError) in try service.store.remove(link: id) }
        guard let removed else { throw LinkCommands.unknown(id) }
        return .object([.init("link", LinkAnswer.value(removed))])
    }

    /// Of identifiers, else of what the user looks at: the system's current activity.
    func suggest(_ call: LinkSuggest) throws(ControlError) -> JSONValue {
        let targets = call.targets
        let current = targets.isEmpty ? try CurrentActivities(service).system() : nil
        let wanted = (current?.identifiers ?? targets).map { TargetContentIdentifier($0) }
        guard !wanted.isEmpty else { return .object([.init("suggestions", .array([]))]) }
        let found = try service.storing { () throws(StoreError) in try service.store.suggestions(for: wanted) }
        return .object([.init("suggestions", .array(found.map { LinkAnswer.value($0) }))])
    }

    // MARK: Arguments

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
