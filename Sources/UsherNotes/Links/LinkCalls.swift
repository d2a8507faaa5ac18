internal import UsherActivities
public import UsherEngine
public import UsherOperation
internal import UsherScene
internal import UsherStore
internal import UsherTarget
internal import UsherText

public struct LinkAdd: ContentCall {
    public var note = ""
    public var target: String?
    public var activity: String?
    public var fromCurrent = false
    public var title: String?
    public var webpage: String?
    public var app: String?

    public init() {}
    public init(
        note: String, target: String? = nil, activity: String? = nil, fromCurrent: Bool = false, title: String? = nil,
        webpage: String? = nil, app: String? = nil
    ) {
        (self.note, self.target, self.activity, self.fromCurrent) = (note, target, activity, fromCurrent)
        (self.title, self.webpage, self.app) = (title, webpage, app)
    }

    public var waits: Bool { activity != nil || fromCurrent }

    public typealias Answer = LinkChangeAnswer
    public static let name = "link.add"
    public static let operation = Operation<Self>(
        "a new link of a note to content", .edit,
        [
            Field("note", \.note, "the note", identifies: .note),
            Field("target", \.target, "the identifier of the content"),
            Field("activity", \.activity, "instead of the target: an activity, by its id", identifies: .activity),
            Field(
                "from_current", \.fromCurrent, "instead of the target: the current activity or the document in front"),
            Field("title", \.title, "what the link is called"), Field("webpage", \.webpage, "its page on the web"),
            Field("app", \.app, "the app that shows it"),
        ],
        http: [
            HTTPForm(
                .post, "/v1/links", refusals: [404, 410],
                made: .init(["link", "id"], "/v1/links/", mayExist: true),
                examples: [
                    (
                        "target",
                        #"{"note":"current","target":"https://clowntown.example/clowns/crusty","title":"Crusty"}"#
                    ), ("current", #"{"note":"current","from_current":true}"#),
                ])
        ])

    /// A new link of a note. Whatever is to be said about its identifiers is in the answer.
    public func perform(in context: OperationContext) throws(ControlError) -> LinkChangeAnswer {
        // Before an app's command may run for it: another note may be in progress when that ends.
        let name = Store.NoteName.id(try context.note(named: self.note).id)
        var warnings: [String] = []
        var source = try self.source(&warnings, in: context)
        if let title = self.title { source.title = title }
        if let webpage = self.webpage {
            source.identifiers.removeAll { $0.kind == .webpageURL }
            source.identifiers.append(try LinkSource.identifier(.webpageURL, webpage, at: "/webpage"))
        }
        if let app = self.app { source.app = try Self.app(app, of: source, in: context) }
        let new = source.link(of: name)
        let added = try context.storing(try context.store.add(link: new))
        let link: Store.Link
        var isNew = false
        switch added {
        case .added(let made): (link, isNew) = (made, true)
        case .known(let known):
            link = known
            warnings.append("the note has a link to this content already: \(known.id)")
        case .noNote: throw .unknown(note: name)
        case .deleted(let redirection): throw .deleted(redirection)
        }
        if let target = link.target, let resolved = link.resolved, target != resolved {
            warnings.append("the content has moved: \(target.text) leads to \(resolved.text) by now")
        }
        let findings = FindingAnswer.all(of: source.identifiers.map(\.identifier.text))
        var answer = LinkChangeAnswer(try context.answer(link))
        (answer.isNew, answer.findings, answer.warnings) = (isNew, findings, warnings)
        return answer
    }

    /// What the link is to lead to: exactly one of three ways to say it.
    private func source(
        _ warnings: inout [String], in context: OperationContext
    ) throws(ControlError) -> LinkSource {
        switch (self.target, self.activity, self.fromCurrent) {
        case (let target?, nil, false):
            return LinkSource(
                identifiers: [try LinkSource.identifier(.targetContentIdentifier, target, at: "/target")])
        case (nil, let id?, false):
            return try LinkSource(try context.activity(id: id), in: context, &warnings)
        case (nil, nil, true):
            guard let source = try LinkSource(currentIn: context, &warnings) else {
                throw try CurrentActivities(context).nothing()
            }
            return source
        default:
            let isTwice = self.target != nil || self.activity != nil || self.fromCurrent
            throw ControlError(
                .linkSource, isTwice ? "the link's content is named twice" : "it is not said what the link leads to",
                help: "name one: a target, an activity by its id, or the current activity")
        }
    }

    /// The app that is to open the link, by its id or one of its topics.
    private static func app(
        _ name: String, of source: LinkSource, in context: OperationContext
    ) throws(ControlError) -> String {
        let apps = context.configuration.manifestApps
        guard let app = context.configuration.app(id: name) ?? apps.first(where: { $0.topics.contains(name) }) else {
            throw .unknown(
                .linkApp, "app", name, among: apps.map(\.id), at: "/app",
                otherwise: apps.isEmpty ? "usher init writes a first configuration" : nil)
        }
        if let activity = source.activity, !activity.app.hasSameBytes(as: app.id) {
            throw .argument("the activity is one of \(activity.app), not of \(app.id)", at: "/app")
        }
        return app.id
    }
}

public struct LinkShow: ContentCall {
    public var link = ""

