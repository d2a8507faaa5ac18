internal import Glibc
internal import Synchronization
public import UsherOperation
internal import UsherSystem
internal import UsherText

/// A connection to the daemon that runs: requests go out, answers come back under their ids.
///
/// Requests may be sent from any thread; one thread at a time receives.
public final class ControlClient: Sendable {
    public let path: String
    private let socket: UnixSocket
    /// Given the text of each line of the engine's log.
    private let log: @Sendable ([UInt8]) -> Void
    private let lastID = Mutex<Int64>(0)
    private let received = Mutex(Received())

    private struct Received: Sendable {
        var bytes: [UInt8] = []
        /// How far the bytes have been looked at for a line's end.
        var scanned = 0
        var chunk = [UInt8](repeating: 0, count: 64 * 1024)
    }

    /// The longest answer, in bytes.
    private static let limit = 256 << 20

    /// Connects, once.
    public init(connectingTo path: String) throws(ControlError) {
        self.path = path
        socket = try UnixSocket(connectingTo: path)
        log = { _ in }
    }

    /// Over a connection that is there already.
    ///
    /// - Parameters:
    ///   - path: for messages.
    ///   - log: called with each line that the engine logs, by the thread that receives.
    init(over socket: consuming UnixSocket, path: String, log: @escaping @Sendable ([UInt8]) -> Void) {
        self.path = path
        self.socket = socket
        self.log = log
    }

    /// Sends a request, without waiting for its answer.
    ///
    /// - Parameter note: gets the id before the request is sent, and so before an answer can arrive.
    /// - Returns: the id of the request, which its answer has.
    @discardableResult
    public func send(_ request: any Call, _ note: (Int64) -> Void = { _ in }) throws(ControlError) -> Int64 {
        let path = path
        // Lines of several threads must not be mixed.
        return try lastID.withLock { (id) throws(ControlError) in
            id += 1
            note(id)
            let line = ControlRequest(id: id, request).line
            guard line.count <= ControlRequest.longestLine else {
                throw .argument(
                    "the request has \(line.count) bytes: usherd takes \(ControlRequest.longestLine) at once", at: "",
                    help: "send less at once: split -C 1m FILE makes parts of JSON Lines")
            }
            if let failure = socket.send(line) { throw .unreachable(path, failure) }
            return id
        }
    }

    /// The next answer or event, of whatever request; waits for it. Throws `control.unreachable` at the end.
    public func receive() throws(ControlError) -> ControlReply {
        try received.withLock { (received) throws(ControlError) in
            while true {
                if let end = received.bytes[received.scanned...].firstIndex(of: 0x0A) {
                    let line = Array(received.bytes[..<end])
                    received.bytes.removeSubrange(...end)
                    received.scanned = 0
                    // A blank line says that the daemon is still there.
                    if line.isEmpty { continue }
                    let reply = try ControlReply(line: line)
                    guard case .log(let text) = reply else { return reply }
                    log(text)
                    continue
                }
                received.scanned = received.bytes.count
                guard received.scanned <= ControlClient.limit else {
                    throw .protocolViolation("the daemon's answer is longer than \(ControlClient.limit >> 20) MiB")
                }
                guard let count = socket.receive(&received.chunk) else { throw .unreachable(path, errno) }
                guard count > 0 else { throw .ended(path) }
                received.bytes.append(contentsOf: received.chunk[..<count])
            }
        }
    }

    /// Sends one request and waits for its answer, without a time limit. No other thread may receive meanwhile.
    ///
    /// - Returns: JSON text.
    /// - Throws: the error of the answer, or `control.unreachable` if the connection ends.
    public func call(_ request: any Call) throws(ControlError) -> [UInt8] {
        let id = try send(request)
        while true {
            switch try receive() {
            case .result(id, let text): return text
            case .failure(let answered, let error) where answered == id || answered == nil: throw error
            case .result, .failure, .record, .suggestion, .taken, .yield, .log, .elsewhere: continue
            }
        }
    }

    /// The same, with the answer read.
    public func answer<C: Call>(_ request: C) throws(ControlError) -> C.Answer {
        try C.Answer(reading: try call(request))
    }

