internal import CLinux
internal import Glibc
internal import UsherJSON
public import UsherOperation
package import UsherSystem

/// The lock that an engine (a resident `usherd`, or one on demand) holds on its state folder until it ends:
/// `STATE/usherd.lock`.
///
/// While it is held, every change of the store goes through that engine. The lock counts, not the file: an engine that was
/// killed leaves a file without a lock. The lock belongs to an open file description (fcntl(2), F_OFD_SETLK), so that
/// closing another descriptor of the file releases nothing. An engine locks the whole file, an edit (`EditLock`) its first
/// byte alone: so both exclude each other, and a look tells which of them holds it.
public struct DaemonLock: ~Copyable {
    private let descriptor: Int32
    private let holder: DaemonHolder
    public let path: String

    public static let fileName = "usherd.lock"

    /// Takes the lock, or throws `daemon.running` with the process that has it.
    ///
    /// - Parameters:
    ///   - state: the folder; it is made where it is missing.
    ///   - socket: where the daemon listens for control; empty while that is not known.
    ///   - started: RFC 3339.
    public static func acquire(
        state: String, socket: String, version: String, started: String
    ) throws(ControlError) -> DaemonLock {
        let (descriptor, path) = try open(state: state)
        guard lock(descriptor, path: path) else {
            let failure = errno
            let isEdit = usher_is_locked(descriptor, 1) == 0
            close(descriptor)
            guard failure == EAGAIN || failure == EACCES else { throw .lock("cannot be locked", path, failure) }
            throw isEdit ? .heldByEdit(path) : .running(first(path: path), path: path)
        }
        let lock = DaemonLock(
            descriptor: descriptor,
            holder: DaemonHolder(pid: getpid(), socket: socket, started: started, version: version), path: path)
        try lock.write(lock.holder)
        return lock
    }

    /// The lock's file, made with its folder where it is missing. A folder that other users could change is refused.
    static func open(state: String) throws(ControlError) -> (descriptor: Int32, path: String) {
        let path = state + "/" + fileName
        do throws(FolderTrust.Fault) { try FolderTrust.check(state, option: "--state") } catch {
            throw ControlError(error)
        }
        var descriptor = unsafe Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        if descriptor < 0, errno == ENOENT {
            do throws(FileSystem.WriteFailure) {
                try FileSystem.makeFolder(state)
            } catch {
                throw .lock("has no folder", state, error.error.number)
            }
            descriptor = unsafe Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        }
        guard descriptor >= 0 else { throw .lock("cannot be opened", path, errno) }
        return (descriptor, path)
    }

    /// Writes where the daemon listens, when that is known later than the lock is taken.
    public borrowing func name(socket: String) throws(ControlError) {
        var holder = holder
        holder.socket = socket
        try write(holder)
    }

    private borrowing func write(_ holder: DaemonHolder) throws(ControlError) {
        let line = holder.line
        let written = unsafe line.withUnsafeBytes { buffer in
            ftruncate(descriptor, 0) == 0
                ? unsafe pwrite(descriptor, buffer.baseAddress, buffer.count, 0) : -1
        }
        guard written == line.count else { throw .lock("cannot be written", path, written < 0 ? errno : ENOSPC) }
    }

    /// The process that has the lock. It writes its name just after it has locked, so this waits a moment for it. What a
    /// process left that has ended does not count.
    private static func first(path: String) -> DaemonHolder? {
        for _ in 0..<40 {
            if let holder = DaemonHolder.read(path: path), holder.pid > 0, kill(holder.pid, 0) == 0 || errno == EPERM {
                return holder
            }
            usleep(5_000)
        }
        return nil
    }

    /// Takes the lock; false with errno. An edit that holds it is waited for.
    ///
    /// Between a daemon's clone(2) and the execve(2) of what it starts, the child has the lock too, and may outlive a
    /// daemon that is killed just then: what is left of a dead one is waited for.
    private static func lock(_ descriptor: Int32, path: String) -> Bool {
        for _ in 0..<EditLock.patience {
            if usher_lock(descriptor, 0) == 0 { return true }
            guard errno == EAGAIN || errno == EACCES, usher_is_locked(descriptor, 1) == 0 else { break }
            usleep(1000)
        }
        for _ in 0..<100 {
            if usher_lock(descriptor, 0) == 0 { return true }
            guard errno == EAGAIN || errno == EACCES, let holder = DaemonHolder.read(path: path), holder.pid > 0,
                kill(holder.pid, 0) != 0, errno == ESRCH
            else { break }
            usleep(50_000)
        }
        return usher_lock(descriptor, 0) == 0
    }

