// Pushes that interrupted the user, for apps with a limit on interruptions: see `Schema`.

/// What happened lately, for one push of an app.
package struct RecentInterruptions: Sendable, Hashable {
    /// How often others interrupted.
    package var others: Int
    /// This one was counted before: it is decided once more.
    package var isCounted: Bool
    /// A notification of the same collapse id is shown, or about to be: this one takes its place.
    package var isReplacement: Bool
}

extension Store {
    /// See `StoreState.interruptions`.
    package func interruptions(
        of app: String, within milliseconds: Int, for delivery: String?, collapse: String?,
        target: String? = nil
    ) throws(StoreError) -> RecentInterruptions {
        try read { (state) throws(StoreError) in
            try state.interruptions(of: app, within: milliseconds, for: delivery, collapse: collapse, target: target)
        }
    }
}

extension StoreState {
    /// - Parameters:
    ///   - milliseconds: how far back one looks.
    ///   - delivery: the push; nil where nothing comes of it.
    ///   - collapse: of a notification that is to be shown.
    ///   - target: of a notification that is to replace the one of its target.
    package mutating func interruptions(
        of app: String, within milliseconds: Int, for delivery: String?, collapse: String?,
        target: String? = nil
    ) throws(StoreError) -> RecentInterruptions {
        let now = options.now()
        // A clock that was set back must not delay anything for ever.
        let row = try prepare(
            """
            SELECT (SELECT count(*) FROM interruption WHERE app = ? AND at > ? AND at <= ? AND delivery IS NOT ?),
                EXISTS (SELECT 1 FROM interruption WHERE delivery IS ?),
                EXISTS (SELECT 1 FROM notification WHERE collapse = ? AND app = ? AND ended IS NULL)
                OR EXISTS (SELECT 1 FROM notification WHERE app = ? AND target = ? AND ended IS NULL)
                OR EXISTS (
                    SELECT 1 FROM interruption JOIN delivery ON delivery.id = interruption.delivery
                    WHERE interruption.app = ? AND delivery.collapse = ? AND delivery.action = 'notify'
                        AND delivery.finished IS NULL AND delivery.id IS NOT ?)
            """,
            [
                .text(app), .integer(now - Int64(milliseconds) * 1000), .integer(now), SQLiteValue(delivery),
                SQLiteValue(delivery), SQLiteValue(collapse), .text(app), .text(app), SQLiteValue(target), .text(app),
                SQLiteValue(collapse), SQLiteValue(delivery),
            ])
        guard try row.step() else { return RecentInterruptions(others: 0, isCounted: false, isReplacement: false) }
        return RecentInterruptions(
            others: Int(row.integer(0)), isCounted: row.integer(1) != 0, isReplacement: row.integer(2) != 0)
    }

    /// Counts a push that is about to interrupt, and deletes those of its app that count no more.
    package mutating func noteInterruption(
        by delivery: String, of app: String, within milliseconds: Int
    ) throws(StoreError) {
        let now = options.now()
        try run(
            "DELETE FROM interruption WHERE app = ? AND (at <= ? OR at > ?)", .text(app),
            .integer(now - Int64(milliseconds) * 1000), .integer(now))
        try run("INSERT OR IGNORE INTO interruption VALUES (?, ?, ?)", .text(delivery), .text(app), .integer(now))
    }

    /// The push had no effect, so the user was not interrupted.
    package mutating func forgetInterruption(by delivery: String) throws(StoreError) {
        try run("DELETE FROM interruption WHERE delivery = ?", .text(delivery))
    }
}
