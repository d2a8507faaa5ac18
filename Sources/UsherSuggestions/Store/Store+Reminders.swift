public import UsherStore
internal import UsherSystem
internal import UsherTarget
internal import UsherText

extension Store {
    /// A reminder as it is kept. See the table `reminder`.
    public struct Reminder: Sendable, Hashable {
        public enum State: String, Sendable, CaseIterable { case waiting, fired }

        /// What it waits for.
        public enum Condition: Sendable, Hashable {
            /// In microseconds since 1970.
            case time(Int64)
            /// Content is opened: its identifier.
            case opening(String)
            /// A signal of this name.
            case signal(String)
        }

        /// A UUIDv7, 36 characters.
        public var id: String
        public var text: String
        public var condition: Condition
        public var link: Link
        public var state: State
        /// In microseconds since 1970.
        public var created: Int64

        /// What a reminder is about; every member is nil where it is about nothing.
        public struct Link: Sendable, Hashable {
            public var app: String?
            public var target: String?
            public var webpage: String?
            /// The id of an activity, which may be gone.
            public var activity: String?
        }
    }

    /// Makes a reminder, which waits.
    public func addReminder(
        _ text: String, when condition: Reminder.Condition, about link: Reminder.Link
    ) throws(StoreError) -> Reminder {
        try write { (state) throws(StoreError) in
            let reminder = Reminder(
                id: UUIDv7.next(), text: text, condition: condition, link: link, state: .waiting,
                created: state.options.now())
            try state.insert(reminder)
            return reminder
        }
    }

    /// All of them, in the order in which they were made.
    public func reminders() throws(StoreError) -> [Reminder] {
        try read { (state) throws(StoreError) in try state.reminders("ORDER BY number") }
    }

    /// Removes one; nil where there is none of this id.
    public func deleteReminder(id: String) throws(StoreError) -> Reminder? {
        guard let id = SQLiteValue(identifier: id) else { return nil }
        return try write { (state) throws(StoreError) in
            guard let reminder = try state.reminders("WHERE id = ?", [id]).first else { return nil }
            try state.run("DELETE FROM reminder WHERE id = ?", id)
            return reminder
        }
    }

    /// When the next reminder that waits is due, in microseconds since 1970; nil where none waits for a time, or for
    /// something that has happened.
    public func nextReminder() throws(StoreError) -> Int64? {
        try read { (state) throws(StoreError) in
            try state.integer("SELECT min(due) FROM reminder WHERE state = 'waiting' AND due IS NOT NULL")
        }
    }

    /// Whether a reminder waits for content to be opened.
    public func awaitsOpening() throws(StoreError) -> Bool {
        try read { (state) throws(StoreError) in
            try state.integer("SELECT 1 FROM reminder WHERE state = 'waiting' AND opens_key IS NOT NULL LIMIT 1") != nil
        }
    }

    /// Notes that content was opened: the reminders that wait for it are due; whether there are any.
    ///
    /// - Parameter identifiers: all of the same content.
    public func noteOpened(_ identifiers: [String]) throws(StoreError) -> Bool {
        // Most of what is opened has no reminder: that is no change.
        guard try awaitsOpening() else { return false }
        return try write { (state) throws(StoreError) in
            try state.noteOpened(identifiers, at: state.options.now()) > 0
        }
    }
}

extension StoreState {
    private static let reminderColumns =
        "id, text, at, when_opens, on_signal, app, target, webpage, activity, state, created"

    fileprivate mutating func insert(_ reminder: Store.Reminder) throws(StoreError) {
        var (time, target, signal): (Int64?, String?, String?)
        switch reminder.condition {
        case .time(let value): time = value
        case .opening(let value): target = value
        case .signal(let value): signal = value
        }
        try run(
            """
            INSERT INTO reminder (\(StoreState.reminderColumns), due, opens_key)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, SQLiteValue(identifier: reminder.id) ?? .null, .text(reminder.text), SQLiteValue(time),
            SQLiteValue(target), SQLiteValue(signal), SQLiteValue(reminder.link.app), SQLiteValue(reminder.link.target),
            SQLiteValue(reminder.link.webpage), SQLiteValue(reminder.link.activity), .text(reminder.state.rawValue),
            .integer(reminder.created), SQLiteValue(time), SQLiteValue(target.map { openingKey(of: $0) }))
    }

    /// What identifiers of opened content are compared by: addresses in their canonical form.
    private func openingKey(of identifier: String) -> String {
        CanonicalAddress(identifier, settings: addresses)?.text ?? identifier
    }

    mutating func reminders(
        _ clauses: String, _ values: [SQLiteValue] = []
    ) throws(StoreError) -> [Store.Reminder] {
        try rows("SELECT \(StoreState.reminderColumns) FROM reminder \(clauses)", values) { (row) throws(StoreError) in
            let time = row.optionalInteger(2).map { Store.Reminder.Condition.time($0) }
            let opening = row.optionalText(3).map { Store.Reminder.Condition.opening($0) }
            return Store.Reminder(
                id: try row.identifier(0), text: row.text(1), condition: time ?? opening ?? .signal(row.text(4)),
                link: Store.Reminder.Link(
                    app: row.optionalText(5), target: row.optionalText(6), webpage: row.optionalText(7),
                    activity: row.optionalText(8)),
                state: row.text(9) == "fired" ? .fired : .waiting, created: row.integer(10))
        }
    }

    /// See `Store.noteOpened`; how many reminders are due by that.
    @discardableResult
    mutating func noteOpened(_ identifiers: [String], at now: Int64) throws(StoreError) -> Int {
        var count = 0
        for identifier in identifiers {
            count += try run(
                """
                UPDATE reminder SET due = ? WHERE opens_key = ? AND state = 'waiting' AND opens_key IS NOT NULL
                    AND due IS NULL
                """, .integer(now), .text(openingKey(of: identifier)))
        }
        return count
    }

    /// Takes the reminders that are due out of their wait, the one that is due longest first: no other call gets them.
    ///
    /// - Parameter now: in microseconds since 1970.
    package mutating func takeDueReminders(now: Int64, limit: Int) throws(StoreError) -> [Store.Reminder] {
        let due = try reminders(
            "WHERE state = 'waiting' AND due IS NOT NULL AND due <= ? ORDER BY due, number LIMIT ?",
            [.integer(now), .integer(Int64(limit))])
        for reminder in due {
            try run(
                "UPDATE reminder SET state = 'fired' WHERE id = ?", SQLiteValue(identifier: reminder.id) ?? .null)
        }
        return due.map { reminder in
            var reminder = reminder
            reminder.state = .fired
            return reminder
        }
    }
}
