internal import Dispatch
internal import Synchronization
internal import UsherLog

/// What is in the journal and waits: for a free lane, or for its next try. Only ids are kept in memory.
final class Backlog: Sendable {
    private struct State {
        /// Accepted, in order. Those before `first` are gone.
        var queue: [String] = []
        var first = 0
        /// By when they are due, on the monotonic clock.
        var retries: [(due: Int64, id: String)] = []
        /// Requests that are in a lane.
        var inHand = 0
        var isPumping = false
        var isStopped = false

        var waits: Bool { first < queue.count || !retries.isEmpty }
    }

    private let state = Mutex(State())
    private let news = DispatchSemaphore(value: 0)
    private let thread = WorkerThreads(limit: 1)
    private let capacity: Int

    init(capacity: Int) { self.capacity = capacity }

    // MARK: Lanes

    /// How many more requests may go into lanes.
    var room: Int { state.withLock { capacity - $0.inHand } }
    var inHand: Int { state.withLock { $0.inHand } }
    func enter() { state.withLock { $0.inHand += 1 } }

    func leave() {
        let hasWaiting = state.withLock { state in
            state.inHand -= 1
            return state.waits
        }
        if hasWaiting { news.signal() }
    }

    // MARK: What waits

    var queued: Int { state.withLock { $0.queue.count - $0.first } }
    var retrying: Int { state.withLock { $0.retries.count } }
    var oldest: String? { state.withLock { $0.first < $0.queue.count ? $0.queue[$0.first] : nil } }

    func queue(_ ids: [String]) {
        if ids.isEmpty { return }
        state.withLock { $0.queue += ids }
        news.signal()
    }

    /// - Parameter due: by the monotonic clock.
    func retry(_ id: String, due: Int64) {
        state.withLock { state in
            let place = state.retries.firstIndex { $0.due > due } ?? state.retries.count
            state.retries.insert((due, id), at: place)
        }
        news.signal()
    }

    /// Those whose turn it is, as many as lanes are free: tries that are due, then what was accepted first. They stay here
    /// until `remove`, so that nothing overtakes them.
    func next(now: Int64, limit: Int) -> [String] {
        state.withLock { state in
            if state.isStopped { return [] }
            let room = min(limit, capacity - state.inHand)
            guard room > 0 else { return [] }
            let due = state.retries.prefix(room).prefix { $0.due <= now }.map(\.id)
            return due + state.queue[state.first...].prefix(room - due.count)
        }
    }

    func remove(_ ids: [String]) {
        var ids = Set(ids)
        state.withLock { state in
            state.retries.removeAll { ids.remove($0.id) != nil }
            while state.first < state.queue.count, ids.remove(state.queue[state.first]) != nil { state.first += 1 }
            // Dropped out of the middle.
            if !ids.isEmpty { state.queue[state.first...].removeAll { ids.contains($0) } }
            if state.first > 1024, state.first * 2 > state.queue.count {
                state.queue.removeFirst(state.first)
                state.first = 0
            }
        }
    }

    /// What waits for another try and is meant, taken away.
    func takeRetries(_ isMeant: (String) -> Bool) -> [String] {
        state.withLock { state in
            defer { state.retries.removeAll { isMeant($0.id) } }
            return state.retries.map(\.id).filter(isMeant)
        }
    }

    // MARK: The pump

    /// Calls `step` until nothing waits any more, on a thread of its own that is there only meanwhile.
    ///
    /// - Parameter step: returns whether it got anything done.
    func pump(isPatient: Bool, _ step: @escaping @Sendable () -> Bool) {
        let starts = state.withLock { state in
            guard !state.isPumping, !state.isStopped, state.waits else { return false }
            state.isPumping = true
            return true
        }
        guard starts else { return }
        thread.submit { [self] in
            while true {
                if step() { continue }
                let (ends, due) = state.withLock { state -> (Bool, Int64?) in
                    if state.isStopped || !state.waits {
                        state.isPumping = false
                        return (true, nil)
                    }
                    return (false, state.inHand < capacity ? state.retries.first?.due : nil)
                }
                if ends { return }
                var wait = due.map { max(0, $0 - MonotonicClock.microseconds()) }
                // A run that can be interrupted looks now and then whether it was.
                if !isPatient { wait = min(wait ?? .max, 100_000) }
                _ = news.wait(timeout: wait.map { .now() + .microseconds(Int($0)) } ?? .distantFuture)
            }
        }
    }

    func lendHand() { thread.lendHand() }

    func stop() {
        state.withLock { $0.isStopped = true }
        news.signal()
    }
}
