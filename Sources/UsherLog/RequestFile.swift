internal import Dispatch
internal import Glibc
internal import Synchronization
internal import UsherSystem

/// The last requests to hooks, one JSON object a line: `hook-requests.jsonl` in the state folder, and the file before it, which
/// has `.1` at the end of its name. Each has at most 1 MiB, and is readable by its owner alone.
///
/// Lines are written on a thread of their own, in order. Safe from any thread.
public final class RequestFile: Sendable {
    private static let name = "hook-requests.jsonl"
    /// The size beyond which the next file is begun.
    private static let limit = 1 << 20
    /// Lines that wait to be written; beyond, lines are left out.
    private static let mostPending = 4096

    /// Makes a line.
    ///
    /// - Parameter leftOut: how many lines before it were left out.
    public typealias Line = @Sendable (_ leftOut: Int) -> [UInt8]

    private struct State {
        var pending: [[UInt8]] = []
        var leftOut = 0
        var hasFailed = false
    }

    private let path: String
    private let logger: Logger
    private let queue = DispatchQueue(label: "usher.hook.requests")
    private let state = Mutex(State())

    /// - Parameter folder: the state folder.
    public init(in folder: String, logger: Logger) {
        path = RequestFile.path(in: folder)
        self.logger = logger
    }

    /// The file that is written.
    public static func path(in folder: String) -> String { folder + "/" + name }

    /// The file before that.
    public static func earlier(than path: String) -> String { path + ".1" }

    public func append(_ line: Line) {
        let begins = state.withLock { state in
            guard state.pending.count < RequestFile.mostPending else {
                state.leftOut += 1
                return false
            }
            state.pending.append(line(state.leftOut))
            state.leftOut = 0
            return state.pending.count == 1
        }
        if begins { queue.async { [self] in write() } }
    }

    /// Waits until everything that was appended is written.
    public func drain() { queue.sync {} }

    private func write() {
        let lines = state.withLock { state in
            defer { state.pending = [] }
            return state.pending
        }
        // Closed here and not by a deinit: the optimiser ended the life of a file that the loop replaces before its last use.
        var file = File(number: -1, size: 0)
        defer { file.close() }
        do throws(SystemError) {
            file = try RequestFile.open(path)
            for line in lines {
                if file.size > 0, file.size + line.count > RequestFile.limit {
                    guard unsafe rename(path, RequestFile.earlier(than: path)) == 0 else { throw .last }
                    file.close()
                    file = try RequestFile.open(path)
                }
                guard FileOutput.write(line, to: file.number) else { throw .last }
                file.size += line.count
            }
            state.withLock { $0.hasFailed = false }
        } catch {
            let isNew = state.withLock { state in
                defer { state.hasFailed = true }
                return !state.hasFailed
            }
            guard isNew else { return }
            logger.log(
                .requestsNotKept,
                ["file": .text(path), "error.message": .text(error.text)])
        }
    }

    private struct File {
        /// -1 where none is open.
        var number: Int32
        var size: Int

        mutating func close() {
            if number >= 0 { _ = Glibc.close(number) }
            number = -1
        }
    }

    private static func open(_ path: String) throws(SystemError) -> File {
        let number = unsafe Glibc.open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
        guard number >= 0 else { throw .last }
        var status = stat()
        guard unsafe fstat(number, &status) == 0 else {
            let error = SystemError.last
            _ = Glibc.close(number)
            throw error
        }
        return File(number: number, size: Int(status.st_size))
    }
}
