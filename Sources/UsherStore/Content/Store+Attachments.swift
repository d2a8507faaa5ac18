extension Store {
    /// A file that belongs to a note: by its path, by its digest, or by both. The file itself stays where it is.
    public struct Attachment: Sendable, Hashable {
        public var path: String?
        /// `sha256:` and 64 hexadecimal digits.
        public var digest: String?
        /// In bytes, as it was when it was attached.
        public var size: Int64?
        /// When; 0 before it is.
        public var added: Int64

        public init(path: String? = nil, digest: String? = nil, size: Int64? = nil, added: Int64 = 0) {
            self.path = path
            self.digest = digest
            self.size = size
            self.added = added
        }
    }

    /// In the order in which they were attached.
    public func attachments(of note: Note) throws(StoreError) -> [Attachment] {
        try read { (state) throws(StoreError) in
            let rows = try state.prepare(
                "SELECT path, digest, size, added FROM attachment WHERE note = ? ORDER BY number",
                [.integer(note.number)])
            var attachments: [Attachment] = []
            while try rows.step() {
                attachments.append(
                    Attachment(
                        path: rows.optionalText(0), digest: rows.optionalText(1), size: rows.optionalInteger(2),
                        added: rows.integer(3)))
            }
            return attachments
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
