public import UsherHTTP
public import UsherHook
internal import UsherLog
public import UsherPayload
public import UsherScene
internal import UsherText

/// Why a request is refused: a status, and one problem for its client.
public struct Refusal: Error, Sendable {
    public var status: Int
    public var problem: Diagnostic
    /// `Retry-After`, `Allow` and the like.
    public var fields: HTTPFields

    public init(_ status: Int, _ problem: Diagnostic, fields: HTTPFields = HTTPFields()) {
        self.status = status
        self.problem = problem
        self.fields = fields
    }

    init(_ status: Int, _ code: DiagnosticCode, _ message: String, at: String? = nil, help: String? = nil) {
        self.init(status, Diagnostic(code, message, at: at, help: help))
    }

    /// Why a hook refuses a request.
    public init(_ refusal: HookRefusal) { self.init(refusal.status, refusal.problem) }

    /// What is wrong with a payload.
    public init(_ error: PayloadError, status: Int = 400) {
        self.init(status, Refusal.problem(error))
    }

    static func problem(_ error: PayloadError) -> Diagnostic {
        var problem = Diagnostic(error)
        if error.pointer.isEmpty { problem.at = nil }
        return problem
    }

    /// The same with a field more.
    func with(_ name: String, _ value: String) -> Refusal {
        var refusal = self
        refusal.fields.append(name, value)
        return refusal
    }

    /// The answer: problem details (RFC 9457), and our `error` beside them.
    ///
    /// - Parameter delivery: the id of the delivery that the request was journalled as.
    public func response(delivery: String? = nil) -> HTTPResponse {
        var response = HTTPProblem.response(
            status: status, detail: problem.message, help: problem.help, code: problem.code.code, id: delivery
        ) { problem.write(to: &$0) }
        for field in fields.fields { response.fields.append(field.name, field.value) }
        return response
    }
}

extension Refusal {
    public static func method(_ method: String, allowed: String) -> Refusal {
        Refusal(405, .webhookMethod, "\(printable(method)) is not a method of this path", help: "send \(allowed)")
            .with("Allow", allowed)
    }

    static func tooMany(_ code: DiagnosticCode, _ message: String, after wait: Duration) -> Refusal {
        let seconds = max(1, (wait.microseconds + 999_999) / 1_000_000)
        return Refusal(429, code, message, help: "try again in \(seconds) s").with("Retry-After", String(seconds))
    }

    /// A batch that could never be taken, which no waiting helps.
    static func batch(limit: Int, of what: String, help: String) -> Refusal {
        Refusal(413, .webhookBatchSize, "there are more than \(limit) \(what)", help: help)
    }

    static let queueFull = tooMany(
        .rateQueueFull, "too many deliveries wait to be carried out", after: .seconds(1))

    static let targetsBusy = tooMany(.rateLimited, "too many requests about targets wait", after: .seconds(1))

    /// Text of a request for a message: short.
    static func printable(_ text: some StringProtocol) -> String {
        Printable.text(text, limit: 80)
    }
}
