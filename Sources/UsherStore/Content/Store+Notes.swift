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
        public var title: String {
            let blanks: Set<UInt8> = [0x20, 0x09, 0x0B, 0x0C, 0x0D]
            for line in text.utf8.split(separator: 0x0A) {
                var line = line.drop { blanks.contains($0) }
                while let last = line.last, blanks.contains(last) { line.removeLast() }
                if !line.isEmpty { return String(Substring(line)) }
            }
            return ""
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
    ///   - before: the last one of the page before; nil for the first page.
    public func notes(_ state: Note.State? = nil, limit: Int, before: Note? = nil) throws(StoreError) -> [Note] {
        try read { (store) throws(StoreError) in try store.notes(state, limit: limit, before: before) }
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

    fileprivate mutating func notes(
        _ state: Store.Note.State?, limit: Int, before: Store.Note?
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
        let filter = conditions.isEmpty ? "" : "WHERE " + conditions.joined(separator: " AND ")
        let rows = try prepare(
            "SELECT \(StoreState.noteColumns) FROM note \(filter) ORDER BY changed DESC, number DESC LIMIT ?",
            values + [.integer(Int64(limit))])
        var notes: [Store.Note] = []
        while try rows.step() { notes.append(try read(noteFrom: rows)) }
        return notes
    }

    private mutating func note(where condition: String, _ values: [SQLiteValue]) throws(StoreError) -> Store.Note? {
        let row = try prepare("SELECT \(StoreState.noteColumns) FROM note WHERE \(condition)", values)
        return try row.step() ? try read(noteFrom: row) : nil
    }

    private func read(noteFrom row: borrowing Statement) throws(StoreError) -> Store.Note {
        let id = try row.identifier(1)
        guard let state = Store.Note.State(rawValue: row.text(3)) else {
            throw .unreadable("note \(id) has no known state", path: path)
        }
        return Store.Note(
            id: id, text: row.text(2), state: state, line: Int(row.integer(4)), created: row.integer(5),
            changed: row.integer(6), number: row.integer(0))
    }
}
