internal import CLinux
internal import Glibc
internal import UsherJSON
public import UsherLog
public import UsherPayload

/// Feeds standard input and files to a dispatcher, in memory bounded by the longest line.
public struct DispatchStream: ~Copyable {
    public enum Input: Sendable, Hashable {
        case standardInput
        case file(String)
    }

    /// Why a stream ended early.
    public enum End: Sendable {
        case complete
        /// SIGINT or SIGTERM: the payload in hand was finished.
        case interrupted
        /// Records cannot be written any more; EPIPE: their reader has gone.
        case outputFailed(error: Int32)
        /// A file could not be read on.
        case failed(path: String, error: Int32)
    }

    private let dispatcher: Dispatcher
    private let logger: Logger
    private var reader: PayloadReader
    private var sequence = 0
    private var progress: StreamProgress?
    private var chunk: [UInt8] = []
    /// What records say of the input in hand; nil for standard input.
    private var source: String?
    /// Lines at hand that are to be taken together.
    private var batch: [Arrival] = []
    private var batchSize = 0

    static let chunkSize = 256 * 1024
    /// Lines that are taken together, if they are at hand anyway: they share a commit.
    static let batchLimit = 128
    /// The longest line, and the largest document.
    static let limit = 1 << 20

    public init(_ dispatcher: Dispatcher, format: PayloadFormat, logger: Logger, showsProgress: Bool) {
        self.dispatcher = dispatcher
        self.logger = logger
        reader = PayloadReader(format: format)
        progress = showsProgress ? StreamProgress() : nil
    }

    /// Dispatches everything; ends early when asked to.
    public mutating func run(_ inputs: [Input]) -> End {
        for input in inputs {
            let end = run(input)
            guard case .complete = end else {
                progress?.clear()
                return end
            }
        }
        progress?.clear()
        return .complete
    }

    private mutating func run(_ input: Input) -> End {
        switch input {
        case .standardInput:
            source = nil
            return runLines(of: 0, name: "standard input", firstBytes: [])
        case .file(let path):
            source = "file"
            let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { return .failed(path: path, error: errno) }
            defer { close(descriptor) }
            return runFile(descriptor, path: path)
        }
    }

    private mutating func runFile(_ descriptor: Int32, path: String) -> End {
        if PayloadShape.isLines(path) {
            return runLines(of: descriptor, name: path, firstBytes: [])
        }
        var head: [UInt8] = []
        while head.count <= DispatchStream.limit {
            let count = read(descriptor)
            if count < 0 { return stopped ?? .failed(path: path, error: errno) }
            if count == 0 { break }
            head.append(contentsOf: chunk.prefix(count))
        }
        var scratch = JSONDocument()
        switch PayloadShape(fileName: path, bytes: head, scratch: &scratch) {
        case .lines:
            return runLines(of: descriptor, name: path, firstBytes: head)
        case .document:
            let started = MonotonicClock.microseconds()
            if head.count > DispatchStream.limit {
                handle(.failure(tooLong), [], started)
            } else if PayloadShape.isSimulatorFile(path), reader.format == .auto {
                var reader = PayloadReader(format: .simctl)
                handle(DispatchStream.read(head, head.indices, &reader), head[...], started)
            } else {
                handle(DispatchStream.read(head, head.indices, &reader), head[...], started)
            }
            handOver()
            return stopped ?? .complete
        }
    }

    private mutating func runLines(of descriptor: Int32, name: String, firstBytes: [UInt8]) -> End {
        var splitter = JSONLinesSplitter(limit: DispatchStream.limit)
        let before = sequence
        var pending = firstBytes
        var isAtEnd = false
        while !isAtEnd {
            if pending.isEmpty {
                let count = readPatiently(descriptor)
                if count < 0 {
                    if let stopped { return stopped }
                    return .failed(path: name, error: errno)
                }
                if count == 0 {
                    isAtEnd = true
                    splitter.finish()
                } else if count == chunk.count {
                    splitter.push(chunk)
                } else {
                    splitter.push(Array(chunk.prefix(count)))
                }
            } else {
                splitter.push(pending)
                pending = []
            }
            while let line = splitter.next() {
                if let stopped {
                    handOver()
                    return stopped
                }
                let started = MonotonicClock.microseconds()
                switch line.content {
                case .text(let bytes, let range):
                    handle(DispatchStream.read(bytes, range, &reader), bytes[range], started)
                case .tooLong:
                    handle(.failure(tooLong), [], started)
                }
            }
            // Whoever writes slowly gets his record at once.
            handOver()
        }
        if let stopped { return stopped }
        if sequence == before {
            logger.notice("the input is empty: nothing to dispatch", ["input": .text(name)])
        }
        return .complete
    }

