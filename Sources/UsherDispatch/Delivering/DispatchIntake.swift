internal import Dispatch
internal import Synchronization
internal import UsherSystem

/// Takes arrivals from any thread at once, and hands them to a dispatcher in batches, on a thread of its own.
///
/// While one batch is brought to disk the next one collects: the busier it is, the more share a sync. The thread is there
/// only while there is work.
public final class DispatchIntake: Intake {
    public struct Limits: Sendable {
        /// Arrivals that wait to be journalled: not fewer than one request may bring, or that one would never be taken.
        public var count = 10_000
        /// Their inputs together, in bytes.
        public var bytes = 64 << 20
        /// Arrivals in one transaction.
        public var batch = 128

        public init() {}
    }

    private struct State {
        var waiting: [Arrival] = []
        var bytes = 0
        var isRunning = false
        var isClosed = false
    }

    private let dispatcher: Dispatcher
    private let limits: Limits
    private let state = Mutex(State())
    private let thread = WorkerThreads(limit: 1)
    private let runs = DispatchGroup()

    public init(_ dispatcher: Dispatcher, limits: Limits = Limits()) {
        self.dispatcher = dispatcher
        self.limits = limits
    }

    public var capacity: Int { min(limits.count, dispatcher.openLimit) }

    public func submit(_ arrivals: [Arrival]) -> Bool {
        if arrivals.isEmpty { return true }
        let bytes = arrivals.reduce(0) { $0 + $1.input.count }
        let open = dispatcher.openCount
        let (isTaken, starts) = state.withLock { state -> (Bool, Bool) in
            guard !state.isClosed, state.waiting.count + arrivals.count <= limits.count,
                state.bytes + bytes <= limits.bytes,
                open + state.waiting.count + arrivals.count <= dispatcher.openLimit
            else { return (false, false) }
            state.waiting += arrivals
            state.bytes += bytes
            guard !state.isRunning else { return (true, false) }
            state.isRunning = true
            runs.enter()
            return (true, true)
        }
        if starts {
            thread.submit { [self] in run() }
            thread.lendHand()
        }
        return isTaken
    }

    /// Takes no more, and returns when everything that was taken is on disk, or was refused.
    public func close() {
        state.withLock { $0.isClosed = true }
        runs.wait()
    }

    /// Returns when everything that was taken before is on disk, or was refused.
    public func drain() { runs.wait() }

    private func run() {
        while true {
            let batch = state.withLock { state -> [Arrival] in
                if state.waiting.isEmpty { state.isRunning = false }
                // Nearly always it is all that waits, which is handed on as it is.
                var batch: [Arrival] = []
                if state.waiting.count <= limits.batch {
                    swap(&batch, &state.waiting)
                    state.bytes = 0
                } else {
                    batch = Array(state.waiting.prefix(limits.batch))
                    state.waiting.removeFirst(batch.count)
                    state.bytes -= batch.reduce(0) { $0 + $1.input.count }
                }
                return batch
            }
            guard !batch.isEmpty else { return runs.leave() }
            dispatcher.handle(batch)
        }
    }
}

extension Dispatcher {
    /// Everything that is open here.
    var openCount: Int { backlog.inHand + backlog.queued + backlog.retrying }

    /// How much may be open before new arrivals are turned away.
    var openLimit: Int { options.queue ?? .max }
}
