internal import UsherScene
internal import UsherText

extension Store {
    /// What is to be deleted: rows to which all that is not nil applies; all rows where everything is nil.
    public struct Forgetting: Sendable {
        public var app: String?
        /// An app, or the host of a page.
        public var source: String?
        /// Nothing from before that, in microseconds since 1970.
        public var since: Int64?

        public init(app: String? = nil, source: String? = nil, since: Int64? = nil) {
            self.app = app
            self.source = source
            self.since = since
        }

        /// Whether something of this app, with these identifiers, is meant.
        fileprivate func includes(app: String?, _ identifiers: [String?]) -> Bool {
            if let wanted = self.app, app?.hasSameBytes(as: wanted) != true { return false }
            guard let source else { return true }
            if app?.hasSameBytes(as: source) == true { return true }
            let host = source.lowercased()
            return identifiers.contains { $0.flatMap { TargetContentIdentifier($0).webHost?.host } == host }
        }
    }

    public struct Forgotten: Sendable, Hashable {
        /// How often an activity became current.
        public var events = 0
        public var interactions = 0
        public var contacts = 0
        public var reminders = 0
    }

    /// Deletes events with their activities, interactions, contacts, reminders and signals, and the finished deliveries
    /// that carried them. Nothing of that is left in the file. Links of notes stay.
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

/// The rows that are to be deleted, by their numbers.
private struct Traces {
    var counts = Store.Forgotten()
    var rows: [(table: String, numbers: [Int64])] = []
}

extension StoreState {
    fileprivate mutating func traces(of what: Store.Forgetting) throws(StoreError) -> Traces {
        var traces = Traces()
        let since = SQLiteValue.integer(what.since ?? .min)
        /// The numbers of the rows that are meant: their first column, then the app, then identifiers.
        func numbers(_ query: String, _ state: inout StoreState) throws(StoreError) -> [Int64] {
            let row = try state.prepare(query, [since])
            var numbers: [Int64] = []
            while try row.step() {
                let identifiers = (2..<Int32(row.columns)).map { row.optionalText($0) }
                if what.includes(app: row.optionalText(1), identifiers) { numbers.append(row.integer(0)) }
            }
            return numbers
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
        let isGeneral = what.app == nil && what.source == nil
        let contacts = isGeneral ? try numbers("SELECT number, NULL FROM contact WHERE imported >= ?", &self) : []
        let signals = isGeneral ? try numbers("SELECT number, NULL FROM signal_event WHERE time >= ?", &self) : []
        // Deliveries with their data: activities that were continued, what was performed, reminders that were shown.
        let deliveries = try numbers(
            """
            SELECT number, app, target, resolved FROM delivery WHERE accepted >= ? AND finished IS NOT NULL
                AND (source IN ('activity', 'perform', 'reminder', 'suggestion') OR format = 'activity'
                    OR parent IN (SELECT id FROM delivery WHERE source IN ('reminder', 'suggestion')))
            """, &self)
        traces.counts = Store.Forgotten(
            events: uses.count, interactions: interactions.count, contacts: contacts.count, reminders: reminders.count)
        traces.rows = [
            ("activity_use", uses), ("activity", activities), ("interaction", interactions), ("reminder", reminders),
            ("contact", contacts), ("signal_event", signals), ("delivery", deliveries),
        ]
        return traces
    }

    fileprivate mutating func remove(_ traces: Traces) throws(StoreError) {
        for (table, numbers) in traces.rows {
            for number in numbers {
                if table == "activity" {
                    try run("DELETE FROM activity_text WHERE rowid = ?", .integer(number))
                }
                try run("DELETE FROM \(table) WHERE number = ?", .integer(number))
            }
        }
        // Configurations and conditions that only those deliveries had.
        if traces.rows.contains(where: { $0.table == "delivery" && !$0.numbers.isEmpty }) { try sweepEvidence() }
    }
}
