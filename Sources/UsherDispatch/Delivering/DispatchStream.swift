public import UsherLog
public import UsherPayload
internal import UsherSystem

/// Feeds standard input and files to a dispatcher.
public struct DispatchStream: PayloadInputs.Receiver {
    private let dispatcher: Dispatcher
    private let logger: Logger
    private let showsProgress: Bool
    private let token: String?
    private var reader: PayloadReader
    private var sequence = 0
    /// Lines at hand that are to be taken together.
    private var batch: [Arrival] = []
    private var batchSize = 0

    /// Lines that are taken together, if they are at hand anyway: they share a commit.
    private static let batchLimit = 128

    /// - Parameter token: what a desktop gave whoever asked; for the first window that is opened.
    public init(
        _ dispatcher: Dispatcher, format: PayloadFormat, logger: Logger, showsProgress: Bool, token: String? = nil
    ) {
        self.token = token
        self.dispatcher = dispatcher
        self.logger = logger
        self.showsProgress = showsProgress
        reader = PayloadReader(format: format)
    }

    /// Dispatches everything; ends early when asked to.
    public mutating func run(_ inputs: [PayloadInputs.Input]) -> PayloadInputs.End {
        var texts = PayloadInputs(logger: logger, showsProgress: showsProgress)
        return texts.run(inputs, into: &self)
    }

    // MARK: Receiver

    public mutating func take(_ text: PayloadInputs.Text) {
        let started = MonotonicClock.microseconds()
        let reading = read(text)
        sequence += 1
        if dispatcher.options.isDryRun {
            dispatcher.rehearse(
                reading, sequence: sequence, source: text.isFromFile ? "file" : nil, startedAt: started)
            return
        }
        // Records that wait to be taken may be what holds up all the others.
        if let output = dispatcher.output, !output.reserveIfPossible() {
            settle()
            output.reserve()
        }
        var arrival = Arrival(
            reading, input: Array(text.slice), source: text.isFromFile ? "file" : dispatcher.options.source,
            started: started)
        arrival.sequence = sequence
        arrival.token = token
        batch.append(arrival)
        batchSize += text.range.count
        if batch.count >= DispatchStream.batchLimit || batchSize >= PayloadError.longestLine { settle() }
    }

    public mutating func settle() {
        if batch.isEmpty { return }
        dispatcher.take(batch)
        batch.removeAll(keepingCapacity: true)
        batchSize = 0
    }

    public mutating func wait() {
        if dispatcher.options.isDryRun { dispatcher.output?.flush() }
    }

    public var end: PayloadInputs.End? {
        if Interruption.isRequested { return .interrupted }
        return dispatcher.outputFailure.map { .outputFailed(error: $0) }
    }

    private mutating func read(_ text: PayloadInputs.Text) -> Result<Payload, PayloadError> {
        if text.isTooLong { return .failure(.tooLongLine) }
        do {
            if text.isSimulatorFile, reader.format == .auto {
                var reader = PayloadReader(format: .simctl)
                return .success(try reader.read(text.bytes, in: text.range))
            }
            return .success(try reader.read(text.bytes, in: text.range))
        } catch {
            return .failure(error)
        }
    }
}
