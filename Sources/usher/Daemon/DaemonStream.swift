internal import Glibc
internal import Synchronization
internal import UsherControl
internal import UsherDispatch
internal import UsherJSON
internal import UsherLog
internal import UsherPayload
internal import UsherSystem
internal import UsherText

/// Sends payloads to the daemon's dispatcher, and writes its records in the order of the input.
final class DaemonStream: Sendable {
    private struct State: Sendable {
        /// The place whose record is written next.
        var next = 1
        /// Records that wait for earlier ones; nil where there is none.
        var waiting: [Int: [UInt8]?] = [:]
        var handled = 0
        var errors = 0
        var outputFailure: Int32?
        var failure: ControlError?
        var unanswered = 0
    }

    /// What became of the payloads.
    struct Tally: Sendable {
        var handled: Int
        var errors: Int
        /// Why some have no record, and how many.
        var failure: ControlError?
        var unanswered: Int
    }

    private let pipeline: ControlPipeline
    private let format: PayloadFormat
    private let app: String?
    private let source: String
    private let token: String?
    /// For people instead of JSON.
    private let style: TerminalStyle?
    private let state = Mutex(State())

    /// - Parameter token: what the desktop gave whoever called us; for the first window that is opened.
    init(
        _ daemon: Daemon, source: String, app: String?, format: PayloadFormat, style: TerminalStyle?, token: String?
    ) {
        self.token = token
        pipeline = ControlPipeline(daemon.client)
        self.source = source
        self.app = app
        self.format = format
        self.style = style
    }

    /// Sends one payload; waits while too many are unanswered.
    ///
    /// - Parameter place: in the input, counted from 1 without gaps.
    func send(_ text: PayloadInputs.Text, at place: Int) {
        let named = format == .auto && text.isSimulatorFile ? .simctl : format
        let dispatch = ControlDispatch(
            input: Array(text.slice), isTooLong: text.isTooLong, source: text.isFromFile ? "file" : source,
            sequence: place, app: app,
            format: named == .auto ? nil : named.rawValue, token: token)
        pipeline.submit(.dispatch(dispatch)) { [self] answer in take(answer, at: place) }
    }

    /// The errno of the write of records that failed.
    var outputFailure: Int32? { state.withLock { $0.outputFailure } }

    /// Whether nothing more can be sent.
    var hasFailed: Bool { state.withLock { $0.failure != nil } }

    /// Waits until everything is answered.
    func finish() -> Tally {
        pipeline.drain()
        return state.withLock { state in
            Tally(
                handled: state.handled, errors: state.errors, failure: state.failure, unanswered: state.unanswered)
        }
    }

    private func take(_ answer: Result<[UInt8], ControlError>, at place: Int) {
        var line: [UInt8]?
        var failure: ControlError?
        var hasError = false
        switch answer {
        case .success(let record):
            let value = try? JSONValue(parsing: record)
            hasError = value?["error"].map { $0.kind != .null } ?? false
            if let style, let value {
                line = Array((DecisionRecord(reading: value).text(style: style) + "\n").utf8)
            } else {
                line = record + [0x0A]
            }
        case .failure(let error): failure = error
        }
        state.withLock { state in
            state.waiting[place] = .some(line)
            if let failure {
                state.failure = state.failure ?? failure
                state.unanswered += 1
            } else {
                state.handled += 1
                if hasError { state.errors += 1 }
            }
            while let entry = state.waiting.removeValue(forKey: state.next) {
                state.next += 1
                guard let entry, state.outputFailure == nil else { continue }
                if !FileOutput.write(entry, to: 1) { state.outputFailure = errno }
            }
        }
    }
}
