extension Store {
    /// A note that was found, and where.
    public struct FoundNote: Sendable, Hashable {
        public var note: Note
        /// The words around what was found, that between `[` and `]`; in one line.
        public var snippet: String
        /// Whether it was found by the title of one of its links.
        public var isByLink: Bool
    }

    /// The notes that have all these words in their text, or in the title of one of their links: each word is the
    /// beginning of one, without regard to case and accents. The best ones first, of the newest thousand.
    ///
    /// - Parameter text: taken by its words alone; nothing in it is syntax.
    public func searchNotes(_ text: String, limit: Int) throws(StoreError) -> [FoundNote] {
        guard let query = SearchQuery(text), limit > 0 else { return [] }
        return try read { (state) throws(StoreError) in
            if let match = query.match, query.pieces.isEmpty { return try state.indexed(match, limit: limit) }
            return try state.scanned(query, limit: limit)
        }
    }

    /// How many of the newest ones that have the words are weighed against each other.
    fileprivate static let rankedNotes: Int64 = 1000
}

extension StoreState {
    private struct Hit {
        var note: Int64
        /// The row of the link that has this title.
        var link: Int64?
        var score: Double
    }

    fileprivate mutating func indexed(_ match: String, limit: Int) throws(StoreError) -> [Store.FoundNote] {
        var hits: [Int64: Hit] = [:]
        do {
            let rows = try prepare(
                """
                SELECT rowid, bm25(note_text) FROM note_text WHERE note_text MATCH ? ORDER BY rowid DESC LIMIT ?
                """, [.text(match), .integer(Store.rankedNotes)])
            while try rows.step() {
                hits[rows.integer(0)] = Hit(note: rows.integer(0), link: nil, score: rows.real(1))
            }
        }
        do {
            let rows = try prepare(
                """
                SELECT link.note, link.number, score FROM (
                    SELECT rowid AS place, bm25(link_text) AS score FROM link_text WHERE link_text MATCH ?
                    ORDER BY rowid DESC LIMIT ?)
                CROSS JOIN link ON link.number = place
                """, [.text(match), .integer(Store.rankedNotes)])
            while try rows.step() {
                let hit = Hit(note: rows.integer(0), link: rows.integer(1), score: rows.real(2))
                if let known = hits[hit.note], known.score <= hit.score { continue }
                hits[hit.note] = hit
            }
        }
        // The least score is the best one; of equal ones the newest note.
        let best = hits.values.sorted { ($0.score, -$0.note) < ($1.score, -$1.note) }.prefix(limit)
        var found: [Store.FoundNote] = []
        for hit in best {
            guard let note = try note(number: hit.note) else { continue }
            let table = hit.link == nil ? "note_text" : "link_text"
            // Not snippet(): its time grows with the square of the places where the words are.
            let marked = try text(
                "SELECT highlight(\(table), 0, char(2), char(3)) FROM \(table) WHERE \(table) MATCH ? AND rowid = ?",
                .text(match), .integer(hit.link ?? hit.note))
            let snippet = SearchQuery.snippet(ofMarked: marked ?? "")
            found.append(
                Store.FoundNote(note: note, snippet: StoreState.oneLine(snippet), isByLink: hit.link != nil))
        }
        return found
    }

    /// Looks through the text itself: O(all of it).
    fileprivate mutating func scanned(_ query: SearchQuery, limit: Int) throws(StoreError) -> [Store.FoundNote] {
        let patterns = query.words.map { SearchQuery.pattern($0.unicodeScalars[...]) }
        let values = patterns.map { SQLiteValue.text($0) }
        func all(_ column: String) -> String {
            patterns.map { _ in "\(column) LIKE ? ESCAPE '\\'" }.joined(separator: " AND ")
        }
        var places: [(note: Int64, title: String?)] = []
        do {
            let rows = try prepare(
                """
                SELECT number, NULL FROM note WHERE \(all("text"))
                UNION ALL SELECT note, title FROM link WHERE \(all("title"))
                ORDER BY 1 DESC, 2 LIMIT ?
                """, values + values + [.integer(Int64(limit) * 2)])
            while try rows.step() { places.append((rows.integer(0), rows.optionalText(1))) }
        }
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

    /// Lines of people's text as one, with what a terminal would obey as blanks.
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
    /// The neighbourhood of the first word, which is put in brackets.
    fileprivate func snippet(of text: String) -> String {
        let scalars = Array(text.unicodeScalars)
        let word = Array((words.first ?? "").unicodeScalars).map(SearchQuery.folded)
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
