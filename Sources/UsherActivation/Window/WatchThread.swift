internal import CLinux
internal import Glibc
internal import Synchronization

/// A thread that watches something until it is told to stop.
package final class WatchThread: WindowWatch {
    /// Can be read once the watch is to end; good for polling, never to be read or closed.
    package final class End: Sendable {
        package let descriptor: Int32

        fileprivate init?() {
            descriptor = usher_eventfd()
            if descriptor < 0 { return nil }
        }

        deinit { if descriptor >= 0 { close(descriptor) } }

        package var hasCome: Bool {
            var event = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            return unsafe poll(&event, 1, 0) > 0
        }
    }

    fileprivate final class Work: Sendable {
        let end: End
        let name: String
        let body: @Sendable (End) -> Void

        init(end: End, name: String, body: @escaping @Sendable (End) -> Void) {
            self.end = end
            self.name = name
            self.body = body
        }
    }

    private static let stackSize = 512 * 1024

    private let end: End
    /// nil once somebody waits for it.
    private let thread: Mutex<pthread_t?>

    /// Begins; nil where the system gives no thread. `body` returns soon after its argument says so.
    ///
    /// - Parameters:
    ///   - name: what process tables show of it, at most 15 bytes.
    package init?(named name: String, _ body: @escaping @Sendable (End) -> Void) {
        guard let end = End() else { return nil }
        self.end = end
        var attributes = pthread_attr_t()
        unsafe pthread_attr_init(&attributes)
        defer { unsafe pthread_attr_destroy(&attributes) }
        unsafe pthread_attr_setstacksize(&attributes, Self.stackSize)
        var thread = pthread_t()
        let work = unsafe Unmanaged.passRetained(Work(end: end, name: name, body: body))
        guard unsafe pthread_create(&thread, &attributes, runWatch, work.toOpaque()) == 0 else {
            unsafe work.release()
            return nil
        }
        self.thread = Mutex(thread)
    }

    deinit { stop() }

    /// From within the watch itself, too: then it ends after this.
    package func stop() {
        usher_eventfd_signal(end.descriptor)
        let waited = thread.withLock { thread in
            let waited = thread
            thread = Optional.none
            return waited
        }
        guard let waited else { return }
        if pthread_equal(waited, pthread_self()) != 0 {
            pthread_detach(waited)
        } else {
            pthread_join(waited, nil)
        }
    }
}

private func runWatch(_ work: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let work = unsafe work else { return nil }
    let taken = unsafe Unmanaged<WatchThread.Work>.fromOpaque(work).takeRetainedValue()
    let file = unsafe open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
    if file >= 0 {
        var name = taken.name
        _ = name.withUTF8 { unsafe write(file, $0.baseAddress, $0.count) }
        close(file)
    }
    taken.body(taken.end)
    return nil
}
