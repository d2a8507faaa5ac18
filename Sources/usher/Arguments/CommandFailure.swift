internal import UsherEngine
internal import UsherOperation
internal import UsherPayload
internal import UsherScene
internal import UsherStore
internal import UsherSystem
internal import UsherText

/// Why a command ended early: one message for people, what to do about it, and the exit status.
struct CommandFailure: Error, Sendable {
    var status: ExitStatus
    /// One sentence without a full stop; text from outside is escaped when it is shown.
    var message: String
    /// Shown below the message as they are: excerpts with a caret. Already escaped.
    var excerpt: [String]
    var help: String?
    /// Whether all that is to be said was said before.
    var isReported: Bool

    init(_ status: ExitStatus, _ message: String, excerpt: [String] = [], help: String? = nil) {
        self.status = status
        self.message = message
        self.excerpt = excerpt
        self.help = help
        self.isReported = false
    }

    /// The command is refused: nothing was done.
    ///
    /// - Parameter code: its place is at the end of the message; nil where it stands there already.
    static func usage(
        _ message: String, help: String? = nil, code: DiagnosticCode? = .controlArgument
    ) -> CommandFailure {
        CommandFailure(.usage, code.map { "\(message) [\($0)]" } ?? message, help: help)
    }

    /// A system call has failed.
    ///
    /// - Parameter doing: in the infinitive, with the path: `write FILE`.
    static func cannot(_ doing: String, errno code: Int32, help: String? = nil) -> CommandFailure {
        usage("cannot \(doing): \(SystemError.text(code))", help: SystemError(code).remedy ?? help, code: .usageFile)
    }

    /// What the store's own code would refuse as well, with its code.
    static func refusal(_ code: DiagnosticCode, _ message: String, help: String) -> CommandFailure {
        CommandFailure(ControlError(code, message, help: help))
    }

    /// The reasons stand on standard error or standard output already.
    static func reported(_ status: ExitStatus) -> CommandFailure {
        var failure = CommandFailure(status, "")
        failure.isReported = true
        return failure
    }

    /// A word that is none of those known, and what does the same today, or the closest of them.
    static func unknown(
        _ what: String, _ word: String, among known: [String], replacement: String? = nil, otherwise: String? = nil,
        code: DiagnosticCode = .controlArgument
    ) -> CommandFailure {
        let close = (replacement ?? Spelling.closest(to: word, among: known)).map { "did you mean \($0)?" }
        let list = known.isEmpty || known.count > 12 ? nil : "there is: \(known.joined(separator: ", "))"
        return usage("there is no \(what) \(QuotedText.text(word))", help: close ?? otherwise ?? list, code: code)
    }

    /// A payload, or a line of input, that cannot be used.
    static func payload(_ error: PayloadError, _ status: ExitStatus = .finding) -> CommandFailure {
        CommandFailure(
            status, "\(error.message) [\(error.code)]", excerpt: error.excerpt?.text ?? [], help: error.help)
    }

    static func store(_ error: StoreError) -> CommandFailure { CommandFailure(ControlError(error)) }

    /// Does something whose errors end the command.
    static func attempt<Value: ~Copyable>(_ body: () throws(ControlError) -> Value) throws(CommandFailure) -> Value {
        do { return try body() } catch { throw CommandFailure(error) }
    }

    /// What the store's own code or the daemon answered: the same words either way.
    init(_ error: ControlError) {
        self.init(
            error.status == .finding ? .finding : .usage, error.message, excerpt: error.excerpt, help: error.help)
        let mark = "[\(error.code.code) \(error.code.name)]"
        // Errors of the store have it in their words.
        if !error.code.code.isEmpty, !message.hasSuffix(mark) { message += " " + mark }
        // Conditions are options here.
        if error.code == .controlCondition, let name = error.at?.split(separator: "/").last {
            message = "--\(name): \(message)"
        }
    }
}
