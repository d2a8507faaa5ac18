public import UsherScene
internal import UsherSystem
internal import UsherText

extension Store {
    /// A link to be made.
    public struct NewLink: Sendable {
        /// nil: a new one.
        public var id: String?
        public var note: NoteName
        public var app: String?
        public var title: String?
        public var identifiers: [LinkIdentifier]
        public var document: [UInt8]?
        /// nil: now.
        public var created: Int64?

        public init(
            id: String? = nil, note: NoteName, app: String? = nil, title: String? = nil, identifiers: [LinkIdentifier],
            document: [UInt8]? = nil, created: Int64? = nil
        ) {
            self.id = id
            self.note = note
            self.app = app
            self.title = title
            self.identifiers = identifiers
            self.document = document
            self.created = created
        }
    }

    /// What came of a link that was to be made.
    public enum AddedLink: Sendable {
        case added(Link)
        /// The note has a link with the same preferred identifier already: this one. Nothing was changed.
        case known(Link)
        /// There is no such note.
        case noNote
        /// The content was deleted: nothing can lead to it.
        case deleted(Redirection)
    }

    /// Makes a link, unless its note has it already.
    public func add(link new: NewLink) throws(StoreError) -> AddedLink {
        try write { (state) throws(StoreError) in try state.add(link: new) }
    }

    /// Removes a link and returns it as it was; nil when there is none.
    @discardableResult
    public func remove(link id: String) throws(StoreError) -> Link? {
        try write { (state) throws(StoreError) in try state.remove(link: id) }
    }
}

extension StoreState {
    /// See `Store.add(link:)`.
    package mutating func add(link new: Store.NewLink) throws(StoreError) -> Store.AddedLink {
        guard let note = try note(new.note)?.number else { return .noNote }
        if let target = Store.LinkIdentifier.preferred(of: new.identifiers) {
            let redirection = try redirection(of: target)
            if case .deleted = redirection.end { return .deleted(redirection) }
            if let known = try link(ofNote: note, having: target) { return .known(known) }
        }
        let id = new.id ?? UUIDv7.next()
        let number = try integer(
            "INSERT INTO link (id, note, app, title, created, document) VALUES (?, ?, ?, ?, ?, ?) RETURNING number",
            SQLiteValue(identifier: id) ?? .null, .integer(note), SQLiteValue(new.app), SQLiteValue(new.title),
            .integer(new.created ?? options.now()), new.document.map { .blob($0) } ?? .null)
        guard let number else { throw .unreadable("a link got no number", path: path) }
        try run("INSERT INTO link_text (rowid, title) VALUES (?, ?)", .integer(number), SQLiteValue(new.title))
        for identifier in new.identifiers {
            try run(
                "INSERT OR IGNORE INTO link_identifier (link, kind, identifier) VALUES (?, ?, ?)", .integer(number),
                .integer(identifier.kind.rawValue), .text(identifier.identifier.text))
        }
        guard let made = try link(id: id) else { throw .unreadable("a new link is missing", path: path) }
        return .added(made)
    }

    private mutating func link(
        ofNote note: Int64, having identifier: TargetContentIdentifier
    ) throws(StoreError) -> Store.Link? {
        // From the note's side: a note has few links, an identifier may be in very many.
        let id: String
        do {
            let row = try prepare(
                """
                SELECT link.id FROM link CROSS JOIN link_identifier ON link_identifier.link = link.number
                WHERE link.note = ? AND identifier = ? ORDER BY link.number LIMIT 1
                """, [.integer(note), .text(identifier.text)])
            guard try row.step() else { return nil }
            id = try row.identifier(0)
        }
        return try link(id: id)
    }

    /// See `Store.remove(link:)`.
    package mutating func remove(link id: String) throws(StoreError) -> Store.Link? {
        guard let link = try link(id: id) else { return nil }
        try forgetText(ofLink: link.number, title: link.title)
        try run("DELETE FROM link WHERE number = ?", .integer(link.number))
        return link
    }

    /// An external-content index needs the old text to delete its entry
    /// (https://sqlite.org/fts5.html#the_delete_command).
    private mutating func forgetText(ofLink number: Int64, title: String?) throws(StoreError) {
        try run(
            "INSERT INTO link_text (link_text, rowid, title) VALUES ('delete', ?, ?)", .integer(number),
            SQLiteValue(title))
    }
}
