internal import UsherEngine
public import UsherOperation
internal import UsherStore

/// How much was forgotten, or would be.
public struct ForgottenAnswer: AnswerRecord {
    public var events = 0
    public var interactions = 0
    public var contacts = 0
    public var reminders = 0
    public var warnings: [String] = []

    public init() {}
    init(_ forgotten: Store.Forgotten, warnings: [String]) {
        (events, interactions) = (forgotten.events, forgotten.interactions)
        (contacts, reminders) = (forgotten.contacts, forgotten.reminders)
        self.warnings = warnings
    }

    public static let schema: String? = "Forgotten"
    public static let summary = "How much was forgotten, or would be"
    public static let fields: [Field<Self>] = [
        Field(always: "events", \.events, "How often an activity became current"),
        Field(always: "interactions", \.interactions), Field(always: "contacts", \.contacts),
        Field(always: "reminders", \.reminders),
        Field(ifAny: "warnings", \.warnings, "What stays, where anything does"),
    ]
}
