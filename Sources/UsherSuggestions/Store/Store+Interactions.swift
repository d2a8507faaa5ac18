internal import UsherActivities
internal import UsherScene
public import UsherStore
internal import UsherText

extension Store {
    /// An interaction as it is kept. See the table `interaction`.
    public struct StoredInteraction: Sendable, Hashable {
        /// The donor's, or a UUIDv7.
        public var id: String
        public var app: String
        public var intent: String
        /// A JSON array of texts.
        public var participants: String
        public var target: String?
        public var direction: String
        public var outcome: String
        /// The id of an activity, which may be gone.
        public var activity: String?
        /// In microseconds since 1970.
        public var time: Int64
    }

    /// The newest interactions, the newest first.
    public func interactions(limit: Int, app: String? = nil) throws(StoreError) -> [StoredInteraction] {
        try read { (state) throws(StoreError) in
            let values: [SQLiteValue] = [SQLiteValue(app), .integer(Int64(max(0, limit)))]
            return try state.interactions(
                "WHERE app = coalesce(?1, app) ORDER BY time DESC, number DESC LIMIT ?2", values)
        }
    }

    /// Those from a time on, in microseconds since 1970; the oldest first.
    public func interactions(since: Int64) throws(StoreError) -> [StoredInteraction] {
        try read { (state) throws(StoreError) in try state.interactions(since: since) }
    }

    /// Stores interactions, all or none of them, without those of excluded apps and hosts. Of two with the same app and id,
    /// the first stays.
    ///
    /// - Returns: each as it is kept, or as it is where it is not.
    public func donate(_ interactions: [StoredInteraction]) throws(StoreError) -> [StoredInteraction] {
        try write { (state) throws(StoreError) in
            var kept: [StoredInteraction] = []
            for interaction in interactions { kept.append(try state.donate(interaction)) }
            return kept
        }
    }

    /// Deletes interactions by their ids, of all apps that gave these, all or none of them.
    ///
    /// - Returns: how many there were, and the ids that there are not; then nothing was changed.
    public func forgetInteractions(_ ids: [String]) throws(StoreError) -> (count: Int, missing: [String]) {
        try erasing { (state) throws(StoreError) in
            var missing: [String] = []
            for id in ids where try state.integer("SELECT 1 FROM interaction WHERE id = ?", .text(id)) == nil {
                missing.append(id)
            }
            guard missing.isEmpty else { return (0, missing) }
            var count = 0
            for id in ids { count += try state.run("DELETE FROM interaction WHERE id = ?", .text(id)) }
            return (count, [])
        }
    }
}

extension StoreState {
    /// See `Store.interactions(since:)`.
    package mutating func interactions(since: Int64) throws(StoreError) -> [Store.StoredInteraction] {
        try interactions("WHERE time >= ? ORDER BY time, number", [.integer(since)])
    }

    private static let interactionColumns =
        "id, app, intent, participants, target, direction, outcome, activity, time"

    mutating func interactions(
        _ clauses: String, _ values: [SQLiteValue]
    ) throws(StoreError) -> [Store.StoredInteraction] {
        try rows("SELECT \(StoreState.interactionColumns) FROM interaction \(clauses)", values) { row in
            Store.StoredInteraction(
                id: row.text(0), app: row.text(1), intent: row.text(2), participants: row.text(3),
                target: row.optionalText(4), direction: row.text(5), outcome: row.text(6),
                activity: row.optionalBlob(7).flatMap { UUIDv7.text(of: $0) }, time: row.integer(8))
        }
    }

    fileprivate mutating func donate(_ new: Store.StoredInteraction) throws(StoreError) -> Store.StoredInteraction {
        let known = try interactions("WHERE id = ? AND app = ?", [.text(new.id), .text(new.app)]).first
        if let known { return known }
        guard suggestions.takesIn(intent: new.intent), suggestions.includes(app: new.app, [new.target]) else {
            return new
        }
        try run(
            "INSERT INTO interaction (\(StoreState.interactionColumns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            .text(new.id), .text(new.app), .text(new.intent), .text(new.participants), SQLiteValue(new.target),
            .text(new.direction), .text(new.outcome), SQLiteValue(new.activity.flatMap { UUIDv7.bytes(of: $0) }),
            .integer(new.time))
        return new
    }
}
