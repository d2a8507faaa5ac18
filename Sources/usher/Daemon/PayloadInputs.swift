internal import Glibc
internal import UsherDispatch
internal import UsherJSON
internal import UsherLog
internal import UsherPayload

/// Cuts standard input and files into the texts of payloads, which are read elsewhere; in memory bounded by the longest.
struct PayloadInputs: ~Copyable {
    /// One line, or one document.
    struct Text {
        /// Empty where it is too long.
        var bytes: [UInt8]
        var isTooLong: Bool
        /// What records say of the input; nil for standard input.
        var source: String?
        /// A file that `xcrun simctl push` takes.
        var isSimulatorFile: Bool
    }

    private let logger: Logger
    /// Why no more is to be read.
    private let stopped: () -> DispatchStream.End?
    private let take: (Text) -> Void
    private var count = 0
    private var progress: Progress?
    private var chunk = [UInt8](repeating: 0, count: 256 * 1024)

    private static let limit = InputFile.maximumLineLength

    init(
        logger: Logger, showsProgress: Bool, stopped: @escaping () -> DispatchStream.End?,
        take: @escaping (Text) -> Void
    ) {
        self.logger = logger
        self.stopped = stopped
        self.take = take
        progress = showsProgress ? Progress() : nil
    }

    /// Reads everything; ends early when asked to.
    mutating func run(_ inputs: [DispatchStream.Input]) -> DispatchStream.End {
        defer { progress?.clear() }
        for input in inputs {
            let end: DispatchStream.End
            switch input {
            case .standardInput: end = runLines(of: 0, name: "standard input", source: nil, firstBytes: [])
            case .file(let path):
                let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
                guard descriptor >= 0 else { return .failed(path: path, error: errno) }
                defer { close(descriptor) }
                end = runFile(descriptor, path: path)
            }
            guard case .complete = end else { return end }
        }
        return .complete
    }

    private mutating func runFile(_ descriptor: Int32, path: String) -> DispatchStream.End {
        if PayloadShape.isLines(path) { return runLines(of: descriptor, name: path, source: "file", firstBytes: []) }
        var head: [UInt8] = []
        while head.count <= PayloadInputs.limit {
            let count = read(descriptor)
            if count < 0 { return stopped() ?? .failed(path: path, error: errno) }
            if count == 0 { break }
            head.append(contentsOf: chunk.prefix(count))
        }
        var scratch = JSONDocument()
        switch PayloadShape(fileName: path, bytes: head, scratch: &scratch) {
        case .lines: return runLines(of: descriptor, name: path, source: "file", firstBytes: head)
        case .document:
            let isTooLong = head.count > PayloadInputs.limit
            handOver(
                Text(
                    bytes: isTooLong ? [] : head, isTooLong: isTooLong, source: "file",
                    isSimulatorFile: PayloadShape.isSimulatorFile(path)))
            return stopped() ?? .complete
        }
    }

    private mutating func runLines(
        of descriptor: Int32, name: String, source: String?, firstBytes: [UInt8]
    ) -> DispatchStream.End {
        var splitter = JSONLinesSplitter(limit: PayloadInputs.limit)
        let before = count
        var pending = firstBytes
        var isAtEnd = false
        while !isAtEnd {
            if pending.isEmpty {
                let count = readPatiently(descriptor)
                if count < 0 { return stopped() ?? .failed(path: name, error: errno) }
                isAtEnd = count == 0
                if isAtEnd { splitter.finish() } else { splitter.push(Array(chunk.prefix(count))) }
            } else {
                splitter.push(pending)
                pending = []
            }
            while let line = splitter.next() {
                if let end = stopped() { return end }
                switch line.content {
                case .text(let bytes, let range):
                    handOver(Text(bytes: Array(bytes[range]), isTooLong: false, source: source, isSimulatorFile: false))
                case .tooLong: handOver(Text(bytes: [], isTooLong: true, source: source, isSimulatorFile: false))
                }
            }
        }
        if let end = stopped() { return end }
        if count == before { logger.notice("the input is empty: nothing to dispatch", ["input": .text(name)]) }
        return .complete
    }

    private mutating func handOver(_ text: Text) {
        count += 1
        take(text)
        progress?.note(count)
    }

    /// Reads when there is something to read: neither nothing nor a signal may lead into a read that blocks.
    private mutating func readPatiently(_ descriptor: Int32) -> Int {
        var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while unsafe poll(&ready, 1, 200) <= 0 {
            if stopped() != nil { return -1 }
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
private struct Progress {
    private let began = MonotonicClock.microseconds()
    private var shown = MonotonicClock.microseconds()
    private var isShown = false

    mutating func note(_ count: Int) {
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
