internal import CLinux
import Glibc
internal import Synchronization
public import UsherSystem

/// A program that answers lines with lines, on its standard input and output. It ends when this value goes.
public final class Coprocess: Sendable {
    private struct State: ~Copyable {
        var child: ChildProcess
        let descriptor: FileDescriptor
        var received = ReceiveBuffer()
    }

    private let state: Mutex<State>
    private let name: String
    /// The longest answer, in bytes.
    private static let longest = 64 * 1024 * 1024

    /// Starts the program with this environment and nothing else of ours; what it writes on standard error goes nowhere.
    public init(
        program: String, arguments: [String], environment: [EnvironmentVariable]
    ) throws(ActivationFailure) {
        name = arguments.first ?? program
        let ends = try ActivationFailure.attempting("no pair of sockets", LocalSocket.pair)
        let ours = FileDescriptor(owning: ends.0)
        let given = FileDescriptor(owning: ends.1)
        let theirs = try ActivationFailure.descriptorAboveStandard(duplicating: given.number)
        let words = CStrings(arguments)
        let variables = CStrings(environment.map(\.text))
        var pid: Int32 = 0
        let code = unsafe usher_spawn(
            &pid, program, words.pointers.baseAddress, variables.pointers.baseAddress, nil, theirs.number,
            theirs.number, -1)
        guard code == 0 else { throw .cannotStart(program, errno: code) }
        let pidfd = usher_pidfd_open(pid)
        guard pidfd >= 0 else {
            let problem = errno
            kill(pid, SIGKILL)
            ChildReaper.shared.adopt(pid)
            throw .cannotStart(program, errno: problem)
        }
        state = Mutex(
            State(
                child: ChildProcess(pid: pid, pidfd: pidfd, pipe: nil, errorPipe: nil, captureLimit: 0),
                descriptor: ours))
    }

    deinit {
        // The other end reads the end of its input, and ends.
        state.withLock { state in
            shutdown(state.descriptor.number, Int32(SHUT_RDWR))
            if state.child.wait(until: Deadline(inMilliseconds: 1000)) == nil { state.child.stop() }
        }
    }

    /// Sends a line and waits for the line that answers it. One question is asked at a time.
    public func ask(_ line: [UInt8], until deadline: Deadline) throws(ActivationFailure) -> [UInt8] {
        let patience = Int(deadline.remainingMilliseconds)
        let result: Result<[UInt8], ActivationFailure> = state.withLock { state in
            guard SocketOutput.send(line + [0x0A], to: state.descriptor.number, until: deadline) == .ready else {
                return .failure(.cannotStart(name, errno: EPIPE))
            }
            while true {
                if let answer = state.received.takeLine() { return .success(answer) }
                guard state.received.bytes.count <= Self.longest else {
                    return .failure(.cannotStart(name, errno: EMSGSIZE))
                }
                guard let isFilled = state.received.fill(from: state.descriptor.number, until: deadline) else {
                    return .failure(.cannotStart(name, errno: ECONNRESET))
                }
                guard isFilled else { return .failure(.timeLimit(name, milliseconds: patience)) }
            }
        }
        return try result.get()
    }
}

/// The first or the last bytes of what a program wrote; the rest is read and dropped, so that the program is never blocked.
public struct CapturedOutput: Sendable {
    /// What was kept, and with `keepsLast` up to as much again before it.
    private var buffer: [UInt8] = []
    /// How much was written in all.
    public private(set) var total = 0
    private let limit: Int
    private let keepsLast: Bool

    init(limit: Int, keepsLast: Bool) {
        self.limit = limit
        self.keepsLast = keepsLast
    }

    /// At most `limit` of them.
    public var bytes: [UInt8] { buffer.count > limit ? Array(buffer.suffix(limit)) : buffer }

    /// Reads once. False at the end of the file and where nothing is there (the descriptor does not block).
    mutating func read(from descriptor: Int32) -> ReadResult {
        unsafe withUnsafeTemporaryAllocation(byteCount: 64 * 1024, alignment: 1) { room in
            while true {
                let count = unsafe Glibc.read(descriptor, room.baseAddress, room.count)
                if count > 0 {
                    total += count
                    unsafe keep(UnsafeRawBufferPointer(rebasing: room[..<count]))
                    return .some(count)
                }
                if count == 0 { return .end }
                if errno == EINTR { continue }
                return errno == EAGAIN ? .nothing : .end
            }
        }
    }

    private mutating func keep(_ bytes: UnsafeRawBufferPointer) {
        guard keepsLast else { return unsafe buffer.append(contentsOf: bytes.prefix(limit - buffer.count)) }
        unsafe buffer.append(contentsOf: bytes.suffix(limit))
        if buffer.count > 2 * limit { buffer.removeFirst(buffer.count - limit) }
    }

    enum ReadResult {
        case some(Int)
        case nothing
        case end
    }
}
