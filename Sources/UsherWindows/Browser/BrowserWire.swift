internal import CLinux
internal import Glibc
internal import Synchronization
internal import UsherSystem

/// The connection to a browser's host: one thread reads, any thread may write. `deinit` closes it.
final class BrowserWire: Sendable {
    let descriptor: Int32
    /// Lines of several threads must not be mixed.
    private let turn = Mutex(())

    init(owning descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// Sends a whole line; false where the other side does not take it in time, and then it is not whole and the
    /// connection is ended.
    func send(_ bytes: [UInt8], until deadline: Deadline) -> Bool {
        turn.withLock { _ in
            var offset = 0
            while offset < bytes.count {
                let count = unsafe bytes.withUnsafeBytes { buffer in
                    unsafe usher_send(
                        descriptor, buffer.baseAddress.map { unsafe $0 + offset }, UInt(buffer.count - offset))
                }
                if count >= 0 {
                    offset += count
                    continue
                }
                guard errno == EAGAIN, !deadline.isOver else {
                    end()
                    return false
                }
                var polled = [pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)]
                _ = unsafe poll(&polled, 1, deadline.remainingMilliseconds)
            }
            return true
        }
    }

    /// Ends both directions: the reading thread gets the end of the stream.
    func end() { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }
}

/// Something that one thread waits for and another brings about.
final class BrowserSignal: Sendable {
    let descriptor: Int32

    /// Without a descriptor it is never raised: a waiting thread returns at its deadline.
    init() { descriptor = usher_eventfd() }

    deinit { if descriptor >= 0 { close(descriptor) } }

    func raise() { usher_eventfd_signal(descriptor) }

    func clear() { usher_eventfd_clear(descriptor) }

    /// Whether it was raised, or the other descriptor can be read, before the deadline.
    func wait(until deadline: Deadline, or other: Int32? = nil) -> (raised: Bool, other: Bool) {
        var polled = [
            pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: other ?? -1, events: Int16(POLLIN), revents: 0),
        ]
        while true {
            let count = unsafe poll(&polled, nfds_t(polled.count), deadline.remainingMilliseconds)
            if count < 0, errno == EINTR, !deadline.isOver { continue }
            return (polled[0].revents != 0, polled[1].revents != 0)
        }
    }
}
