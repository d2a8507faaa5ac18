internal import UsherScene
public import UsherStore
internal import UsherSystem
internal import UsherText

extension Store {
    /// A note: text of the user's own, with links to content and with attachments.
    public struct Note: Sendable, Hashable {
        public enum State: String, Sendable, CaseIterable {
            /// The note in progress: at most one is.
            case current
            /// Put aside, to be pulled out again.
            case aside
            case done
        }

        /// Text of 36 characters.
        public var id: String
        public var text: String
        public var state: State
        /// Where one was in it, from 1.
        public var line: Int
        public var created: Int64
        /// When anything about it changed last.
        public var changed: Int64
        /// Its row.
        package var number: Int64

        /// The scheme of the identifiers of notes.
        public static let scheme = "usher-note"
        /// How many bytes its text may have.
        public static let maximumLength = 1 << 20

        /// Its target content identifier.
        public var target: String { Note.scheme + ":" + id }

        /// Its first line that has more than white space in it, without the white space around.
        public var title: String { Note.title(of: text) }

        /// The same of a text, which may have been cut.
        static func title(of text: String) -> String {
            let blanks = " \t\u{B}\u{C}\r"
            let lines = text.utf8.split(separator: 0x0A).lazy.map { $0.trimmed(blanks, atEnd: blanks) }
            return lines.first { !$0.isEmpty }.map { String(decoding: $0, as: UTF8.self) } ?? ""
        }
    }

    /// What is asked for where a note is meant.
    public enum NoteName: Sendable, Hashable {
        case current
        case id(String)

        /// `current`, an id, or `usher-note:` and an id; nil for any other text.
        public init?(_ text: String) {
            if text == "current" {
                self = .current
                return
            }
            let prefix = Note.scheme + ":"
            let id = text.utf8.starts(with: prefix.utf8) ? String(text.utf8.dropFirst(prefix.utf8.count)) ?? "" : text
            guard UUIDv7.isOne(id) else { return nil }
            self = .id(id)
        }
    }

    /// The note of that name; nil when there is none.
    public func note(_ name: NoteName) throws(StoreError) -> Note? {
        try read { (state) throws(StoreError) in try state.note(name) }
    }

    /// The note of that id.
    public func note(_ id: String) throws(StoreError) -> Note? { try note(.id(id)) }

    /// Notes from the one that was changed last on.
    ///
    /// - Parameters:
    ///   - tag: only those with this tag in their text.
    ///   - before: the last one of the page before; nil for the first page.
    public func notes(
        _ state: Note.State? = nil, tag: NoteTag? = nil, limit: Int, before: Note? = nil
    ) throws(StoreError) -> [Note] {
        try read { (store) throws(StoreError) in
            try store.notes(state, tags: tag.map { [$0] } ?? [], limit: limit, before: before)
        }
    }

    /// How many links a note has.
    public func linkCount(of note: Note) throws(StoreError) -> Int {
        try read { (state) throws(StoreError) in
            Int(try state.integer("SELECT count(*) FROM link WHERE note = ?", .integer(note.number)) ?? 0)
        }
    }
}

extension StoreState {
    private static let noteColumns = "number, id, text, state, line, created, changed"

    /// The note that is called so.
    package mutating func note(_ name: Store.NoteName) throws(StoreError) -> Store.Note? {
        switch name {
        case .current: return try note(where: "state = 'current'", [])
        case .id(let id):
            guard let key = SQLiteValue(identifier: id) else { return nil }
            return try note(where: "id = ?", [key])
        }
    }

    package mutating func note(number: Int64) throws(StoreError) -> Store.Note? {
        try note(where: "number = ?", [.integer(number)])
    }

    /// The one that was put aside last.
    package mutating func lastNoteAside() throws(StoreError) -> Store.Note? {
        try note(where: "state = 'aside' ORDER BY changed DESC, number DESC LIMIT 1", [])
    }

