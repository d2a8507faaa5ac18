// Rows of notes and links with their rows of full text: FTS5 keeps no content of its own for them, so a deletion has to
// pass the old text to it.

extension StoreState {
    mutating func hasOtherNoteInProgress(than number: Int64?) throws(StoreError) -> Bool {
        try integer("SELECT 1 FROM note WHERE state = 'current' AND number IS NOT ?", SQLiteValue(number)) != nil
    }

    mutating func insert(_ note: ContentRow.Note, _ id: SQLiteValue) throws(StoreError) -> Int64 {
        try run(
            "INSERT INTO note (id, text, state, line, created, changed) VALUES (?, ?, ?, ?, ?, ?)", id,
            .text(note.text),
            .text(note.state), .integer(note.line), .integer(note.created), .integer(note.changed))
        let number = try lastRow()
        try run("INSERT INTO note_text (rowid, text) VALUES (?, ?)", .integer(number), .text(note.text))
        return number
    }

    mutating func replace(_ number: Int64, _ old: ContentRow.Note, by note: ContentRow.Note) throws(StoreError) {
        try run(
            "INSERT INTO note_text (note_text, rowid, text) VALUES ('delete', ?, ?)", .integer(number), .text(old.text))
        try run(
            "UPDATE note SET text = ?, state = ?, line = ?, created = ?, changed = ? WHERE number = ?",
            .text(note.text),
            .text(note.state), .integer(note.line), .integer(note.created), .integer(note.changed), .integer(number))
        try run("INSERT INTO note_text (rowid, text) VALUES (?, ?)", .integer(number), .text(note.text))
        try run("DELETE FROM attachment WHERE note = ?", .integer(number))
        try insert(note.attachments, ofNote: number)
    }

    mutating func insert(_ attachments: [ContentRow.Attachment], ofNote number: Int64) throws(StoreError) {
        for attachment in attachments {
            try run(
                "INSERT INTO attachment (note, path, digest, size, added) VALUES (?, ?, ?, ?, ?)", .integer(number),
                SQLiteValue(attachment.path), SQLiteValue(attachment.digest), SQLiteValue(attachment.size),
                .integer(attachment.added))
        }
    }

    mutating func insert(_ link: ContentRow.Link, _ id: SQLiteValue, note: Int64) throws(StoreError) {
        try run(
            "INSERT INTO link (id, note, app, title, created, document) VALUES (?, ?, ?, ?, ?, ?)", id, .integer(note),
            SQLiteValue(link.app), SQLiteValue(link.title), .integer(link.created),
            link.document.map { .blob($0) } ?? .null)
        try addDetails(of: link, try lastRow())
    }

    mutating func replace(
        _ old: ContentRow.Link, by link: ContentRow.Link, _ id: SQLiteValue, note: Int64
    ) throws(StoreError) {
        guard let number = try integer("SELECT number FROM link WHERE id = ?", id) else { return }
        try run(
            "INSERT INTO link_text (link_text, rowid, title) VALUES ('delete', ?, ?)", .integer(number),
            SQLiteValue(old.title))
        try run("DELETE FROM link_identifier WHERE link = ?", .integer(number))
        try run(
            "UPDATE link SET note = ?, app = ?, title = ?, created = ?, document = ? WHERE number = ?", .integer(note),
            SQLiteValue(link.app), SQLiteValue(link.title), .integer(link.created),
            link.document.map { .blob($0) } ?? .null,
            .integer(number))
        try addDetails(of: link, number)
    }

    private mutating func addDetails(of link: ContentRow.Link, _ number: Int64) throws(StoreError) {
        for identifier in link.identifiers {
            try run(
                "INSERT INTO link_identifier (link, kind, identifier) VALUES (?, ?, ?)", .integer(number),
                .integer(identifier.kind), .text(identifier.identifier))
        }
        try run("INSERT INTO link_text (rowid, title) VALUES (?, ?)", .integer(number), SQLiteValue(link.title))
    }

    private mutating func lastRow() throws(StoreError) -> Int64 { try integer("SELECT last_insert_rowid()") ?? 0 }
}
