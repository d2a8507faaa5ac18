internal import Glibc
internal import Synchronization
internal import UsherLog
public import UsherScene
public import UsherStore

/// What a dispatcher has done so far, and what waits.
public struct Statistics: Sendable {
    /// Requests in a lane: their effect runs, or is next to others of their scene.
    public var inHand = 0
    /// Requests in the journal that wait for a free lane.
    public var waiting = 0
    /// Requests that wait for another try.
    public var retrying = 0
    /// Lanes with work.
    public var busyLanes = 0
    /// How long the one waits that waits longest, in microseconds.
    public var oldestWaiting: Int64 = 0
    /// Terminal records, by what became of them.
    public var outcomes: [Outcome: Int] = [:]
    public var reasons: [Reason: Int] = [:]
    public var actions: [Action: Int] = [:]
    /// Terminal records with an error.
    public var errors = 0
    /// Tries that failed and were followed by another.
    public var retries = 0
    /// Requests that could not be journalled.
    public var refused = 0
    /// The last ones that came, or what came of some, could not be journalled; or the store is not where it was.
    public var isRefusing = false
    /// Transactions that took requests in.
    public var batches = 0
    /// Notifications that were pressed, and what became of others.
    public var presses = 0
    public var closings: [Store.NotificationState: Int] = [:]
    public var decide = Histogram()
    public var act = Histogram()

    /// Everything that is open here.
    public var open: Int { inHand + waiting + retrying }

    /// How often something took how long, in microseconds.
    public struct Histogram: Sendable {
        public static let bounds: [Int64] = [
            10, 50, 100, 500, 1000, 5000, 10_000, 50_000, 100_000, 500_000, 1_000_000, 5_000_000,
        ]
        /// One more than there are bounds; each counts what is above the bound before, and not above its own.
        public var counts = [Int](repeating: 0, count: bounds.count + 1)
        public var sum: Int64 = 0

        public var count: Int { counts.reduce(0, +) }

        mutating func note(_ microseconds: Int64) {
            let place = Histogram.bounds.firstIndex { microseconds <= $0 } ?? Histogram.bounds.count
            counts[place] += 1
            sum += microseconds
        }
    }

    mutating func note(_ record: DecisionRecord) {
        outcomes[record.outcome, default: 0] += 1
        reasons[record.reason, default: 0] += 1
        actions[record.action, default: 0] += 1
        if record.error != nil { errors += 1 }
        if let time = record.decideMicroseconds { decide.note(time) }
        if let time = record.actMicroseconds { act.note(time) }
    }
}

extension Dispatcher {
    /// Whether something is in a lane, or waits for one.
    public var hasWork: Bool { backlog.inHand + backlog.queued > 0 }

    /// Waits until nothing is in a lane, or waits for one. What is to be tried again later is not waited for.
    public func waitForLanes() {
        lanes.drain()
        while hasWork {
            // Between the journal and a lane there is a moment.
            usleep(1000)
            lanes.drain()
        }
    }

    public var statistics: Statistics {
        var statistics = figures.withLock { $0 }
        statistics.isRefusing = statistics.isRefusing || !store.isInPlace
        statistics.inHand = backlog.inHand
        statistics.waiting = backlog.queued
        statistics.retrying = backlog.retrying
        statistics.busyLanes = lanes.busyCount
        if let id = backlog.oldest, let since = companions.withLock({ $0[id]?.since }) {
            statistics.oldestWaiting = MonotonicClock.microseconds() - since
        }
        return statistics
    }
}
