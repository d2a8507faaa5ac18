internal import Dispatch
internal import Glibc
internal import Synchronization

/// Threads for work that blocks: as many as there is work for, up to a limit; one without work for a while ends.
///
/// A dispatch queue gives blocking work two threads and then one a second: a hundred handlers that hang would hold back
/// the one that doesn't.
final class WorkerThreads: Sendable {
    typealias Work = @Sendable () -> Void

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

    init(limit: Int) { self.limit = limit }

    /// Runs work on a thread of its own, at once while there are fewer than `limit` at work. Never runs it itself: see
    /// `lendHand`.
    func submit(_ work: @escaping Work) {
        let needsThread = state.withLock { state in
            state.waiting.append(work)
            guard state.waiting.count > state.idle, state.threads < limit else { return false }
            state.threads += 1
            return true
        }
        if needsThread, !start() { state.withLock { $0.threads -= 1 } }
        arrivals.signal()
    }

    /// Does here what waits and has no thread at all to do it: a system that gives no threads must not stop everything.
    func lendHand() {
        while state.withLock({ $0.threads == 0 && !$0.waiting.isEmpty }), let work = take() { work() }
    }

    private func start() -> Bool {
        var attributes = pthread_attr_t()
        unsafe pthread_attr_init(&attributes)
        defer { unsafe pthread_attr_destroy(&attributes) }
        unsafe pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        unsafe pthread_attr_setstacksize(&attributes, WorkerThreads.stackSize)
        var thread = pthread_t()
        let pool = unsafe Unmanaged.passRetained(self)
        guard unsafe pthread_create(&thread, &attributes, workerMain, pool.toOpaque()) == 0 else {
            unsafe pool.release()
            return false
        }
        return true
    }

    fileprivate func run() {
        while true {
            state.withLock { $0.idle += 1 }
            let wait = arrivals.wait(timeout: .now() + WorkerThreads.patience)
            state.withLock { $0.idle -= 1 }
            if let work = take() {
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

    private func take() -> Work? {
        state.withLock { $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() }
    }
}

private func workerMain(_ pool: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    if let pool = unsafe pool { unsafe Unmanaged<WorkerThreads>.fromOpaque(pool).takeRetainedValue().run() }
    return nil
}
