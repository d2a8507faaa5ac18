internal import UsherScene
internal import UsherSystem
internal import UsherText

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
        guard let session = try session(id: id), session.app.utf8.elementsEqual(app.utf8),
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
        try index(content, app: app, number: number)
        return Store.BecameCurrent(activity: try written(made), previous: previous, isSame: false)
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
        try run(
            """
            UPDATE activity SET type = ?, title = ?, target = ?, persistent = ?, webpage = ?, state = ?,
                needs_save = ?, expires = ?, changed = max(changed + 1, ?), resigned = ?, document = ?
            WHERE number = ?
            """, .text(content.type), SQLiteValue(content.title), SQLiteValue(content.target),
            SQLiteValue(content.persistent), SQLiteValue(content.webpage), .text(state.rawValue),
            .integer(content.needsSave ? 1 : 0), SQLiteValue(content.expires), .integer(options.now()),
            SQLiteValue(state == .current ? nil : now.resigned), .blob(content.document), .integer(number))
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
