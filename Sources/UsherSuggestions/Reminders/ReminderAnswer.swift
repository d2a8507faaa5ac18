internal import UsherEngine
public import UsherOperation
public import UsherStore
public import UsherText

/// A reminder.
public struct ReminderAnswer: AnswerRecord {
    public var id = ""
    public var text = ""
    public var at: Instant?
    public var whenOpens: String?
    public var when: String?
    public var target: String?
    public var activity: String?
    public var state = Store.Reminder.State.waiting
    public var created = Instant(microseconds: 0)
    public var warnings: [String] = []

    public init() {}
    init(_ reminder: Store.Reminder) {
        (id, text, state) = (reminder.id, reminder.text, reminder.state)
        switch reminder.condition {
        case .time(let value): at = Instant(microseconds: value)
        case .opening(let value): whenOpens = value
        case .signal(let value): when = value
        }
        (target, activity) = (reminder.link.target, reminder.link.activity)
        created = Instant(microseconds: reminder.created)
    }

    public static let schema: String? = "Reminder"
    public static let fields: [Field<Self>] = [
        Field(always: "id", \.id, "UUIDv7"), Field(always: "text", \.text), Field(always: "at", \.at),
        Field(always: "when_opens", \.whenOpens, "The content that has to be opened"),
        Field(always: "when", \.when, "The name of the signal"),
        Field(always: "target", \.target, "What a click on the notification opens"),
        Field(always: "activity", \.activity, "The id of an activity, which may be gone"),
        Field(always: "state", \.state), Field(always: "created", \.created),
        Field(ifAny: "warnings", \.warnings, "Why it has no link, where that is because of the window in front"),
    ]
}

extension Store.Reminder.State: FieldChoice {}

/// A signal that was recorded.
public struct SignalAnswer: AnswerRecord {
    public var signal = ""
    public var time = Instant(microseconds: 0)

    public init() {}
    init(_ signal: String, at time: Instant) { (self.signal, self.time) = (signal, time) }

    public static let schema: String? = "Signal"
    public static let fields: [Field<Self>] = [Field(always: "signal", \.signal), Field(always: "time", \.time)]
}
