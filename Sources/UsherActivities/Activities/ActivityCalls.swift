public import UsherEngine
internal import UsherLog
public import UsherOperation
internal import UsherPayload
internal import UsherScene
internal import UsherStore
internal import UsherText

private let processes = 1...Int(Int32.max)

public struct ActivityBecomeCurrent: ContentCall {
    public var session = ""
    public var activity = ""
    public var process: Int?

    public init() {}
    public init(session: String, activity: String, process: Int? = nil) {
        (self.session, self.activity, self.process) = (session, activity, process)
    }

    public typealias Answer = ActivityChangeAnswer
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
                .post, "/v1/activities", refusals: [404, 409], verbatim: "activity",
                made: .init(["activity", "id"], "/v1/activities/", mayExist: true),
                examples: [
                    (
                        "clown",
                        #"{"session":"clown-1","activity":{"activityType":"example.clowntown.clown","title":"Crusty","targetContentIdentifier":"https://clowntown.example/clowns/crusty","userInfo":{"tab":"photos"}}}"#
                    )
                ])
        ])

    public func perform(in context: OperationContext) throws(ControlError) -> ActivityChangeAnswer {
        let session = try context.session(self.session)
        let app = try context.app(of: session)
        let document = try ActivityDocument(Array(self.activity.utf8))
        try context.check(document.activity.activityType, of: app, in: session)
        let process = try self.process.map(Self.process)
        guard session.state != .disconnected else { throw .sessionLost(session.id) }
        let content = document.content
        let made = try context.storing(
            try context.store.becomeCurrent(content, app: session.app, session: session.id, process: process))
        guard let made else {
            // It was closed or lost a moment ago: one of these says so.
            _ = try context.session(session.id)
            throw .sessionLost(session.id)
        }
        if process != nil { context.processesChanged() }
        context.contentsChanged()
        if !made.isSame {
            context.logger.log(
                .activityBecameCurrent,
                [
                    "activity.id": .text(made.activity.id), "activity.type": .text(made.activity.type),
                    "app": .text(made.activity.app), "session.id": .text(session.id),
                    "target": made.activity.subject.map { .text($0) },
                ])
        }
        return try context.answer(made.activity, isNew: !made.isSame, document, showsSuggestions: true)
    }

    private static func process(_ number: Int) throws(ControlError) -> Store.SessionProcess {
        if let process = Store.SessionProcess.running(pid: Int32(number)) { return process }
        throw ControlError(
            .activityNoProcess, "there is no process \(number)", at: "/process",
            help: "give the process that shows the window, such as $$ of a shell")
    }
}

public struct ActivityUpdate: ContentCall {
    public var session = ""
    public var activity: String?
    public var needsSave = false

    public init() {}
    public init(session: String, activity: String? = nil, needsSave: Bool = false) {
        (self.session, self.activity, self.needsSave) = (session, activity, needsSave)
    }

