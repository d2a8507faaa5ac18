public import UsherText

/// What is wrong, where, and what to do about it.
///
/// The sentences are made by static factories, beside the code that finds the fault.
public struct Diagnostic: Error, Sendable, Hashable, CustomStringConvertible {
    public var code: DiagnosticCode
    /// One sentence without a full stop.
    public var message: String
    /// The member that it is about, as a JSON pointer (RFC 6901) into the input.
    public var at: String?
    /// Bytes from the start of the text.
    public var offset: Int?
    /// The same in an input of several texts, where that is known.
    public var excerpt: TextExcerpt?
    /// What to do, where there is something.
    public var help: String?

    public init(
        _ code: DiagnosticCode, _ message: String, at: String? = nil, offset: Int? = nil, help: String? = nil
    ) {
        self.code = code
        self.message = message
        self.at = at
        self.offset = offset
        self.help = help
    }

    public var description: String { "\(code): \(message)" }
}
