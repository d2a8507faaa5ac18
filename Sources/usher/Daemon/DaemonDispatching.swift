internal import Glibc
internal import Synchronization
internal import UsherActivation
internal import UsherControl
internal import UsherEngine
internal import UsherJSON
internal import UsherLog
internal import UsherOperation
internal import UsherPayload
internal import UsherScene
internal import UsherSystem
internal import UsherText

/// What `dispatch`, `open`, `shortcut perform` and the like share: an engine decides and acts, and its records come here.
struct DaemonDispatching {
    private let context: Context
    private let daemon: RunningDaemon
    private let source: String
    private let app: String?
    /// For how long the answers to the notifications are waited for; nil where they are not.
    private let answerTimeout: String?

    /// - Parameter answerTimeout: such as `90s`.
    init(
        _ context: Context, _ daemon: RunningDaemon, source: String, app: String? = nil, answerTimeout: String? = nil
    ) {
        self.context = context
        self.daemon = daemon
        self.source = source
        self.app = app
        self.answerTimeout = answerTimeout
    }

    func run(_ inputs: [PayloadInput], format: PayloadFormat) throws(CommandFailure) -> ExitStatus {
        try run(format: format) { session in
            var reader = InputReader(context)
            var input = EngineInput(session)
            return reader.run(inputs, into: &input)
        }
    }

    /// Dispatches one payload that is made here.
    func run(_ payload: JSONValue) throws(CommandFailure) -> ExitStatus {
        try run(Array(payload.text(escaping: .minimal).utf8))
    }

    func run(_ payload: [UInt8]) throws(CommandFailure) -> ExitStatus { try perform(payload).status }

    /// The same, with what came of it; nil where there is no record.
    func perform(_ payload: [UInt8]) throws(CommandFailure) -> (status: ExitStatus, outcome: Outcome?) {
        let records = records()
        let status = try run(format: .auto, records) { session in
            session.stream.send(.begin(.document, isFromFile: false))
            session.stream.send(payload[...])
            return .complete
        }
        return (status, records.outcome)
    }

    private func records() -> RecordOutput { RecordOutput(style: context.writesJSON ? nil : context.style) }

    private func run(
        format: PayloadFormat, _ records: RecordOutput? = nil, _ send: (EngineSession) -> InputEnd
    ) throws(CommandFailure) -> ExitStatus {
        Interruption.watch()
        // Only `open` is what a desktop calls for a link.
        let openedPages = source == "open" ? OpenedPages.pages(above: getpid()) : []
        let session = try EngineSession(context, daemon, records ?? self.records()) { first in
            var stream = DispatchStream(
                source: source, app: app, format: format == .auto ? nil : format.rawValue, token: context.token,
                parent: context.environment["USHER_DELIVERY"], openedPages: openedPages, first: first)
            if let answerTimeout { (stream.wait, stream.timeout) = ("action", answerTimeout) }
            return stream
        }
        var end = send(session)
        let word: StreamWord =
            switch end {
            case .interrupted: .cancel
            case .outputFailed: .stop
            case .complete, .failed: .end
            }
        session.end(word)
        if let failure = session.failure { throw failure }
        if session.done.hasOthers, session.done.handled == 0, !Interruption.isRequested {
            try session.engine.waitForOthers(context)
        }
        if case .complete = end, let failure = session.records.failure { end = .outputFailed(error: failure) }
        return try context.status(
            after: end, handled: session.done.handled, errors: session.done.errors, isDryRun: false)
    }
}

/// What a command has dispatched through one engine after the other: an engine on demand makes way for a resident one.
final class EngineSession {
    let records: RecordOutput
    private(set) var engine: RunningDaemon
    private(set) var stream: EngineStream
    /// What became of the streams that have ended.
    private(set) var done = StreamEnd()
    /// Why nothing more can be dispatched, or some payloads have no record.
    private(set) var failure: CommandFailure?

    private let context: Context
    private let description: (_ first: Int) -> DispatchStream

    init(
        _ context: Context, _ engine: RunningDaemon, _ records: RecordOutput,
        _ description: @escaping (_ first: Int) -> DispatchStream
    ) throws(CommandFailure) {
        self.context = context
        self.engine = engine
        self.description = description
        self.records = records
        stream = try EngineSession.begin(engine, description(1), records)
    }

