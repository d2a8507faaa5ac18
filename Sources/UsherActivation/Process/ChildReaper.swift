import Glibc
import Synchronization
internal import UsherSystem

/// The children nobody waits for any more: launched applications. Each is reaped the moment it ends, by a thread that
/// sleeps until then; a zombie would also be in the way of whoever else waits for children in this process.
final class ChildReaper: Sendable {
    static let shared = ChildReaper()

    /// Those for which there was no thread to be had: reaped when the next child is started.
    private let unattended = Mutex<[pid_t]>([])

    private static let stackSize = 64 * 1024

    func adopt(_ child: pid_t) {
        let thread = SystemThread.start(stackSize: ChildReaper.stackSize) {
            while waitpid(child, nil, 0) < 0, errno == EINTR {}
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