    private static func read(
        _ bytes: [UInt8], _ range: Range<Int>, _ reader: inout PayloadReader
    ) -> Result<Payload, PayloadError> {
        do {
            return .success(try reader.read(bytes, in: range))
        } catch {
            return .failure(error)
        }
    }

    private var tooLong: PayloadError {
        PayloadError(
            .sizeLineTooLong, "longer than \(DispatchStream.limit) bytes", offset: DispatchStream.limit,
            limit: DispatchStream.limit)
    }

    private mutating func handle(_ reading: Result<Payload, PayloadError>, _ input: ArraySlice<UInt8>, _ started: Int64)
    {
        sequence += 1
        if dispatcher.options.isDryRun {
            dispatcher.rehearse(reading, sequence: sequence, source: source, startedAt: started)
        } else {
            // Records that wait to be taken may be what holds up all the others.
            if let output = dispatcher.output, !output.reserveIfPossible() {
                handOver()
                output.reserve()
            }
            var arrival = Arrival(
                reading, input: Array(input), source: source ?? dispatcher.options.source, started: started)
            arrival.sequence = sequence
            batch.append(arrival)
            batchSize += input.count
            if batch.count >= DispatchStream.batchLimit || batchSize >= DispatchStream.limit { handOver() }
        }
        progress?.note(sequence)
    }

    private mutating func handOver() {
        if batch.isEmpty { return }
        dispatcher.take(batch)
        batch.removeAll(keepingCapacity: true)
        batchSize = 0
    }

    private var stopped: End? {
        if Interruption.isRequested { return .interrupted }
        if let failure = dispatcher.outputFailure { return .outputFailed(error: failure) }
        return nil
    }

    // MARK: Reading

    /// Reads the next chunk; writes out what waits before it would block.
    private mutating func readPatiently(_ descriptor: Int32) -> Int {
        var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        if unsafe poll(&ready, 1, 0) > 0 { return read(descriptor) }
        if dispatcher.options.isDryRun { dispatcher.output?.flush() }
        // Neither nothing to read nor a signal (EINTR) may lead into a read that blocks.
        while unsafe poll(&ready, 1, 200) <= 0 {
            if Interruption.isRequested { return -1 }
        }
        return read(descriptor)
    }

    private mutating func read(_ descriptor: Int32) -> Int {
        if chunk.isEmpty { chunk = [UInt8](repeating: 0, count: DispatchStream.chunkSize) }
        while true {
            let count = unsafe chunk.withUnsafeMutableBytes { unsafe Glibc.read(descriptor, $0.baseAddress, $0.count) }
            if count >= 0 || errno != EINTR || Interruption.isRequested { return count }
        }
    }
}

/// How far a long input is, on a terminal: twice a second, on one line.
struct StreamProgress {
    private let began = MonotonicClock.microseconds()
    private var shown = MonotonicClock.microseconds()
    private var isShown = false

    mutating func note(_ count: Int) {
        guard count % 64 == 0 else { return }
        let now = MonotonicClock.microseconds()
        guard now - shown >= 500_000 else { return }
        shown = now
        isShown = true
        let rate = Int64(count) * 1_000_000 / max(1, now - began)
        _ = FileOutput.write(Array("\r\(count) payloads, \(rate)/s\u{1B}[K".utf8), to: 2)
    }

    mutating func clear() {
        guard isShown else { return }
        isShown = false
        _ = FileOutput.write(Array("\r\u{1B}[K".utf8), to: 2)
    }
}
