import Glibc
import Synchronization

/// The children nobody waits for any more: launched applications. Each is reaped the moment it ends, by a thread that
/// sleeps until then; a zombie would also be in the way of whoever else waits for children in this process.
final class ChildReaper: Sendable {
    static let shared = ChildReaper()

    /// Those for which there was no thread to be had: reaped when the next child is started.
    private let unattended = Mutex<[pid_t]>([])

    private static let stackSize = 64 * 1024

    func adopt(_ child: pid_t) {
        var attributes = pthread_attr_t()
        unsafe pthread_attr_init(&attributes)
        defer { unsafe pthread_attr_destroy(&attributes) }
        unsafe pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        unsafe pthread_attr_setstacksize(&attributes, ChildReaper.stackSize)
        var thread = pthread_t()
        let number = unsafe UnsafeMutableRawPointer(bitPattern: Int(child))
        if unsafe pthread_create(&thread, &attributes, reapChild, number) != 0 {
            unattended.withLock { $0.append(child) }
        }
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

private func reapChild(_ child: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    let child = pid_t(Int(bitPattern: child))
    while waitpid(child, nil, 0) < 0, errno == EINTR {}
    return nil
}
