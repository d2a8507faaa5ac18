extension Store {
    /// How much is kept.
    public struct Retention: Sendable, Hashable {
        /// Disconnected sessions of one app: the ones that would be chosen first.
        public var sessionsPerApp: Int
        public var sessionDays: Int
        public var deliveries: Int
        public var deliveryDays: Int
        /// How much room deliveries may take before the oldest go, in megabytes: about, and in a store that is larger.
        public var megabytes: Int
        /// Resigned activities that no search finds. Notes, links and redirects are kept for ever.
        public var activities = 10_000
        public var activityDays = 90

        public static let `default` = Retention(
            sessionsPerApp: 100, sessionDays: 30, deliveries: 100_000, deliveryDays: 30)

        public init(
            sessionsPerApp: Int, sessionDays: Int, deliveries: Int, deliveryDays: Int, megabytes: Int = 512
        ) {
            self.megabytes = megabytes
            self.sessionsPerApp = sessionsPerApp
            self.sessionDays = sessionDays
            self.deliveries = deliveries
            self.deliveryDays = deliveryDays
        }
    }

    public struct Pruned: Sendable, Hashable {
        public var sessions = 0
        public var deliveries = 0
        public var conditions = 0
        public var activities = 0
    }

    /// Forgets what is old: disconnected sessions that nothing has changed for a while, finished deliveries, conditions
    /// that no session has. What is open stays. In several transactions, so that nobody waits long.
    ///
    /// - Parameter now: what age is measured by, in microseconds since 1970; `age()` where nil.
    @discardableResult
    public func prune(now: Int64? = nil, keeping retention: Retention = .default) throws(StoreError) -> Pruned {
        let now = if let now { now } else { try age() }
        let day: Int64 = 86_400_000_000
        let sessionsSince = now.subtractingReportingOverflow(day.multipliedClamped(by: retention.sessionDays))
            .partialValue
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
            // A launch that nobody carries out any more: its session would be waited for by everybody.
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
        pruned.activities = try pruneActivities(now: now, keeping: retention)
        pruned.conditions = try write { (state) throws(StoreError) in
            state.forgetConditions()
            return try state.run(
                "DELETE FROM condition WHERE id NOT IN (SELECT can FROM session UNION SELECT prefers FROM session)")
        }
        return pruned
    }

    /// How many activities are forgotten in one transaction.
    private static let activityBatch: Int64 = 5000

    /// Forgets resigned activities that no search finds, when they are too old or too many.
    private func pruneActivities(now: Int64, keeping retention: Retention) throws(StoreError) -> Int {
        try forgetExpiredTexts(now)
        let day: Int64 = 86_400_000_000
        let since =
            now.subtractingReportingOverflow(day.multipliedClamped(by: retention.activityDays)).partialValue
        let batch = Store.activityBatch
        var total = 0
        while true {
            let count = try write { (state) throws(StoreError) in
                let last = try state.lastActivity(beyond: retention.activities, or: since)
                return try state.run(
                    """
                    DELETE FROM activity WHERE number IN (
                        SELECT number FROM activity WHERE state = 'resigned' AND is_searchable = 0
                            AND (resigned, number) <= (?, ?) ORDER BY resigned LIMIT ?)
                    """, .integer(last.resigned), .integer(last.number), .integer(batch))
            }
            total += count
            if count < batch { return total }
        }
    }

    /// No search finds an activity that has expired: its words are not needed any more.
    private func forgetExpiredTexts(_ now: Int64) throws(StoreError) {
        let batch = Store.activityBatch
        let expired = "SELECT number FROM activity WHERE is_searchable = 1 AND expires <= ? ORDER BY expires LIMIT ?"
        var count = batch
        while count == batch {
            count = try write { (state) throws(StoreError) in
                try state.run(
                    "DELETE FROM activity_text WHERE rowid IN (\(expired))", .integer(now), .integer(batch))
                return Int64(
                    try state.run(
                        "UPDATE activity SET is_searchable = 0 WHERE number IN (\(expired))", .integer(now),
                        .integer(batch)))
            }
        }
    }

    /// Forgets finished deliveries that are too old or too many; how many there were. Cheap where there are none: it
    /// reads only what it deletes.
    @discardableResult
    public func pruneDeliveries(
        now: Int64? = nil, keeping retention: Retention = .default
    ) throws(StoreError) -> Int {
        let day: Int64 = 86_400_000_000
        let now = if let now { now } else { try age() }
        let since =
            now
            .subtractingReportingOverflow(day.multipliedClamped(by: retention.deliveryDays)).partialValue
        let batch = 5000
        var total = 0
        for (condition, bound) in [
            // Up to the first that is young enough: they are in the order of arrival.
            (
                "accepted < ?1 AND number < (SELECT coalesce(min(number), 9223372036854775807) FROM delivery "
                    + "WHERE accepted >= ?1)", since
            ),
            ("number <= (SELECT max(number) FROM delivery) - ?1", Int64(retention.deliveries)),
        ] {
            while true {
                let count = try write { (state) throws(StoreError) in
                    try state.run(
                        """
                        DELETE FROM delivery WHERE number IN (
                            SELECT number FROM delivery
                            WHERE \(condition) AND finished IS NOT NULL LIMIT ?2)
                        """, .integer(bound), .integer(Int64(batch)))
                }
                total += count
                if count < batch { break }
            }
        }
        return try total + pruneBytes(keeping: retention)
    }

    /// What a delivery takes beside its three long texts: ids, names, indexes.
    private static let rowBytes: Int64 = 600

    /// Forgets the oldest finished deliveries until they are small enough, or none is left.
    private func pruneBytes(keeping retention: Retention) throws(StoreError) -> Int {
        let limit = (1 << 20 as Int64).multipliedClamped(by: max(0, retention.megabytes))
        var total = 0
        while true {
            let count = try write { (state) throws(StoreError) -> Int in
                // What is in use, and not the file: that shrinks no more.
                let pages =
                    try (state.integer("PRAGMA page_count") ?? 0) - (state.integer("PRAGMA freelist_count") ?? 0)
                let whole = pages * (try state.integer("PRAGMA page_size") ?? 0)
                guard whole > limit else { return 0 }
                let rows = try state.integer("SELECT count(*) FROM delivery") ?? 0
                // Notes and links are no reason to forget deliveries. Reading all of these would take long: some, the oldest
                // and the newest, stand for the others.
                let each = try state.integer(
                    """
                    SELECT CAST(avg(length(input) + length(CAST(coalesce(record, '') AS BLOB))
                        + length(CAST(coalesce(explanation, '') AS BLOB))) AS INTEGER)
                    FROM delivery WHERE number IN (SELECT number FROM delivery ORDER BY number LIMIT 200)
                        OR number IN (SELECT number FROM delivery ORDER BY number DESC LIMIT 200)
                    """)
                let size = min(whole, rows * (Store.rowBytes + (each ?? 0)))
                guard size > limit else { return 0 }
                // A batch of a size that cannot forget much more than it must.
                let excess = Double(size - limit) / Double(max(1, size))
                let batch = max(16, min(5000, Int64(Double(rows) * excess / 2)))
                return try state.run(
                    """
                    DELETE FROM delivery WHERE number IN (
                        SELECT number FROM delivery
                        WHERE finished IS NOT NULL ORDER BY number LIMIT ?)
                    """, .integer(batch))
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

extension StoreState {
    /// The newest of the resigned activities that are to be forgotten: those beyond so many, and those before a time.
    fileprivate mutating func lastActivity(
        beyond count: Int, or since: Int64
    ) throws(StoreError) -> (resigned: Int64, number: Int64) {
        let row = try prepare(
            """
            SELECT resigned, number FROM activity WHERE state = 'resigned' AND is_searchable = 0
            ORDER BY resigned DESC, number DESC LIMIT 1 OFFSET ?
            """, [.integer(Int64(max(0, count)))])
        if try row.step(), row.integer(0) >= since { return (row.integer(0), row.integer(1)) }
        return (since.subtractingReportingOverflow(1).partialValue, .max)
    }
}
