internal import CLinux
internal import Dispatch
internal import Glibc
internal import Synchronization

/// A POSIX thread.
package struct SystemThread: Sendable {
    private let handle: pthread_t

    fileprivate final class Body: Sendable {
        let name: String?
        let run: @Sendable () -> Void

        init(name: String?, run: @escaping @Sendable () -> Void) {
            self.name = name
            self.run = run
        }
    }

    /// Starts a thread; nil where the system gives none.
    ///
    /// - Parameters:
    ///   - name: what process tables show of it, at most 15 bytes; nil for the program's name.
    ///   - stackSize: in bytes.
    ///   - isDetached: false if it will be joined or detached.
    ///   - takesSignals: false to block all signals there.
    package static func start(
        named name: String? = nil, stackSize: Int, isDetached: Bool = true, takesSignals: Bool = true,
        _ run: @escaping @Sendable () -> Void
    ) -> SystemThread? {
        var attributes = pthread_attr_t()
        unsafe pthread_attr_init(&attributes)
        defer { unsafe pthread_attr_destroy(&attributes) }
        if isDetached { unsafe pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED)) }
        unsafe pthread_attr_setstacksize(&attributes, stackSize)
        var before = sigset_t()
        if !takesSignals {
            // A new thread has the mask of the thread that starts it.
            var all = sigset_t()
            unsafe sigfillset(&all)
            unsafe pthread_sigmask(SIG_SETMASK, &all, &before)
        }
        defer { if !takesSignals { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) } }
        var thread = pthread_t()
        let body = unsafe Unmanaged.passRetained(Body(name: name, run: run))
        guard unsafe pthread_create(&thread, &attributes, runThread, body.toOpaque()) == 0 else {
            unsafe body.release()
            return nil
        }
        return SystemThread(handle: thread)
    }

    package var isCurrent: Bool { pthread_equal(handle, pthread_self()) != 0 }

    /// Waits for the end of a thread that is not detached; once.
    package func join() { pthread_join(handle, nil) }

    /// Lets the thread end on its own.
    fileprivate func detach() { pthread_detach(handle) }
}

private func runThread(_ body: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let body = unsafe body else { return nil }
    let taken = unsafe Unmanaged<SystemThread.Body>.fromOpaque(body).takeRetainedValue()
    if var name = taken.name {
        let file = unsafe open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
        if file >= 0 {
            _ = name.withUTF8 { unsafe write(file, $0.baseAddress, $0.count) }
            close(file)
        }
    }
    taken.run()
    return nil
}

/// Threads for work that blocks: as many as there is work for, up to a limit; one without work for a while ends.
///
/// A dispatch queue gives blocking work two threads and then one a second: a hundred handlers that hang would hold back
/// the one that doesn't.
package final class WorkerThreads: Sendable {
    package typealias Work = @Sendable () -> Void

    private struct State {
        var waiting: [Work] = []
        var idle = 0
        var threads = 0
    }

    private let limit: Int
    private let state = Mutex(State())
    private let arrivals = DispatchSemaphore(value: 0)

    /// How long a thread waits for work before it ends, in seconds.
    private static let patience = 2.0
    private static let stackSize = 1024 * 1024

    package init(limit: Int) { self.limit = limit }

    /// Runs work on a thread of its own, at once while there are fewer than `limit` at work. Never runs it on the calling
    /// thread: see `runInlineIfStarved`.
    package func submit(_ work: @escaping Work) {
        let needsThread = state.withLock { state in
            state.waiting.append(work)
            guard state.waiting.count > state.idle, state.threads < limit else { return false }
            state.threads += 1
            return true
        }
        if needsThread, SystemThread.start(stackSize: WorkerThreads.stackSize, { self.run() }) == nil {
            state.withLock { $0.threads -= 1 }
        }
        arrivals.signal()
    }

    /// Runs waiting work on the calling thread if there is no worker thread, because the system refuses to start one.
    package func runInlineIfStarved() {
        while state.withLock({ $0.threads == 0 && !$0.waiting.isEmpty }), let work = nextWork() { work() }
    }

    private func run() {
        while true {
            state.withLock { $0.idle += 1 }
            let wait = arrivals.wait(timeout: .now() + WorkerThreads.patience)
            state.withLock { $0.idle -= 1 }
            if let work = nextWork() {
                work()
            } else if wait == .timedOut {
                let ends = state.withLock { state in
                    guard state.waiting.isEmpty else { return false }
                    state.threads -= 1
                    return true
                }
                if ends { return }
            }
        }
    }

    private func nextWork() -> Work? {
        state.withLock { $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() }
    }
}

/// A thread that watches something until `stop()` is called.
package final class WatchThread: Sendable {
    /// Whether the watch was told to end. Its descriptor is readable from then on: use it in `poll` only, do not read or close
    /// it.
    package final class End: Sendable {
        package let descriptor: Int32

        fileprivate init?() {
            descriptor = usher_eventfd()
            if descriptor < 0 { return nil }
        }

        deinit { if descriptor >= 0 { close(descriptor) } }

        /// Whether `stop()` was called. Does not wait.
        package var hasCome: Bool { Poll.isReadable(descriptor) }

        /// Waits until `stop()` is called, at most until the deadline; whether it was.
        @discardableResult package func wait(until deadline: Deadline) -> Bool {
            Poll.wait(for: descriptor, until: deadline) == .ready
        }
    }

    private static let stackSize = 512 * 1024

    private let end: End
    /// nil once it is waited for.
    private let thread: Mutex<SystemThread?>

    /// Begins; nil where the system gives no thread. `body` returns soon after its argument says so.
    ///
    /// - Parameters:
    ///   - name: what process tables show of it, at most 15 bytes.
    package init?(named name: String, _ body: @escaping @Sendable (End) -> Void) {
        guard let end = End() else { return nil }
        self.end = end
        let thread = SystemThread.start(named: name, stackSize: Self.stackSize, isDetached: false) { body(end) }
        guard let thread else { return nil }
        self.thread = Mutex(thread)
    }

    deinit { stop() }

    /// Signals the watch to end, and waits until it has ended. If called from the watch itself, returns at once; the
    /// watch ends afterwards.
    package func stop() {
        usher_eventfd_signal(end.descriptor)
        let waited = thread.withLock { thread in
            let waited = thread
            thread = Optional.none
            return waited
        }
        guard let waited else { return }
        if waited.isCurrent { waited.detach() } else { waited.join() }
    }
}
