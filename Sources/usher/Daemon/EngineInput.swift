internal import Glibc
internal import UsherControl
internal import UsherDispatch
internal import UsherJSON
internal import UsherLog
internal import UsherOperation
internal import UsherPayload
internal import UsherSystem

/// Copies standard input and files to an engine, which cuts them into payloads.
struct EngineInput: ~Copyable {
    private let session: EngineSession
    private let logger: Logger
    private var progress: StreamProgress?
    private var chunk = [UInt8](repeating: 0, count: EngineInput.chunkSize)
    /// Of the input at hand.
    private var kind = StreamWord.Kind.lines
    private var isFromFile = false
    /// Whether what came of this input is white space.
    private var isBlank = true
    /// Whether what was sent of it ends with a whole line.
    private var isAtLine = true

    private static let chunkSize = 128 * 1024

    init(_ session: EngineSession, logger: Logger, showsProgress: Bool) {
        self.session = session
        self.logger = logger
        progress = showsProgress ? StreamProgress() : nil
    }

    /// Copies everything; ends early when it is interrupted, or records cannot be written.
    mutating func run(_ inputs: [PayloadInputs.Input]) -> PayloadInputs.End {
        defer { progress?.clear() }
        for input in inputs {
            let end: PayloadInputs.End
            switch input {
            case .standardInput:
                begin(.lines, isFromFile: false)
                end = copy(0, name: "standard input")
            case .file(let path):
                let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
                guard descriptor >= 0 else { return .failed(path: path, error: errno) }
                defer { close(descriptor) }
                end = copyFile(descriptor, path)
            }
            guard case .complete = end else { return end }
        }
        return .complete
    }

    private mutating func begin(_ kind: StreamWord.Kind, isFromFile: Bool) {
        if session.stream.isToEnd { session.moveOn() }
        self.kind = kind
        self.isFromFile = isFromFile
        isBlank = true
        isAtLine = true
        session.stream.send(.begin(kind, isFromFile: isFromFile))
    }

    private mutating func copyFile(_ descriptor: Int32, _ path: String) -> PayloadInputs.End {
        var head: [UInt8] = []
        // Of these two kinds the name says enough.
        if !PayloadShape.isLines(path), !PayloadShape.isSimulatorFile(path) {
            while head.count <= PayloadError.longestLine {
                let count = read(descriptor)
                if count < 0 { return session.inputEnd ?? .failed(path: path, error: errno) }
                if count == 0 { break }
                head += chunk[..<count]
            }
        }
        var scratch = JSONDocument()
        let isLines = PayloadShape(fileName: path, bytes: head, scratch: &scratch) == .lines
        begin(isLines ? .lines : PayloadShape.isSimulatorFile(path) ? .simulator : .document, isFromFile: true)
        if let end = send(head[...]) { return end }
        return copy(descriptor, name: path)
    }

    private mutating func copy(_ descriptor: Int32, name: String) -> PayloadInputs.End {
        while true {
            if let end = session.inputEnd { return end }
            let count = readPatiently(descriptor)
            if count < 0 { return session.inputEnd ?? .failed(path: name, error: errno) }
            if count == 0 { break }
            if let end = send(chunk[..<count]) { return end }
        }
        if isBlank, kind == .lines {
            logger.log(.inputEmpty, ["input": .text(name)])
        }
        return .complete
    }

    private mutating func send(_ bytes: ArraySlice<UInt8>) -> PayloadInputs.End? {
        isBlank = isBlank && bytes.allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }
        var rest = bytes
        while !rest.isEmpty {
            while !session.stream.hasRoom(withinMilliseconds: 100) {
                if let end = session.inputEnd { return end }
            }
            if let end = session.inputEnd { return end }
            var some = rest.prefix(EngineInput.chunkSize)
            if session.stream.isToEnd, kind == .lines {
                moveOnIfWhole()
                if !isAtLine, let feed = some.firstIndex(of: 0x0A) { some = some[...feed] }
            }
            session.stream.send(some)
            isAtLine = some.last == 0x0A
            rest = rest[some.endIndex...]
        }
        progress?.show(session.done.handled + session.stream.handled)
        return nil
    }

    private mutating func moveOnIfWhole() {
        guard session.stream.isToEnd, kind == .lines, isAtLine else { return }
        session.moveOn()
        session.stream.send(.begin(kind, isFromFile: isFromFile))
    }

    /// Reads when there is something to read: neither nothing nor a signal (EINTR) may lead into a read that blocks.
    private mutating func readPatiently(_ descriptor: Int32) -> Int {
        var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while unsafe poll(&ready, 1, 200) <= 0 {
            if session.inputEnd != nil { return -1 }
            moveOnIfWhole()
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
