public import UsherScene

/// What kept an activation from taking effect: a stable code, a sentence, and what to do about it.
///
/// Made by the factories of `ActivationFailure+Texts.swift`, the one place where these sentences are written.
public struct ActivationFailure: Error, Sendable, Hashable, CustomStringConvertible {
    public var code: DiagnosticCode
    public var message: String
    public var help: String?

    public init(_ code: DiagnosticCode, _ message: String, help: String? = nil) {
        self.code = code
        self.message = message
        self.help = help
    }

    public var description: String { "\(code): \(message)" }
}
