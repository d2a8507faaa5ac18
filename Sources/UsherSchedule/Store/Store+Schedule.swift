public import UsherStore
internal import UsherSystem
package import UsherText

extension Store {
    /// A notification that waits for its time. Times are in microseconds since 1970.
    public struct ScheduledNotification: Sendable, Hashable {
        public var id: String
        public var app: String?
        /// When it is due.
        public var next: Int64
        /// The text of a `TimeRule`; nil for once.
        public var rule: String?
        public var created: Int64
        /// As it was given.
        public var payload: [UInt8]
    }

    /// A notification that came.
    public struct FiredNotification: Sendable, Hashable {
        public var id: String
        public var app: String?
        /// When it was to come.
        public var due: Int64
        /// When it came.
        public var time: Int64
        /// The id of the delivery, which may be forgotten.
        public var delivery: String
    }

    /// What may wait: so many, and their payloads together in bytes.
    static let scheduleLimit = (count: 1000, bytes: 64 << 20 as Int64)

    /// Has a notification wait, in the place of one with the same id; false where too much waits already.
    func schedule(_ notification: ScheduledNotification) throws(StoreError) -> Bool {
        try write { (state) throws(StoreError) in
            let others = try state.first(
                "SELECT count(*), sum(length(payload)) FROM scheduled_notification WHERE id <> ?",
                [.text(notification.id)]
            ) { row in (count: row.integer(0), bytes: row.integer(1)) }
            let (count, bytes) = (others?.count ?? 0, others?.bytes ?? 0)
            guard count < Self.scheduleLimit.count,
                bytes + Int64(notification.payload.count) <= Self.scheduleLimit.bytes
            else { return false }
            try state.run(
                """
                INSERT OR REPLACE INTO scheduled_notification (id, app, next, rule, created, payload)
                VALUES (?, ?, ?, ?, ?, ?)
                """, .text(notification.id), SQLiteValue(notification.app), .integer(notification.next),
                SQLiteValue(notification.rule), .integer(notification.created), .blob(notification.payload))
            return true
        }
    }

    /// Those that wait, the next first.
    func scheduledNotifications(app: String?) throws(StoreError) -> [ScheduledNotification] {
        try read { (state) throws(StoreError) in
            try state.scheduled("WHERE ?1 IS NULL OR app = ?1 ORDER BY next, number", [SQLiteValue(app)])
        }
    }

    /// Those that came within `firedDays`, the newest first.
    func firedNotifications(app: String?) throws(StoreError) -> [FiredNotification] {
        try read { (state) throws(StoreError) in
            let since = Retention.start(of: Store.firedDays, before: state.options.now())
            return try state.fired(
                "WHERE (?1 IS NULL OR app = ?1) AND time >= ?2 ORDER BY time DESC, number DESC",
                [SQLiteValue(app), .integer(since)])
        }
    }

    /// When the next is due; nil where none waits.
    func nextScheduled() throws(StoreError) -> Int64? {
        try read { (state) throws(StoreError) in try state.integer("SELECT min(next) FROM scheduled_notification") }
    }

    /// Removes those of these ids, or all.
    ///
    /// - Parameters:
    ///   - ids: nil for all.
    ///   - app: only of this app.
    /// - Returns: what was removed, in the order of the list; or the first id that there is not: then nothing was.
    func removeScheduled(
        _ ids: [String]?, app: String?
    ) throws(StoreError) -> Result<[ScheduledNotification], UnknownNotification> {
        try write { (state) throws(StoreError) in
            try state.remove(from: "scheduled_notification", ids, app: app, order: "next, number") {
                (state, clauses, values) throws(StoreError) in
                try state.scheduled(clauses, values)
            } id: {
                $0.id
            }
        }
    }

    /// The same for those that came.
    func removeFired(
        _ ids: [String]?, app: String?
    ) throws(StoreError) -> Result<[FiredNotification], UnknownNotification> {
        try write { (state) throws(StoreError) in
            try state.remove(from: "fired_notification", ids, app: app, order: "time DESC, number DESC") {
                (state, clauses, values) throws(StoreError) in
                try state.fired(clauses, values)
            } id: {
                $0.id
            }
        }
    }

    /// There is no notification of this id in the list.
    struct UnknownNotification: Error, Hashable {
        var id: String
    }

    /// Makes the next times of rules anew: those of days by the clocks of this process, and those of intervals that are
    /// farther away than the interval, since the clock was set back. What is due already stays.
    func adjustRules(now: Int64, by clock: LocalClock) throws(StoreError) {
        try write { (state) throws(StoreError) in
            let rules = try state.rows(
                "SELECT number, rule, next, fired FROM scheduled_notification WHERE rule IS NOT NULL AND next > ?",
                [.integer(now)]
            ) { row in (number: row.integer(0), rule: row.text(1), next: row.integer(2), fired: row.optionalInteger(3))
            }
            for (number, text, next, fired) in rules {
                guard let rule = TimeRule(text) else { continue }
                var start = now
                if case .days = rule, let fired, fired > now, fired - now <= Store.day {
                    // The clock was set back: a time that was taken does not come again.
                    start = fired
                }
                guard let other = rule.next(after: Instant(microseconds: start), by: clock)?.microseconds else {
                    continue
                }
                if case .interval = rule, other > next { continue }
                if other != next {
                    try state.run(
                        "UPDATE scheduled_notification SET next = ? WHERE number = ?", .integer(other),
                        .integer(number))
                }
            }
        }
    }