    /// Why no more input is to be sent; nil to go on.
    var inputEnd: InputEnd? {
        if Interruption.isRequested { return .interrupted }
        // Why the stream ended is said at the end.
        if failure != nil || stream.isOver { return .complete }
        return records.failure.map { .outputFailed(error: $0) }
    }

    /// Ends the stream, after a whole payload, and goes on with the engine that follows.
    func moveOn() {
        end(.end)
        guard failure == nil else { return }
        // It ends with its last client.
        engine.client.end()
        do throws(CommandFailure) {
            engine = try context.engine()
            stream = try EngineSession.begin(engine, description(done.handled + 1), records)
        } catch {
            failure = error
        }
    }

    /// Sends the last word and waits for what is on its way; an interruption cancels what has not begun.
    func end(_ word: StreamWord) {
        guard failure == nil else { return }
        stream.send(word)
        // Each is sent once, though the answer may be on its way already.
        var isCancelled = word == .cancel
        var isStopped = word != .end
        while true {
            if let answer = stream.end(withinMilliseconds: isCancelled ? 10_000 : 100) {
                return add(answer.end, answer.failure)
            }
            if Interruption.isRequested, !isCancelled {
                isCancelled = true
                isStopped = true
                stream.send(.cancel)
            }
            // Nothing reads the records any more: what has not begun is not to begin.
            if records.failure != nil, !isStopped {
                isStopped = true
                stream.send(.stop)
            }
        }
    }

    private func add(_ end: StreamEnd, _ error: ControlError?) {
        done.handled += end.handled
        done.errors += end.errors
        done.hasOthers = end.hasOthers
        guard let error else { return }
        // Nothing was taken.
        if error.code == .answerTooMany, done.handled == 0 {
            failure = CommandFailure(error)
            return
        }
        let left = end.unanswered > 0 ? "\(end.unanswered)" : "the others"
        failure = CommandFailure(
            .finding, "\(error.message): \(done.handled) payloads were handled, \(left) have no answer",
            help: "usher deliveries list shows what was accepted")
    }

    private static func begin(
        _ engine: RunningDaemon, _ stream: DispatchStream, _ records: RecordOutput
    ) throws(CommandFailure) -> EngineStream {
        try CommandFailure.attempt { () throws(ControlError) in
            try EngineStream(engine.client, stream) { records.write($0) }
        }
    }
}

/// Writes records to standard output, in the order in which they come: as they came, or for people.
final class RecordOutput: Sendable {
    /// For people instead of JSON.
    private let style: TerminalStyle?
    private let errorNumber = Mutex<Int32?>(nil)

    init(style: TerminalStyle?) { self.style = style }

    /// The errno of the write that failed.
    var failure: Int32? { errorNumber.withLock { $0 } }

    /// Its line.
    private let last = Mutex<[UInt8]>([])

    /// That of the last record; nil before the first.
    var outcome: Outcome? { (try? DecisionRecord(reading: last.withLock { $0 }))?.outcome }

    /// - Parameter lines: whole lines of JSON.
    func write(_ lines: ArraySlice<UInt8>) {
        let content = lines.dropLast()
        let start = content.lastIndex(of: 0x0A).map { $0 + 1 } ?? content.startIndex
        last.withLock { $0 = Array(content[start...]) }
        guard failure == nil else { return }
        var bytes = lines
        if let style {
            bytes =
                lines.split(separator: 0x0A).flatMap { line -> [UInt8] in
                    guard let record = try? DecisionRecord(reading: Array(line)) else { return [] }
                    return Array((record.text(style: style) + "\n").utf8)
                }[...]
        }
        if !FileOutput.write(bytes, to: 1) { errorNumber.withLock { [number = errno] in $0 = number } }
    }
}

extension Context {
    /// Whether a long input shows how far it is.
    var showsProgress: Bool { !isQuiet && ProcessEnvironment.isTerminal(2) && !ProcessEnvironment.isTerminal(1) }

    /// How a stream ended: the exit status, or why it ended early.
    func status(
        after end: InputEnd, handled: Int, errors problems: Int, isDryRun: Bool
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
