public import UsherScene
public import UsherStore
internal import UsherSystem
internal import UsherText

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
        return try activities(
            from: "activity_text JOIN activity ON activity.number = activity_text.rowid",
            "WHERE \(conditions) ORDER BY \(order) LIMIT ?", values)
    }

    package mutating func activities(
        from tables: String = "activity LEFT JOIN session ON session.id = activity.session",
        _ clauses: String, _ values: [SQLiteValue]
    ) throws(StoreError) -> [Store.StoredActivity] {
        let path = path
        return try rows("SELECT \(ActivityReader.columns) FROM \(tables) \(clauses)", values) {
            (row) throws(StoreError) in try ActivityReader.activity(from: row, path: path)
        }
    }

    /// The order of sessions by their last use; making an activity current is one.
    private static let activeLast = "max(coalesce(session.used, 0), activity.became) DESC"
}

// MARK: - Activity changes

/// What is told each time that an activity becomes current, in the same transaction: for a feature that collects uses.
package struct ActivityUses: StoreValue, Sendable {
    /// - Parameters:
    ///   - number: of its row.
    ///   - kinds: the kinds of suggestions that its attributes can be offered in.
    package typealias Observer =
        @Sendable (
            _ number: Int64, Store.StoredActivity, _ kinds: Set<SuggestionKind>, inout StoreState
        ) throws(StoreError) -> Void

    package static var initial: ActivityUses? { nil }
    fileprivate let note: Observer

    package init(_ note: @escaping Observer) { self.note = note }
}

extension Store {
    /// What came of making an activity current.
    public struct BecameCurrent: Sendable {
        public var activity: StoredActivity
        /// The session's activity before; nil where it is its first.
        public var previous: StoredActivity?
        /// Whether it is the very activity that was current already: it was only noted as active again.
        public var isSame: Bool
    }

    /// Makes an activity the current one of a session; the one before is resigned.
    ///
    /// The same document again is the same activity. nil when there is no such session of this app, or it is disconnected.
    ///
    /// - Parameter process: the process that the window of the session belongs to; nil leaves the known process
    ///   unchanged.
    public func becomeCurrent(
        _ content: ActivityContent, app: String, session: String, process: SessionProcess? = nil
    ) throws(StoreError) -> BecameCurrent? {
        try write { (state) throws(StoreError) in
            try state.becomeCurrent(content, app: app, session: session, process: process)
        }
    }

    /// Writes an activity anew; nil when it changed since, or is gone.
    ///
    /// One that is kept is current again when its session has been launched again.
    ///
    /// - Parameter expected: the value that the new content was made from.
    public func update(
        _ expected: StoredActivity, to content: ActivityContent
    ) throws(StoreError) -> StoredActivity? {
        try write { (state) throws(StoreError) in try state.update(expected, to: content) }
    }

    /// Resigns the activity of a session, current or kept: as it is now; nil where it has none.
    public func resign(session: String) throws(StoreError) -> StoredActivity? {
        try write { (state) throws(StoreError) in try state.resign(session: session) }
    }
}

