internal import CLinux
internal import Glibc

/// A thread for one piece of work that waits; joined exactly once, by its owner.
struct X11Thread: Sendable {
    private let thread: pthread_t

    /// nil where the system gives no thread.
    init?(_ work: @escaping @Sendable () -> Void) {
        var attributes = pthread_attr_t()
        unsafe pthread_attr_init(&attributes)
        defer { unsafe pthread_attr_destroy(&attributes) }
        unsafe pthread_attr_setstacksize(&attributes, 512 * 1024)
        var thread = pthread_t()
        let box = unsafe Unmanaged.passRetained(Work(work))
        guard unsafe pthread_create(&thread, &attributes, threadMain, box.toOpaque()) == 0 else {
            unsafe box.release()
            return nil
        }
        self.thread = thread
    }

    /// Whether this is the thread that asks.
    var isCurrent: Bool { pthread_equal(thread, pthread_self()) != 0 }

    /// Waits for its end.
    func join() { pthread_join(thread, nil) }

    /// Leaves it to itself.
    func detach() { pthread_detach(thread) }

    fileprivate final class Work: Sendable {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
}

private func threadMain(_ box: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    if let box = unsafe box { unsafe Unmanaged<X11Thread.Work>.fromOpaque(box).takeRetainedValue().body() }
    return nil
}

/// A descriptor that can be read once somebody has rung; for as long as it lives.
final class X11Bell: Sendable {
    let descriptor: Int32

    init() { descriptor = usher_eventfd() }

    deinit { close(descriptor) }

    func ring() { usher_eventfd_signal(descriptor) }

    var hasRung: Bool { Self.canBeRead(descriptor) }

    /// Whether a descriptor, where there is one, can be read now.
    static func canBeRead(_ descriptor: Int32) -> Bool {
        guard descriptor >= 0 else { return false }
        var sign = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&sign, 1, 0) > 0
    }
}
