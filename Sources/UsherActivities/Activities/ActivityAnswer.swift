public import UsherEngine
public import UsherJSON
public import UsherOperation
internal import UsherPayload
public import UsherStore
public import UsherText

/// An activity.
public struct ActivityAnswer: AnswerRecord {
    public var id = ""
    public var short = ""
    public var app = ""
    public var session: String?
    public var state = Store.StoredActivity.State.current
    public var isCurrent = false
    public var type = ""
    public var title: String?
    public var target: String?
    public var persistent: String?
    public var webpage: String?
    public var needsSave = false
    public var became: Instant?
    public var changed: Instant?
    public var resigned: Instant?
    public var expires: Instant?
    public var version: JSONValue?
    public var activity: Kept<UserActivityDocument>?

    public init() {}

    /// - Parameter isCurrent: whether it is the system's.
    init(_ activity: Store.StoredActivity, isCurrent: Bool) {
        func time(_ microseconds: Int64?) -> Instant? { microseconds.map { Instant(microseconds: $0) } }
        let document = (try? JSONValue(parsing: activity.document)).map(Self.filled)
        (id, app, session) = (activity.id, activity.app, activity.session)
        (state, self.isCurrent) = (activity.state, isCurrent)
        (type, title, target) = (activity.type, activity.title, activity.target)
        (persistent, webpage, needsSave) = (activity.persistent, activity.webpage, activity.needsSave)
        (became, changed) = (time(activity.became), time(activity.changed))
        (resigned, expires) = (time(activity.resigned), time(activity.expires))
        version = document?["version"]
        self.activity = document.map { Kept($0) }
    }

    /// The activity as it was given; where it has a map item, with the attributes that this fills.
    private static func filled(_ document: JSONValue) -> JSONValue {
        guard let mapItem = document["mapItem"], var members = document.members,
            let attributes = try? ContentAttributes(document["contentAttributeSet"], mapItem: mapItem)
        else { return document }
        let name = "contentAttributeSet"
        if let place = members.firstIndex(where: { $0.name == name }) {
            members[place].value = attributes.json
        } else {
            members.append(.init(name, attributes.json))
        }
        return .object(members)
    }

    public static let schema: String? = "Activity"
    public static let fields: [Field<Self>] = [
        Field(always: "id", \.id, "UUIDv7"), Field(always: "short", \.short, shortHelp),
        Field(always: "app", \.app), Field(always: "session", \.session), Field(always: "state", \.state),
        Field(always: "is_current", \.isCurrent, "Whether it is the system's"), Field(always: "type", \.type),
        Field(always: "title", \.title), Field(always: "target", \.target),
        Field(always: "persistent", \.persistent), Field(always: "webpage", \.webpage),
        Field(always: "needs_save", \.needsSave), Field(always: "became", \.became),
        Field(always: "changed", \.changed), Field(always: "resigned", \.resigned),
        Field(always: "expires", \.expires),
        Field(always: "version", \.version, "", ["type": ["string", "null"]]),
        Field(always: "activity", \.activity),
    ]
}

extension Store.StoredActivity.State: FieldChoice {}

/// A user activity as its app wrote it: the members that Usher knows.
public struct UserActivityDocument: AnswerRecord {
    public var activityType = ""
    public var title: String?
    public var targetContentIdentifier: String?
    public var persistentIdentifier: String?
    public var webpageURL: String?
    public var userInfo: JSONValue?
    public var requiredUserInfoKeys: [String]??
    public var keywords: [String]??

    public init() {}

    public static let schema: String? = "UserActivity"
    public static let summary =
        "A user activity in the names of its properties; others are kept as they are. One of the three identifiers is"
        + " needed to be linked and suggested."
    public static let fields: [Field<Self>] = [
        Field(
            always: "activityType", \.activityType,
            "Reverse DNS, declared in activity-types of the session's app"),
        Field(ifAny: "title", \.title, "", text),
        Field(ifAny: "targetContentIdentifier", \.targetContentIdentifier, "", text),
        Field(ifAny: "persistentIdentifier", \.persistentIdentifier, "", text),
        Field(ifAny: "webpageURL", \.webpageURL, "", text),
        Field(ifAny: "userInfo", \.userInfo, "", ["type": ["object", "null"]]),
        Field(ifAny: "requiredUserInfoKeys", \.requiredUserInfoKeys), Field(ifAny: "keywords", \.keywords),
    ]

    /// Null removes a member.
    private static let text: JSONValue = ["type": ["string", "null"]]
}

/// An activity that became current, or was changed.
public struct ActivityChangeAnswer: AnswerRecord {
    public var activity = ActivityAnswer()
    public var isNew = false
    public var suggestions: [LinkedNoteAnswer] = []
    public var findings: [FindingAnswer] = []
    public var warnings: [String] = []

    public init() {}

    public static let schema: String? = "ActivityAnswer"
    public static let fields: [Field<Self>] = [
        Field(always: "activity", \.activity),
        Field(always: "is_new", \.isNew, "False where the very same was current already"),
        Field(always: "suggestions", \.suggestions), Field(always: "findings", \.findings),
        Field(always: "warnings", \.warnings),
    ]
}

/// An activity that was resigned.
public struct ResignAnswer: AnswerRecord {
    public var activity = ActivityAnswer()

    public init() {}
    init(_ activity: ActivityAnswer) { self.activity = activity }

    public static let schema: String? = "ResignAnswer"
    public static let fields: [Field<Self>] = [Field(always: "activity", \.activity)]
}

/// An activity as it is to be continued.
public struct ActivitySaveAnswer: AnswerRecord {
    public var activity = ActivityAnswer()
    public var warnings: [String] = []

    public init() {}
    init(_ activity: ActivityAnswer, warning: String?) {
        (self.activity, warnings) = (activity, warning.map { [$0] } ?? [])
    }

    public static let fields: [Field<Self>] = [
        Field(always: "activity", \.activity), Field(always: "warnings", \.warnings),
    ]
}
