internal import UsherScene

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
}
