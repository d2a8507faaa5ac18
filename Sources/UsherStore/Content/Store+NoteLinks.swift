package import UsherScene

extension Store {
    /// A link as far as a note shows it.
    package struct PlainLink: Sendable {
        package var id: String
        package var title: String?
        /// The one that stands for it.
        package var identifier: String
        package var created: Int64
    }

    package func plainLinks(of note: Note) throws(StoreError) -> [PlainLink] {
        try read { (state) throws(StoreError) in
            let rows = try state.prepare(
                """
                SELECT id, title, created, (SELECT identifier FROM link_identifier WHERE link = number ORDER BY kind LIMIT 1)
                FROM link WHERE note = ? ORDER BY number
                """, [.integer(note.number)])
            var links: [PlainLink] = []
            while try rows.step() {
                links.append(
                    PlainLink(
                        id: try rows.identifier(0), title: rows.optionalText(1), identifier: rows.text(3),
                        created: rows.integer(2)))
            }
            return links
        }
    }
}

extension StoreState {
    /// A link by an identifier alone.
    package mutating func link(_ note: Store.Note, to identifier: TargetContentIdentifier) throws(StoreError) {
        let number = try integer(
            "INSERT INTO link (id, note, created) VALUES (?, ?, ?) RETURNING number",
            SQLiteValue(identifier: UUIDv7.next()) ?? .null, .integer(note.number), .integer(options.now()))
        guard let number else { throw .unreadable("a link got no number", path: path) }
        try run("INSERT INTO link_text (rowid, title) VALUES (?, NULL)", .integer(number))
        try run(
            "INSERT INTO link_identifier (link, kind, identifier) VALUES (?, 1, ?)", .integer(number),
            .text(identifier.text))
    }
}
