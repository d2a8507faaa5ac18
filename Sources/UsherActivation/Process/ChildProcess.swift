import CLinux
import Glibc
import Synchronization
package import UsherSystem
internal import UsherText

/// A running program that Usher started, the leader of a session of its own.
///
/// Its end is seen through a pidfd: no SIGCHLD handler, no thread, no mistaking of a reused number. When the value goes
/// before the program does, the program runs on and is reaped later.
public struct ChildProcess: ~Copyable {
    public let pid: Int32
    /// Can be read when the program has ended.
    private let descriptor: FileDescriptor
    var pidfd: Int32 { descriptor.number }
    /// The read end of its output; nil where output is not captured.
    private var pipe: FileDescriptor?
    /// Of its standard error, where that is captured apart.
    private var errorPipe: FileDescriptor?
    /// What it and everything that it starts have in their environment; nil where that is not marked.
    private var mark: EnvironmentVariable?
    public private(set) var output = CapturedOutput(limit: 0, keepsLast: false)
    public private(set) var errorOutput = CapturedOutput(limit: SpawnRequest.keptErrors, keepsLast: true)
    /// Of its standard error, where another process reads that.
    var errorTail: ErrorTail?
    /// What was kept of that, once it is not read any more.
    private var keptErrors = ""
    public private(set) var end: ProcessEnd?
    /// Called, on another thread, if a signal ends the program after this value went.
    var whenKilled: (@Sendable () -> Void)?

    /// How long what a program wrote before its end may be on its way, in milliseconds.
    private static let errorPatience = 500

    /// - Parameter descriptor: a pidfd.
    init(_ pid: Int32, _ descriptor: consuming FileDescriptor) {
        self.pid = pid
        self.descriptor = descriptor
        pipe = nil
        errorPipe = nil
        mark = nil
        end = nil
    }

    deinit { if end == nil { ChildReaper.shared.adopt(pid, whenKilled: whenKilled) } }

    /// Captures what it writes, from the read ends of its pipes.
    mutating func capture(
        _ pipe: consuming FileDescriptor?, _ errorPipe: consuming FileDescriptor?, as request: SpawnRequest
    ) {
        self.pipe = pipe
        self.errorPipe = errorPipe
        output = CapturedOutput(limit: request.captureLimit ?? 0, keepsLast: request.keepsLast)
        mark = request.mark
    }

    /// Waits for the end, reading its output meanwhile; nil when the deadline comes first.
    package mutating func wait(until deadline: Deadline) -> ProcessEnd? {
        while end == nil {
            if hasEnded(within: deadline) {
                drain()
                reap()
                break
            }
            if deadline.isOver { break }
        }
        return end
    }

    /// Waits for the first output. False when the program ended without any, or the deadline came first.
    mutating func waitForOutput(until deadline: Deadline) -> Bool {
        while output.total == 0, pipeNumber >= 0, !deadline.isOver {
            if Poll.wait(for: pipeNumber, until: deadline) == .ready { readOnce() }
        }
        return output.total > 0
    }

    /// The end of what it wrote on standard error, where that is drained: at most 4 KiB of UTF-8. What it writes after the
    /// first call is dropped.
    mutating func lastErrors() -> String {
        guard let tail = errorTail else { return keptErrors }
        let kept = tail.finish(patience: end == nil ? 0 : Self.errorPatience)
        keptErrors = .tail(of: kept.bytes, of: kept.total, limit: SpawnRequest.keptErrors)
        // Its end of the pipe is closed: tee(1) would wait for a reader.
        errorTail = nil
        return keptErrors
    }

    /// Ends the program, everything in its session, and what has its mark: SIGTERM, and after `patience` milliseconds SIGKILL.
    /// Without a mark, a descendant that made a session of its own is out of reach, as it would be of a terminal's.
    package mutating func stop(patience: Int = 300) {
        guard end == nil else { return }
        kill(-pid, SIGTERM)
        if let mark { ProcessTable.signal(SIGTERM, toAllWith: mark, outside: pid) }
        // The leader is not reaped before the last signal, so that its number cannot have become another group's.
        let deadline = Deadline(inMilliseconds: patience)
        while !hasEnded(within: deadline), !deadline.isOver {}
        kill(-pid, SIGKILL)
        ProcessTable.killSession(pid)
        if let mark { ProcessTable.killAll(with: mark) }
        _ = hasEnded(within: Deadline(inMilliseconds: 5000))
        drain()
        reap()
    }