    /// The engine that holds the lock of a state folder now; nil where there is none, or an edit holds it. Locks and makes
    /// nothing.
    public static func holder(state: String) -> DaemonHolder? {
        let path = state + "/" + fileName
        let descriptor = unsafe Glibc.open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        guard usher_is_locked(descriptor, 1) == 1 else { return nil }
        return DaemonHolder.read(path: path) ?? DaemonHolder(pid: 0, socket: "", started: "", version: "")
    }

    deinit {
        // The file stays: removing it would give a second daemon a lock of its own.
        ftruncate(descriptor, 0)
        _ = usher_unlock(descriptor)
        close(descriptor)
    }
}

extension ControlError {
    package init(_ fault: FolderTrust.Fault) { self.init(.controlUnsafeFolder, fault.message, help: fault.help) }

    static func running(_ holder: DaemonHolder?, path: String) -> ControlError {
        let owner =
            holder.map { "process \($0.pid)" + ($0.socket.isEmpty ? "" : ", which listens on \($0.socket)") }
            ?? "another process"
        return ControlError(
            .daemonRunning, "usherd runs already for this state folder: \(owner)",
            help: "stop it first, or name another folder with --state (the lock is \(path))")
    }

    static func lock(_ what: String, _ path: String, _ error: Int32) -> ControlError {
        ControlError(
            .daemonLock, "the lock \(path) \(what): \(SystemError.text(error))",
            help: SystemError(error).remedy ?? "own the folder, or name another one with --state")
    }
}

/// The process that holds a state folder's lock, as it wrote itself into it.
public struct DaemonHolder: Sendable, Hashable {
    /// 0 while the daemon has locked the file and not yet written into it.
    public var pid: Int32
    /// Where it listens for control; empty while that is not known yet.
    public var socket: String
    /// RFC 3339.
    public var started: String
    public var version: String

    /// One JSON line.
    var line: [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        json.member("pid", Int(pid))
        json.member("socket", socket)
        json.member("started", started)
        json.member("version", version)
        json.endObject()
        json.newline()
        return json.bytes
    }

    /// What a lock file says; nil where it says nothing (yet).
    static func read(path: String) -> DaemonHolder? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 8192)
        let count = unsafe bytes.withUnsafeMutableBytes { unsafe Glibc.read(descriptor, $0.baseAddress, $0.count) }
        guard count > 0, let value = try? JSONValue(parsing: Array(bytes[..<count])),
            let pid = value["pid"]?.int64, let socket = value["socket"]?.string
        else { return nil }
        return DaemonHolder(
            pid: Int32(clamping: pid), socket: socket, started: value["started"]?.string ?? "",
            version: value["version"]?.string ?? "")
    }
}

/// The lock of a state folder, held for one edit of its store by a process that serves no client.
///
/// It excludes engines (`DaemonLock`) and other edits. It writes nothing into the file: only an engine says there where it listens.
public struct EditLock: ~Copyable {
    private let descriptor: Int32

    /// How long another edit is waited for, in milliseconds, looked at every millisecond.
    static let patience = 5000

    /// Takes the lock; waits up to five seconds while another edit holds it.
    ///
    /// - Parameter state: the folder; it is made where it is missing.
    /// - Returns: nil where an engine holds the lock: the edit is the engine's then.
    /// - Throws: `daemon.lock`.
    public static func take(state: String) throws(ControlError) -> EditLock? {
        let (descriptor, path) = try DaemonLock.open(state: state)
        for _ in 0..<patience {
            if usher_lock(descriptor, 1) == 0 { return EditLock(descriptor: descriptor) }
            let failure = errno
            guard failure == EAGAIN || failure == EACCES else {
                close(descriptor)
                throw .lock("cannot be locked", path, failure)
            }
            if usher_is_locked(descriptor, 1) == 1 {
                close(descriptor)
                return nil
            }
            usleep(1000)
        }
        close(descriptor)
        throw .heldByEdit(path)
    }

    /// Gives it back; otherwise the end of this value does.
    public consuming func release() {}

    deinit { close(descriptor) }
}

extension ControlError {
    static func heldByEdit(_ path: String) -> ControlError {
        ControlError(
            .daemonLock, "another command of usher has held the lock \(path) for \(EditLock.patience / 1000) seconds",
            help: "wait for it to end, or end it")
    }
}
