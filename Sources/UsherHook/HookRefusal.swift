internal import UsherPayload
public import UsherScene

/// Why a request to a hook is refused: a status of HTTP, and one problem for its sender.
public struct HookRefusal: Error, Sendable, Hashable {
    public var status: Int
    public var problem: Diagnostic
    /// The hook that could not map the event; nil where no hook of the path could read it.
    public var hook: String?
    /// It was a test of the endpoint, which asks for an answer and not for a delivery.
    public var isAboutChallenge = false

    public init(_ status: Int, _ problem: Diagnostic) {
        self.status = status
        self.problem = problem
    }

    init(_ status: Int, _ code: DiagnosticCode, _ message: String, at: String? = nil, help: String? = nil) {
        self.init(status, Diagnostic(code, message, at: at, help: help))
    }

    /// What is wrong with a body.
    init(_ status: Int, _ error: PayloadError) {
        var problem = Diagnostic(error)
        if error.pointer.isEmpty { problem.at = nil }
        self.init(status, problem)
    }
}

extension DiagnosticCode {
    /// The method does nothing here.
    /// Remedy: send POST.
    public static let webhookMethod = DiagnosticCode("U6201", "webhook.method")
    /// The hook does not read bodies of this Content-Type.
    /// Remedy: send `application/json`, or add the form to the hook's `input`.
    public static let webhookMediaType = DiagnosticCode("U6204", "webhook.media-type")
    /// A condition of the hook does not hold; the message says what was found and what is wanted.
    /// Remedy: nothing, if the event is not meant; else correct `when`.
    public static let hookNoMatch = DiagnosticCode("U6222", "hook.no-match")
    /// The target, the id or an answer needs a value that is not in the request.
    /// Remedy: correct the pointer, or give the value a `default`.
    public static let hookValueMissing = DiagnosticCode("U6223", "hook.value-missing")
    /// A value is an array or an object where text is needed, or no time where `expires` needs one.
    /// Remedy: point to a member of it.
    public static let hookValueType = DiagnosticCode("U6224", "hook.value-type")
    /// `each` leads to no array, or to one of more than 10000 elements.
    /// Remedy: correct the pointer.
    public static let hookElements = DiagnosticCode("U6225", "hook.elements")
    /// The target cannot be built: it would be too long.
    /// Remedy: shorten the values.
    public static let hookTarget = DiagnosticCode("U6226", "hook.target")
    /// A value of an answer has more than 4096 bytes.
    /// Remedy: none; a challenge is short.
    public static let hookAnswerSize = DiagnosticCode("U6227", "hook.answer-size")
    /// A form has more than 1000 fields.
    /// Remedy: send fewer fields.
    public static let hookFormFields = DiagnosticCode("U6228", "size.form-fields")
    /// The sender's id of the event is empty, too long, or there twice.
    /// Remedy: see the message.
    public static let webhookHeader = DiagnosticCode("U6208", "webhook.header")
}
