extension Store {
    /// Which activities are asked for; what is nil does not matter.
    public struct ActivityQuery: Sendable {
        public var app: String?
        public var session: String?
        /// Those that were resigned, too.
        public var includesResigned: Bool
        public var limit: Int

        public init(app: String? = nil, session: String? = nil, includesResigned: Bool = false, limit: Int = 1000) {
            self.app = app
            self.session = session
            self.includesResigned = includesResigned
            self.limit = limit
        }
    }

    /// Activities: the current ones first, the system's before all others, then those kept, then the newest.
    public func activities(_ query: ActivityQuery = ActivityQuery()) throws(StoreError) -> [StoredActivity] {
        try read { (state) throws(StoreError) in try state.activities(query) }
    }

    /// By its id; nil also for a text that is no id.
    public func activity(id: String) throws(StoreError) -> StoredActivity? {
        try read { (state) throws(StoreError) in try state.activity(id: id) }
    }

    /// The one of a session: current, or kept for it.
    public func activity(ofSession session: String) throws(StoreError) -> StoredActivity? {
        try read { (state) throws(StoreError) in try state.activity(ofSession: session) }
    }

    /// The current activity of the session that was active last.
    public func systemCurrentActivity() throws(StoreError) -> StoredActivity? {
        try read { (state) throws(StoreError) in try state.systemCurrentActivity() }
    }

    /// Activities that are eligible for search and have not expired, the best first; none where nothing is asked for.
    public func searchActivities(_ text: String, limit: Int = 20) throws(StoreError) -> [StoredActivity] {
        guard let query = SearchQuery(text) else { return [] }
        let now = options.now()
        return try read { (state) throws(StoreError) in
            try state.searchActivities(query, now: now, limit: limit)
        }
    }
}

extension StoreState {
    package mutating func activities(_ query: Store.ActivityQuery) throws(StoreError) -> [Store.StoredActivity] {
        var conditions: [String] = []
        var values: [SQLiteValue] = []
        // So that the index of those is used.
        if !query.includesResigned { conditions.append("activity.state <> 'resigned'") }
        if let app = query.app {
            conditions.append("activity.app = ?")
            values.append(.text(app))
        }
        if let session = query.session {
            conditions.append("activity.session = ?")
            values.append(.text(session))
        }
        values.append(.integer(Int64(max(0, query.limit))))
        return try activities(
            """
            \(conditions.isEmpty ? "" : "WHERE " + conditions.joined(separator: " AND "))
            ORDER BY CASE activity.state WHEN 'current' THEN 0 WHEN 'kept' THEN 1 ELSE 2 END,
                \(StoreState.activeLast), activity.number DESC LIMIT ?
            """, values)
    }

    package mutating func activity(id: String) throws(StoreError) -> Store.StoredActivity? {
        guard let id = SQLiteValue(identifier: id) else { return nil }
        return try activities("WHERE activity.id = ?", [id]).first
    }

    package mutating func activity(ofSession session: String) throws(StoreError) -> Store.StoredActivity? {
        try activities("WHERE activity.session = ? AND activity.state <> 'resigned'", [.text(session)]).first
    }

    /// The newest of a session, whatever became of it.
    mutating func lastActivity(ofSession session: String) throws(StoreError) -> Store.StoredActivity? {
        try activities("WHERE activity.session = ? ORDER BY activity.number DESC LIMIT 1", [.text(session)]).first
    }

    package mutating func systemCurrentActivity() throws(StoreError) -> Store.StoredActivity? {
        try activities(
            """
            WHERE activity.state <> 'resigned' AND activity.state = 'current'
            ORDER BY \(StoreState.activeLast), activity.number DESC LIMIT 1
            """, []
        ).first
    }

    fileprivate mutating func searchActivities(
        _ query: SearchQuery, now: Int64, limit: Int
    ) throws(StoreError) -> [Store.StoredActivity] {
        var values: [SQLiteValue] = [.integer(now)]
        var conditions = "(activity.expires IS NULL OR activity.expires > ?)"
        for piece in query.pieces {
            conditions += """
                 AND (activity_text.title LIKE ? ESCAPE '\\' OR activity_text.keywords LIKE ? ESCAPE '\\'
                    OR activity_text.attributes LIKE ? ESCAPE '\\')
                """
            values += [.text(piece), .text(piece), .text(piece)]
        }
        var order = "activity.became DESC"
        if let match = query.match {
            conditions += " AND activity_text MATCH ?"
            values.append(.text(match))
            // A word of the title counts for more than one of a description.
            order = "bm25(activity_text, 10.0, 5.0, 1.0), " + order
        }
        values.append(.integer(Int64(max(0, limit))))
        let row = try prepare(
            """
            SELECT \(ActivityReader.columns) FROM activity_text JOIN activity ON activity.number = activity_text.rowid
            WHERE \(conditions) ORDER BY \(order) LIMIT ?
            """, values)
        var found: [Store.StoredActivity] = []
        while try row.step() { found.append(try ActivityReader.activity(from: row, path: path)) }
        return found
    }

    private mutating func activities(
        _ clauses: String, _ values: [SQLiteValue]
    ) throws(StoreError) -> [Store.StoredActivity] {
        let row = try prepare(
            """
            SELECT \(ActivityReader.columns) FROM activity LEFT JOIN session ON session.id = activity.session \(clauses)
            """, values)
        var found: [Store.StoredActivity] = []
        while try row.step() { found.append(try ActivityReader.activity(from: row, path: path)) }
        return found
    }

    /// The order of sessions by their last use; making an activity current is one.
    private static let activeLast = "max(coalesce(session.used, 0), activity.became) DESC"
}
