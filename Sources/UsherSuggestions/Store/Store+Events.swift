public import UsherActivities
public import UsherScene
public import UsherStore
internal import UsherText

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
        /// Where content is that was moved or deleted, by the identifiers that the activities and interactions have for it.
        public var moves: [TargetContentIdentifier: Redirection] = [:]
    }

    /// Of which activities the events are read.
    public enum EventActivities: Sendable {
        case all
        /// Those that may have attributes, which are few: the others are not read. Where names are given, those in which one
        /// of them may be the name of a member.
        case withAttributes(naming: [String])
        case none
    }

    /// The events from a time on, in microseconds since 1970.
    ///
    /// - Complexity: as many rows as there are events of these activities since then.
    public func suggestionEvents(
        since: Int64, of activities: EventActivities = .all
    ) throws(StoreError) -> SuggestionEvents {
        try read { (state) throws(StoreError) in
            var events = SuggestionEvents()
            let (index, condition): (String, String?) =
                switch activities {
                case .none: ("", nil)
                case .all: ("", "TRUE")
                case .withAttributes(let names):
                    ("INDEXED BY activity_with_attributes", StoreState.hasAttributes(naming: names))
                }
            if let condition {
                let row = try state.prepare(
                    """
                    SELECT \(ActivityReader.columns), activity.number, u.time, u.number FROM activity \(index)
                    CROSS JOIN activity_use AS u ON u.activity = activity.number
                    WHERE \(condition) AND u.time >= ? ORDER BY activity.number
                    """, [.integer(since)])
                var uses: [(time: Int64, number: Int64, activity: Int)] = []
                var last: Int64?
                let column = ActivityReader.columnCount
                while try row.step() {
                    let number = row.integer(column)
                    if number != last {
                        events.activities.append(try ActivityReader.activity(from: row, path: state.path))
                        last = number
                    }
                    uses.append((row.integer(column + 1), row.integer(column + 2), events.activities.count - 1))
                }
                uses.sort { ($0.time, $0.number) < ($1.time, $1.number) }
                events.uses = uses.map { SuggestionEvents.Use(activity: $0.activity, time: $0.time) }
            }
            events.interactions = try state.interactions(since: since)
            events.signals = try state.rows(
                "SELECT name, time FROM signal_event WHERE time >= ? ORDER BY time, number", [.integer(since)]
            ) { SuggestionEvents.Signal(name: $0.text(0), time: $0.integer(1)) }
            let identifiers = events.activities.map(\.subject) + events.interactions.map(\.target)
            events.moves = try state.moves(of: identifiers)
            return events
        }
    }

    /// How an app was used.
    public struct AppUses: Sendable {
        public var app: String
        /// What was used last, and when: in microseconds since 1970.
        public var newest: StoredActivity
        public var last: Int64
        /// When activities of the app became current before, in no order.
        public var earlier: [Int64]
    }

    /// How apps were used from a time on, in microseconds since 1970.
    ///
    /// - Parameter isEligible: whether an activity counts, by its document; not called for those of which it is clear.
    /// - Complexity: a short row for each use; of activities only a few are read.
    public func appUses(
        since: Int64, where isEligible: @Sendable ([UInt8]) -> Bool
    ) throws(StoreError) -> [AppUses] {
        try read { (state) throws(StoreError) in
            var ineligible: Set<Int64> = []
            do {
                let row = try state.prepare(
                    """
                    SELECT number, document FROM activity INDEXED BY activity_with_eligibility
                    WHERE \(StoreState.mayBeIneligible)
                    """)
                while try row.step() {
                    if !isEligible(row.blob(1)) { ineligible.insert(row.integer(0)) }
                }
            }
            var places: [String: Int] = [:]
            var found: [(app: String, newest: (time: Int64, use: Int64, activity: Int64), times: [Int64])] = []
            do {
                // Nearly all rows are of that time, and they are short: no index is faster.
                let row = try state.prepare(
                    "SELECT app, time, number, activity FROM activity_use NOT INDEXED WHERE time >= ?",
                    [.integer(since)])
                while try row.step() {
                    let (app, use) = (
                        row.text(0), (time: row.integer(1), use: row.integer(2), activity: row.integer(3))
                    )
                    if !ineligible.isEmpty, ineligible.contains(use.activity) { continue }
                    if let place = places[app] {
                        found[place].times.append(use.time)
                        if (use.time, use.use) > (found[place].newest.time, found[place].newest.use) {
                            found[place].newest = use
                        }
                    } else {
                        places[app] = found.count
                        found.append((app, use, [use.time]))
                    }
                }
            }
            var uses: [AppUses] = []
            for (app, newest, times) in found {
                guard
                    let activity = try state.activities("WHERE activity.number = ?", [.integer(newest.activity)]).first
                else { continue }
                var earlier = times
                if let place = earlier.lastIndex(of: newest.time) { earlier.remove(at: place) }
                uses.append(AppUses(app: app, newest: activity, last: newest.time, earlier: earlier))
            }
            return uses
        }
    }

    /// Notes a signal, where suggestions are on. The reminders that wait for it are due from then on.
    ///
    /// - Parameter time: in microseconds since 1970.
    public func note(signal name: String, at time: Int64) throws(StoreError) {
        try write { (state) throws(StoreError) in
            if state.suggestions.takesIn {
                try state.run("INSERT INTO signal_event (name, time) VALUES (?, ?)", .text(name), .integer(time))
            }
            try state.run(
                """
                UPDATE reminder SET due = ?1 WHERE on_signal = ?2 AND state = 'waiting' AND due IS NULL AND created <= ?1
                """, .integer(time), .text(name))
        }
    }

    /// How long reminders that were fired are kept.
    private static let reminderDays = 30

    /// Deletes old events, and reminders that were fired long ago. In several transactions.
    static func pruneEvents(
        _ store: Store, now: Int64, keeping retention: Retention
    ) throws(StoreError) -> Int {
        let batch = 5000
        let before = Retention.start(of: retention.historyDays, before: now)
        let reminders = Retention.start(of: Store.reminderDays, before: now)
        for (table, condition, before) in [
            ("activity_use", "time < ?1", before), ("interaction", "time < ?1", before),
            ("signal_event", "time < ?1", before), ("reminder", "state = 'fired' AND due < ?1", reminders),
        ] {
            while try store.write({ (state) throws(StoreError) in
                try state.run(
                    "DELETE FROM \(table) WHERE number IN (SELECT number FROM \(table) WHERE \(condition) LIMIT ?2)",
                    .integer(before), .integer(Int64(batch)))
            }) == batch {}
        }
        return 0
    }
}