    public init() {}
    public init(link: String) { self.link = link }

    public typealias Answer = LinkAnswer
    public static let name = "link.show"
    public static let operation = Operation<Self>(
        "everything about one link: its identifiers, its activity, where it leads now", .read,
        [Field("link", \.link, "its id, or the beginning of it", identifies: .link)],
        http: [HTTPForm(.get, "/v1/links/{link}")])

    public func perform(in context: OperationContext) throws(ControlError) -> LinkAnswer {
        let found = try context.storing(try context.store.link(id: link))
        guard let found else { throw .unknown(link: link) }
        var answer = LinkAnswer(found, isWhole: true)
        answer.short = try context.short(link, .link)
        return answer
    }
}

public struct LinkRemove: ContentCall {
    public var link = ""

    public init() {}

    public typealias Answer = LinkChangeAnswer
    public static let name = "link.remove"
    public static let operation = Operation<Self>(
        "removes a link from its note; the content stays as it is", .edit,
        [Field("link", \.link, "its id, or the beginning of it", identifies: .link)],
        http: [HTTPForm(.delete, "/v1/links/{link}")])

    public func perform(in context: OperationContext) throws(ControlError) -> LinkChangeAnswer {
        let removed = try context.storing(try context.store.remove(link: link))
        guard let removed else { throw .unknown(link: link) }
        return LinkChangeAnswer(try context.answer(removed))
    }
}

public struct LinkList: ContentCall {
    public static let limits = 1...1000
    public var note: String?
    public var target: String?
    public var app: String?
    public var limit: Int?
    public var before: String?

    public init() {}

    public typealias Answer = [LinkAnswer]
    public static let name = "link.list"
    public static let operation = Operation<Self>(
        "links of notes to content, the newest first", .read,
        [
            Field("note", \.note, "of this note only", identifies: .note),
            Field("target", \.target, "to this content only"),
            Field("app", \.app, "the app of the target, where it has no scheme and is no UUID"),
            Field("limit", \.limit, in: limits, "at most so many (100)"),
            Field("before", \.before, "older than this link: the next page", identifies: .link),
        ],
        http: [HTTPForm(.get, "/v1/links", refusals: [404])])

    public func perform(in context: OperationContext) throws(ControlError) -> [LinkAnswer] {
        let note = try self.note.map { name throws(ControlError) in try context.note(named: name) }
        let target = self.target.map { TargetContentIdentifier($0) }
        guard target != nil || app == nil else {
            throw .argument(
                "app is given without a target", at: "/app", help: "it says which app's target that is")
        }
        let links = try context.storing(
            try context.store.links(note: note?.id, target: target, app: app, limit: limit ?? 100, before: before))
        return try links.map(context.answer)
    }
}

public struct LinkSuggest: ContentCall {
    public var targets: [String] = []
    public var app: String?

    public init() {}
    public init(targets: [String], app: String? = nil) { (self.targets, self.app) = (targets, app) }

    public typealias Answer = LinkedNotesAnswer
    public static let name = "link.suggest"
    public static let operation = Operation<Self>(
        "notes with links to content", .read,
        [
            Field("targets", \.targets, "identifiers of content; else what is current"),
            Field("app", \.app, "the app of the targets, where they have no scheme and are no UUIDs"),
        ],
        http: [HTTPForm(.get, "/v1/suggestions", renamed: ["target": "targets"])])

    /// Of identifiers, else of what the user looks at: the system's current activity.
    public func perform(in context: OperationContext) throws(ControlError) -> LinkedNotesAnswer {
        let current = targets.isEmpty ? try CurrentActivities(context).system() : nil
        let wanted = (current?.identifiers ?? targets).map { TargetContentIdentifier($0) }
        guard !wanted.isEmpty else { return LinkedNotesAnswer() }
        let app = current?.app ?? self.app
        let found = try context.storing(try context.store.suggestions(for: wanted, app: app))
        return LinkedNotesAnswer(found)
    }
}

public struct RedirectMove: ContentCall {
    public var from = ""
    public var to = ""
    public var prefix = false
    public var reason: String?

    public init() {}
    public init(from: String, to: String, prefix: Bool = false, reason: String? = nil) {
        (self.from, self.to, self.prefix, self.reason) = (from, to, prefix, reason)
    }

    public typealias Answer = RedirectChangeAnswer
    public static let name = "link.move"
    public static let operation = Operation<Self>(
        "content has another identifier now: a request for the old one gets the new one", .edit,
        [
            Field("from", \.from, "the old identifier"), Field("to", \.to, "the new identifier"),
            Field("prefix", \.prefix, "both are beginnings of identifiers"),
            Field("reason", \.reason, "why, for people"),
        ],
        http: [
            HTTPForm(
                .post, "/v1/redirects", refusals: [409, 410],
                made: .init(["redirect", "source"], "/v1/redirects?target=", mayExist: true),
                examples: [
                    (
                        "move",
                        #"{"from":"https://clowntown.example/clowns/crusty","to":"https://clowntown.example/clowns/krusty"}"#
                    ),
                    (
                        "prefix",
                        #"{"from":"https://clowntown.example/","to":"https://circus.example/","prefix":true,"reason":"a new address"}"#
                    ),
                ])
        ])

