public import UsherOperation

/// Whether a request is signed as the hooks of a path require, and codes under their secret. Nothing is delivered, counted or
/// logged.
public struct HookJudge: PerformedCall, Hashable {
    /// The last part of the URL's path.
    public var path = ""
    /// As `usher hook listen` writes it; nil where only codes are wanted.
    public var request: String?
    /// Seconds since 1970; nil stands for now.
    public var at: Int?
    /// Texts whose codes are wanted.
    public var texts: [String] = []

    public init() {}
    public init(path: String, request: String? = nil, at: Int? = nil, texts: [String] = []) {
        (self.path, self.request, self.at, self.texts) = (path, request, at, texts)
    }

    public typealias Answer = HookVerdict
    public static let name = "hook.judge"
    public static let operation = Operation<Self>(
        "whether a request to a hook is signed as it has to be; codes of texts under the hook's first secret", .read,
        [
            Field("path", \.path, "the hook's path"),
            Field("request", \.request, "the request, as usher hook listen writes it"),
            Field("at", \.at, in: 0...Int.max, "the time of the judgement, in seconds since 1970 (now)"),
            Field("texts", \.texts, "texts whose codes are wanted"),
        ])

    public func perform(in context: OperationContext) throws(ControlError) -> HookVerdict {
        try context.engine.judge(self)
    }
}

/// Requests to hooks as events from now on, before they are judged; tokens and passwords are masked.
public struct HookListen: Call {
    public typealias Answer = Nothing

    /// The name or the path of a hook; nil stands for all.
    public var hook: String?

    public init() {}
    public init(hook: String?) { self.hook = hook }

    public static let name = "hook.listen"
    public static let operation = Operation<Self>(
        "requests to hooks as they come, before they are judged", .read,
        [Field("hook", \.hook, "the name or the path of a hook; else those of all")])
}

/// What the signature of a request comes to.
public struct HookVerdict: AnswerRecord {
    /// Why it is refused, and the status that is answered then.
    public var error: ErrorAnswer?
    public var status: Int?
    /// Of the texts, in hexadecimal.
    public var codes: [String] = []

    public init() {}

    public static let fields: [Field<Self>] = [
        Field(always: "error", \.error), Field(always: "status", \.status), Field(always: "codes", \.codes),
    ]
}

/// An event of `HookListen` in the place of requests that came faster than they were taken.
public struct LeftOutRequests: AnswerRecord {
    public var count: Int?

    public init() {}
    public init(_ count: Int) { self.count = count }

    public static let fields: [Field<Self>] = [Field(ifAny: "left_out", \.count)]
}
