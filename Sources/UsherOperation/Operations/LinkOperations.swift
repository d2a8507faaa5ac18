internal import UsherScene

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
                .post, "/v1/links", answer: .one("LinkAnswer"), refusals: [404, 410],
                made: .init(["link", "id"], "/v1/links/", mayExist: true),
                examples: [
                    (
                        "target",
                        #"{"note":"current","target":"https://clowntown.example/clowns/crusty","title":"Crusty"}"#
                    ), ("current", #"{"note":"current","from_current":true}"#),
                ])
        ])
}

public struct LinkShow: ContentCall {
    public var link = ""

    public init() {}
    public init(link: String) { self.link = link }

    public static let name = "link.show"
    public static let operation = Operation<Self>(
        "everything about one link: its identifiers, its activity, where it leads now", .read,
        [Field("link", \.link, "its id, or the beginning of it", identifies: .link)],
        http: [HTTPForm(.get, "/v1/links/{link}", answer: .one("Link"))])
}

public struct LinkRemove: ContentCall {
    public var link = ""

    public init() {}

    public static let name = "link.remove"
    public static let operation = Operation<Self>(
        "removes a link from its note; the content stays as it is", .edit,
        [Field("link", \.link, "its id, or the beginning of it", identifies: .link)],
        http: [HTTPForm(.delete, "/v1/links/{link}", answer: .one("LinkAnswer"))])
}

public struct LinkList: ContentCall {
    public static let limits = 1...1000
    public var note: String?
    public var target: String?
    public var app: String?
    public var limit: Int?
    public var before: String?

    public init() {}

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
        http: [HTTPForm(.get, "/v1/links", answer: .list("Link"), refusals: [404])])
}

public struct LinkSuggest: ContentCall {
    public var targets: [String] = []
    public var app: String?

    public init() {}
    public init(targets: [String], app: String? = nil) { (self.targets, self.app) = (targets, app) }

    public static let name = "link.suggest"
    public static let operation = Operation<Self>(
        "notes with links to content", .read,
        [
            Field("targets", \.targets, "identifiers of content; else what is current"),
            Field("app", \.app, "the app of the targets, where they have no scheme and are no UUIDs"),
        ],
        http: [HTTPForm(.get, "/v1/suggestions", answer: .one("SuggestionList"), renamed: ["target": "targets"])])
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
                .post, "/v1/redirects", answer: .one("RedirectAnswer"), refusals: [409, 410],
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
}

public struct RedirectDelete: ContentCall {
    public var target = ""
    public var reason: String?

    public init() {}

    public static let name = "link.delete"
    public static let operation = Operation<Self>(
        "content is deleted: a request for it is refused, and gets no wrong window", .edit,
        [Field("target", \.target, "its identifier"), Field("reason", \.reason, "why, for people")],
        http: [
            HTTPForm(
                .post, "/v1/redirects", answer: .one("RedirectAnswer"), refusals: [409, 410], flag: "deleted",
                made: .init(["redirect", "source"], "/v1/redirects?target=", mayExist: true))
        ])
}

public struct RedirectRestore: ContentCall {
    public var target = ""
    public var prefix = false

    public init() {}

    public static let name = "link.restore"
    public static let operation = Operation<Self>(
        "takes back that content was deleted, else that it moved", .edit,
        [
            Field("target", \.target, "the old identifier"),
            Field("prefix", \.prefix, "it is the beginning of identifiers"),
        ],
        http: [HTTPForm(.delete, "/v1/redirects", answer: .one("RedirectAnswer"), refusals: [404])])
}

public struct RedirectList: ContentCall {
    public static let limits = 1...100_000
    public var target: String?
    public var limit: Int?

    public init() {}

    public static let name = "link.redirects"
    public static let operation = Operation<Self>(
        "what moved and what was deleted, the last first; for an identifier, where that leads", .read,
        [
            Field("target", \.target, "of this identifier only"),
            Field("limit", \.limit, in: limits, "at most so many (100)"),
        ],
        http: [HTTPForm(.get, "/v1/redirects", answer: .one("RedirectList"))])
}