    /// Sends bytes of a stream; the thread that receives notices an end of the connection.
    func send(raw bytes: [UInt8]) { lastID.withLock { _ in _ = socket.send(bytes) } }

    /// Waits for what comes next of a stream: lines of records, which begin with `{"v":`, many at once; or replies. Throws
    /// `control.unreachable` at the end.
    ///
    /// - Parameter records: given whole lines, and how many these are.
    func receiveRecords(
        _ records: (ArraySlice<UInt8>, _ count: Int) -> Void, other: (ControlReply) -> Void
    ) throws(ControlError) {
        try received.withLock { (received) throws(ControlError) in
            if received.bytes.isEmpty || !received.bytes[received.scanned...].contains(0x0A) {
                received.scanned = received.bytes.count
                guard let count = socket.receive(&received.chunk) else { throw .unreachable(path, errno) }
                guard count > 0 else { throw .ended(path) }
                received.bytes.append(contentsOf: received.chunk[..<count])
            }
            var start = 0
            /// The end of the records that began at `start`, and their number.
            var (end, count) = (0, 0)
            while true {
                let feed = ByteWord.firstOffset(
                    of: 0x0A, in: received.bytes.span, from: max(end, received.scanned))
                guard feed < received.bytes.count else { break }
                received.scanned = 0
                let line = received.bytes[end..<feed]
                if line.starts(with: ControlClient.recordMark) {
                    (end, count) = (feed + 1, count + 1)
                    continue
                }
                if count > 0 { records(received.bytes[start..<end], count) }
                (start, end, count) = (feed + 1, feed + 1, 0)
                if line.isEmpty { continue }
                let reply = try ControlReply(line: Array(line))
                if case .log(let text) = reply { log(text) } else { other(reply) }
            }
            if count > 0 { records(received.bytes[start..<end], count) }
            received.bytes.removeSubrange(..<end)
            received.scanned = received.bytes.count
            guard received.scanned <= ControlClient.limit else {
                throw .protocolViolation(
                    "the daemon's answer is longer than \(ControlClient.limit >> 20) MiB")
            }
        }
    }

    private static let recordMark = Array("{\"v\":".utf8)

    /// Says that no more requests come, and waits until the other side has closed the connection. The log is still written.
    public func leave() {
        socket.endSending()
        while true {
            do throws(ControlError) { _ = try receive() } catch { return }
        }
    }

    /// Ends the connection; a thread that receives gets the end.
    public func end() { socket.end() }
}

// MARK: - Reaching

extension ControlClient {
    /// The daemon of a state folder, after it has introduced itself; nil where none runs.
    ///
    /// A daemon that is starting or stopping holds its lock and does not answer: it is waited for, as long as it holds the
    /// lock, and at most `patience` milliseconds.
    public static func reach(
        state: String, patience: Int = 5000
    ) throws(ControlError) -> (client: ControlClient, hello: ControlHello)? {
        let deadline = Deadline(inMilliseconds: patience)
        var pauseMicroseconds: UInt32 = 2000
        while let holder = DaemonLock.holder(state: state) {
            var failure = ControlError(
                .controlUnreachable, "usherd has locked \(state) and does not say where it listens",
                help: "it may be starting: try again")
            if !holder.socket.isEmpty {
                do throws(ControlError) {
                    let client = try ControlClient(connectingTo: holder.socket)
                    return (client, try client.hello())
                } catch {
                    guard error.code == .controlUnreachable else { throw error }
                    failure = error
                }
            }
            guard !deadline.isOver else { throw failure }
            usleep(pauseMicroseconds)
            pauseMicroseconds = min(pauseMicroseconds * 2, 100_000)
        }
        return nil
    }

    /// Introduces both sides; throws `control.protocol` where they do not understand each other.
    public func hello() throws(ControlError) -> ControlHello {
        let answer = try call(Hello())
        guard let hello = try? ControlHello(reading: answer) else {
            throw .protocolViolation("what listens on \(path) is no usherd")
        }
        return hello
    }
}
