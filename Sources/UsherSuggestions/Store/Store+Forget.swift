internal import UsherActivities
internal import UsherScene
public import UsherStore
internal import UsherText

extension Store {
    /// What is to be deleted: rows to which all that is not nil applies; all rows where everything is nil.
    public struct Forgetting: Sendable {
        public var app: String?
        /// An app, or the host of a page.
        public var source: String?
        /// Nothing from before that, in microseconds since 1970.
        public var since: Int64?

        /// Whether neither an app nor a source is given.
        public var isGeneral: Bool { app == nil && source == nil }

        /// Whether something of this app, with these identifiers, is meant.
        fileprivate func includes(app: String?, _ identifiers: [String?]) -> Bool {
            if let wanted = self.app, app?.hasSameBytes(as: wanted) != true { return false }
            guard let source else { return true }
            return app?.hasSameBytes(as: source) == true || identifiers.contains { $0.map(isAtSource) ?? false }
        }

        /// Whether a text is the app, the source, or an address at it.
        public func isNamed(_ text: String) -> Bool {
            app?.hasSameBytes(as: text) == true || source?.hasSameBytes(as: text) == true || isAtSource(text)
        }

        private func isAtSource(_ identifier: String) -> Bool {
            guard let source else { return false }
            return TargetContentIdentifier(identifier).webHost?.host == source.lowercased()
        }
    }

    public struct Forgotten: Sendable, Hashable {
        /// How often an activity became current.
        public var events = 0
        public var interactions = 0
        public var contacts = 0
        public var reminders = 0
        /// Deliveries of these that are not finished, by their ids: they stay.
        public var unfinished: [String] = []
        /// Disconnected sessions about it, by their ids: they stay.
        public var sessions: [String] = []
        /// How many sessions that have a window, or get one, keep a target or title about it.
        public var openSessions = 0
        /// How many other requests about it the journal keeps.
        public var otherDeliveries = 0
        /// The identifiers of all that was forgotten.
        public var identifiers: Set<String> = []
        /// The nonces of the attempts that are being carried out.
        public var openNonces: [String] = []
    }

    /// Deletes events with their activities, interactions, contacts, reminders and signals, the finished deliveries that
    /// carried them, and earlier versions of sessions. Nothing of that is left in the file. Links of notes stay.
    ///
    /// Contacts and signals belong to no app: they are deleted only where neither an app nor a source is given.
    ///
    /// - Parameter isRehearsal: only counts.
    public func forget(_ what: Forgetting, isRehearsal: Bool = false) throws(StoreError) -> Forgotten {
        if isRehearsal { return try read { (state) throws(StoreError) in try state.traces(of: what).counts } }
        return try erasing { (state) throws(StoreError) in
            let traces = try state.traces(of: what)
            try state.remove(traces)
            return traces.counts
        }
    }

    /// Makes a change after which nothing of the removed rows is left in the file or in its log.
    func erasing<Result: Sendable>(
        _ body: @escaping @Sendable (inout StoreState) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        let result = try write { (state) throws(StoreError) in
            let result = try body(&state)
            // Full-text indexes keep the words of what was deleted until they are merged.
            try state.run("INSERT INTO activity_text (activity_text) VALUES ('optimize')")
            return result
        }
        compact()
        return result
    }
}

/// The rows that are to be deleted, by their first columns.
private struct Traces {
    var counts = Store.Forgotten()
    var rows: [(table: String, numbers: [Int64])] = []
}

extension StoreState {
    /// What was handed on of suggestions: activities that were continued, what was performed, reminders that were shown.
    private static let isOfSuggestions = """
        (source IN ('activity', 'perform', 'reminder', 'suggestion') OR format IS 'activity' OR coalesce(
            parent IN (SELECT id FROM delivery WHERE source IN ('reminder', 'suggestion')), 0))
        """