extension StoreState {
    package mutating func becomeCurrent(
        _ content: Store.ActivityContent, app: String, session id: String, process: Store.SessionProcess?
    ) throws(StoreError) -> Store.BecameCurrent? {
        guard let session = try session(id: id), session.app.hasSameBytes(as: app),
            session.state != .disconnected
        else { return nil }
        if let process { try setProcess(process, ofSession: id) }
        let now = options.now()
        guard let became = try integer("UPDATE store SET used = max(used + 1, ?) RETURNING used", .integer(now)) else {
            throw .unreadable("the time of the last use is missing", path: path)
        }
        let previous = try lastActivity(ofSession: id)
        if let previous, previous.state == .current, previous.document == content.document,
            let number = try number(ofActivity: previous.id)
        {
            try run("UPDATE activity SET became = ? WHERE number = ?", .integer(became), .integer(number))
            let activity = try written(previous.id)
            try values[ActivityUses.self]?.note(number, activity, content.kinds, &self)
            return Store.BecameCurrent(activity: activity, previous: previous, isSame: true)
        }
        try run(
            """
            UPDATE activity SET state = 'resigned', resigned = coalesce(resigned, ?)
            WHERE session = ? AND state <> 'resigned'
            """, .integer(now), .text(id))
        let made = UUIDv7.next()
        let number = try integer(
            """
            INSERT INTO activity (id, app, session, type, title, target, persistent, webpage, state, needs_save,
                is_searchable, expires, became, changed, document)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'current', ?, 0, ?, ?, ?, ?) RETURNING number
            """, SQLiteValue(identifier: made) ?? .null, .text(app), .text(id), .text(content.type),
            SQLiteValue(content.title), SQLiteValue(content.target), SQLiteValue(content.persistent),
            SQLiteValue(content.webpage), .integer(content.needsSave ? 1 : 0), SQLiteValue(content.expires),
            .integer(became), .integer(now), .blob(content.document))
        guard let number else { throw .unreadable("an activity got no number", path: path) }
        try countTies(ofActivities: "number = ?1", 1, .integer(number))
        try index(content, app: app, number: number)
        let activity = try written(made)
        try values[ActivityUses.self]?.note(number, activity, content.kinds, &self)
        return Store.BecameCurrent(activity: activity, previous: previous, isSame: false)
    }

    package mutating func update(
        _ expected: Store.StoredActivity, to content: Store.ActivityContent
    ) throws(StoreError) -> Store.StoredActivity? {
        guard let now = try activity(id: expected.id), now.changed == expected.changed, now.state == expected.state,
            let number = try number(ofActivity: now.id)
        else { return nil }
        var state = now.state
        if state == .kept, let id = now.session, let session = try session(id: id), session.state != .disconnected {
            state = .current
        }
        // A change of the title alone ties nothing else, and empties no cache of redirects.
        let hasSameTies =
            content.type.hasSameBytes(as: now.type) && content.target.hasSameBytes(as: now.target)
            && content.persistent.hasSameBytes(as: now.persistent)
            && content.webpage.hasSameBytes(as: now.webpage)
        if !hasSameTies { try countTies(ofActivities: "number = ?1", -1, .integer(number)) }
        try run(
            """
            UPDATE activity SET type = ?, title = ?, target = ?, persistent = ?, webpage = ?, state = ?,
                needs_save = ?, expires = ?, changed = max(changed + 1, ?), resigned = ?, document = ?
            WHERE number = ?
            """, .text(content.type), SQLiteValue(content.title), SQLiteValue(content.target),
            SQLiteValue(content.persistent), SQLiteValue(content.webpage), .text(state.rawValue),
            .integer(content.needsSave ? 1 : 0), SQLiteValue(content.expires), .integer(options.now()),
            SQLiteValue(state == .current ? nil : now.resigned), .blob(content.document), .integer(number))
        if !hasSameTies { try countTies(ofActivities: "number = ?1", 1, .integer(number)) }
        try index(content, app: now.app, number: number)
        return try written(now.id)
    }

    package mutating func resign(session: String) throws(StoreError) -> Store.StoredActivity? {
        guard let activity = try activity(ofSession: session) else { return nil }
        try run(
            "UPDATE activity SET state = 'resigned', resigned = coalesce(resigned, ?) WHERE id = ?",
            .integer(options.now()), SQLiteValue(identifier: activity.id) ?? .null)
        return try written(activity.id)
    }

    /// Writes the search's texts of an activity anew. It takes the place of what the same app said of the same content.
    private mutating func index(
        _ content: Store.ActivityContent, app: String, number: Int64
    ) throws(StoreError) {
        try run("DELETE FROM activity_text WHERE rowid = ?", .integer(number))
        try run("UPDATE activity SET is_searchable = 0 WHERE number = ? AND is_searchable = 1", .integer(number))
        guard let text = content.searchText, let subject = content.subject else { return }
        let same = "coalesce(target, persistent, webpage) = ? AND app = ? AND is_searchable = 1"
        try run(
            "DELETE FROM activity_text WHERE rowid IN (SELECT number FROM activity WHERE \(same))", .text(subject),
            .text(app))
        try run("UPDATE activity SET is_searchable = 0 WHERE \(same)", .text(subject), .text(app))
        try run("UPDATE activity SET is_searchable = 1 WHERE number = ?", .integer(number))
        try run(
            "INSERT INTO activity_text (rowid, title, keywords, attributes) VALUES (?, ?, ?, ?)", .integer(number),
            .text(text.title), .text(text.keywords), .text(text.attributes))
    }

