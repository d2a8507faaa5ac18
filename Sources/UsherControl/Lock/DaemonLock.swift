internal import CLinux
internal import Glibc
internal import UsherScene
internal import UsherSystem

/// The lock that a daemon holds on its state folder, for as long as it lives: `STATE/usherd.lock`.
///
/// While it is held, whoever wants to write goes through the daemon. What counts is the lock, not the file: a daemon that
/// was killed leaves a file that nobody holds. The lock belongs to an open file description (fcntl(2), F_OFD_SETLK), so
/// that closing another descriptor of the file drops nothing.
public struct DaemonLock: ~Copyable {
    private let descriptor: Int32
    private let holder: DaemonHolder
    public let path: String

    public static let fileName = "usherd.lock"

    /// Takes the lock, or throws `daemon.running` with the one who has it.
    ///
    /// - Parameters:
    ///   - state: the folder; it is made where it is missing.
    ///   - socket: where the daemon listens for control; empty while that is not known.
    ///   - started: RFC 3339.
    public static func acquire(
        state: String, socket: String, version: String, started: String
    ) throws(ControlError) -> DaemonLock {
        let path = state + "/" + fileName
        do throws(FileSystem.WriteFailure) {
            try FileSystem.makeFolder(state)
        } catch {
            throw .lock("has no folder", state, error.error.number)
        }
        let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw .lock("cannot be opened", path, errno) }
        guard lock(descriptor, path: path) else {
            let failure = errno
            close(descriptor)
            guard failure == EAGAIN || failure == EACCES else { throw .lock("cannot be locked", path, failure) }
            throw .running(first(path: path), path: path)
        }
        let lock = DaemonLock(
            descriptor: descriptor,
            holder: DaemonHolder(pid: getpid(), socket: socket, started: started, version: version), path: path)
        try lock.write(lock.holder)
        return lock
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

    /// Who was first, as it writes just after it has locked: it is given a moment for that. What a dead one left is not it.
    private static func first(path: String) -> DaemonHolder? {
        for _ in 0..<40 {
            if let holder = DaemonHolder.read(path: path), holder.pid > 0, kill(holder.pid, 0) == 0 || errno == EPERM {
                return holder
            }
            usleep(5_000)
        }
        return nil
    }

    /// Takes the lock; false with errno.
    ///
    /// Between a daemon's clone(2) and the execve(2) of what it starts, the child has the lock too, and may outlive a
    /// daemon that is killed just then: what is left of a dead one is waited for.
    private static func lock(_ descriptor: Int32, path: String) -> Bool {
        for _ in 0..<100 {
            if usher_lock(descriptor) == 0 { return true }
            guard errno == EAGAIN || errno == EACCES, let holder = DaemonHolder.read(path: path), holder.pid > 0,
                kill(holder.pid, 0) != 0, errno == ESRCH
            else { break }
            usleep(50_000)
        }
        return usher_lock(descriptor) == 0
    }

    /// Who holds the lock of a state folder now; nil when nobody does. Takes nothing and makes nothing.
    public static func holder(state: String) -> DaemonHolder? {
        let path = state + "/" + fileName
        let descriptor = unsafe open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        guard usher_is_locked(descriptor) == 1 else { return nil }
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
    static func running(_ holder: DaemonHolder?, path: String) -> ControlError {
        let who =
            holder.map { "process \($0.pid)" + ($0.socket.isEmpty ? "" : ", which listens on \($0.socket)") }
            ?? "another process"
        return ControlError(
            .daemonRunning, "usherd runs already for this state folder: \(who)",
            help: "stop it first, or name another folder with --state (the lock is \(path))")
    }

    fileprivate static func lock(_ what: String, _ path: String, _ error: Int32) -> ControlError {
        ControlError(
            .daemonLock, "the lock \(path) \(what): \(SystemError.text(error))",
            help: "own the folder, or name another one with --state")
    }
}
