internal import UsherStore
internal import UsherSystem
internal import UsherText

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
    /// When the delivery arrived that has waited longest; nil where none waits.
    var oldestSince: MonotonicInstant?
    /// For how long that one has waited.
    public var oldestWaiting: Duration { oldestSince.map { MonotonicClock.now - $0 } ?? .zero }
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
    var closings: [Store.NotificationState: Int] = [:]

    /// Everything that is open here.
    public var open: Int { inHand + waiting + retrying }
}