    public typealias Answer = ActivityChangeAnswer
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
                .patch, "/v1/scenes/{session}/activity", refusals: [409],
                verbatim: "activity",
                examples: [
                    ("title", #"{"activity":{"title":"Crusty, asleep","webpageURL":null}}"#),
                    ("save", #"{"needs_save":true}"#),
                ])
        ])

    public func perform(in context: OperationContext) throws(ControlError) -> ActivityChangeAnswer {
        let session = try context.session(self.session)
        let app = try context.app(of: session)
        var patches: [[UInt8]] = []
        if let text = self.activity { patches.append(Array(text.utf8)) }
        if self.needsSave { patches.append(Array(#"{"needsSave":true}"#.utf8)) }
        guard !patches.isEmpty else { throw .argument("activity is missing", at: "") }
        let before = try context.activity(of: session)
        var documents: (old: ActivityDocument, new: ActivityDocument)?
        let written = try ActivityChanges(context).change(before) { (now) throws(ControlError) in
            let old = try ActivityDocument(now.document)
            var new = old
            for patch in patches { new = try new.merging(patch) }
            try context.check(new.activity.activityType, of: app, in: session)
            documents = (old, new)
            return new
        }
        guard let (old, new) = documents else { throw .noActivity(before.id) }
        var warnings: [String] = []
        if Self.isOtherContent(old, new) {
            warnings.append(
                "the activity is about other content now; other content is a new activity: make a new activity with"
                    + " usher activity become-current")
        }
        let hasNewIdentifiers = !before.identifiers.elementsEqual(written.identifiers) {
            $0.hasSameBytes(as: $1)
        }
        return try context.answer(written, new, showsSuggestions: hasNewIdentifiers, warnings: warnings)
    }

    /// Whether an update made something else of an activity: no identifier is what it was.
    private static func isOtherContent(_ old: ActivityDocument, _ new: ActivityDocument) -> Bool {
        guard let before = old.activity.subject, let after = new.activity.subject else { return false }
        let kept = [
            (old.activity.targetContentIdentifier, new.activity.targetContentIdentifier),
            (old.activity.persistentIdentifier, new.activity.persistentIdentifier),
        ].contains { one, other in
            guard let one, let other else { return false }
            return one.hasSameBytes(as: other)
        }
        if kept || before.hasSameBytes(as: after) { return false }
        // An identifier of its own beside the web address is the same content, better named.
        if let page = old.activity.webpageURL, let newPage = new.activity.webpageURL,
            page.hasSameBytes(as: newPage), old.activity.targetContentIdentifier == nil,
            old.activity.persistentIdentifier == nil
        {
            return false
        }
        return true
    }
}

public struct ActivityResign: ContentCall {
    public var session = ""

    public init() {}
    public init(session: String) { self.session = session }

    public typealias Answer = ResignAnswer
    public static let name = "activity.resign"
    public static let operation = Operation<Self>(
        "ends the activity of a session", .edit, [Field("session", \.session, "the session that shows it")],
        http: [HTTPForm(.delete, "/v1/scenes/{session}/activity")])

    public func perform(in context: OperationContext) throws(ControlError) -> ResignAnswer {
        let session = try context.session(self.session)
        let resigned = try context.storing(try context.store.resign(session: session.id))
        guard let resigned else { throw .noActivity(of: session.id) }
        return ResignAnswer(try context.answer(resigned, isCurrent: false))
    }
}

public struct ActivityList: ContentCall {
    public static let limits = 1...100_000
    public var app: String?
    public var session: String?
    public var all = false
    public var limit: Int?

    public init() {}

    public typealias Answer = [ActivityAnswer]
    public static let name = "activity.list"
    public static let operation = Operation<Self>(
        "the activities of windows, the current one of the system first", .read,
        [
            Field("app", \.app, "of this app only"), Field("session", \.session, "of this session only"),
            Field("all", \.all, "resigned ones as well"), Field("limit", \.limit, in: limits, "at most so many (1000)"),
        ],
        http: [HTTPForm(.get, "/v1/activities", hidden: ["limit"])])

    public func perform(in context: OperationContext) throws(ControlError) -> [ActivityAnswer] {
        var query = Store.ActivityQuery(app: app, includesResigned: all, limit: limit ?? 1000)
        if let session { query.session = try context.session(session).id }
        let activities = try CurrentActivities(context)
        let current = try activities.list().first?.id
        return try activities.activities(query).map { (activity) throws(ControlError) in
            try context.answer(activity, isCurrent: activity.id == current)
        }
    }
}

public struct ActivityShow: ContentCall {
    public var activity: String?
    public var session: String?

    public init() {}

    public typealias Answer = ActivityAnswer
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
            HTTPForm(.get, "/v1/activities/{activity}", hidden: ["session"]),
            HTTPForm(.get, "/v1/scenes/{session}/activity", hidden: ["activity"]),
        ])

    public func perform(in context: OperationContext) throws(ControlError) -> ActivityAnswer {
        let (found, isCurrent) = try context.activity(named: activity, ofSession: session)
        return try context.answer(found, isCurrent: isCurrent)
    }
}

public struct ActivitySearch: ContentCall {
    public static let limits = 1...1000
    public var query = ""
    public var limit: Int?

    public init() {}

    public typealias Answer = [ActivityAnswer]
    public static let name = "activity.search"
    public static let operation = Operation<Self>(
        "the activities that are eligible for search and have all of these words", .read,
        [
            Field("query", \.query, "words of the title and the keywords, the last one perhaps cut"),
            Field("limit", \.limit, in: limits, "at most so many (20)"),
        ],
        http: [HTTPForm(.get, "/v1/activities", renamed: ["q": "query"], selector: "q")])

    /// In bytes.
    private static let queryLimit = 4096
    /// So many excluded activities at most are passed over in a search.
    private static let mostExcluded = 100

    public func perform(in context: OperationContext) throws(ControlError) -> [ActivityAnswer] {
        let query = self.query
        guard query.utf8.count <= Self.queryLimit else {
            throw .argument(
                "query has \(query.utf8.count) bytes, and may have \(Self.queryLimit)",
                at: "/query")
        }
        let limit = self.limit ?? 20
        let current = try context.systemCurrent()
        let found = try context.storing { () throws(StoreError) in
            let settings = context.store.suggestionSettings
            // Some may be excluded.
            let examined = try context.store.searchActivities(query, limit: limit + Self.mostExcluded)
            var found: [Store.StoredActivity] = []
            for activity in examined where found.count < limit {
                if try context.mayBeFound(activity, settings) { found.append(activity) }
            }
            return found
        }
        return try found.map { (activity) throws(ControlError) in
            try context.answer(activity, isCurrent: activity.id == current)
        }
    }
}

public struct ActivitySave: ContentCall {
    public var activity: String?
    public var session: String?

    public init() {}
    public init(activity: String? = nil, session: String? = nil) { (self.activity, self.session) = (activity, session) }

    public var waits: Bool { true }

    public typealias Answer = ActivitySaveAnswer
    public static let name = "activity.save"
    public static let operation = Operation<Self>(
        "one activity as it is to be continued, with fresh user info", .edit,
        [
            Field(
                "activity", \.activity, "its id or the beginning of it, or `current`: the system's",
                identifies: .activity),
            Field("session", \.session, "instead of it: the session that shows it"),
        ])

    /// The activity as it is to be continued: with fresh user info, where its app has said that there is some.
    public func perform(in context: OperationContext) throws(ControlError) -> ActivitySaveAnswer {
        let (found, isCurrent) = try context.activity(named: activity, ofSession: session)
        let saved = try ActivitySaving(context).fresh(found)
        return ActivitySaveAnswer(try context.answer(saved.activity, isCurrent: isCurrent), warning: saved.warning)
    }
}
