public import UsherJSON
public import UsherOperation

/// The members of an explanation: they describe and read it. `ExplanationReport` writes it.
public struct ExplanationRecord: AnswerRecord {
    public var request: JSONValue = .null
    public var hops: [HopAnswer] = []
    public var app: String?
    public var snapshot: JSONValue = .null
    public var candidates: [JSONValue] = []
    public var configurations: [JSONValue] = []
    public var decision: JSONValue = .null
    public var notes: [String]?

    public init() {}

    public static let schema: String? = "Explanation"
    public static let fields: [Field<Self>] = [
        Field(constant: "v", 1), Field(always: "request", \.request, "", ["type": "object"]),
        Field(always: "hops", \.hops), Field(always: "app", \.app),
        Field(always: "snapshot", \.snapshot, "", ["type": "object"]),
        Field(always: "candidates", \.candidates, "", ["items": ["type": "object"]]),
        Field(always: "configurations", \.configurations, "", ["items": ["type": "object"]]),
        Field(always: "decision", \.decision, "", ["type": "object"]),
        Field(ifAny: "notes", \.notes, "Ids of the notes that have a link to the content, the newest first"),
    ]
}
