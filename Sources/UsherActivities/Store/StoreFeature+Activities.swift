internal import UsherScene
public import UsherStore
internal import UsherSystem
internal import UsherText

extension StoreFeature {
    /// What users did and do, as apps say.
    public static let activities = {
        var feature = StoreFeature(mark: "activity", tables: activityTables)
        feature.whenSessionIsLost = """
            UPDATE activity SET state = 'kept', resigned = NEW.changed WHERE session = NEW.id AND state = 'current';
            """
        feature.whenSessionEnds = """
            UPDATE activity SET state = 'resigned',
                resigned = coalesce(resigned, CAST((julianday('now') - 2440587.5) * 86400000000.0 AS INTEGER))
            WHERE session = OLD.id AND state <> 'resigned';
            """
        feature.upgrade.indexes = [
            "activity_of_session", "activity_session", "activity_target", "activity_resigned", "activity_found",
            "activity_expires",
        ]
        feature.upgrade.unchanged = ["activity"]
        feature.upgrade.tables = ["activity", "activity_text"]
        feature.upgrade.copying = """
            INSERT INTO activity_text (rowid, title, keywords, attributes)
            SELECT rowid, title, keywords, attributes FROM old_activity_text;
            """
        feature.tablesOfSessions = ["activity"]
        feature.prune = Store.pruneActivities
        feature.textIndexes = [TextIndex(name: "activity_text", content: "activities")]
        feature.questions = [.init(StoreState.deadActivities)]
        feature.adopt = adopt
        feature.salvaged = [
            SalvagedTable(name: "activity", key: "number"),
            SalvagedTable(name: "activity_text", key: "id", shadow: "activity_text_content"),
        ]
        return feature
    }()

    private static let activityTables = """
        -- MARK: Activities

        -- What users did and do. `document` is the whole activity as a JSON object; the rest is what is looked up by.
        CREATE TABLE activity (
            number INTEGER PRIMARY KEY,
            id BLOB NOT NULL UNIQUE CHECK (length(id) = 16),  -- UUIDv7
            app TEXT NOT NULL,
            session TEXT REFERENCES session (id) ON DELETE SET NULL,
            type TEXT NOT NULL,
            title TEXT,
            target TEXT,
            persistent TEXT,
            webpage TEXT,
            state TEXT NOT NULL CHECK (state = 'resigned' OR state = 'current' OR state = 'kept'),
            needs_save INTEGER NOT NULL,
            is_searchable INTEGER NOT NULL,
            expires INTEGER,
            became INTEGER NOT NULL,
            changed INTEGER NOT NULL,
            resigned INTEGER,
            document BLOB NOT NULL
        ) STRICT;
        -- One a session: current, or kept for it until it is launched again.
        CREATE UNIQUE INDEX activity_of_session ON activity (session) WHERE state <> 'resigned';
        CREATE INDEX activity_session ON activity (session);
        CREATE INDEX activity_target ON activity (target) WHERE target IS NOT NULL;
        CREATE INDEX activity_resigned ON activity (resigned) WHERE state = 'resigned' AND is_searchable = 0;
        -- Those found by a search: of one content in one app, one.
        CREATE INDEX activity_found ON activity (coalesce(target, persistent, webpage), app) WHERE is_searchable = 1;
        CREATE INDEX activity_expires ON activity (expires) WHERE is_searchable = 1 AND expires IS NOT NULL;
        -- Those that may have attributes, a few of all: see `Store.suggestionEvents`. The bytes are "contentAttributeSet",
        -- "mapItem", and what an escaped character of a name begins with.
        CREATE INDEX activity_with_attributes ON activity (number)
            WHERE instr(document, x'22636f6e74656e7441747472696275746553657422') > 0 OR instr(document, x'226d61704974656d22') > 0
                OR instr(document, x'5c75') > 0;
        -- Those that may be ineligible for predictions: see `Store.appUses`. The bytes are "isEligibleForPrediction" and
        -- false.
        CREATE INDEX activity_with_eligibility ON activity (number)
            WHERE instr(document, x'226973456c696769626c65466f7250726564696374696f6e22') > 0
                AND instr(document, x'66616c7365') > 0 OR instr(document, x'5c75') > 0;
        -- Their texts; rowid is activity.number.
        CREATE VIRTUAL TABLE activity_text USING fts5 (
            title, keywords, attributes, tokenize = 'unicode61 remove_diacritics 2');
        """

    private static func adopt(
        _ connection: inout SQLiteConnection, _ outcome: inout StoreRepair.Outcome
    ) throws(StoreError) {
        try outcome.count(
            "activities whose windows are gone were resigned",
            """
            UPDATE activity SET
                state = CASE WHEN session IN (SELECT id FROM session) THEN 'kept' ELSE 'resigned' END,
                resigned = coalesce(resigned, \(Instant.now.microseconds))
            WHERE \(StoreState.deadActivity)
            """, &connection)
        try outcome.count(
            "activities lost their session",
            """
            UPDATE activity SET session = NULL WHERE session IS NOT NULL AND session NOT IN (SELECT id FROM session)
            """, &connection)
    }
}

// MARK: - Age

extension Store {
    /// An activity goes no earlier by age.
    private static let activityDays = 90

    /// How many activities are deleted in one transaction.
    private static let activityBatch: Int64 = 5000

    /// Deletes resigned activities that no search finds, when they are too old or too many.
    fileprivate static func pruneActivities(
        _ store: Store, now: Int64, keeping retention: Retention
    ) throws(StoreError) -> Int {
        try store.forgetExpiredTexts(now)
        let since = Retention.start(of: max(Store.activityDays, retention.historyDays), before: now)
        let batch = Store.activityBatch
        var total = 0
        while true {
            let count = try store.write { (state) throws(StoreError) in
                let last = try state.lastActivity(beyond: retention.historyCount, or: since)
                let old = """
                    number IN (
                        SELECT number FROM activity WHERE state = 'resigned' AND is_searchable = 0
                            AND (resigned, number) <= (?1, ?2) ORDER BY resigned, number LIMIT ?3)
                    """
                let parameters: (SQLiteValue, SQLiteValue) = (.integer(last.resigned), .integer(last.number))
                try state.countTies(ofActivities: old, -1, parameters.0, parameters.1, .integer(batch))
                return try state.run(
                    "DELETE FROM activity WHERE \(old)", parameters.0, parameters.1, .integer(batch))
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

// MARK: - Findings

extension StoreState {
    fileprivate static func deadActivities(_ state: inout StoreState, limit: Int) throws(StoreError) -> [StoreFinding] {
        let count = try state.integer("SELECT count(*) FROM activity WHERE \(StoreState.deadActivity)") ?? 0
        guard count > 0 else { return [] }
        return [
            StoreFinding(
                .warning, .deadActivity,
                "\(count) \(count == 1 ? "activity is" : "activities are") current, and their windows are gone",
                help: StoreFinding.repairs)
        ]
    }

    static let deadActivity = """
        state = 'current'
        AND NOT EXISTS (SELECT 1 FROM session WHERE session.id = activity.session AND session.state <> 'disconnected')
        """
}