    public func perform(in context: OperationContext) throws(ControlError) -> RedirectChangeAnswer {
        let (from, to) = (TargetContentIdentifier(self.from), TargetContentIdentifier(self.to))
        let isPrefix = self.prefix
        let reason = try context.reason(self.reason)
        let change = try context.changed { () throws(StoreError) in
            try context.store.move(from, to: to, isPrefix: isPrefix, reason: reason)
        }
        var answer = RedirectChangeAnswer(change)
        answer.isNew = change.isNew
        answer.resolved = change.redirection.newest(of: from).text
        // The beginning of identifiers is none.
        answer.findings = (isPrefix ? [] : TargetLint.findings(in: to.text)).map { FindingAnswer($0, about: to) }
        answer.warnings = isPrefix ? Self.warnings(from, to) : []
        return answer
    }

    /// What is probably not meant: a beginning that ends within a name takes others along.
    private static func warnings(_ from: TargetContentIdentifier, _ to: TargetContentIdentifier) -> [String] {
        let ends = Array("/:?#&=".utf8)
        let endsOpen = [from, to].map { id in !(id.text.utf8.last.map(ends.contains) ?? false) }
        if endsOpen[0] != endsOpen[1] {
            return ["one of the two ends with a separator and the other does not: \(from) becomes \(to)"]
        }
        return endsOpen[0]
            ? ["everything that begins with \(from) moves, also what goes on without a separator: \(from)2"] : []
    }
}

public struct RedirectDelete: ContentCall {
    public var target = ""
    public var reason: String?

    public init() {}

    public typealias Answer = RedirectChangeAnswer
    public static let name = "link.delete"
    public static let operation = Operation<Self>(
        "content is deleted: a request for it is refused, and gets no wrong window", .edit,
        [Field("target", \.target, "its identifier"), Field("reason", \.reason, "why, for people")],
        http: [
            HTTPForm(
                .post, "/v1/redirects", refusals: [409, 410], flag: "deleted",
                made: .init(["redirect", "source"], "/v1/redirects?target=", mayExist: true))
        ])

    public func perform(in context: OperationContext) throws(ControlError) -> RedirectChangeAnswer {
        let target = TargetContentIdentifier(self.target)
        let reason = try context.reason(self.reason)
        let change = try context.changed { () throws(StoreError) in
            try context.store.delete(content: target, reason: reason)
        }
        var answer = RedirectChangeAnswer(change)
        answer.isNew = change.isNew
        return answer
    }
}

public struct RedirectRestore: ContentCall {
    public var target = ""
    public var prefix = false

    public init() {}

    public typealias Answer = RedirectChangeAnswer
    public static let name = "link.restore"
    public static let operation = Operation<Self>(
        "takes back that content was deleted, else that it moved", .edit,
        [
            Field("target", \.target, "the old identifier"),
            Field("prefix", \.prefix, "it is the beginning of identifiers"),
        ],
        http: [HTTPForm(.delete, "/v1/redirects", refusals: [404])])

    public func perform(in context: OperationContext) throws(ControlError) -> RedirectChangeAnswer {
        let target = TargetContentIdentifier(self.target)
        let isPrefix = self.prefix
        let change = try context.changed { () throws(StoreError) in
            try context.store.restore(content: target, isPrefix: isPrefix)
        }
        var answer = RedirectChangeAnswer(change)
        answer.resolved = change.redirection.newest(of: target).text
        answer.tombstone = .some(change.redirection.tombstone.map(TombstoneAnswer.init))
        return answer
    }
}

public struct RedirectList: ContentCall {
    public static let limits = 1...100_000
    public var target: String?
    public var limit: Int?

    public init() {}

    public typealias Answer = RedirectListAnswer
    public static let name = "link.redirects"
    public static let operation = Operation<Self>(
        "what moved and what was deleted, the last first; for an identifier, where that leads", .read,
        [
            Field("target", \.target, "of this identifier only"),
            Field("limit", \.limit, in: limits, "at most so many (100)"),
        ],
        http: [HTTPForm(.get, "/v1/redirects")])

    public func perform(in context: OperationContext) throws(ControlError) -> RedirectListAnswer {
        let limit = self.limit ?? 100
        var answer = RedirectListAnswer()
        guard let text = target else {
            let (redirects, total) = try context.storing(try context.store.redirects(limit: limit))
            (answer.redirects, answer.total) = (redirects.map(RedirectAnswer.init), total)
            return answer
        }
        let target = TargetContentIdentifier(text)
        let (redirects, redirection) = try context.storing(try context.store.redirects(of: target))
        answer.redirects = redirects.prefix(limit).map(RedirectAnswer.init)
        answer.total = redirects.count
        answer.resolved = redirection.newest(of: target).text
        answer.hops = redirection.hops.map(HopAnswer.init)
        answer.tombstone = .some(redirection.tombstone.map(TombstoneAnswer.init))
        answer.aliases = redirection.aliases(of: target).map(\.text)
        return answer
    }
}
