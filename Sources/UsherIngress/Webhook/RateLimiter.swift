internal import Synchronization
public import UsherConfiguration
public import UsherSystem
public import UsherText

/// Token buckets, one for each sender: so many requests at once, and so many a second in the long run.
///
/// Senders beyond the capacity push out the one that was quiet for longest; memory is bounded. Safe from any thread; O(1).
public final class RateLimiter: Sendable {
    fileprivate struct Bucket {
        var sender: String
        var tokens: Double
        /// When `tokens` was right.
        var time: MonotonicInstant
        /// Neighbours in the order of use; -1 at the ends.
        var earlier = -1
        var later = -1
    }

    fileprivate struct State {
        var settings: RateSettings
        var indices: [String: Int] = [:]
        var buckets: [Bucket] = []
        var oldest = -1
        var newest = -1
    }

    private let state: Mutex<State>
    private let capacity: Int
    private let clock: @Sendable () -> MonotonicInstant

    public init(
        _ settings: RateSettings, capacity: Int = 4096,
        clock: @escaping @Sendable () -> MonotonicInstant = { MonotonicClock.now }
    ) {
        state = Mutex(State(settings: settings))
        self.capacity = max(1, capacity)
        self.clock = clock
    }

    /// For failed proofs: fifty at once, and five a second in the long run.
    public static func ofFailures(clock: @escaping @Sendable () -> MonotonicInstant = { MonotonicClock.now })
        -> RateLimiter
    {
        var settings = RateSettings()
        settings.perSecond = 5
        settings.burst = 50
        return RateLimiter(settings, clock: clock)
    }

    /// Changes the limits; buckets stay as full as they are.
    public func update(_ settings: RateSettings) { state.withLock { $0.settings = settings } }

    /// Takes one token of a sender.
    ///
    /// - Returns: nil where there was one; else how long it will be until there is one.
    public func consume(_ sender: String) -> Duration? {
        let now = clock()
        return state.withLock { (state) -> Duration? in
            guard state.settings.perSecond > 0 else { return nil }
            let index = state.use(sender, at: now, capacity: capacity)
            return state.buckets[index].consume(at: now, state.settings)
        }
    }

    /// How long a sender has to wait for a token, without taking it; nil where there is one.
    public func wait(of sender: String) -> Duration? {
        let now = clock()
        return state.withLock { state in
            guard state.settings.perSecond > 0, let index = state.indices[sender] else { return nil }
            return state.buckets[index].wait(at: now, state.settings)
        }
    }

    /// How many senders are remembered.
    public var count: Int { state.withLock { $0.indices.count } }
}

extension RateLimiter.Bucket {
    fileprivate mutating func consume(at now: MonotonicInstant, _ settings: RateSettings) -> Duration? {
        if let wait = wait(at: now, settings) { return wait }
        tokens -= 1
        return nil
    }

    /// Fills it up to now.
    fileprivate mutating func wait(at now: MonotonicInstant, _ settings: RateSettings) -> Duration? {
        let elapsed = Double(max(0, now.nanoseconds - time.nanoseconds)) / 1e9
        tokens = min(Double(settings.burst), tokens + elapsed * settings.perSecond)
        time = max(time, now)
        guard tokens < 1 else { return nil }
        return .microseconds(Int64(((1 - tokens) / settings.perSecond * 1_000_000).rounded(.up)))
    }
}

extension RateLimiter.State {
    /// The bucket of a sender, which becomes the newest; a new one is full.
    fileprivate mutating func use(_ sender: String, at now: MonotonicInstant, capacity: Int) -> Int {
        let index: Int
        if let known = indices[sender] {
            index = known
            unlink(index)
        } else {
            let bucket = RateLimiter.Bucket(sender: sender, tokens: Double(settings.burst), time: now)
            if buckets.count < capacity {
                index = buckets.count
                buckets.append(bucket)
            } else {
                index = oldest
                unlink(index)
                indices[buckets[index].sender] = nil
                buckets[index] = bucket
            }
            indices[sender] = index
        }
        buckets[index].earlier = newest
        buckets[index].later = -1
        if newest >= 0 { buckets[newest].later = index } else { oldest = index }
        newest = index
        return index
    }

    private mutating func unlink(_ index: Int) {
        let (earlier, later) = (buckets[index].earlier, buckets[index].later)
        if earlier >= 0 { buckets[earlier].later = later } else { oldest = later }
        if later >= 0 { buckets[later].earlier = earlier } else { newest = earlier }
    }
}
