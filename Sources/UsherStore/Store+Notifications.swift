internal import UsherScene

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
        /// The user came to the window that it leads to, and it was taken away.
        case visited
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
        /// The newest identifier of its content.
        public var target: String?
        /// The session that its delivery chose.
        public var session: String?
        /// The action that was the answer for the sender that waited for one.
        public var answer: String?
        /// Whether it has buttons that answer a sender.
        public var awaits = false

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
        /// It is the answer that a sender waits for; no delivery follows.
        case answered(of: String)
        /// It was pressed before: only the first press counts.
        case repeated(of: String)
        /// Not one of Usher's, or deleted.
        case unknown
    }

    /// What a press on a notification is.
    public enum PressMeaning: Sendable, Hashable {
        /// A delivery of its own.
        case click
        /// The answer that the sender of the notification waits for.
        case answer
        /// Both.
        case clickAndAnswer
    }

    public enum AnswerResult: Sendable, Hashable {
        /// It is stored.
        case answered(StoredNotification)
        /// The delivery's notification has an answer.
        case given
        /// The delivery has no notification without an answer.
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

    /// The newest one of an app with this target that is shown.
    public func shownNotification(target: String, app: String) throws(StoreError) -> StoredNotification? {
        try read { (state) throws(StoreError) in
            try state.notification(
                "app = ? AND target = ? AND ended IS NULL ORDER BY number DESC LIMIT 1", [.text(app), .text(target)])
        }
    }

    package func notification(of delivery: String) throws(StoreError) -> StoredNotification? {
        try read { (state) throws(StoreError) in try state.notification(of: delivery) }
    }

    /// Whether there is one that may still be pressed.
    public func hasPressableNotifications() throws(StoreError) -> Bool {
        try read { (state) throws(StoreError) in
            try state.integer(
                "SELECT 1 FROM notification WHERE state NOT IN ('pressed', 'replaced', 'lost') LIMIT 1") != nil
        }
    }

    /// Whether one is shown, as far as is known.
    public func hasShownNotifications() throws(StoreError) -> Bool {
        try read { (state) throws(StoreError) in
            try state.integer("SELECT 1 FROM notification WHERE ended IS NULL LIMIT 1") != nil
        }
    }

    /// Whether the notification of a delivery is shown, as far as is known.
    public func isShown(notificationOf delivery: String) throws(StoreError) -> Bool {
        try read { (state) throws(StoreError) in
            try state.notification(of: delivery).map { $0.ended == nil } ?? false
        }
    }

    /// Notes that a delivery's notification was shown once more, without buttons that answer.
    ///
    /// - Parameter number: that it has now.
    public func noteAnswersGone(
        fromNotificationOf delivery: String, _ number: UInt32, of server: String
    ) throws(StoreError) {
        _ = try write { (state) throws(StoreError) in
            try state.run(
                "UPDATE notification SET shown_as = ?, server = ?, awaits = 0 WHERE delivery = ?",
                .integer(Int64(number)), .text(server), .text(delivery))
        }
    }

    /// Those that are shown, as far as is known, with buttons that answer a sender.
    public func awaitedNotifications() throws(StoreError) -> [StoredNotification] {
        try read { (state) throws(StoreError) in
            try state.notifications("awaits AND ended IS NULL ORDER BY number", [])
        }
    }

    /// Whether one of this number is ours.
    public func hasNotification(number: UInt32, of server: String) throws(StoreError) -> Bool {
        try read { (state) throws(StoreError) in try state.notification(number: number, of: server) != nil }
    }
}

extension StoreState {
    private static let notificationColumns =
        "delivery, app, collapse, server, shown_as, state, shown, ended, response, target, session, answer, awaits"

