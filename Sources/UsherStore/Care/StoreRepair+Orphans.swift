internal import UsherScene
internal import UsherSystem
internal import UsherText

extension StoreRepair {
    /// Gives rows whose owner is lost another one, instead of dropping them.
    static func adoptOrphans(_ connection: inout Connection, _ outcome: inout Outcome) throws(StoreError) {
        try adoptIdentifiers(&connection, &outcome)
        try adoptLinks(&connection, &outcome)
        // A condition that cannot be read is never true, and is told with the session that has it.
        for column in ["can", "prefers"] {
            try connection.execute(
                """
                INSERT OR IGNORE INTO condition (id, text)
                SELECT DISTINCT \(column), 'lost ' || \(column) FROM session
                WHERE \(column) NOT IN (SELECT id FROM condition)
                """)
        }
        let now = Instant.now.microseconds
        try count(
            "activities whose windows are gone were resigned",
            """
            UPDATE activity SET state = CASE WHEN session IN (SELECT id FROM session) THEN 'kept' ELSE 'resigned' END,
                resigned = coalesce(resigned, \(now))
            WHERE \(StoreState.deadActivity)
            """, &connection, &outcome)
        try count(
            "activities lost their session",
            "UPDATE activity SET session = NULL WHERE session IS NOT NULL AND session NOT IN (SELECT id FROM session)",
            &connection, &outcome)
        try count(
            "inputs of deliveries that are lost were dropped",
            "DELETE FROM delivery_input WHERE number NOT IN (SELECT number FROM delivery)", &connection, &outcome)
        try connection.execute(
            """
            INSERT OR REPLACE INTO totals SELECT 1, count(*) FILTER (WHERE finished IS NULL),
                coalesce(sum(bytes) FILTER (WHERE finished IS NULL), 0),
                coalesce(sum(bytes) FILTER (WHERE finished IS NOT NULL), 0), count(finished),
                count(*) FILTER (WHERE state = 'duplicate') FROM delivery
            """)
        try count(
            "earlier records of deliveries that are lost were dropped",
            "DELETE FROM delivery_history WHERE delivery NOT IN (SELECT id FROM delivery)", &connection, &outcome)
    }

    private static func count(
        _ what: String, _ statement: String, _ connection: inout Connection, _ outcome: inout Outcome
    ) throws(StoreError) {
        try connection.run(statement)
        if connection.changes > 0 { outcome.actions.append("\(connection.changes) \(what)") }
    }

    /// Identifiers of links that are lost are links again, of a note that says so.
    private static func adoptIdentifiers(_ connection: inout Connection, _ outcome: inout Outcome) throws(StoreError) {
        let missing = "SELECT DISTINCT link FROM link_identifier WHERE link NOT IN (SELECT number FROM link)"
        let count = try connection.integer("SELECT count(*) FROM (\(missing))") ?? 0
        guard count > 0 else { return }
        let note = try lostAndFound("Links that were lost and found again", &connection)
        var last: Int64 = .min
        while let number = try connection.integer(
            "SELECT min(link) FROM (\(missing)) WHERE link > ?", .integer(last))
        {
            last = number
            try connection.run(
                "INSERT INTO link (number, id, note, created) VALUES (?, ?, ?, ?)", .integer(number),
                SQLiteValue(identifier: UUIDv7.next()) ?? .null, .integer(note), .integer(Instant.now.microseconds))
        }
        outcome.actions.append("\(count) links of which only the identifiers were left are in a note of their own")
    }

    /// Links and attachments of notes that are lost are in notes of their own, one for each that is lost.
    private static func adoptLinks(_ connection: inout Connection, _ outcome: inout Outcome) throws(StoreError) {
        let missing = """
            SELECT note FROM link WHERE note NOT IN (SELECT number FROM note)
            UNION SELECT note FROM attachment WHERE note NOT IN (SELECT number FROM note)
            """
        var count = 0
        var last: Int64 = .min
        while let number = try connection.integer(
            "SELECT min(note) FROM (\(missing)) WHERE note > ?", .integer(last))
        {
            last = number
            _ = try lostAndFound("A note whose text is lost", number: number, &connection)
            count += 1
        }
        if count > 0 { outcome.actions.append("\(count) notes whose text is lost were made anew for their links") }
    }

    private static func lostAndFound(
        _ text: String, number: Int64? = nil, _ connection: inout Connection
    ) throws(StoreError) -> Int64 {
        let now = Instant.now.microseconds
        guard
            let made = try connection.integer(
                """
                INSERT INTO note (number, id, text, state, line, created, changed)
                VALUES (?, ?, ?, 'aside', 1, ?, ?) RETURNING number
                """, SQLiteValue(number), SQLiteValue(identifier: UUIDv7.next()) ?? .null, .text(text), .integer(now),
                .integer(now))
        else { throw .unreadable("a note got no number", path: connection.path) }
        return made
    }
}