    private mutating func number(ofActivity id: String) throws(StoreError) -> Int64? {
        try integer("SELECT number FROM activity WHERE id = ?", SQLiteValue(identifier: id) ?? .null)
    }

    private mutating func written(_ id: String) throws(StoreError) -> Store.StoredActivity {
        guard let activity = try activity(id: id) else {
            throw .unreadable("activity \(id) is missing", path: path)
        }
        return activity
    }
}

extension Store {
    /// A user activity as it is kept. See the table `activity`.
    public struct StoredActivity: Sendable {
        public enum State: String, Sendable, CaseIterable {
            /// The one of its session.
            case current
            /// Its session lost its window or process: it is handed back when that is launched again.
            case kept
            case resigned
        }

        /// A UUIDv7, 36 characters.
        public var id: String
        public var app: String
        /// nil once the session was closed.
        public var session: String?
        public var state: State
        public var type: String
        public var title: String?
        public var target: String?
        public var persistent: String?
        public var webpage: String?
        /// Whether `userInfo` is older than what the app has. The app is asked for the newer value when it is needed.
        public var needsSave: Bool
        /// Whether a search finds it, as long as it has not expired.
        public var isSearchable: Bool
        public var expires: Int64?
        /// When it last became current: later than any session was used before, even if the clock went back.
        public var became: Int64
        /// When it was last written: later each time.
        public var changed: Int64
        public var resigned: Int64?
        /// The whole activity, a JSON object, as it was given.
        public var document: [UInt8]

        /// Which content it is about: the first of its three durable identifiers.
        public var subject: String? { target ?? persistent ?? webpage }

        /// Each of them once, the preferred first.
        public var identifiers: [String] {
            var list: [String] = []
            for case let id? in [target, persistent, webpage]
            where !list.contains(where: { $0.hasSameBytes(as: id) }) {
                list.append(id)
            }
            return list
        }
    }

    /// What is kept of an activity beside its circumstances.
    public struct ActivityContent: Sendable {
        public var type: String
        public var title: String?
        public var target: String?
        public var persistent: String?
        public var webpage: String?
        public var needsSave = false
        /// What a search finds it by; nil where it is not eligible for one.
        public var searchText: ActivitySearchText?
        /// The kinds of suggestions that its attributes can be offered in.
        public var kinds: Set<SuggestionKind> = []
        /// In microseconds since 1970.
        public var expires: Int64?
        /// A JSON object.
        public var document: [UInt8]

        public init(type: String, document: [UInt8]) {
            self.type = type
            self.document = document
        }

        var subject: String? { target ?? persistent ?? webpage }
    }

    public struct ActivitySearchText: Sendable {
        public var title: String
        public var keywords: String
        /// The texts of `contentAttributeSet`.
        public var attributes: String
    }
}

/// Makes activities from rows.
package enum ActivityReader {
    package static let columns = """
        activity.id, activity.app, activity.session, activity.state, activity.type, activity.title, activity.target, \
        activity.persistent, activity.webpage, activity.needs_save, activity.is_searchable, activity.expires, \
        activity.became, activity.changed, activity.resigned, activity.document
        """
    package static let columnCount: Int32 = 16

    package static func activity(from row: borrowing Statement, path: String) throws(StoreError) -> Store.StoredActivity
    {
        let id = try row.identifier(0)
        guard let state = Store.StoredActivity.State(rawValue: row.text(3)) else {
            throw .unreadable("activity \(id) has no known state", path: path)
        }
        return Store.StoredActivity(
            id: id, app: row.text(1), session: row.optionalText(2), state: state, type: row.text(4),
            title: row.optionalText(5), target: row.optionalText(6), persistent: row.optionalText(7),
            webpage: row.optionalText(8), needsSave: row.integer(9) != 0, isSearchable: row.integer(10) != 0,
            expires: row.optionalInteger(11), became: row.integer(12), changed: row.integer(13),
            resigned: row.optionalInteger(14), document: row.blob(15))
    }
}
