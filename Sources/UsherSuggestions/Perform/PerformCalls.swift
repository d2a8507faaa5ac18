public import UsherEngine
public import UsherJSON
public import UsherOperation
public import UsherScene

/// `usher perform` up to the dispatch: what is dispatched, and what is donated afterwards.
public struct PerformPlan: ContentCall {
    public var verb: String?
    public var what: String?
    public var app: String?
    public var mode: String?
    public var video = false
    public var text: String?
    public var indexPath: String?

    public init() {}
    public init(_ verb: String, _ what: String? = nil) { (self.verb, self.what) = (verb, what) }

    public typealias Answer = PerformPlanAnswer
    public static let name = "perform.plan"
    public static let operation = Operation<Self>(
        "the request that makes an app do something about a place, a person or media: for dispatch", .read,
        [
            Field("verb", \.verb, oneOf: PerformVerb.allCases.map(\.rawValue), "what is to be done"),
            Field("what", \.what, "a place, person or media; what is current if it is not given"),
            Field("app", \.app, "the app, by its id; the one that did it most and last if it is not given"),
            Field("mode", \.mode, oneOf: DirectionsMode.allCases.map(\.rawValue), "how to get there"),
            Field("video", \.video, "whether a call is to have pictures"),
            Field("text", \.text, "what is to be written"),
            Field("index_path", \.indexPath, "the places, from 0, that lead to a track: `2/0`"),
        ])

    public func perform(in context: OperationContext) throws(ControlError) -> PerformPlanAnswer {
        try PerformPlanning(self, in: context).answer()
    }
}

/// What is to be done: a payload to be dispatched, or a player to play. Then the donation is made, with the outcome.
public struct PerformPlanAnswer: AnswerRecord {
    public var verb = PerformVerb.place
    public var app: String?
    /// For people.
    public var title = ""
    public var target: String?
    public var activity: String?
    public var payload: JSONValue?
    public var donation: Donation?
    public var player: String?

    public init() {}
    init(_ verb: PerformVerb, _ title: String) { (self.verb, self.title) = (verb, title) }

    public static let fields: [Field<Self>] = [
        Field(always: "verb", \.verb), Field(always: "app", \.app), Field(always: "title", \.title),
        Field(always: "target", \.target), Field(always: "activity", \.activity),
        Field(always: "payload", \.payload), Field(always: "donation", \.donation),
        Field(always: "player", \.player),
    ]
}

extension PerformVerb: FieldChoice {}
