internal import UsherJSON
internal import UsherLog
internal import UsherOperation
internal import UsherScene
internal import UsherStore
internal import UsherTarget
internal import UsherText

/// `link add|show|list|remove|suggest`, for every interface (socket, HTTP, command line).
struct LinkOperations {
    private let service: ContentService

    init(_ service: ContentService) { self.service = service }

    func show(_ call: LinkShow) throws(ControlError) -> JSONValue {
        let id = call.link
        let found = try service.storing { () throws(StoreError) in try service.store.link(id: id) }
        guard let found else { throw LinkOperations.unknown(id) }
        return try service.withShort(.link, LinkAnswer.value(found, hasDocument: true))
    }

    func list(_ call: LinkList) throws(ControlError) -> JSONValue {
        let limit = call.limit ?? 100
        var note: Store.Note?
        if let name = call.note { note = try self.note(called: name) }
        let target = call.target.map { TargetContentIdentifier($0) }
        guard target != nil || call.app == nil else {
            throw .argument(
                "app is given without a target", at: "/app", help: "it says which app's target that is")
        }
        let (app, before) = (call.app, call.before)
        let (noteID, store) = (note?.id, service.store)
        let links = try service.storing { () throws(StoreError) in
            try store.links(note: noteID, target: target, app: app, limit: limit, before: before)
        }
        return .array(try service.withShort(.link, links.map { LinkAnswer.value($0) }))
    }

    func remove(_ call: LinkRemove) throws(ControlError) -> JSONValue {
        let id = call.link
        let removed = try service.storing { () throws(StoreError) in try service.store.remove(link: id) }
        guard let removed else { throw LinkOperations.unknown(id) }
        return .object([.init("link", try service.withShort(.link, LinkAnswer.value(removed)))])
    }

    /// Of identifiers, else of what the user looks at: the system's current activity.
    func suggest(_ call: LinkSuggest) throws(ControlError) -> JSONValue {
        let targets = call.targets
        let current = targets.isEmpty ? try CurrentActivities(service).system() : nil
        let wanted = (current?.identifiers ?? targets).map { TargetContentIdentifier($0) }
        guard !wanted.isEmpty else { return .object([.init("suggestions", .array([]))]) }
        let app = current?.app ?? call.app
        let found = try service.storing { () throws(StoreError) in
            try service.store.suggestions(for: wanted, app: app)
        }
        return .object([.init("suggestions", .array(found.map { LinkAnswer.value($0) }))])
    }

    // MARK: Arguments

    /// The note of that name; an error where there is none.
    private func note(called text: String) throws(ControlError) -> Store.Note {
        let name = try NoteOperations.name(text, at: "/note")
        let found = try service.storing { () throws(StoreError) in try service.store.note(name) }
        guard let found else { throw NoteOperations.unknown(name) }
        return found
    }

    private static func unknown(_ id: String) -> ControlError {
        ControlError(
            .linkUnknown, "there is no link \(QuotedText.text(id))", at: "/link",
            help: "usher link list shows the last ones")
    }
}

// MARK: - Add

extension LinkOperations {
    /// A new link of a note. Whatever is to be said about its identifiers is in the answer.
    func add(_ call: LinkAdd) throws(ControlError) -> JSONValue {
        // Before an app's command may run for it: another note may be in progress when that ends.
        let name = Store.NoteName.id(try note(called: call.note).id)
        var warnings: [String] = []
        var source = try source(call, &warnings)
        if let title = call.title { source.title = title }
        if let webpage = call.webpage {
            source.identifiers.removeAll { $0.kind == .webpageURL }
            source.identifiers.append(try LinkSource.identifier(.webpageURL, webpage, at: "/webpage"))
        }
        if let app = call.app { source.app = try self.app(app, of: source) }
        let new = source.link(of: name)
        let added = try service.storing { () throws(StoreError) in try service.store.add(link: new) }
        let link: Store.Link
        var isNew = false
        switch added {
        case .added(let made): (link, isNew) = (made, true)
        case .known(let known):
            link = known
            warnings.append("the note has a link to this content already: \(known.id)")
        case .noNote: throw NoteOperations.unknown(name)
        case .deleted(let redirection): throw LinkOperations.deleted(redirection)
        }
        if let target = link.target, let resolved = link.resolved, target != resolved {
            warnings.append("the content has moved: \(target.text) leads to \(resolved.text) by now")
        }
        let findings = LintAnswer.values(of: source.identifiers.map(\.identifier.text))
        return .object([
            .init("link", try service.withShort(.link, LinkAnswer.value(link))), .init("is_new", .boolean(isNew)),
            .init("findings", .array(findings)),
            .init("warnings", .array(warnings.map { .string($0) })),
        ])
    }