    /// Waits for the end, or for output, which is read.
    private mutating func hasEnded(within deadline: Deadline) -> Bool {
        let errors = Self.number(of: errorPipe)
        guard let ready = Poll.readable(pidfd, pipeNumber, errors, until: deadline) else { return false }
        if ready[1] { readOnce() }
        if ready[2], case .end = errorOutput.read(from: errors) { errorPipe = nil }
        return ready[0]
    }

    private var pipeNumber: Int32 { Self.number(of: pipe) }

    private static func number(of pipe: borrowing FileDescriptor?) -> Int32 {
        switch pipe {
        case .some(let pipe): pipe.number
        case .none: -1
        }
    }

    private mutating func readOnce() {
        if case .end = output.read(from: pipeNumber) { pipe = nil }
    }

    private mutating func drain() {
        Self.drain(pipeNumber, into: &output)
        Self.drain(Self.number(of: errorPipe), into: &errorOutput)
    }

    /// What the program itself wrote last fits into a pipe; a descendant that goes on writing must not delay the return.
    private static func drain(_ pipe: Int32, into output: inout CapturedOutput) {
        var left = 64 * 1024
        while left > 0, pipe >= 0 {
            guard case .bytes(let count) = output.read(from: pipe) else { return }
            left -= count
        }
    }

    private mutating func reap() {
        let result = usher_pidfd_reap(pidfd)
        switch result.kind {
        case 0: break
        case 1: end = .exited(result.value)
        case 2: end = .signalled(result.value)
        // Reaped elsewhere: an ignored SIGCHLD discards the status.
        default: end = .unknown
        }
    }
}

/// Children that are not waited for any more: launched applications. Each is reaped the moment it ends, by a thread that
/// sleeps until then; a zombie would also disturb other code that waits for children in this process.
final class ChildReaper: Sendable {
    static let shared = ChildReaper()

    /// Children for which no thread could be started: reaped when the next child is started.
    private let unattended = Mutex<[pid_t]>([])

    /// Starting a program takes 32 KiB of it.
    private static let stackSize = 128 * 1024

    func adopt(_ child: pid_t, whenKilled: (@Sendable () -> Void)? = nil) {
        let thread = SystemThread.start(stackSize: ChildReaper.stackSize) {
            var status: Int32 = 0
            while unsafe waitpid(child, &status, 0) < 0 { guard errno == EINTR else { return } }
            if status & 0x7F != 0 { whenKilled?() }
        }
        if thread == nil { unattended.withLock { $0.append(child) } }
    }

    /// A child that was not waited for keeps its number, so a number here always means our child.
    func sweep() {
        unattended.withLock { children in
            children.removeAll { child in
                let result = waitpid(child, nil, WNOHANG)
                return result == child || (result < 0 && errno != EINTR)
            }
        }
    }
}

/// How a process ended.
public enum ProcessEnd: Sendable, Hashable {
    case exited(Int32)
    case signalled(Int32)
    /// Its exit status was lost: it was reaped elsewhere.
    case unknown
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

    /// Reads once, without waiting.
    mutating func read(from descriptor: Int32) -> ReadResult {
        // Freeing 64 KiB or more makes malloc(3) tidy up the whole heap.
        unsafe withUnsafeTemporaryAllocation(byteCount: 16 * 1024, alignment: 1) { room in
            while true {
                let count = unsafe Glibc.read(descriptor, room.baseAddress, room.count)
                if count > 0 {
                    total += count
                    unsafe keep(UnsafeRawBufferPointer(rebasing: room[..<count]))
                    return .bytes(count)
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
        /// How many were read.
        case bytes(Int)
        case nothing
        case end
    }
}
