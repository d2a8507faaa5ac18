internal import UsherEngine
internal import UsherJSON
public import UsherOperation
internal import UsherStore
public import UsherText

/// What the user did with an app.
public struct InteractionAnswer: AnswerRecord {
    public var id = ""
    public var app = ""
    public var intent = ""
    public var participants: [String] = []
    public var target: String?
    public var direction = ""
    public var outcome = ""
    public var activity: String?
    public var time = Instant(microseconds: 0)

    public init() {}
    init(_ stored: Store.StoredInteraction) {
        (id, app, intent, target) = (stored.id, stored.app, stored.intent, stored.target)
        participants =
            (try? JSONValue(parsing: Array(stored.participants.utf8)))?.elements?.compactMap(\.string) ?? []
        (direction, outcome, activity) = (stored.direction, stored.outcome, stored.activity)
        time = Instant(microseconds: stored.time)
    }

    public static let schema: String? = "Interaction"
    public static let summary = "What the user did with an app"
    public static let fields: [Field<Self>] = [
        Field(always: "id", \.id, "The donor's, or a UUIDv7"), Field(always: "app", \.app),
        Field(always: "intent", \.intent, "", words(Intent.self)), Field(always: "participants", \.participants),
        Field(always: "target", \.target),
        Field(always: "direction", \.direction, "", words(Interaction.Direction.self)),
        Field(always: "outcome", \.outcome, "", words(Interaction.Outcome.self)),
        Field(always: "activity", \.activity, "The id of an activity, which may be gone"),
        Field(always: "time", \.time), Field(null: "error"),
    ]

    /// A file that another version wrote may have others.
    private static func words<Word: RawRepresentable<String> & CaseIterable>(_ type: Word.Type) -> JSONValue {
        ["enum": .array(type.allCases.map { .string($0.rawValue) })]
    }
}

/// How many interactions were forgotten.
public struct ForgottenInteractionsAnswer: AnswerRecord {
    public var interactions = 0

    public init() {}
    init(_ count: Int) { interactions = count }

    public static let schema: String? = "ForgottenInteractions"
    public static let fields: [Field<Self>] = [
        Field(
            always: "interactions", \.interactions, "How many were forgotten: an id may be of several apps")
    ]
}
