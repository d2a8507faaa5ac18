public import UsherJSON
public import UsherOperation
public import UsherScene
internal import UsherStore

/// The members of an explanation: they describe and read it. `ExplanationReport` writes it.
public struct ExplanationRecord: AnswerRecord {
    public var request: JSONValue = .null
    public var hops: [HopAnswer] = []
    public var tied: [String]?
    public var app: String?
    public var snapshot: JSONValue = .null
    public var candidates: [JSONValue] = []
    public var configurations: [JSONValue] = []
    public var decision: JSONValue = .null
    public var notes: [String]?
    public var delivery: DeliveryFate?

    public init() {}

    public static let schema: String? = "Explanation"
    public static let fields: [Field<Self>] = [
        Field(constant: "v", 1), Field(always: "request", \.request, "", ["type": "object"]),
        Field(always: "hops", \.hops),
        Field(
            ifAny: "tied", \.tied,
            "The contents that activities and links give the identifier to, if they do not agree on one"),
        Field(always: "app", \.app),
        Field(always: "snapshot", \.snapshot, "", ["type": "object"]),
        Field(always: "candidates", \.candidates, "", ["items": ["type": "object"]]),
        Field(always: "configurations", \.configurations, "", ["items": ["type": "object"]]),
        Field(always: "decision", \.decision, "", ["type": "object"]),
        Field(ifAny: "notes", \.notes, "Ids of the notes that have a link to the content, the newest first"),
        Field(ifAny: "delivery", \.delivery, "Of a delivery of the journal: what became of it"),
    ]
}

/// What became of a delivery.
public struct DeliveryFate: AnswerRecord {
    public var id = ""
    public var state = DeliveryState.accepted
    public var outcome: Outcome?
    public var session: String?

    public init() {}
    init(_ delivery: Store.StoredDelivery) {
        (id, state, outcome, session) = (delivery.id, delivery.state, delivery.outcome, delivery.session)
    }

    public static let fields: [Field<Self>] = [
        Field(always: "id", \.id), Field(always: "state", \.state), Field(always: "outcome", \.outcome),
        Field(always: "session", \.session, "Of its window, the one that was made for it as well"),
    ]
}
