public import UsherHook
public import UsherOperation
public import UsherScene
public import UsherText

/// A request to a hook, as the daemon writes it down and `usher hook log` shows it.
public struct HookRequestRecord: AnswerRecord {
    public var time = Instant(microseconds: 0)
    /// Empty for a path that is no hook's.
    public var hook = ""
    /// Of the URL.
    public var path = ""
    /// Its address, or its user.
    public var client = ""
    public var status = 0
    public var result = ""
    /// Our ids of the deliveries that it made, refused ones included.
    public var deliveries: [String] = []
    /// Why it is refused.
    public var error: ErrorAnswer?
    /// Why it, or elements of it, are ignored.
    public var why: [HookReasonAnswer] = []
    /// How many like it came before, and were not written down.
    public var leftOut = 0
    /// Of a duplicate: the delivery that came first, and what they have in common. Not written down: the store knows it.
    public var duplicateOf: String?
    public var sameness: String?

    public init() {}

    public static let fields: [Field<Self>] = [
        Field(always: "time", \.time), Field(always: "hook", \.hook), Field(always: "path", \.path),
        Field(always: "client", \.client), Field(always: "status", \.status), Field(always: "result", \.result),
        Field(always: "deliveries", \.deliveries, "Our ids of what it made, refused ones included"),
        Field(always: "error", \.error), Field(always: "why", \.why), Field(always: "left_out", \.leftOut),
        Field(ifAny: "duplicate_of", \.duplicateOf, "The delivery that came first"),
        Field(ifAny: "same", \.sameness, "What both have: `id` of the sender, or `code`, what was signed"),
    ]

    /// Whether the request came to a hook of that name, or to the hooks of that path.
    public func isAbout(_ name: String) -> Bool {
        !hook.isEmpty && (hook.hasSameBytes(as: name) || path.utf8.elementsEqual("/hooks/\(name)".utf8))
    }
}

/// Why a hook ignores or refuses an event.
public struct HookReasonAnswer: AnswerRecord {
    public var hook = ""
    public var name = ""
    public var message = ""
    public var at: String?
    public var rule: String?
    public var help: String?
    public var line: Int?
    public var column: Int?
    public var excerpt: [String] = []

    public init() {}

    public init(_ miss: HookMiss) {
        (hook, name, message) = (miss.hook, DiagnosticCode.hookNoMatch.name, miss.message)
        (at, rule) = (miss.at, miss.rule.description)
    }

    public init(_ problem: Diagnostic, hook: String) {
        (self.hook, name, message) = (hook, problem.code.name, problem.message)
        (at, help) = (problem.at, problem.help)
        (line, column) = (problem.excerpt?.position.line, problem.excerpt?.position.column)
        excerpt = problem.excerpt?.lines ?? []
    }

    public static let fields: [Field<Self>] = [
        Field(always: "hook", \.hook), Field(always: "name", \.name), Field(always: "message", \.message),
        Field(always: "at", \.at), Field(always: "rule", \.rule), Field(ifAny: "help", \.help),
        Field(ifAny: "line", \.line, "Of the body, from 1"), Field(ifAny: "column", \.column),
        Field(ifAny: "excerpt", \.excerpt, "The line, and a caret below the column"),
    ]
}
