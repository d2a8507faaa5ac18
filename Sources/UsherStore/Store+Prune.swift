extension Store {
    /// How much is kept.
    public struct Retention: Sendable, Hashable {
        /// Disconnected sessions of one app: the ones that would be chosen first.
        public var sessionsPerApp: Int
        public var sessionDays: Int
        public var deliveries: Int
        public var deliveryDays: Int
        /// How much room finished deliveries may take before the oldest go, in megabytes.
        public var megabytes: Int = 512
        /// How many rows of a feature's history are kept.
        public var historyCount = 10_000
        /// For how long features keep what was done.
        public var historyDays = 30

        public static let `default` = Retention(
            sessionsPerApp: 100, sessionDays: 30, deliveries: 100_000, deliveryDays: 30)

        /// The time so many days before another one, in microseconds since 1970.
        package static func start(of days: Int, before now: Int64) -> Int64 {
            now.subtractingReportingOverflow(Store.day.multipliedClamped(by: days)).partialValue
        }

        /// `megabytes`, in bytes.
        var bytes: Int64 { (1 << 20 as Int64).multipliedClamped(by: max(0, megabytes)) }
    }

    public struct Pruned: Sendable, Hashable {
        public var sessions = 0
        public var deliveries = 0
        public var conditions = 0
        /// What the features have counted.
        public var ofFeatures = 0
    }

    /// Deletes what is old: disconnected sessions that nothing has changed for a while, finished deliveries, conditions
    /// that neither a session nor evidence has. What is open stays. In several transactions, so that no other change waits long.
    ///
    /// - Parameter now: what age is measured by, in microseconds since 1970; `age()` where nil.
    @discardableResult
    public func prune(now: Int64? = nil, keeping retention: Retention = .default) throws(StoreError) -> Pruned {
        let now = if let now { now } else { try age() }
        let sessionsSince = Retention.start(of: retention.sessionDays, before: now)
        var pruned = Pruned()
        pruned.sessions = try write { (state) throws(StoreError) in
            let count = try state.run(
                """
                DELETE FROM session WHERE number IN (
                    SELECT number FROM (
                        SELECT number, id, changed,
                            row_number() OVER (PARTITION BY app ORDER BY used DESC, created DESC, id) AS place
                        FROM session WHERE state = 'disconnected')
                    WHERE (place > ? OR changed < ?) AND id NOT IN (
                        SELECT session FROM delivery
                        WHERE finished IS NULL AND session IS NOT NULL))
                """, .integer(Int64(retention.sessionsPerApp)), .integer(sessionsSince))
            // The launch of such a session is no longer carried out by any process. Callers would wait for the session
            // for ever.
            let orphans = try state.run(
                """
                UPDATE session SET state = 'disconnected' WHERE state = 'connecting' AND id NOT IN (
                    SELECT session FROM delivery
                    WHERE finished IS NULL AND session IS NOT NULL)
                """)
            if count + orphans > 0 { _ = try state.nextGeneration() }
            return count
        }
        pruned.deliveries = try pruneDeliveries(now: now, keeping: retention)
        for feature in options.schema.features { pruned.ofFeatures += try feature.prune?(self, now, retention) ?? 0 }
        pruned.conditions = try write { (state) throws(StoreError) in
            try state.sweepEvidence()
            return try state.run(
                """
                DELETE FROM condition WHERE id NOT IN (
                    SELECT can FROM session UNION SELECT prefers FROM session
                    UNION SELECT can FROM session_version UNION SELECT prefers FROM session_version)
                """)
        }
        return pruned
    }

    /// Deletes finished deliveries that are too old, too many or too large; how many there were. Cheap where there are none:
    /// it reads only what it deletes.
    @discardableResult
    public func pruneDeliveries(
        now: Int64? = nil, keeping retention: Retention = .default
    ) throws(StoreError) -> Int {
        let now = if let now { now } else { try age() }
        let since = Retention.start(of: retention.deliveryDays, before: now)
        let batch = 5000
        var total = 0
        // Up to the first that is young enough: they are in the order of arrival.
        let old =
            "accepted < ?1 AND number < (SELECT coalesce(min(number), 9223372036854775807) FROM delivery WHERE accepted >= ?1)"
        while true {
            let count = try write { (state) throws(StoreError) in
                try state.run(
                    """
                    DELETE FROM delivery WHERE number IN (
                        SELECT number FROM delivery WHERE \(old) AND finished IS NOT NULL LIMIT ?2)
                    """, .integer(since), .integer(Int64(batch)))
            }
            total += count
            if count < batch { break }
        }
        while true {
            let count = try write { (state) throws(StoreError) -> Int in
                state.firstFinished = 0
                let excess = try state.readTotals().keptCount - Int64(retention.deliveries)
                guard excess > 0 else { return 0 }
                return try state.run(
                    """
                    DELETE FROM delivery WHERE number IN (
                        SELECT number FROM delivery WHERE finished IS NOT NULL ORDER BY number LIMIT ?)
                    """, .integer(min(excess, Int64(batch))))
            }
            total += count
            if count == 0 { break }
        }
        return try total + pruneBytes(keeping: retention)
    }

    /// Deletes the oldest finished deliveries until they are small enough, or none is left.
    private func pruneBytes(keeping retention: Retention) throws(StoreError) -> Int {
        let limit = retention.bytes
        var total = 0
        while true {
            let count = try write { (state) throws(StoreError) -> Int in
                state.firstFinished = 0
                let excess = try state.readTotals().keptBytes - limit
                guard excess > 0 else { return 0 }
                // Up to the one with which it is enough.
                return try state.run(
                    """
                    DELETE FROM delivery WHERE number IN (
                        SELECT number FROM (
                            SELECT number, sum(bytes) OVER (ORDER BY number) - bytes AS before FROM (
                                SELECT number, bytes FROM delivery
                                WHERE finished IS NOT NULL ORDER BY number LIMIT 5000))
                        WHERE before < ?)
                    """, .integer(excess))
            }
            total += count
            if count == 0 { return total }
        }
    }
}

extension Int64 {
    /// The product, or the end of the range that it would be beyond.
    fileprivate func multipliedClamped(by factor: Int) -> Int64 {
        let (product, overflow) = multipliedReportingOverflow(by: Int64(factor))
        return overflow ? ((self < 0) == (factor < 0) ? .max : .min) : product
    }
}
