public import UsherScene
internal import UsherText

/// Why a command was not carried out, in the words that the command line, the socket and HTTP share.
///
/// On the wire: `{"code","name","message","at","offset","help","status"}`, and `excerpt` and `problems` where there are any.
public struct ControlError: Error, Sendable {
    public var code: DiagnosticCode
    /// One sentence without a full stop.
    public var message: String
    /// The member that it is about, as a JSON pointer into the arguments.
    public var at: String?
    /// Bytes from the start of the text that it is about.
    public var offset: Int?
    public var help: String?
    /// Lines with a caret, already escaped for a terminal.
    public var excerpt: [String]
    /// The exit status of a command that ends with it.
    public var status: Status
    /// What is wrong with single elements of a list; then the message sums up. Of very many the first ones.
    public var problems: [Problem]
    /// How many there are in all.
    public var problemCount: Int

    public enum Status: Int, Sendable {
        /// It was done, and something is to be said about it.
        case finding = 1
        /// It cannot be done as it was asked for: nothing was done.
        case usage = 2
    }

    public struct Problem: Sendable {
        /// From 0.
        public var index: Int
        public var error: ControlError

        public init(index: Int, _ error: ControlError) {
            self.index = index
            self.error = error
        }
    }

    public init(
        _ code: DiagnosticCode, _ message: String, at: String? = nil, offset: Int? = nil, help: String? = nil,
        excerpt: [String] = [], status: Status = .usage, problems: [Problem] = [],
        problemCount: Int = 0
    ) {
        self.code = code
        self.message = message
        self.at = at
        self.offset = offset
        self.help = help
        self.excerpt = excerpt
        self.status = status
        self.problems = problems
        self.problemCount = max(problemCount, problems.count)
    }
}

extension ControlError {
    public init(_ diagnostic: Diagnostic, status: Status = .usage) {
        self.init(
            diagnostic.code, diagnostic.message, at: diagnostic.at, offset: diagnostic.offset, help: diagnostic.help,
            status: status)
    }

    /// A word that is none of those known, and the closest of them.
    public static func unknown(
        _ code: DiagnosticCode, _ what: String, _ word: String, among known: [String], at: String? = nil,
        otherwise: String? = nil
    ) -> ControlError {
        let close = Suggestion.closest(to: word, among: known).map { "did you mean \($0)?" }
        let list = known.isEmpty || known.count > 12 ? nil : "there is: \(known.joined(separator: ", "))"
        return ControlError(
            code, "there is no \(what) \(QuotedText.text(word))", at: at, help: close ?? otherwise ?? list)
    }

    /// The other side does not speak this protocol.
    public static func protocolViolation(_ message: String, help: String? = nil) -> ControlError {
        ControlError(.controlProtocol, message, help: help)
    }

    public static func argument(_ message: String, at: String, help: String? = nil) -> ControlError {
        ControlError(.controlArgument, message, at: at, help: help)
    }
}
