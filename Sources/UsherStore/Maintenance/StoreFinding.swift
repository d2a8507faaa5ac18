public import UsherScene

/// Something that `usher doctor` found, what it means, and what can be done about it.
public struct StoreFinding: Sendable, Hashable {
    public enum Severity: String, Sendable {
        case error
        case warning
    }

    public var severity: Severity
    public var code: DiagnosticCode
    /// One sentence without a full stop.
    public var message: String
    public var help: String

    public init(_ code: DiagnosticCode, _ message: String, help: String) {
        self.init(.error, code, message, help: help)
    }

    public init(_ severity: Severity, _ code: DiagnosticCode, _ message: String, help: String) {
        self.severity = severity
        self.code = code
        self.message = message
        self.help = help
    }

    package static let repairs =
        "`usher doctor --repair` mends it; `usher doctor --backup FILE` before keeps what is there."
}