    /// - Parameter tags: a note has all of them; such notes are found by reading their texts.
    fileprivate mutating func notes(
        _ state: Store.Note.State?, tags: Set<NoteTag>, limit: Int, before: Store.Note?
    ) throws(StoreError) -> [Store.Note] {
        var conditions: [String] = []
        var values: [SQLiteValue] = []
        if let state {
            // Of the note in progress there is an index of its own; the others are walked by their times.
            conditions.append(state == .current ? "state = 'current'" : "+state = ?")
            if state != .current { values.append(.text(state.rawValue)) }
        }
        if let before {
            conditions.append("(changed, number) < (?, ?)")
            values += [.integer(before.changed), .integer(before.number)]
        }
        if !tags.isEmpty { conditions.append("instr(text, '#') > 0") }
        let filter = conditions.isEmpty ? "" : "WHERE " + conditions.joined(separator: " AND ")
        let rows = try prepare(
            "SELECT \(StoreState.noteColumns) FROM note \(filter) ORDER BY changed DESC, number DESC LIMIT ?",
            values + [.integer(tags.isEmpty ? Int64(limit) : -1)])
        var notes: [Store.Note] = []
        while notes.count < limit, try rows.step() {
            let note = try Store.Note(rows, path: path)
            if tags.isEmpty || tags.isSubset(of: note.tags) { notes.append(note) }
        }
        return notes
    }

    private mutating func note(where condition: String, _ values: [SQLiteValue]) throws(StoreError) -> Store.Note? {
        let row = try prepare("SELECT \(StoreState.noteColumns) FROM note WHERE \(condition)", values)
        return try row.step() ? try Store.Note(row, path: path) : nil
    }
}

extension Store.Note {
    fileprivate init(_ row: borrowing Statement, path: String) throws(StoreError) {
        let id = try row.identifier(1)
        guard let state = State(rawValue: row.text(3)) else {
            throw .unreadable("note \(id) has no known state", path: path)
        }
        self.init(
            id: id, text: row.text(2), state: state, line: Int(row.integer(4)), created: row.integer(5),
            changed: row.integer(6), number: row.integer(0))
    }
}

// MARK: - Note changes