// MARK: - Settings

extension StoreState {
    /// The condition of the index `activity_with_eligibility`.
    fileprivate static let mayBeIneligible = """
        instr(document, x'226973456c696769626c65466f7250726564696374696f6e22') > 0 AND instr(document, x'66616c7365') > 0
        OR instr(document, x'5c75') > 0
        """

    /// The condition of the index `activity_with_attributes`, and where names are given whether one of them may be there.
    fileprivate static func hasAttributes(naming names: [String]) -> String {
        let index = """
            (instr(document, x'22636f6e74656e7441747472696275746553657422') > 0 OR instr(document, x'226d61704974656d22') > 0
            OR instr(document, x'5c75') > 0)
            """
        if names.isEmpty { return index }
        // An escaped character may be a part of any name.
        let quoted = names.map { Array("\"\($0)\"".utf8) } + [Array(#"\u"#.utf8)]
        return index + " AND ("
            + quoted.map { "instr(document, x'\(Hexadecimal.encode($0))') > 0" }.joined(separator: " OR ") + ")"
    }

    fileprivate mutating func moves(
        of identifiers: [String?]
    ) throws(StoreError) -> [TargetContentIdentifier: Redirection] {
        guard try integer("SELECT 1 FROM redirect LIMIT 1") != nil else { return [:] }
        var moves: [TargetContentIdentifier: Redirection] = [:]
        for case let text? in identifiers {
            let identifier = TargetContentIdentifier(text)
            if moves[identifier] == nil { moves[identifier] = try redirection(of: identifier, withOlder: false) }
        }
        return moves
    }

    /// Notes from now on which activities become current.
    static func observeActivities(_ state: inout StoreState) {
        state.values[ActivityUses.self] = ActivityUses(StoreState.noteUse)
    }

    /// Notes that an activity has become current: an event, unless all its kinds, its app, its pages or its host are excluded.
    ///
    /// - Parameter kinds: in which its attributes can be offered.
    private static func noteUse(
        ofActivity number: Int64, _ activity: Store.StoredActivity, kinds: Set<SuggestionKind>,
        in state: inout StoreState
    ) throws(StoreError) {
        // In whole milliseconds, as it is shown: a score can be computed from what is shown.
        let now = state.options.now() / 1000 * 1000
        let isPage = activity.type.hasSameBytes(as: ActivationRequest.browsingActivity)
        let settings = state.suggestions
        if settings.takesIn(kinds: kinds),
            settings.includes(app: activity.app, isPage: isPage, activity.identifiers)
        {
            try state.run(
                "INSERT INTO activity_use (activity, app, time) VALUES (?, ?, ?)", .integer(number),
                .text(activity.app), .integer(now))
        }
        try state.noteOpened(activity.identifiers, at: now)
    }
}