    /// What the link is to lead to: exactly one of three ways to say it.
    private func source(_ call: LinkAdd, _ warnings: inout [String]) throws(ControlError) -> LinkSource {
        switch (call.target, call.activity, call.fromCurrent) {
        case (let target?, nil, false):
            return LinkSource(
                identifiers: [try LinkSource.identifier(.targetContentIdentifier, target, at: "/target")])
        case (nil, let id?, false):
            let found = try service.storing { () throws(StoreError) in try service.store.activity(id: id) }
            guard let found else { throw .noActivity(id) }
            return try LinkSource(found, in: service, &warnings)
        case (nil, nil, true):
            guard let source = try LinkSource(currentIn: service, &warnings) else { throw .noCurrentActivity() }
            return source
        default:
            let isTwice = call.target != nil || call.activity != nil || call.fromCurrent
            throw ControlError(
                .linkSource, isTwice ? "the link's content is named twice" : "it is not said what the link leads to",
                help: "name one: a target, an activity by its id, or the current activity")
        }
    }

    /// The app that is to open the link, by its id or one of its topics.
    private func app(_ name: String, of source: LinkSource) throws(ControlError) -> String {
        let apps = service.configuration.manifestApps
        guard let app = service.configuration.app(id: name) ?? apps.first(where: { $0.topics.contains(name) }) else {
            throw .unknown(
                .linkApp, "app", name, among: apps.map(\.id), at: "/app",
                otherwise: apps.isEmpty ? "usher init writes a first configuration" : nil)
        }
        if let activity = source.activity, !activity.app.hasSameBytes(as: app.id) {
            throw .argument("the activity is one of \(activity.app), not of \(app.id)", at: "/app")
        }
        return app.id
    }

    private static func deleted(_ redirection: Redirection) -> ControlError {
        let note = if case .deleted(let note) = redirection.end { note } else { "it was deleted" }
        let hops = redirection.hops.map { "\($0.from.text) → \($0.to.text) (\($0.note))" }
        return ControlError(
            .contentDeleted, "the content was deleted: \(([note] + hops).joined(separator: "; "))",
            help:
                "\(redirection.tombstone?.identifier.restoreCommand() ?? "usher content restore ID") takes the deletion back"
        )
    }
}

/// Notes with links to the content that the user looks at.
struct LinkSuggestions {
    private let service: ContentService

    init(_ service: ContentService) { self.service = service }

    /// What is suggested for an activity that became current, by its identifiers; each is an event of the log.
    ///
    /// - Parameters:
    ///   - identifiers: the preferred first.
    ///   - app: the app of the activity.
    func of(_ identifiers: [String], app: String) throws(ControlError) -> [JSONValue] {
        guard !identifiers.isEmpty else { return [] }
        let wanted = identifiers.map { TargetContentIdentifier($0) }
        let found = try service.storing { () throws(StoreError) in
            try service.store.suggestions(for: wanted, app: app)
        }
        for suggestion in found {
            service.logger.log(
                .noteSuggested,
                [
                    "note.id": .text(suggestion.note), "link.id": .text(suggestion.link.id),
                    "link.identifier": .text(suggestion.identifier.text), "target": .text(suggestion.matched.text),
                    "redirect.hops": .number(Int64(suggestion.via.count)),
                ])
        }
        return found.map { LinkAnswer.value($0) }
    }
}
