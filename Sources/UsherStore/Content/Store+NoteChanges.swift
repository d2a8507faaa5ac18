internal import UsherSystem
internal import UsherText

extension Store {
    /// What came of a change of a note's text.
    public enum NoteEdit: Sendable {
        case done(Note)
        /// Another caller changed the text meanwhile, so nothing was changed. Carries the note as it is now.
        case changedMeanwhile(Note)
        case noNote
    }
}

extension StoreState {
    /// Makes a note, which is then the one in progress: the one before is put aside.
    package mutating func newNote(_ text: String, line: Int = 1) throws(StoreError) -> Store.Note {
        let now = options.now()
        try putAsideCurrent(now)
        let number = try integer(
            """
            INSERT INTO note (id, text, state, line, created, changed) VALUES (?, ?, 'current', ?, ?, ?) RETURNING number
            """, SQLiteValue(identifier: UUIDv7.next()) ?? .null, .text(text), .integer(Int64(line)), .integer(now),
            .integer(now))
        guard let number else { throw .unreadable("a note got no number", path: path) }
        try run("INSERT INTO note_text (rowid, text) VALUES (?, ?)", .integer(number), .text(text))
        guard let note = try note(number: number) else { throw .unreadable("a new note is missing", path: path) }
        return note
    }

    /// Gives a note another state; nil when there is no such note.
    package mutating func change(
        note name: Store.NoteName, to state: Store.Note.State
    ) throws(StoreError) -> Store.Note? {
        guard let found = try note(name) else { return nil }
        guard found.state != state else { return found }
        var now = options.now()
        if state == .current {
            try putAsideCurrent(now)
            // After the one that it takes the place of.
            now += 1
        }
        try run(
            "UPDATE note SET state = ?, changed = ? WHERE number = ?", .text(state.rawValue), .integer(now),
            .integer(found.number))
        return try note(number: found.number)
    }

    /// Gives a note another text, unless that is not what it was.
    ///
    /// - Parameters:
    ///   - old: the text that was edited; nil takes whatever there is.
    ///   - line: where one is in the new text; given the text before.
    package mutating func edit(
        note name: Store.NoteName, text: String, insteadOf old: String?, line: (_ before: String) -> Int
    ) throws(StoreError) -> Store.NoteEdit {
        guard let found = try note(name) else { return .noNote }
        if let old, !old.utf8.elementsEqual(found.text.utf8), !text.utf8.elementsEqual(found.text.utf8) {
            return .changedMeanwhile(found)
        }
        if !text.utf8.elementsEqual(found.text.utf8) {
            try forgetText(of: found)
            try run(
                "UPDATE note SET text = ?, line = ?, changed = ? WHERE number = ?", .text(text),
                .integer(Int64(line(found.text))), .integer(options.now()), .integer(found.number))
            try run("INSERT INTO note_text (rowid, text) VALUES (?, ?)", .integer(found.number), .text(text))
        } else {
            try run(
                "UPDATE note SET line = ? WHERE number = ?", .integer(Int64(line(found.text))), .integer(found.number))
        }
        return try note(number: found.number).map { .done($0) } ?? .noNote
    }

    /// Removes a note with its links and attachments, and returns it as it was.
    package mutating func delete(note name: Store.NoteName) throws(StoreError) -> Store.Note? {
        guard let found = try note(name) else { return nil }
        try forgetText(of: found)
        // The rows of links go with the note, their words do not.
        try run(
            "INSERT INTO link_text (link_text, rowid, title) SELECT 'delete', number, title FROM link WHERE note = ?",
            .integer(found.number))
        try run("DELETE FROM note WHERE number = ?", .integer(found.number))
        return found
    }

    /// The note in progress is no longer.
    private mutating func putAsideCurrent(_ now: Int64) throws(StoreError) {
        try run("UPDATE note SET state = 'aside', changed = ? WHERE state = 'current'", .integer(now))
    }

    /// An external-content index needs the old text to delete its entry (https://sqlite.org/fts5.html, 4.4.3).
    private mutating func forgetText(of note: Store.Note) throws(StoreError) {
        try run(
            "INSERT INTO note_text (note_text, rowid, text) VALUES ('delete', ?, ?)", .integer(note.number),
            .text(note.text))
    }
}