extension Store {
    /// What came of a change of a note's text.
    public enum NoteEdit: Sendable {
        case done(Note)
        /// Another caller changed the text meanwhile: nothing was changed. The note as it is now.
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
            INSERT INTO note (number, id, text, state, line, created, changed) VALUES (?, ?, ?, 'current', ?, ?, ?)
            RETURNING number
            """, .integer(try nextNumber(in: "note")), SQLiteValue(identifier: UUIDv7.next()) ?? .null, .text(text),
            .integer(Int64(line)), .integer(now), .integer(now))
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
        if let old, !old.hasSameBytes(as: found.text), !text.hasSameBytes(as: found.text) {
            return .changedMeanwhile(found)
        }
        if !text.hasSameBytes(as: found.text) {
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

    /// Removes a note with its links and attachments, and returns it as it was. `Store.undo` takes that back.
    package mutating func delete(note name: Store.NoteName) throws(StoreError) -> Store.Note? {
        guard let found = try note(name) else { return nil }
        try keep(removed: found)
        try forgetText(of: found)
        try forgetText(ofLinksOfNote: found.number)
        try countTies(ofLinks: "link.note = ?1", -1, .integer(found.number))
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

// MARK: - Note search

extension Store {
    /// A note that was found, and where.
    public struct FoundNote: Sendable, Hashable {
        public var note: Note
        /// The words around what was found, that between `[` and `]`; in one line.
        public var snippet: String
        /// Whether it was found by one of its links.
        public var isByLink: Bool
    }

    /// The notes that have all these words in their text, or in the title and the addresses of one of their links: each
    /// word is the beginning of one, without regard to case and accents. The best ones first, of the newest thousand; then
    /// the newest of those that have some of the words in one place and some in another.
    ///
    /// A word that is a tag with its `#` is looked for as a whole, among the tags of the notes. Of tags alone, the note
    /// that was changed last comes first.
    ///
    /// A text that is an identifier with a URI scheme finds the notes with a link to that content, those with the newest
    /// links first; where there are none, it is searched by its words, too.
    ///
    /// - Parameter text: taken by its words alone; nothing in it is syntax.
    public func searchNotes(_ text: String, limit: Int) throws(StoreError) -> [FoundNote] {
        let target = TargetContentIdentifier(text)
        if target.scheme != nil, limit > 0 {
            let found = try read { (state) throws(StoreError) in try state.notes(linkedTo: target, limit: limit) }
            if !found.isEmpty { return found }
        }
        guard limit > 0 else { return [] }
        let (tags, rest) = SearchQuery.tags(in: text)
        guard let query = SearchQuery(rest) else {
            guard !tags.isEmpty else { return [] }
            return try read { (state) throws(StoreError) in try state.notes(tagged: tags, limit: limit) }
        }
        // Those with other tags are left out afterwards.
        let most = tags.isEmpty ? limit : Int(Store.rankedNotes)
        let found = try read { (state) throws(StoreError) in
            if let match = query.match, query.pieces.isEmpty {
                var found = try state.indexed(match, limit: most)
                if found.count < most { found += try state.indexed(parts: query, limit: most, besides: found) }
                return found
            }
            return try state.scanned(query, limit: most)
        }
        return Array(found.lazy.filter { tags.isSubset(of: $0.note.tags) }.prefix(limit))
    }

    /// How many of the newest ones that have the words are weighed against each other.
    fileprivate static let rankedNotes: Int64 = 1000
}

extension StoreState {
    fileprivate mutating func notes(
        linkedTo target: TargetContentIdentifier, limit: Int
    ) throws(StoreError) -> [Store.FoundNote] {
        var found: [Store.FoundNote] = []
        for link in try links(note: nil, target: target, limit: Int(Store.rankedNotes), before: nil)
        where found.count < limit && !found.contains(where: { $0.note.id == link.note }) {
            guard let note = try note(.id(link.note)) else { continue }
            let shown = StoreState.oneLine(link.title ?? link.target?.text ?? "")
            found.append(Store.FoundNote(note: note, snippet: shown, isByLink: true))
        }
        return found
    }

    fileprivate mutating func notes(tagged tags: Set<NoteTag>, limit: Int) throws(StoreError) -> [Store.FoundNote] {
        try notes(nil, tags: tags, limit: limit, before: nil).map { note in
            let snippet = SearchQuery.snippet(of: note.text, tags: tags)
            return Store.FoundNote(note: note, snippet: StoreState.oneLine(snippet), isByLink: false)
        }
    }

    private struct Hit {
        var note: Int64
        /// The row of the link that was found.
        var link: Int64?
        var score: Double

        init(_ row: borrowing Statement) {
            (note, link, score) = (row.integer(0), row.optionalInteger(1), row.real(2))
        }
    }

    fileprivate mutating func indexed(_ match: String, limit: Int) throws(StoreError) -> [Store.FoundNote] {
        let values: [SQLiteValue] = [.text(match), .integer(Store.rankedNotes)]
        let inNotes = try rows(
            """
            SELECT rowid, NULL, bm25(note_text) FROM note_text WHERE note_text MATCH ? ORDER BY rowid DESC LIMIT ?
            """, values
        ) { Hit($0) }
        let inLinks = try rows(
            """
            SELECT link.note, link.number, score FROM (
                SELECT rowid AS place, bm25(link_text) AS score FROM link_text WHERE link_text MATCH ?
                ORDER BY rowid DESC LIMIT ?)
            CROSS JOIN link ON link.number = place
            """, values
        ) { Hit($0) }
        var hits: [Int64: Hit] = [:]
        for hit in inNotes + inLinks where hits[hit.note].map({ hit.score < $0.score }) ?? true {
            hits[hit.note] = hit
        }
        // The least score is the best one; of equal ones the newest note.
        let best = hits.values.sorted { ($0.score, -$0.note) < ($1.score, -$1.note) }.prefix(limit)
        var found: [Store.FoundNote] = []
        for hit in best {
            guard let note = try note(number: hit.note) else { continue }
            let table = hit.link == nil ? "note_text" : "link_text"
            var marked = ""
            // Of a link, the title if a word is in it, else the address.
            for column in hit.link == nil ? 0...0 : 0...1 where !marked.utf8.contains(2) {
                // Not snippet(): its time grows with the square of the places where the words are.
                marked =
                    try text(
                        """
                        SELECT highlight(\(table), \(column), char(2), char(3)) FROM \(table)
                        WHERE \(table) MATCH ? AND rowid = ?
                        """, .text(match), .integer(hit.link ?? hit.note)) ?? ""
            }
            let snippet = SearchQuery.snippet(ofMarked: marked)
            found.append(
                Store.FoundNote(note: note, snippet: StoreState.oneLine(snippet), isByLink: hit.link != nil))
        }
        return found
    }

    /// The notes that have all the words, but not all of them in one place.
    fileprivate mutating func indexed(
        parts query: SearchQuery, limit: Int, besides known: [Store.FoundNote]
    ) throws(StoreError) -> [Store.FoundNote] {
        guard query.phrases.count > 1 else { return [] }
        let conditions = query.phrases.indices.map { place in
            """
            number IN (
                SELECT rowid FROM note_text WHERE note_text MATCH ?\(place + 1) UNION ALL
                SELECT link.note FROM link_text CROSS JOIN link ON link.number = link_text.rowid
                WHERE link_text MATCH ?\(place + 1))
            """
        }
        let path = path
        let notes = try rows(
            """
            SELECT \(StoreState.noteColumns) FROM note WHERE \(conditions.joined(separator: " AND "))
            ORDER BY number DESC LIMIT \(limit)
            """, query.phrases.map { .text($0) }
        ) { (row) throws(StoreError) in try Store.Note(row, path: path) }
        let ids = Set(known.map(\.note.id))
        return notes.filter { !ids.contains($0.id) }.prefix(limit - known.count).map { note in
            Store.FoundNote(note: note, snippet: StoreState.oneLine(query.snippet(of: note.text)), isByLink: true)
        }
    }

    /// Looks through the text itself: O(all of it).
    fileprivate mutating func scanned(_ query: SearchQuery, limit: Int) throws(StoreError) -> [Store.FoundNote] {
        let patterns = query.words.map { SearchQuery.pattern($0.unicodeScalars[...]) }
        let values = patterns.map { SQLiteValue.text($0) }
        func all(_ column: String) -> String {
            patterns.map { _ in "\(column) LIKE ? ESCAPE '\\'" }.joined(separator: " AND ")
        }
        let places = try rows(
            """
            SELECT number, NULL FROM note WHERE \(all("text"))
            UNION ALL SELECT note, said FROM (
                SELECT note, ltrim(coalesce(title, '') || char(10) || coalesce(words, ''), char(10)) AS said FROM link)
            WHERE \(all("said"))
            ORDER BY 1 DESC, 2 LIMIT ?
            """, values + values + [.integer(Int64(limit) * 2)]
        ) { (note: $0.integer(0), title: $0.optionalText(1)) }
        var found: [Store.FoundNote] = []
        for (number, title) in places where found.count < limit && found.last?.note.number != number {
            guard let note = try note(number: number) else { continue }
            found.append(
                Store.FoundNote(
                    note: note, snippet: StoreState.oneLine(query.snippet(of: title ?? note.text)),
                    isByLink: title != nil))
        }
        return found
    }

    /// The lines of a user's text as one, with blanks for the control characters of terminals.
    private static func oneLine(_ text: String) -> String {
        var line = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            let isControl = scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
            if isControl, line.last == " " { continue }
            line.append(isControl ? " " : scalar)
        }
        return String(line)
    }
}

extension SearchQuery {
    /// The tags among the words of a search, and the other words.
    fileprivate static func tags(in text: String) -> (tags: Set<NoteTag>, rest: String) {
        guard text.utf8.contains(UInt8(ascii: "#")) else { return ([], text) }
        var tags: Set<NoteTag> = []
        var rest: [String] = []
        for word in text.unicodeScalars.split(whereSeparator: { $0.properties.isWhitespace }) {
            if word.first == "#", let tag = NoteTag(String(word)) {
                tags.insert(tag)
            } else {
                rest.append(String(word))
            }
        }
        return (tags, rest.joined(separator: " "))
    }

    /// The neighbourhood of the first of these tags, which is put in brackets.
    fileprivate static func snippet(of text: String, tags: Set<NoteTag>) -> String {
        let word = text.unicodeScalars.split { $0.properties.isWhitespace }.first { word in
            word.first == "#" && !tags.isDisjoint(with: NoteTag.all(in: String(word)))
        }
        guard let word, let tag = NoteTag.all(in: String(word)).first else { return "" }
        // Folding keeps the number of scalars.
        return snippet(of: text, around: String(word.prefix(1 + tag.text.unicodeScalars.count)))
    }

    /// The neighbourhood of the first word, which is put in brackets.
    fileprivate func snippet(of text: String) -> String { SearchQuery.snippet(of: text, around: words.first ?? "") }

    private static func snippet(of text: String, around word: String) -> String {
        let scalars = Array(text.unicodeScalars)
        let word = Array(word.unicodeScalars).map(SearchQuery.folded)
        guard !word.isEmpty, scalars.count >= word.count else { return "" }
        let place = (0...(scalars.count - word.count)).first { start in
            word.indices.allSatisfy { SearchQuery.folded(scalars[start + $0]) == word[$0] }
        }
        guard let place else { return String(String.UnicodeScalarView(scalars.prefix(40))) }
        let (from, to) = (max(0, place - 20), min(scalars.count, place + word.count + 20))
        func piece(_ range: Range<Int>) -> String { String(String.UnicodeScalarView(scalars[range])) }
        return (from > 0 ? "…" : "") + piece(from..<place) + "[" + piece(place..<place + word.count) + "]"
            + piece(place + word.count..<to) + (to < scalars.count ? "…" : "")
    }

    /// The neighbourhood of the first place that is between U+0002 and U+0003; these become brackets.
    fileprivate static func snippet(ofMarked text: String) -> String {
        let scalars = text.unicodeScalars
        let first = scalars.firstIndex { $0.value == 2 } ?? scalars.startIndex
        let from = scalars.index(first, offsetBy: -30, limitedBy: scalars.startIndex) ?? scalars.startIndex
        let to = scalars.index(first, offsetBy: 90, limitedBy: scalars.endIndex) ?? scalars.endIndex
        var snippet = String.UnicodeScalarView()
        var isOpen = false
        for scalar in scalars[from..<to] {
            switch scalar.value {
            case 2:
                isOpen = true
                snippet.append("[")
            case 3 where isOpen:
                isOpen = false
                snippet.append("]")
            case 3: break
            default: snippet.append(scalar)
            }
        }
        if isOpen { snippet.append("]") }
        return (from > scalars.startIndex ? "…" : "") + String(snippet) + (to < scalars.endIndex ? "…" : "")
    }

    /// As LIKE compares: capitals of ASCII are small ones.
    private static func folded(_ scalar: Unicode.Scalar) -> UInt32 {
        (0x41...0x5A).contains(scalar.value) ? scalar.value + 0x20 : scalar.value
    }
}

// MARK: - Attachments

extension Store {
    /// A file that belongs to a note: by its path, by its digest, or by both. The file itself stays where it is.
    public struct Attachment: Sendable {
        public var path: String?
        /// `sha256:` and 64 hexadecimal digits.
        public var digest: String?
        /// In bytes, as it was when it was attached.
        public var size: Int64?
        /// When; 0 before it is.
        public var added: Int64 = 0
    }

    /// In the order in which they were attached.
    public func attachments(of note: Note) throws(StoreError) -> [Attachment] {
        try read { (state) throws(StoreError) in
            try state.attachments("attachment WHERE note = ?", .integer(note.number))
        }
    }
}

extension StoreState {
    /// Attaches a file. One of the same path, or of the same digest without a path, takes the place of the one before.
    package mutating func attach(_ new: Store.Attachment, to note: Store.Note) throws(StoreError) {
        let now = options.now()
        if let path = new.path {
            try run("DELETE FROM attachment WHERE note = ? AND path = ?", .integer(note.number), .text(path))
        } else {
            try run(
                "DELETE FROM attachment WHERE note = ? AND path IS NULL AND digest = ?", .integer(note.number),
                SQLiteValue(new.digest))
        }
        try run(
            "INSERT INTO attachment (note, path, digest, size, added) VALUES (?, ?, ?, ?, ?)", .integer(note.number),
            SQLiteValue(new.path), SQLiteValue(new.digest), SQLiteValue(new.size), .integer(now))
        try run("UPDATE note SET changed = ? WHERE number = ?", .integer(now), .integer(note.number))
    }
}
