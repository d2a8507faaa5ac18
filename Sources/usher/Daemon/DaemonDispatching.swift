internal import Glibc
internal import UsherControl
internal import UsherDispatch
internal import UsherLog
internal import UsherPayload
internal import UsherSystem

/// What `dispatch`, `open`, `shortcut perform` and the like share: an engine decides and acts, and its records come here.
struct DaemonDispatching {
    private let context: Context
    private let daemon: Daemon
    private let source: String
    private let app: String?

    init(_ context: Context, _ daemon: Daemon, source: String, app: String? = nil) {
        self.context = context
        self.daemon = daemon
        self.source = source
        self.app = app
    }

    func run(_ inputs: [PayloadInputs.Input], format: PayloadFormat) throws(CommandFailure) -> ExitStatus {
        Interruption.watch()
        var sending = Sending(stream: stream(format: format))
        var texts = PayloadInputs(logger: context.logger, showsProgress: context.showsProgress)
        let end = texts.run(inputs, into: &sending)
        return try finish(end, sending.stream)
    }

    /// The inputs that operands name; none means standard input. Every file is there and can be read.
    static func inputs(_ operands: [String]) throws(CommandFailure) -> [PayloadInputs.Input] {
        var inputs: [PayloadInputs.Input] = []
        for operand in operands {
            if operand == "-" {
                inputs.append(.standardInput)
                continue
            }
            var status = stat()
            guard unsafe access(operand, R_OK) == 0, unsafe stat(operand, &status) == 0 else {
                throw .usage("cannot read \(operand): \(SystemError.text(errno))")
            }
            guard status.st_mode & S_IFMT != S_IFDIR else {
                throw .usage("\(operand) is a folder", help: "name its files: \(operand)/*.json")
            }
            inputs.append(.file(operand))
        }
        return inputs.isEmpty ? [.standardInput] : inputs
    }

    /// Dispatches one payload that is made here.
    func run(_ line: [UInt8]) throws(CommandFailure) -> ExitStatus {
        Interruption.watch()
        let stream = stream(format: .auto)
        stream.send(.init(line), at: 1)
        return try finish(.complete, stream)
    }

    private func stream(format: PayloadFormat) -> DaemonStream {
        DaemonStream(
            daemon, source: source, app: app, format: format, style: context.writesJSON ? nil : context.style,
            token: context.token)
    }

    /// Waits for what is on its way.
    private func finish(_ streamEnd: PayloadInputs.End, _ stream: DaemonStream) throws(CommandFailure) -> ExitStatus {
        let tally = stream.finish()
        if tally.failure == nil, !Interruption.isRequested { try daemon.waitForOthers(context) }
        if let failure = tally.failure {
            throw CommandFailure(
                .finding,
                "\(failure.message): \(tally.handled) payloads were handled, \(tally.unanswered) have no answer",
                help: "usher deliveries list shows what was accepted")
        }
        var end = streamEnd
        if case .complete = end, let failure = stream.outputFailure { end = .outputFailed(error: failure) }
        return try context.status(
            after: end, handled: tally.handled, errors: tally.errors, isDryRun: false)
    }
}

/// Sends texts as they are cut.
private struct Sending: PayloadInputs.Receiver {
    let stream: DaemonStream
    private var place = 0

    init(stream: DaemonStream) { self.stream = stream }

    mutating func take(_ text: PayloadInputs.Text) {
        place += 1
        stream.send(text, at: place)
    }

    // Each text is on its way as soon as it is taken.
    mutating func settle() {}
    mutating func wait() {}

    var end: PayloadInputs.End? {
        if Interruption.isRequested { return .interrupted }
        // Why it failed is said at the end.
        if stream.hasFailed { return .complete }
        return stream.outputFailure.map { .outputFailed(error: $0) }
    }
}

extension Context {
    /// Whether a long input shows how far it is.
    var showsProgress: Bool { !isQuiet && ProcessEnvironment.isTerminal(2) && !ProcessEnvironment.isTerminal(1) }

    /// How a stream ended: the exit status, or why it ended early.
    func status(
        after end: PayloadInputs.End, handled: Int, errors problems: Int, isDryRun: Bool
    ) throws(CommandFailure) -> ExitStatus {
        switch end {
        case .complete: return problems > 0 ? .finding : .handled
        case .interrupted:
            errors.write("usher: interrupted: \(handled) payloads were handled, \(problems) with an error\n")
            throw .reported(.interrupted)
        case .outputFailed(let error):
            throw CommandFailure(
                .finding,
                error == EPIPE
                    ? "standard output was closed by its reader: stopped after \(handled) payloads"
                    : "cannot write standard output: \(SystemError.text(error)): stopped after \(handled) payloads",
                help: isDryRun ? nil : "usher deliveries list shows what was done")
        case .failed(let path, let error):
            throw CommandFailure(.finding, "cannot read \(path) on: \(SystemError.text(error))")
        }
    }
}
