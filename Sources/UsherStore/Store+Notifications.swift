extension Store {
    /// What became of a notification that was shown on the desktop.
    public enum NotificationState: String, Sendable, CaseIterable {
        case shown
        /// It, or one of its buttons: a delivery of its own followed.
        case pressed
        /// As given by its server.
        case expired, dismissed, closed, undefined
        /// A newer one of the same collapse id took its place.
        case replaced
        /// Its server is gone.
        case lost
    }

    public struct StoredNotification: Sendable, Hashable {
        /// The delivery that it was shown for.
        public var delivery: String
        public var app: String
        public var collapse: String?
        /// One life of the notification server.
        public var server: String
        /// Its number there.
        public var number: UInt32
        public var state: NotificationState
        public var shown: Int64
        /// nil as long as it is shown, as far as is known.
        public var ended: Int64?
        /// The button that was pressed; `default` is the notification itself.
        public var response: String?

        /// One that is shown now.
        public init(delivery: String, app: String, collapse: String?, server: String, number: UInt32, shown: Int64) {
            self.delivery = delivery
            self.app = app
            self.collapse = collapse
            self.server = server
            self.number = number
            self.state = .shown
            self.shown = shown
        }
    }

    public enum PressResult: Sendable, Hashable {
        /// A delivery of its own is accepted.
        case accepted(of: String)
        /// It was pressed before: only the first press counts.
        case repeated(of: String)
        /// Not one of Usher's, or deleted.
        case unknown
    }

    /// Records that a notification is not shown any more. Returns its delivery; nil where it has none or has ended.
    public func endNotification(
        number: UInt32, of server: String, as end: NotificationState
    ) throws(StoreError) -> String? {
        try write { (state) throws(StoreError) in
            guard let shown = try state.notification(number: number, of: server), shown.ended == nil else { return nil }
            try state.run(
                "UPDATE notification SET state = ?, ended = ? WHERE delivery = ?", .text(end.rawValue),
                .integer(state.options.now()), .text(shown.delivery))
            return shown.delivery
        }
    }

    /// Notes that servers are gone with what they showed; how many those were.
    ///
    /// - Parameter server: the one that still runs.
    @discardableResult
    public func loseNotifications(except server: String?) throws(StoreError) -> Int {
        try write { (state) throws(StoreError) in
            try state.run(
                "UPDATE notification SET state = 'lost', ended = ? WHERE ended IS NULL AND server IS NOT ?",
                .integer(state.options.now()), SQLiteValue(server))
        }
    }

    /// The newest one of an app with this collapse id that is shown.
    public func shownNotification(collapse: String, app: String) throws(StoreError) -> StoredNotification? {
        try read { (state) throws(StoreError) in
            try state.notification(
                "collapse = ? AND app = ? AND ended IS NULL ORDER BY number DESC LIMIT 1",
                [.text(collapse), .text(app)])
        }
    }

    /// Whether there is one that may still be pressed.
    public func hasPressableNotifications() throws(StoreError) -> Bool {
        try read { (state) throws(StoreError) in
            try state.integer(
                "SELECT 1 FROM notification WHERE state NOT IN ('pressed', 'replaced', 'lost') LIMIT 1") != nil
        }
    }

    /// Whether one of this number is ours.
    public func hasNotification(number: UInt32, of server: String) throws(StoreError) -> Bool {
        try read { (state) throws(StoreError) in try state.notification(number: number, of: server) != nil }
    }
}

extension StoreState {
    private static let notificationColumns =
        "delivery, app, collapse, server, shown_as, state, shown, ended, response"

    /// Notes one that is shown; whatever had its number there is replaced by it.
    package mutating func insert(_ shown: Store.StoredNotification) throws(StoreError) {
        try run(
            """
            UPDATE notification SET state = 'replaced', ended = ?
            WHERE shown_as = ? AND server = ? AND ended IS NULL AND delivery <> ?
            """, .integer(shown.shown), .integer(Int64(shown.number)), .text(shown.server), .text(shown.delivery))
        try run(
            """
            INSERT OR REPLACE INTO notification (delivery, app, collapse, server, shown_as, state, shown)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            """, .text(shown.delivery), .text(shown.app), SQLiteValue(shown.collapse), .text(shown.server),
            .integer(Int64(shown.number)), .text(shown.state.rawValue), .integer(shown.shown))
    }

    /// Records a press on a notification: journals a delivery of its own, once for each notification.
    ///
    /// One that its server has reported as closed may still be pressed: some report that first, and some show it again.
    ///
    /// - Parameter id: of the new delivery.
    package mutating func press(
        _ response: String, onNumber number: UInt32, of server: String, as id: String
    ) throws(StoreError) -> Store.PressResult {
        guard let shown = try notification(number: number, of: server), let parent = try delivery(id: shown.delivery)
        else { return .unknown }
        switch shown.state {
        case .shown, .expired, .dismissed, .closed, .undefined: break
        case .pressed, .replaced, .lost: return .repeated(of: shown.delivery)
        }
        var press = Store.NewDelivery(
            id: id, source: "notification", format: parent.format, accepted: options.now(),
            input: parent.input, app: parent.app, target: parent.target)
        press.parent = parent.id
        press.response = response
        try accept(press)
        try run(
            "UPDATE notification SET state = 'pressed', ended = ?, response = ? WHERE delivery = ?",
            .integer(press.accepted), .text(response), .text(shown.delivery))
        return .accepted(of: parent.id)
    }

    /// The newest of a number.
    package mutating func notification(
        number: UInt32, of server: String
    ) throws(StoreError) -> Store.StoredNotification? {
        try notification(
            "shown_as = ? AND server = ? ORDER BY number DESC LIMIT 1", [.integer(Int64(number)), .text(server)])
    }

    package mutating func notification(of delivery: String) throws(StoreError) -> Store.StoredNotification? {
        try notification("delivery = ?", [.text(delivery)])
    }

    fileprivate mutating func notification(
        _ condition: String, _ values: [SQLiteValue]
    ) throws(StoreError) -> Store.StoredNotification? {
        let row = try prepare(
            "SELECT \(StoreState.notificationColumns) FROM notification WHERE \(condition)", values)
        guard try row.step() else { return nil }
        var found = Store.StoredNotification(
            delivery: row.text(0), app: row.text(1), collapse: row.optionalText(2), server: row.text(3),
            number: UInt32(truncatingIfNeeded: row.integer(4)), shown: row.integer(6))
        guard let state = Store.NotificationState(rawValue: row.text(5)) else {
            throw .unreadable("the notification of \(found.delivery) has no known state", path: path)
        }
        found.state = state
        found.ended = row.optionalInteger(7)
        found.response = row.optionalText(8)
        return found
    }
}
