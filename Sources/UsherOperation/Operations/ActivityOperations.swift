internal import UsherScene

private let processes = 1...Int(Int32.max)

public struct ActivityBecomeCurrent: ContentCall {
    public var session = ""
    public var activity = ""
    public var process: Int?

    public init() {}
    public init(session: String, activity: String, process: Int? = nil) {
        (self.session, self.activity, self.process) = (session, activity, process)
    }

    public static let name = "activity.become-current"
    public static let operation = Operation<Self>(
        "makes an activity the current one of its session", .edit,
        [
            Field("session", \.session, "the session that shows it"),
            Field("activity", \.activity, "a JSON object as text, kept byte for byte"),
            Field("process", \.process, in: processes, "the process whose end ends the activity"),
        ],
        http: [
            HTTPForm(
                .post, "/v1/activities", answer: .one("ActivityAnswer"), refusals: [404, 409], verbatim: "activity",
                made: .init(["activity", "id"], "/v1/activities/", mayExist: true),
                examples: [
                    (
                        "clown",
                        #"{"session":"clown-1","activity":{"activityType":"example.clowntown.clown","title":"Crusty","targetContentIdentifier":"https://clowntown.example/clowns/crusty","userInfo":{"tab":"photos"}}}"#
                    )
                ])
        ])
}

public struct ActivityUpdate: ContentCall {
    public var session = ""
    public var activity: String?
    public var needsSave = false

    public init() {}
    public init(session: String, activity: String? = nil, needsSave: Bool = false) {
        (self.session, self.activity, self.needsSave) = (session, activity, needsSave)
    }

    public static let name = "activity.update"
    public static let operation = Operation<Self>(
        "changes members of the activity of a session", .edit,
        [
            Field("session", \.session, "the session that shows it"),
            Field("activity", \.activity, "the members that change, a JSON object as text; null removes one"),
            Field("needs_save", \.needsSave, "the app has user info that is newer"),
        ],
        http: [
            HTTPForm(
                .patch, "/v1/scenes/{session}/activity", answer: .one("ActivityAnswer"), refusals: [409],
                verbatim: "activity",
                examples: [
                    ("title", #"{"activity":{"title":"Crusty, asleep","webpageURL":null}}"#),
                    ("save", #"{"needs_save":true}"#),
                ])
        ])
}

public struct ActivityResign: ContentCall {
    public var session = ""

    public init() {}
    public init(session: String) { self.session = session }

    public static let name = "activity.resign"
    public static let operation = Operation<Self>(
        "ends the activity of a session", .edit, [Field("session", \.session, "the session that shows it")],
        http: [HTTPForm(.delete, "/v1/scenes/{session}/activity", answer: .one("ResignAnswer"))])
}

public struct ActivityList: ContentCall {
    public static let limits = 1...100_000
    public var app: String?
    public var session: String?
    public var all = false
    public var limit: Int?

    public init() {}

    public static let name = "activity.list"
    public static let operation = Operation<Self>(
        "the activities of windows, the current one of the system first", .read,
        [
            Field("app", \.app, "of this app only"), Field("session", \.session, "of this session only"),
            Field("all", \.all, "resigned ones as well"), Field("limit", \.limit, in: limits, "at most so many (1000)"),
        ],
        http: [HTTPForm(.get, "/v1/activities", answer: .list("Activity"), hidden: ["limit"])])
}

public struct ActivityShow: ContentCall {
    public var activity: String?
    public var session: String?

    public init() {}

    public static let name = "activity.show"
    public static let operation = Operation<Self>(
        "one activity, with all of its members", .read,
        [
            Field(
                "activity", \.activity, "its id or the beginning of it, or `current`: the system's",
                identifies: .activity),
            Field("session", \.session, "instead of it: the session that shows it"),
        ],
        http: [
            HTTPForm(.get, "/v1/activities/{activity}", answer: .one("Activity"), hidden: ["session"]),
            HTTPForm(.get, "/v1/scenes/{session}/activity", answer: .one("Activity"), hidden: ["activity"]),
        ])
}

public struct ActivitySearch: ContentCall {
    public static let limits = 1...1000
    public var query = ""
    public var limit: Int?

    public init() {}

    public static let name = "activity.search"
    public static let operation = Operation<Self>(
        "the activities that are eligible for search and have all of these words", .read,
        [
            Field("query", \.query, "words of the title and the keywords, the last one perhaps cut"),
            Field("limit", \.limit, in: limits, "at most so many (20)"),
        ],
        http: [HTTPForm(.get, "/v1/activities", answer: .list("Activity"), renamed: ["q": "query"], selector: "q")])
}

public struct ActivitySave: ContentCall {
    public var activity: String?
    public var session: String?

    public init() {}
    public init(activity: String? = nil, session: String? = nil) { (self.activity, self.session) = (activity, session) }

    public var waits: Bool { true }

    public static let name = "activity.save"
    public static let operation = Operation<Self>(
        "one activity as it is to be continued, with fresh user info", .edit,
        [
            Field(
                "activity", \.activity, "its id or the beginning of it, or `current`: the system's",
                identifies: .activity),
            Field("session", \.session, "instead of it: the session that shows it"),
        ])
}
