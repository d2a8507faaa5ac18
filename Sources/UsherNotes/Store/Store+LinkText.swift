internal import UsherStore
internal import UsherText

// What links are found by in a search: their titles, and the words of their addresses. The index `link_text` keeps no
// content of its own, so it needs the old text to delete an entry (https://sqlite.org/fts5.html#the_delete_command): a
// change deletes the text, changes the row, and indexes it again.

extension StoreState {
    /// Makes the words of a link from its identifiers, and indexes its text.
    mutating func indexText(ofLink number: Int64) throws(StoreError) {
        try indexText(ofLink: number, words: try words(ofLink: number))
    }

    /// The same for a link that was indexed with words that were made in another way, by a step of the schema.
    mutating func renewText(ofLink number: Int64) throws(StoreError) {
        let words = try words(ofLink: number)
        guard try integer("SELECT words <> ? FROM link WHERE number = ?", .text(words), .integer(number)) == 1 else {
            return
        }
        try forgetText(ofLink: number)
        try indexText(ofLink: number, words: words)
    }

    private mutating func words(ofLink number: Int64) throws(StoreError) -> String {
        let identifiers = try rows(
            "SELECT identifier FROM link_identifier WHERE link = ? ORDER BY kind, identifier", [.integer(number)]
        ) { $0.text(0) }
        return StoreState.words(of: identifiers)
    }

    private mutating func indexText(ofLink number: Int64, words: String) throws(StoreError) {
        try run("UPDATE link SET words = ? WHERE number = ?", .text(words), .integer(number))
        try run(
            "INSERT INTO link_text (rowid, title, words) SELECT number, title, words FROM link WHERE number = ?",
            .integer(number))
    }

    /// Before anything about the link changes.
    mutating func forgetText(ofLink number: Int64) throws(StoreError) {
        try forgetText(ofLinksWhere: "number", is: number)
    }

    /// Before the note is deleted: the rows of its links go with it, their text does not.
    mutating func forgetText(ofLinksOfNote number: Int64) throws(StoreError) {
        try forgetText(ofLinksWhere: "note", is: number)
    }

    private mutating func forgetText(ofLinksWhere column: String, is number: Int64) throws(StoreError) {
        try run(
            """
            INSERT INTO link_text (link_text, rowid, title, words)
            SELECT 'delete', number, title, words FROM link WHERE \(column) = ?
            """, .integer(number))
    }

    /// The texts in whose words a link is found: its identifiers, percent-decoded where that makes UTF-8, each once.
    ///
    /// The scheme of a web page is left out: as a word it would find all of them.
    static func words(of identifiers: [String]) -> String {
        var texts: [String] = []
        for identifier in identifiers {
            var bytes = Array(identifier.utf8)[...]
            for scheme in ["https://", "http://"] where bytes.starts(with: scheme.utf8) {
                bytes = bytes.dropFirst(scheme.utf8.count)
            }
            // NUL, at which SQLite's text would end, stays encoded.
            let decoded = PercentEncoding.decode(bytes) { $0 != 0 }
            let text = String(validating: decoded, as: UTF8.self) ?? String(decoding: bytes, as: UTF8.self)
            if !texts.contains(where: { $0.hasSameBytes(as: text) }) { texts.append(text) }
        }
        return texts.joined(separator: "\n")
    }
}
