internal import Glibc
internal import UsherJSON
public import UsherLog
internal import UsherPayload
internal import UsherSystem
internal import UsherText

/// Cuts standard input and files into the texts of payloads, in memory bounded by the longest.
public struct PayloadInputs: ~Copyable {
    public enum Input: Sendable, Hashable {
        case standardInput
        case file(String)
    }

    /// Why reading ended.
    public enum End: Sendable {
        case complete
        /// SIGINT or SIGTERM: the payload in hand was finished.
        case interrupted
        /// Records cannot be written any more; EPIPE: their reader has gone.
        case outputFailed(error: Int32)
        /// A file could not be read on.
        case failed(path: String, error: Int32)
    }

    /// One line, or one document.
    public struct Text: Sendable {
        /// It is `bytes[range]`; empty where it is too long.
        public var bytes: [UInt8]
        public var range: Range<Int>
        public var isTooLong = false
        /// Whether it is from a file, and not from standard input.
        public var isFromFile = false
        /// The file is one that `xcrun simctl push` takes.
        public var isSimulatorFile = false

        public init(_ bytes: [UInt8], range: Range<Int>? = nil) {
            self.bytes = bytes
            self.range = range ?? bytes.indices
        }

        static var tooLong: Text {
            var text = Text([])
            text.isTooLong = true
            return text
        }
    }

    /// Takes texts as they are cut.
    public protocol Receiver {
        mutating func receive(_ text: Text)

        /// Everything that was at hand has been taken.
        mutating func inputDrained()

        /// Nothing is at hand: the input is waited for.
        mutating func wait()

        /// Why no more is to be read; nil to go on.
        var end: End? { get }
    }

    private let logger: Logger
    private var count = 0
    private var progress: StreamProgress?
    private var chunk = [UInt8](repeating: 0, count: PayloadInputs.chunkSize)

    private static let chunkSize = 256 * 1024
    private static let limit = PayloadError.longestLine

    public init(logger: Logger, showsProgress: Bool) {
        self.logger = logger
        progress = showsProgress ? StreamProgress() : nil
    }

    /// Reads everything; ends early at the receiver's request.
    public mutating func run(_ inputs: [Input], into receiver: inout some Receiver) -> End {
        defer { progress?.clear() }
        for input in inputs {
            let end = run(input, &receiver)
            guard case .complete = end else { return end }
        }
        return .complete
    }

    private mutating func run(_ input: Input, _ receiver: inout some Receiver) -> End {
        switch input {
        case .standardInput:
            return runLines(of: 0, name: "standard input", isFile: false, firstBytes: [], &receiver)
        case .file(let path):
            let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { return .failed(path: path, error: errno) }
            defer { close(descriptor) }
            return runFile(descriptor, path: path, &receiver)
        }
    }

    private mutating func runFile(_ descriptor: Int32, path: String, _ receiver: inout some Receiver) -> End {
        if PayloadShape.isLines(path) {
            return runLines(of: descriptor, name: path, isFile: true, firstBytes: [], &receiver)
        }
        var head: [UInt8] = []
        while head.count <= PayloadInputs.limit {
            let count = read(descriptor)
            if count < 0 { return receiver.end ?? .failed(path: path, error: errno) }
            if count == 0 { break }
            head.append(contentsOf: chunk.prefix(count))
        }
        var scratch = JSONDocument()
        switch PayloadShape(fileName: path, bytes: head, scratch: &scratch) {
        case .lines: return runLines(of: descriptor, name: path, isFile: true, firstBytes: head, &receiver)
        case .document:
            var text = head.count > PayloadInputs.limit ? Text.tooLong : Text(head)
            text.isSimulatorFile = PayloadShape.isSimulatorFile(path)
            hand(text, isFile: true, &receiver)
            receiver.inputDrained()
            return receiver.end ?? .complete
        }
    }

    private mutating func runLines(
        of descriptor: Int32, name: String, isFile: Bool, firstBytes: [UInt8], _ receiver: inout some Receiver
    ) -> End {
        var splitter = JSONLinesSplitter(limit: PayloadInputs.limit)
        let before = count
        var pending = firstBytes
        var isAtEnd = false
        while !isAtEnd {
            if pending.isEmpty {
                let count = readPatiently(descriptor, &receiver)
                if count < 0 { return receiver.end ?? .failed(path: name, error: errno) }
                if count == 0 {
                    isAtEnd = true
                    splitter.finish()
                } else {
                    splitter.push(count == chunk.count ? chunk : Array(chunk.prefix(count)))
                }
            } else {
                splitter.push(pending)
                pending = []
            }
            while let line = splitter.next() {
                if let end = receiver.end {
                    receiver.inputDrained()
                    return end
                }
                switch line.content {
                case .text(let bytes, let range): hand(Text(bytes, range: range), isFile: isFile, &receiver)
                case .tooLong: hand(.tooLong, isFile: isFile, &receiver)
                }
            }
            // A slow writer gets its answers after each read, without waiting for more input.
            receiver.inputDrained()
        }
        if let end = receiver.end { return end }
        if count == before {
            logger.log(.inputEmpty, ["input": .text(name)])
        }
        return .complete
    }

    private mutating func hand(_ text: consuming Text, isFile: Bool, _ receiver: inout some Receiver) {
        text.isFromFile = isFile
        count += 1
        receiver.receive(text)
        progress?.advance(to: count)
    }

    // MARK: Reading

    /// Reads when there is something to read: neither nothing nor a signal (EINTR) may lead into a read that blocks.
    private mutating func readPatiently(_ descriptor: Int32, _ receiver: inout some Receiver) -> Int {
        var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        if unsafe poll(&ready, 1, 0) > 0 { return read(descriptor) }
        receiver.wait()
        while unsafe poll(&ready, 1, 200) <= 0 {
            if receiver.end != nil { return -1 }
        }
        return read(descriptor)
    }

    private mutating func read(_ descriptor: Int32) -> Int {
        while true {
            let count = unsafe chunk.withUnsafeMutableBytes { unsafe Glibc.read(descriptor, $0.baseAddress, $0.count) }
            if count >= 0 || errno != EINTR || Interruption.isRequested { return count }
        }
    }
}

/// How far a long input is, on a terminal: twice a second, on one line.
public struct StreamProgress {
    private let began = MonotonicClock.now
    private var shown = MonotonicClock.now
    private var isShown = false

    public init() {}

    mutating func advance(to count: Int) {
        if count % 64 == 0 { show(count) }
    }

    /// Shows it, if it was not shown just now.
    public mutating func show(_ count: Int) {
        let now = MonotonicClock.now
        guard now - shown >= .milliseconds(500) else { return }
        shown = now
        isShown = true
        let rate = Int64(count) * 1_000_000 / max(1, (now - began).microseconds)
        _ = FileOutput.write(Array("\r\(count) payloads, \(rate)/s\u{1B}[K".utf8), to: 2)
    }

    public mutating func clear() {
        guard isShown else { return }
        isShown = false
        _ = FileOutput.write(Array("\r\u{1B}[K".utf8), to: 2)
    }
}
