internal import Dispatch
internal import Synchronization
internal import UsherStore

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
        /// Arrivals in one transaction,
        public var batch = 128
        /// and their inputs together, in bytes; a larger one has a transaction of its own.
        public var batchBytes = 16 << 20

        public init() {}
    }

    private struct State {
        var waiting: [Arrival] = []
        var bytes = 0
        /// What `waiting` will take in the store, and what the batch takes that is being brought there.
        var room: Int64 = 0
        var roomOfBatch: Int64 = 0
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
        let room = DispatchIntake.room(of: arrivals)
        let open = dispatcher.openCount
        let openBytes = dispatcher.store.totals.openBytes
        let (isTaken, starts) = state.withLock { state -> (Bool, Bool) in
            guard !state.isClosed, state.waiting.count + arrivals.count <= limits.count,
                state.bytes + bytes <= limits.bytes,
                open + state.waiting.count + arrivals.count <= dispatcher.openLimit
            else { return (false, false) }
            // A request that alone takes more than is allowed is taken when nothing else is open.
            let taken = openBytes + state.room + state.roomOfBatch
            guard taken == 0 || taken + room <= dispatcher.options.queueBytes else { return (false, false) }
            state.waiting += arrivals
            state.bytes += bytes
            state.room += room
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

    /// About what arrivals take in the store while they are open.
    private static func room(of arrivals: [Arrival]) -> Int64 {
        arrivals.reduce(0) { $0 + StoreState.room(for: $1.input.count) + StoreState.room(for: 400) }
    }

    /// Takes no more, and returns when everything that was taken is on disk, or was refused.
    public func close() {
        state.withLock { $0.isClosed = true }
        runs.wait()
    }

    private func run() {
        while true {
            let batch = state.withLock { state -> [Arrival] in
                if state.waiting.isEmpty { state.isRunning = false }
                // Nearly always it is all that waits, which is handed on as it is.
                var batch: [Arrival] = []
                if state.waiting.count <= limits.batch, state.bytes <= limits.batchBytes {
                    swap(&batch, &state.waiting)
                    state.bytes = 0
                    (state.roomOfBatch, state.room) = (state.room, 0)
                } else {
                    var bytes = 0
                    batch = Array(
                        state.waiting.prefix(limits.batch).prefix { arrival in
                            defer { bytes += arrival.input.count }
                            return bytes == 0 || bytes + arrival.input.count <= limits.batchBytes
                        })
                    state.waiting.removeFirst(batch.count)
                    state.bytes -= batch.reduce(0) { $0 + $1.input.count }
                    state.roomOfBatch = DispatchIntake.room(of: batch)
                    state.room -= state.roomOfBatch
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
