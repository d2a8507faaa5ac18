internal import Synchronization
public import UsherLog
public import UsherPayload
internal import UsherScene

/// Feeds standard input and files to an engine, and writes the records in the order of the input.
public final class DispatchStream: Sendable {
    private let engine: Engine
    private let logger: Logger
    private let options: Options
    private let output: OrderedOutput
    private let tallied = Mutex(DryRun.Tally())

    public struct Options: Sendable {
        public var source: String
        public var app: String?
        public var format = PayloadFormat.auto
        public var showsProgress = false
        /// What a desktop gave the caller; for the first window that is opened.
        public var token: String?
        /// Text for people instead of JSON Lines.
        public var style: TerminalStyle?
        public var outputDescriptor: Int32 = 1

        public init(source: String) {
            self.source = source
            app = nil
            token = nil
            style = nil
        }
    }

    /// Records that may wait for earlier ones.
    private static let capacity = 256

    public init(_ engine: Engine, logger: Logger, _ options: Options) {
        self.engine = engine
        self.logger = logger
        self.options = options
        output = OrderedOutput(descriptor: options.outputDescriptor, capacity: DispatchStream.capacity)
    }

    public var tally: DryRun.Tally { tallied.withLock { $0 } }

    /// The errno of the write of records that failed (EPIPE: their reader has gone).
    public var outputFailure: Int32? { output.failure }

    /// Dispatches everything; ends early when asked to.
    public func run(_ inputs: [PayloadInputs.Input]) -> PayloadInputs.End {
        var texts = PayloadInputs(logger: logger, showsProgress: options.showsProgress)
        var receiver = Receiver(self, PayloadReader(format: options.format))
        return texts.run(inputs, into: &receiver)
    }

    /// Dispatches one text.
    public func run(_ line: [UInt8]) {
        var receiver = Receiver(self, PayloadReader(format: options.format))
        receiver.take(PayloadInputs.Text(line))
    }

    /// Waits until every record is written.
    public func finish() {
        engine.finish()
        output.drain()
    }

    fileprivate func write(_ record: DecisionRecord) {
        tallied.withLock { tally in
            tally.handled += 1
            if record.error != nil { tally.errors += 1 }
        }
        var bytes: [UInt8] = []
        if let style = options.style {
            bytes = Array((record.text(style: style) + "\n").utf8)
        } else {
            record.appendLine(to: &bytes)
        }
        output.write(bytes, at: record.sequence)
    }

    private struct Receiver: PayloadInputs.Receiver {
        let stream: DispatchStream
        var reader: PayloadReader
        var sequence = 0

        init(_ stream: DispatchStream, _ reader: PayloadReader) {
            self.stream = stream
            self.reader = reader
        }

        mutating func take(_ text: PayloadInputs.Text) {
            let started = MonotonicClock.microseconds()
            let reading = text.read(with: &reader)
            sequence += 1
            stream.output.reserve()
            let source = text.isFromFile ? "file" : stream.options.source
            var arrival = Arrival(reading, input: Array(text.slice), source: source, started: started)
            arrival.sequence = sequence
            arrival.app = stream.options.app
            arrival.token = stream.options.token
            arrival.events.finished = { [stream] record in stream.write(record) }
            arrival.events.refused = { [stream, sequence] problem in
                var record = DecisionRecord(
                    id: "", sequence: sequence, time: Timestamp.now(), source: source, configuration: "")
                record.outcome = .failed
                record.error = problem
                stream.write(record)
            }
            arrival.events.left = { [stream, sequence] in stream.output.write([], at: sequence) }
            _ = stream.engine.submit([arrival])
        }

        mutating func settle() {}
        mutating func wait() {}

        var end: PayloadInputs.End? {
            if Interruption.isRequested {
                stream.engine.interrupt()
                return .interrupted
            }
            return stream.outputFailure.map { .outputFailed(error: $0) }
        }
    }
}