    /// Notes one that is shown; whatever had its number there is replaced by it.
    package mutating func insert(_ shown: Store.StoredNotification) throws(StoreError) {
        try run(
            """
            UPDATE notification SET state = 'replaced', ended = ?
            WHERE shown_as = ? AND server = ? AND ended IS NULL AND delivery <> ?
            """, .integer(shown.shown), .integer(Int64(shown.number)), .text(shown.server), .text(shown.delivery))
        try run(
            """
            INSERT OR REPLACE INTO notification
                (delivery, app, collapse, server, shown_as, state, shown, target, session, awaits)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, .text(shown.delivery), .text(shown.app), SQLiteValue(shown.collapse), .text(shown.server),
            .integer(Int64(shown.number)), .text(shown.state.rawValue), .integer(shown.shown),
            SQLiteValue(shown.target), SQLiteValue(shown.session), .integer(shown.awaits ? 1 : 0))
    }

    /// Records a press on a notification: journals a delivery of its own, once for each notification.
    ///
    /// One that its server has reported as closed may still be pressed: some report that first, and some show it again.
    ///
    /// - Parameters:
    ///   - id: of the new delivery.
    ///   - meaning: of the press on the notification of a delivery.
    package mutating func press(
        _ response: String, onNumber number: UInt32, of server: String, as id: String,
        meaning: (_ delivery: String) -> Store.PressMeaning = { _ in .click }
    ) throws(StoreError) -> Store.PressResult {
        guard let shown = try notification(number: number, of: server), let parent = try delivery(id: shown.delivery)
        else { return .unknown }
        switch shown.state {
        case .shown, .expired, .dismissed, .closed, .undefined, .visited: break
        case .pressed, .replaced, .lost: return .repeated(of: shown.delivery)
        }
        let meaning = meaning(shown.delivery)
        try run(
            "UPDATE notification SET state = 'pressed', ended = ?, response = ?, answer = ? WHERE delivery = ?",
            .integer(options.now()), .text(response), meaning == .click ? .null : .text(response), .text(shown.delivery)
        )
        if meaning == .answer { return .answered(of: shown.delivery) }
        var press = Store.NewDelivery(
            id: id, source: "notification", format: parent.format, accepted: options.now(),
            input: parent.input, app: parent.app, target: parent.target)
        press.parent = parent.id
        // What is shown for a press says that it failed.
        press.response =
            parent.response.map { first in
                NotificationResponse(
                    NotificationResponse(stored: first).action, .init(rawValue: response) ?? .retry
                ).stored
            } ?? response
        try accept(press)
        return .accepted(of: parent.id)
    }

    /// Stores the answer to a delivery's notification, once. One that is shown counts as pressed.
    package mutating func answer(_ action: String, to delivery: String) throws(StoreError) -> Store.AnswerResult {
        guard let shown = try notification(of: delivery) else { return .unknown }
        guard shown.answer == nil else { return .given }
        try run("UPDATE notification SET answer = ? WHERE delivery = ?", .text(action), .text(delivery))
        if shown.ended == nil {
            try run(
                "UPDATE notification SET state = 'pressed', ended = ?, response = ? WHERE delivery = ?",
                .integer(options.now()), .text(action), .text(delivery))
        }
        return .answered(shown)
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

    /// Those of an app that are shown and lead to a session: their deliveries chose it, or they have one of its targets.
    package mutating func shownNotifications(
        ofApp app: String, session: String, targets: [String]
    ) throws(StoreError) -> [Store.StoredNotification] {
        let places = targets.map { _ in " OR target = ?" }.joined()
        return try notifications(
            "app = ? AND ended IS NULL AND (session = ?\(places)) ORDER BY number",
            [.text(app), .text(session)] + targets.map { .text($0) })
    }

    /// Records that the notification of a delivery is not shown any more.
    package mutating func endNotification(
        of delivery: String, as end: Store.NotificationState
    ) throws(StoreError) {
        try run(
            "UPDATE notification SET state = ?, ended = ? WHERE delivery = ?", .text(end.rawValue),
            .integer(options.now()), .text(delivery))
    }

    fileprivate mutating func notification(
        _ condition: String, _ values: [SQLiteValue]
    ) throws(StoreError) -> Store.StoredNotification? { try notifications(condition, values).first }

    fileprivate mutating func notifications(
        _ condition: String, _ values: [SQLiteValue]
    ) throws(StoreError) -> [Store.StoredNotification] {
        let row = try prepare(
            "SELECT \(StoreState.notificationColumns) FROM notification WHERE \(condition)", values)
        var all: [Store.StoredNotification] = []
        while try row.step() { all.append(try StoreState.notification(in: row, path: path)) }
        return all
    }

    private static func notification(
        in row: borrowing Statement, path: String
    ) throws(StoreError) -> Store.StoredNotification {
        var found = Store.StoredNotification(
            delivery: row.text(0), app: row.text(1), collapse: row.optionalText(2), server: row.text(3),
            number: UInt32(truncatingIfNeeded: row.integer(4)), shown: row.integer(6))
        guard let state = Store.NotificationState(rawValue: row.text(5)) else {
            throw .unreadable("the notification of \(found.delivery) has no known state", path: path)
        }
        found.state = state
        found.ended = row.optionalInteger(7)
        found.response = row.optionalText(8)
        (found.target, found.session, found.answer) = (row.optionalText(9), row.optionalText(10), row.optionalText(11))
        found.awaits = row.integer(12) != 0
        return found
    }
}
