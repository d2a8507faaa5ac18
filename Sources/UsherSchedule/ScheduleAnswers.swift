internal import UsherEngine
public import UsherJSON
internal import UsherLog
public import UsherOperation
public import UsherScene
internal import UsherStore
public import UsherText

/// A notification that waits for its time.
public struct ScheduledAnswer: AnswerRecord {
    public var id = ""
    public var app: String?
    public var next = Instant(microseconds: 0)
    public var every: String?
    public var payload = Kept<JSONValue>(.null)
    public var created = Instant(microseconds: 0)

    public init() {}
    init(_ stored: Store.ScheduledNotification) {
        (id, app, every) = (stored.id, stored.app, stored.rule)
        (next, created) = (Instant(microseconds: stored.next), Instant(microseconds: stored.created))
        payload = Kept(parsing: stored.payload) ?? payload
    }

    public static let schema: String? = "ScheduledNotification"
    public static let fields: [Field<Self>] = [
        Field(always: "id", \.id), Field(always: "app", \.app), Field(always: "next", \.next, "When it comes"),
        Field(always: "every", \.every, "The rule of one that comes again and again"),
        Field(always: "payload", \.payload, "", ["type": "object"]), Field(always: "created", \.created),
    ]
}

/// A notification that came.
public struct FiredAnswer: AnswerRecord {
    public var id = ""
    public var app: String?
    public var due = Instant(microseconds: 0)
    public var time = Instant(microseconds: 0)
    public var late = 0
    public var delivery = ""
    /// Of the record of its delivery; nil while that is carried out, and where it is forgotten.
    public var outcome: Outcome?
    /// Of its delivery; nil where it is forgotten.
    public var state: DeliveryState?

    public init() {}
    init(_ stored: Store.FiredNotification) {
        (id, app, delivery) = (stored.id, stored.app, stored.delivery)
        (due, time) = (Instant(microseconds: stored.due), Instant(microseconds: stored.time))
        late = DecisionRecord.Schedule.seconds(late: time, due: due)
    }

    public static let schema: String? = "FiredNotification"
    public static let fields: [Field<Self>] = [
        Field(always: "id", \.id), Field(always: "app", \.app), Field(always: "due", \.due, "When it was to come"),
        Field(always: "time", \.time, "When it came"),
        Field(always: "late", \.late, "In seconds; 0 where that are five at most", ["minimum": 0]),
        Field(always: "delivery", \.delivery, "The id of the delivery, which may be forgotten"),
        Field(always: "outcome", \.outcome, "Of the delivery; null while it is carried out, or if it is forgotten"),
        Field(always: "state", \.state, "Of the delivery; null if it is forgotten"),
    ]
}

/// What was removed, of one of the lists.
public enum RemovedAnswer: FieldValue {
    case pending(ScheduledAnswer)
    case delivered(FiredAnswer)

    public static var shape: ValueShape { ValueShape(.json) }

    public static func read(
        _ value: JSONValue, _ name: String, at place: String
    ) throws(ControlError) -> RemovedAnswer {
        value["next"] == nil
            ? .delivered(try FiredAnswer.read(value, name, at: place))
            : .pending(try ScheduledAnswer.read(value, name, at: place))
    }

    public func write(to json: inout JSONWriter) {
        switch self {
        case .pending(let answer): answer.write(to: &json)
        case .delivered(let answer): answer.write(to: &json)
        }
    }

    public var id: String {
        switch self {
        case .pending(let answer): answer.id
        case .delivered(let answer): answer.id
        }
    }
}