    fileprivate mutating func traces(of what: Store.Forgetting) throws(StoreError) -> Traces {
        var traces = Traces()
        var identifiers: Set<String> = []
        let since = SQLiteValue.integer(what.since ?? .min)
        /// The rows that are meant: their first column, then the app, then identifiers.
        func rows<Key>(
            _ query: String, _ state: inout StoreState, _ values: [SQLiteValue], key: (borrowing Statement) -> Key
        ) throws(StoreError) -> [Key] {
            let row = try state.prepare(query, [since] + values)
            var keys: [Key] = []
            while try row.step() {
                let found = (2..<Int32(row.columns)).map { row.optionalText($0) }
                guard what.includes(app: row.optionalText(1), found) else { continue }
                keys.append(key(row))
                identifiers.formUnion(found.compactMap(\.self))
            }
            return keys
        }
        func numbers(
            _ query: String, _ state: inout StoreState, _ values: SQLiteValue...
        ) throws(StoreError) -> [Int64] {
            try rows(query, &state, values) { $0.integer(0) }
        }
        func ids(_ query: String, _ state: inout StoreState) throws(StoreError) -> [String] {
            try rows(query, &state, []) { $0.text(0) }
        }
        let uses = try numbers(
            """
            SELECT u.number, u.app, a.webpage, a.target, a.persistent
            FROM activity_use AS u JOIN activity AS a ON a.number = u.activity WHERE u.time >= ?
            """, &self)
        // An activity that was used before stays.
        let activities = try numbers(
            """
            SELECT number, app, webpage, target, persistent FROM activity WHERE became >= ?1
                AND NOT EXISTS (SELECT 1 FROM activity_use WHERE activity = activity.number AND time < ?1)
            """, &self)
        let interactions = try numbers(
            """
            SELECT i.number, i.app, i.target, a.webpage, a.target
            FROM interaction AS i LEFT JOIN activity AS a ON a.id = i.activity
            WHERE i.time >= ?
            """, &self)
        let reminders = try numbers(
            "SELECT number, app, webpage, target, when_opens FROM reminder WHERE created >= ?", &self)
        let isGeneral = what.isGeneral
        let contacts = isGeneral ? try numbers("SELECT number, NULL FROM contact WHERE imported >= ?", &self) : []
        let signals = isGeneral ? try numbers("SELECT number, NULL FROM signal_event WHERE time >= ?", &self) : []
        let deliveries = try numbers(
            """
            SELECT number, app, target, resolved FROM delivery
            WHERE accepted >= ? AND finished IS NOT NULL AND \(StoreState.isOfSuggestions)
            """, &self)
        // Earlier targets and titles of windows, and those of windows that are gone: their apps are not known.
        let versions = try numbers(
            """
            SELECT v.id, coalesce(s.app, ?2), v.target
            FROM session_version AS v LEFT JOIN session AS s ON s.id = v.session
            WHERE coalesce(s.changed, 9223372036854775807) >= ?1 AND (s.id IS NULL OR v.replaced IS NOT NULL)
            """, &self, SQLiteValue(what.app))
        traces.counts = Store.Forgotten(
            events: uses.count, interactions: interactions.count, contacts: contacts.count, reminders: reminders.count)
        traces.counts.unfinished = try ids(
            """
            SELECT id, app, target, resolved FROM delivery
            WHERE accepted >= ? AND finished IS NULL AND \(StoreState.isOfSuggestions) ORDER BY number
            """, &self)
        let isFree = """
            (state = 'disconnected'
                AND id NOT IN (SELECT session FROM delivery WHERE finished IS NULL AND session IS NOT NULL))
            """
        let hasContent = "changed >= ? AND (target IS NOT NULL OR title IS NOT NULL)"
        traces.counts.sessions = try ids(
            "SELECT id, app, target FROM session WHERE \(hasContent) AND \(isFree)", &self)
        traces.counts.identifiers = identifiers
        traces.counts.openSessions = try ids(
            "SELECT id, app, target FROM session WHERE \(hasContent) AND NOT \(isFree)", &self
        ).count
        traces.counts.otherDeliveries = try numbers(
            "SELECT number, app, target, resolved FROM delivery WHERE accepted >= ? AND NOT \(StoreState.isOfSuggestions)",
            &self
        ).count
        traces.counts.openNonces = try self.rows(
            "SELECT nonce FROM delivery WHERE finished IS NULL AND nonce IS NOT NULL"
        ) { $0.text(0) }
        traces.rows = [
            ("activity_use", uses), ("activity", activities), ("interaction", interactions), ("reminder", reminders),
            ("contact", contacts), ("signal_event", signals), ("delivery", deliveries), ("session_version", versions),
        ]
        return traces
    }

    fileprivate mutating func remove(_ traces: Traces) throws(StoreError) {
        for (table, numbers) in traces.rows {
            for number in numbers {
                if table == "activity" {
                    try run("DELETE FROM activity_text WHERE rowid = ?", .integer(number))
                    try countTies(ofActivities: "number = ?1", -1, .integer(number))
                }
                // Of all these tables, the number is the row's id.
                try run("DELETE FROM \(table) WHERE rowid = ?", .integer(number))
            }
        }
        // Configurations and conditions that only those deliveries had.
        let hasEvidence = ["delivery", "session_version"]
        if traces.rows.contains(where: { hasEvidence.contains($0.table) && !$0.numbers.isEmpty }) {
            try sweepEvidence()
        }
    }
}