    /// Of those that came, how long they are kept.
    private static let firedDays = 30

    static func pruneFired(_ store: Store, now: Int64, keeping retention: Retention) throws(StoreError) -> Int {
        _ = try store.write { (state) throws(StoreError) in
            try state.run(
                "DELETE FROM fired_notification WHERE time < ?",
                .integer(Retention.start(of: firedDays, before: now)))
        }
        return 0
    }
}

extension StoreState {
    fileprivate mutating func scheduled(
        _ clauses: String, _ values: [SQLiteValue]
    ) throws(StoreError) -> [Store.ScheduledNotification] {
        try rows("SELECT id, app, next, rule, created, payload FROM scheduled_notification \(clauses)", values) { row in
            Store.ScheduledNotification(
                id: row.text(0), app: row.optionalText(1), next: row.integer(2), rule: row.optionalText(3),
                created: row.integer(4), payload: row.blob(5))
        }
    }

    fileprivate mutating func fired(
        _ clauses: String, _ values: [SQLiteValue]
    ) throws(StoreError) -> [Store.FiredNotification] {
        try rows("SELECT id, app, due, time, delivery FROM fired_notification \(clauses)", values) { row in
            Store.FiredNotification(
                id: row.text(0), app: row.optionalText(1), due: row.integer(2), time: row.integer(3),
                delivery: row.text(4))
        }
    }

    fileprivate mutating func remove<Row>(
        from table: String, _ ids: [String]?, app: String?, order: String,
        rows: (inout StoreState, String, [SQLiteValue]) throws(StoreError) -> [Row], id: (Row) -> String
    ) throws(StoreError) -> Result<[Row], Store.UnknownNotification> {
        let ofApp = "(?1 IS NULL OR app = ?1)"
        guard let ids else {
            let found = try rows(&self, "WHERE \(ofApp) ORDER BY \(order)", [SQLiteValue(app)])
            try run("DELETE FROM \(table) WHERE \(ofApp)", SQLiteValue(app))
            return .success(found)
        }
        // All are looked at before any goes.
        var found: [Row] = []
        for wanted in ids where !found.contains(where: { id($0).utf8.elementsEqual(wanted.utf8) }) {
            let row = try rows(&self, "WHERE \(ofApp) AND id = ?2", [SQLiteValue(app), .text(wanted)]).first
            guard let row else { return .failure(Store.UnknownNotification(id: wanted)) }
            found.append(row)
        }
        for row in found { try run("DELETE FROM \(table) WHERE id = ?", .text(id(row))) }
        return .success(found)
    }

    /// Takes notifications that are due out of their wait, the one that is due longest first: no other call gets them. A
    /// rule waits for its next time after `now`.
    ///
    /// - Parameters:
    ///   - now: in microseconds since 1970.
    ///   - bytes: of payloads; one alone may have more.
    package mutating func takeDueNotifications(
        now: Int64, limit: Int, bytes: Int, by clock: LocalClock
    ) throws(StoreError) -> [(Store.ScheduledNotification, delivery: String)] {
        let due = try rows(
            "SELECT number, length(payload) FROM scheduled_notification WHERE next <= ? ORDER BY next, number LIMIT ?",
            [.integer(now), .integer(Int64(limit))]
        ) { row in (number: row.integer(0), bytes: Int(row.integer(1))) }
        var taken: [(Store.ScheduledNotification, delivery: String)] = []
        var total = 0
        for (number, size) in due {
            total += size
            if !taken.isEmpty, total > bytes { break }
            guard let one = try scheduled("WHERE number = ?", [.integer(number)]).first else { continue }
            let next = one.rule.flatMap { TimeRule($0) }?.next(
                after: Instant(microseconds: now), from: Instant(microseconds: one.next), by: clock)
            if let next {
                try run(
                    "UPDATE scheduled_notification SET next = ?, fired = ? WHERE number = ?",
                    .integer(next.microseconds), .integer(now), .integer(number))
            } else {
                try run("DELETE FROM scheduled_notification WHERE number = ?", .integer(number))
            }
            let delivery = UUIDv7.next()
            try run(
                "INSERT OR REPLACE INTO fired_notification (id, app, due, time, delivery) VALUES (?, ?, ?, ?, ?)",
                .text(one.id), SQLiteValue(one.app), .integer(one.next), .integer(now), .text(delivery))
            taken.append((one, delivery: delivery))
        }
        return taken
    }
}
