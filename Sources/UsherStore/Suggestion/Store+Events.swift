extension Store {
    /// What suggestions are ranked by.
    public struct SuggestionEvents: Sendable {
        /// An activity became current.
        public struct Use: Sendable, Hashable {
            /// Its place in `activities`.
            public var activity: Int
            /// In microseconds since 1970.
            public var time: Int64
        }

        public struct Signal: Sendable, Hashable {
            public var name: String
            /// In microseconds since 1970.
            public var time: Int64
        }

        /// Those that were used, each once.
        public var activities: [StoredActivity] = []
        /// The oldest first, as the next two.
        public var uses: [Use] = []
        public var interactions: [StoredInteraction] = []
        public var signals: [Signal] = []
    }

    /// The events from a time on, in microseconds since 1970.
    public func suggestionEvents(since: Int64) throws(StoreError) -> SuggestionEvents {
        try read { (state) throws(StoreError) in
            var events = SuggestionEvents()
            var places: [Int64: Int] = [:]
            do {
                let row = try state.prepare(
                    """
                    SELECT \(ActivityReader.columns), activity.number FROM activity
                    WHERE number IN (SELECT activity FROM activity_use WHERE time >= ?)
                    """, [.integer(since)])
                while try row.step() {
                    places[row.integer(ActivityReader.columnCount)] = events.activities.count
                    events.activities.append(try ActivityReader.activity(from: row, path: state.path))
                }
            }
            let uses = try state.prepare(
                "SELECT activity, time FROM activity_use WHERE time >= ? ORDER BY time, number", [.integer(since)])
            while try uses.step() {
                guard let place = places[uses.integer(0)] else { continue }
                events.uses.append(SuggestionEvents.Use(activity: place, time: uses.integer(1)))
            }
            events.interactions = try state.interactions(since: since)
            let signals = try state.prepare(
                "SELECT name, time FROM signal_event WHERE time >= ? ORDER BY time, number", [.integer(since)])
            while try signals.step() {
                events.signals.append(SuggestionEvents.Signal(name: signals.text(0), time: signals.integer(1)))
            }
            return events
        }
    }

    /// Notes a signal. The reminders that wait for it are due from then on.
    ///
    /// - Parameter time: in microseconds since 1970.
    public func note(signal name: String, at time: Int64) throws(StoreError) {
        try write { (state) throws(StoreError) in
            try state.run("INSERT INTO signal_event (name, time) VALUES (?, ?)", .text(name), .integer(time))
            try state.run(
                """
                UPDATE reminder SET due = ?1 WHERE on_signal = ?2 AND state = 'waiting' AND due IS NULL AND created <= ?1
                """, .integer(time), .text(name))
        }
    }

    /// Forgets events, and reminders that were fired, from before a time. In several transactions.
    func pruneEvents(before: Int64) throws(StoreError) {
        let batch = 5000
        for (table, condition) in [
            ("activity_use", "time < ?1"), ("interaction", "time < ?1"), ("signal_event", "time < ?1"),
            ("reminder", "state = 'fired' AND due < ?1"),
        ] {
            while try write({ (state) throws(StoreError) in
                try state.run(
                    "DELETE FROM \(table) WHERE number IN (SELECT number FROM \(table) WHERE \(condition) LIMIT ?2)",
                    .integer(before), .integer(Int64(batch)))
            }) == batch {}
        }
    }
}

extension StoreState {
    /// Notes that an activity has become current.
    mutating func noteUse(ofActivity number: Int64, _ activity: Store.StoredActivity) throws(StoreError) {
        let now = options.now()
        try run(
            "INSERT INTO activity_use (activity, app, time) VALUES (?, ?, ?)", .integer(number), .text(activity.app),
            .integer(now))
        try noteOpened(activity.identifiers, at: now)
    }
}
