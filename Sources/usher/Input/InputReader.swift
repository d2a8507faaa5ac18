internal import Glibc
internal import UsherEngine
internal import UsherLog
internal import UsherPayload
internal import UsherScene
internal import UsherSystem
internal import UsherText

enum PayloadInput: Sendable, Hashable {
    case standardInput
    case file(String)

    /// Those that operands name; none means standard input. Every file is there and can be read.
    static func inputs(_ operands: [String]) throws(CommandFailure) -> [PayloadInput] {
        var inputs: [PayloadInput] = []
        for operand in operands {
            if operand == "-" {
                inputs.append(.standardInput)
                continue
            }
            var status = stat()
            guard unsafe access(operand, R_OK) == 0, unsafe stat(operand, &status) == 0 else {
                throw .cannot("read \(operand)", errno: errno, help: InputFile.help(for: operand))
            }
            guard status.st_mode & S_IFMT != S_IFDIR else {
                throw .usage("\(operand) is a folder", help: "name its files: \(operand)/*.json", code: .usageFile)
            }
            inputs.append(.file(operand))
        }
        return inputs.isEmpty ? [.standardInput] : inputs
    }
}

/// Why reading ended.
enum InputEnd: Sendable {
    case complete
    /// SIGINT or SIGTERM: the payload in hand was finished.
    case interrupted
    /// Records cannot be written any more; EPIPE: their reader has gone.
    case outputFailed(error: Int32)
    /// A file could not be read on.
    case failed(path: String, error: Int32)
}

/// Takes the bytes of inputs and cuts them into payloads, here or in an engine.
protocol InputReceiver {
    mutating func begin(_ form: InputForm, isFromFile: Bool)
    mutating func receive(_ bytes: ArraySlice<UInt8>)

    /// No more bytes come of this input.
    mutating func endInput()

    /// Nothing is at hand: the input is waited for. Also called again and again meanwhile.
    mutating func wait()

    /// Why no more is to be read; nil to go on.
    var end: InputEnd? { get }
    /// How many payloads have a record.
    var handled: Int { get }
}

/// Reads standard input and files.
struct InputReader: ~Copyable {
    private let logger: Logger
    private var progress: StreamProgress?
    private var chunk = [UInt8](repeating: 0, count: 128 * 1024)

    init(_ context: Context) {
        logger = context.logger
        progress = context.showsProgress ? StreamProgress() : nil
    }

    /// Reads everything; ends early at the receiver's request.
    mutating func run(_ inputs: [PayloadInput], into receiver: inout some InputReceiver) -> InputEnd {
        defer { progress?.clear() }
        for input in inputs {
            if let end = run(input, &receiver) { return end }
        }
        return .complete
    }

    /// nil where it was read to its end, as is so of each below.
    private mutating func run(_ input: PayloadInput, _ receiver: inout some InputReceiver) -> InputEnd? {
        switch input {
        case .standardInput: return run(0, path: nil, &receiver)
        case .file(let path):
            let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { return .failed(path: path, error: errno) }
            defer { close(descriptor) }
            return run(descriptor, path: path, &receiver)
        }
    }

    private mutating func run(
        _ descriptor: Int32, path: String?, _ receiver: inout some InputReceiver
    ) -> InputEnd? {
        let name = path ?? "standard input"
        var isBlank = true
        let form = InputForm(fileName: path)
        receiver.begin(form, isFromFile: path != nil)
        while true {
            let count = read(descriptor, &receiver)
            if count < 0 { return receiver.end ?? .failed(path: name, error: errno) }
            if count == 0 { break }
            if let end = hand(chunk[..<count], &isBlank, &receiver) { return end }
        }
        receiver.endInput()
        if let end = receiver.end { return end }
        if isBlank, form == .stream { logger.log(.inputEmpty, ["input": .text(name)]) }
        return nil
    }

    private mutating func hand(
        _ bytes: ArraySlice<UInt8>, _ isBlank: inout Bool, _ receiver: inout some InputReceiver
    ) -> InputEnd? {
        isBlank = isBlank && bytes.allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }
        receiver.receive(bytes)
        progress?.show(receiver.handled)
        return receiver.end
    }

    /// Reads when there is something to read: neither nothing nor a signal (EINTR) may lead into a read that blocks.
    private mutating func read(_ descriptor: Int32, _ receiver: inout some InputReceiver) -> Int {
        var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        var patience: Int32 = 0
        while unsafe poll(&ready, 1, patience) <= 0 {
            if receiver.end != nil { return -1 }
            receiver.wait()
            patience = 200
        }
        while true {
            let count = unsafe chunk.withUnsafeMutableBytes { unsafe Glibc.read(descriptor, $0.baseAddress, $0.count) }
            if count >= 0 || errno != EINTR || Interruption.isRequested { return count }
        }
    }
}

/// How far a long input is, on a terminal: twice a second, on one line.
private struct StreamProgress {
    private let began = MonotonicClock.now
    private var shown = MonotonicClock.now
    private var isShown = false

    /// Shows it, if it was not shown just now.
    mutating func show(_ count: Int) {
        let now = MonotonicClock.now
        guard now - shown >= .milliseconds(500) else { return }
        shown = now
        isShown = true
        let rate = Int64(count) * 1_000_000 / max(1, (now - began).microseconds)
        _ = FileOutput.write(Array("\r\(count) payloads, \(rate)/s\u{1B}[K".utf8), to: 2)
    }

    mutating func clear() {
        guard isShown else { return }
        isShown = false
        _ = FileOutput.write(Array("\r\u{1B}[K".utf8), to: 2)
    }
}
