internal import CLinux
internal import Glibc
public import UsherOperation
internal import UsherScene
internal import UsherSystem

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
