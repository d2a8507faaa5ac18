extension Store {
    /// Hands on all notes, then all links, then all redirects, each in the order in which they were made, as they were at
    /// one moment. In constant memory.
    ///
    /// - Parameters:
    ///   - notes: only these notes and their links, and no redirects; nil for everything. Ids of 36 characters.
    ///   - restart: called before the first row, and again when the file changed in a way that makes what was read before
    ///     worthless: whatever was handed on is then handed on anew.
    ///   - take: takes a row; what it throws ends the export.
    public func exportContent(
        notes: [String]? = nil, restart: @escaping @Sendable () throws(StoreError) -> Void,
        take: @escaping @Sendable (ContentRow) throws(StoreError) -> Void
    ) throws(StoreError) {
        try read { (state) throws(StoreError) in
            try restart()
            guard let notes else {
                try state.eachNote("1") { (_, note) throws(StoreError) in try take(.note(note)) }
                try state.eachLink("1") { (link) throws(StoreError) in try take(.link(link)) }
                try state.eachRedirect { (redirect) throws(StoreError) in try take(.redirect(redirect)) }
                return
            }
            var numbers: [Int64] = []
            for id in notes {
                guard let value = SQLiteValue(identifier: id) else { continue }
                try state.eachNote("id = ?", value) { (number, note) throws(StoreError) in
                    guard !numbers.contains(number) else { return }
                    numbers.append(number)
                    try take(.note(note))
                }
            }
            for number in numbers {
                try state.eachLink("note = ?", .integer(number)) { (link) throws(StoreError) in
                    try take(.link(link))
                }
            }
        }
    }
}

extension StoreState {
    mutating func eachNote(
        _ condition: String, _ values: SQLiteValue...,
        take: (_ number: Int64, ContentRow.Note) throws(StoreError) -> Void
    ) throws(StoreError) {
        let statement = try prepare(
            "SELECT number, id, text, state, line, created, changed FROM note WHERE \(condition) ORDER BY number",
            values)
        while try statement.step() {
            let number = statement.integer(0)
            try take(
                number,
                ContentRow.Note(
                    id: try statement.identifier(1), text: statement.text(2), state: statement.text(3),
                    line: statement.integer(4), created: statement.integer(5), changed: statement.integer(6),
                    attachments: try attachments(ofNote: number)))
        }
    }

    private mutating func attachments(ofNote number: Int64) throws(StoreError) -> [ContentRow.Attachment] {
        let statement = try prepare(
            "SELECT path, digest, size, added FROM attachment WHERE note = ? ORDER BY number", [.integer(number)])
        var found: [ContentRow.Attachment] = []
        while try statement.step() {
            found.append(
                ContentRow.Attachment(
                    path: statement.optionalText(0), digest: statement.optionalText(1),
                    size: statement.optionalInteger(2), added: statement.integer(3)))
        }
        return found
    }

    mutating func eachLink(
        _ condition: String, _ values: SQLiteValue..., take: (ContentRow.Link) throws(StoreError) -> Void
    ) throws(StoreError) {
        let statement = try prepare(
            """
            SELECT number, id, (SELECT id FROM note WHERE note.number = link.note), app, title, created, document
            FROM link WHERE \(condition) ORDER BY number
            """, values)
        while try statement.step() {
            try take(
                ContentRow.Link(
                    id: try statement.identifier(1), note: try statement.identifier(2), app: statement.optionalText(3),
                    title: statement.optionalText(4), created: statement.integer(5),
                    identifiers: try identifiers(ofLink: statement.integer(0)), document: statement.optionalBlob(6)))
        }
    }

    private mutating func identifiers(ofLink number: Int64) throws(StoreError) -> [ContentRow.Identifier] {
        let statement = try prepare(
            "SELECT kind, identifier FROM link_identifier WHERE link = ? ORDER BY kind, identifier", [.integer(number)])
        var found: [ContentRow.Identifier] = []
        while try statement.step() {
            found.append(ContentRow.Identifier(kind: statement.integer(0), identifier: statement.text(1)))
        }
        return found
    }

    fileprivate mutating func eachRedirect(take: (ContentRow.Redirect) throws(StoreError) -> Void) throws(StoreError) {
        let statement = try prepare(
            "SELECT number, source, destination, is_prefix, made, reason FROM redirect ORDER BY number")
        while try statement.step() { try take(ContentRow.Redirect(reading: statement)) }
    }
}

extension ContentRow.Redirect {
    /// Columns: number, source, destination, is_prefix, made, reason.
    init(reading statement: borrowing Statement) {
        self.init(
            number: statement.integer(0), source: statement.text(1), destination: statement.optionalText(2),
            isPrefix: statement.integer(3) != 0, made: statement.integer(4), reason: statement.optionalText(5))
    }
}
