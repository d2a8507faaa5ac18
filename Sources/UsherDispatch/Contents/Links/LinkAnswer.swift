public import UsherJSON
internal import UsherLog
internal import UsherScene
public import UsherStore
internal import UsherSystem
internal import UsherText

/// Links and suggestions as JSON, the same for every interface (socket, HTTP, command line).
enum LinkAnswer {
    /// - Parameter hasDocument: with the activity that the link was made from.
    static func value(_ link: Store.Link, hasDocument: Bool = false) -> JSONValue {
        var members: [JSONValue.Member] = [
            .init("id", .string(link.id)), .init("note", .string(link.note)), .init("app", text(link.app)),
            .init("title", text(link.title)),
            .init(
                "identifiers",
                .array(
                    link.identifiers.map { identifier in
                        .object([
                            .init("kind", .string(identifier.kind.name)),
                            .init("identifier", .string(identifier.identifier.text)),
                        ])
                    })),
            .init("target", text(link.target?.text)), .init("resolved", text(link.resolved?.text)),
            .init("hops", .array(link.redirection.hops.map(hop))), .init("deleted", deleted(link.redirection)),
            .init("webpage", text(link.webpage?.text)),
            .init("created", .string(Instant(microseconds: link.created).text)),
        ]
        if hasDocument { members += [.init("activity", activity(link)), .init("file", file(link.file))] }
        return .object(members)
    }

    static func value(_ suggestion: Store.Suggestion) -> JSONValue {
        .object([
            .init("note", .string(suggestion.note)),
            .init("target", .string(Store.Note.scheme + ":" + suggestion.note)),
            .init("text", .string(suggestion.firstLine)), .init("link", .string(suggestion.link.id)),
            .init("title", text(suggestion.link.title)), .init("identifier", .string(suggestion.identifier.text)),
            .init("matched", .string(suggestion.matched.text)), .init("via", .array(suggestion.via.map(hop))),
            .init("rules", .array(suggestion.rules.map { .string($0) })),
            .init("created", .string(Instant(microseconds: suggestion.link.created).text)),
            .init("app", text(suggestion.link.app)),
        ])
    }

    private static func file(_ file: FileIdentity?) -> JSONValue {
        guard let file else { return .null }
        return .object([
            .init("device", .number(String(file.device))), .init("inode", .number(String(file.inode))),
            .init("birth", file.birth == 0 ? .null : .number(String(file.birth))),
            .init("size", .number(String(file.size))),
        ])
    }

    private static func hop(_ hop: Redirection.Hop) -> JSONValue {
        .object([
            .init("from", .string(hop.from.text)), .init("to", .string(hop.to.text)), .init("note", .string(hop.note)),
        ])
    }

    private static func text(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }

    /// Why the content is gone, for people; null while it is there.
    private static func deleted(_ redirection: Redirection) -> JSONValue {
        if case .deleted(let note) = redirection.end { .string(note) } else { .null }
    }

    private static func activity(_ link: Store.Link) -> JSONValue {
        link.document.flatMap { try? JSONValue(parsing: $0, maximumDepth: 1024) } ?? .null
    }
}

extension Store.Suggestion {
    /// The first line of the note that has something in it; of a text that was cut, what there is of it.
    var firstLine: String {
        let blanks: Set<UInt8> = [0x20, 0x09, 0x0B, 0x0C, 0x0D]
        for line in text.utf8.split(separator: 0x0A) {
            var line = line.drop { blanks.contains($0) }
            while let last = line.last, blanks.contains(last) { line.removeLast() }
            if !line.isEmpty { return String(decoding: line, as: UTF8.self) }
        }
        return ""
    }
}

/// The current suggestions as JSON, the same for every interface (socket, HTTP, command line).
public enum SuggestionAnswer {
    /// Of identifiers, else of what the user looks at: the system's current activity. Writes nothing, and asks no window
    /// system.
    ///
    /// - Parameter app: the app whose identifiers the targets are; nil: of any app.
    /// - Returns: the current activity's id, where it was asked for it, and the suggestions.
    public static func now(
        in store: Store, targets: [String], app: String? = nil
    ) throws(StoreError) -> (activity: String?, suggestions: [JSONValue]) {
        var identifiers = targets
        var activity: String?
        var app = app
        if targets.isEmpty {
            let current = try CurrentActivities.system(in: store, leavingOut: SessionLoss.ended(in: store))
            activity = current?.id
            identifiers = current?.identifiers ?? []
            app = current?.app
        }
        guard !identifiers.isEmpty else { return (activity, []) }
        let found = try store.suggestions(for: identifiers.map { TargetContentIdentifier($0) }, app: app)
        return (activity, found.map { LinkAnswer.value($0) })
    }
}
