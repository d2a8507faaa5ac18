public import UsherStore

extension Store {
    /// Passes on all notes, then all links, then all redirects, each in the order in which they were made, as they were at
    /// one moment. In constant memory.
    ///
    /// - Parameters:
    ///   - notes: only these notes and their links, and no redirects; nil for everything. Ids of 36 characters.
    ///   - restart: called before the first row, and again when the file changed in a way that makes what was read before
    ///     worthless: all rows are then passed on again.
    ///   - take: takes a row; what it throws ends the export.
    public func exportContent<Context: Sendable>(
        into context: inout Context, notes: [String]? = nil,
        restart: @Sendable (inout Context) throws(StoreError) -> Void,
        take: @Sendable (inout Context, ContentRow) throws(StoreError) -> Void
    ) throws(StoreError) {
        try read(into: &context) { (state, context) throws(StoreError) in
            try restart(&context)
            guard let notes else {
                try state.eachNote("1") { (_, note) throws(StoreError) in try take(&context, .note(note)) }
                try state.eachLink("1") { (link) throws(StoreError) in try take(&context, .link(link)) }
                try state.eachRedirect { (redirect) throws(StoreError) in try take(&context, .redirect(redirect)) }
                return
            }
            var numbers: [Int64] = []
            for id in notes {
                guard let value = SQLiteValue(identifier: id) else { continue }
                try state.eachNote("id = ?", value) { (number, note) throws(StoreError) in
                    guard !numbers.contains(number) else { return }
                    numbers.append(number)
                    try take(&context, .note(note))
                }
            }
            for number in numbers {
                try state.eachLink("note = ?", .integer(number)) { (link) throws(StoreError) in
                    try take(&context, .link(link))
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
            var note = try ContentRow.Note(reading: statement)
            note.attachments = try attachments("attachment WHERE note = ?", .integer(number))
            try take(number, note)
        }
    }

    /// In the order in which they were attached.
    ///
    /// - Parameter rows: a table, and the condition for the rows.
    mutating func attachments(_ rows: String, _ value: SQLiteValue) throws(StoreError) -> [Store.Attachment] {
        try self.rows("SELECT path, digest, size, added FROM \(rows) ORDER BY number", [value]) { row in
            Store.Attachment(
                path: row.optionalText(0), digest: row.optionalText(1), size: row.optionalInteger(2),
                added: row.integer(3))
        }
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
            var link = try ContentRow.Link(reading: statement)
            link.identifiers = try identifiers("link_identifier WHERE link = ?", [.integer(statement.integer(0))])
            try take(link)
        }
    }

    /// In the order of their kinds.
    ///
    /// - Parameter rows: a table, and the condition for the rows.
    mutating func identifiers(
        _ rows: String, _ values: [SQLiteValue]
    ) throws(StoreError) -> [ContentRow.Identifier] {
        try self.rows("SELECT kind, identifier FROM \(rows) ORDER BY kind, identifier", values) { row in
            ContentRow.Identifier(kind: row.integer(0), identifier: row.text(1))
        }
    }

    fileprivate mutating func eachRedirect(take: (ContentRow.Redirect) throws(StoreError) -> Void) throws(StoreError) {
        let statement = try prepare(
            "SELECT number, source, destination, is_prefix, made, reason FROM redirect ORDER BY number")
        while try statement.step() { try take(ContentRow.Redirect(reading: statement)) }
    }
}

extension ContentRow.Note {
    /// Columns: number, id, text, state, line, created, changed. Without its attachments.
    init(reading row: borrowing Statement) throws(StoreError) {
        self.init(
            id: try row.identifier(1), text: row.text(2), state: row.text(3), line: row.integer(4),
            created: row.integer(5), changed: row.integer(6), attachments: [])
    }
}

extension ContentRow.Link {
    /// Columns: number, id, note, app, title, created, document. Without its identifiers.
    init(reading row: borrowing Statement) throws(StoreError) {
        self.init(
            id: try row.identifier(1), note: try row.identifier(2), app: row.optionalText(3),
            title: row.optionalText(4), created: row.integer(5), identifiers: [], document: row.optionalBlob(6))
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

// MARK: - Import

extension Store {
    /// How to treat an id that is in the store with other content.
    public enum ImportChoice: String, Sendable, CaseIterable {
        /// Nothing is imported at all.
        case refuse
        case keep
        case replace
    }

    /// What an import did, by kind.
    public struct Imported: Sendable, Hashable {
        public struct Count: Sendable, Hashable {
            public var added = 0
            /// There before, with the same content.
            public var same = 0
            public var kept = 0
            public var replaced = 0
        }

        public var notes = Count()
        public var links = Count()
        public var redirects = Count()
        /// Whether the note that was in progress there was put aside here, where another one is.
        public var hasPutAside = false

        public var changes: Int {
            [notes, links, redirects].reduce(0) { $0 + $1.added + $1.replaced }
        }
    }

    /// Imports rows, all or none, in one transaction. Links may refer to notes that came before them or are in the store.
    ///
    /// - Parameters:
    ///   - file: what errors name.
    ///   - rows: hands on every row with the number of its line; may be called twice, and is then to begin anew.
    /// - Throws: `import.conflict`, `import.line`, `import.redirect-loop`, and whatever `rows` throws.
    public func importContent(
        onConflict choice: ImportChoice, file: String,
        rows:
            @escaping @Sendable (_ take: (ContentRow, _ line: Int) throws(StoreError) -> Void) throws(StoreError) ->
            Void
    ) throws(StoreError) -> Imported {
        try write { (state) throws(StoreError) in
            var work = ContentImport(choice: choice, file: file)
            try rows { (row, line) throws(StoreError) in
                work.line = line
                switch row {
                case .note(let note): try work.insert(note, &state)
                case .link(let link): try work.insert(link, &state)
                case .redirect(let redirect): try work.insert(redirect, &state)
                }
            }
            if !work.changedRedirects.isEmpty {
                try work.checkRedirects(&state)
                try state.run("UPDATE store SET redirects = redirects + 1")
            }
            return work.imported
        }
    }
}

/// One import within its transaction.
struct ContentImport {
    let choice: Store.ImportChoice
    let file: String
    var line = 0
    var imported = Store.Imported()
    /// Redirects with chains that are checked once all redirects have been imported.
    var changedRedirects: [ContentRow.Redirect] = []

    init(choice: Store.ImportChoice, file: String) {
        self.choice = choice
        self.file = file
    }

    // MARK: Notes

    mutating func insert(_ given: ContentRow.Note, _ state: inout StoreState) throws(StoreError) {
        var note = given
        let id = try identifier(note.id)
        var there: (number: Int64, note: ContentRow.Note)?
        try state.eachNote("id = ?", id) { (number, found) throws(StoreError) in there = (number, found) }
        if note.state == "current", try state.hasOtherNoteInProgress(than: there?.number) { note.state = "aside" }
        guard let there else {
            let isAside = note.state != given.state
            let number = try state.insert(note, id)
            try state.insert(note.attachments, ofNote: number)
            imported.hasPutAside = imported.hasPutAside || isAside
            imported.notes.added += 1
            return
        }
        if try replaces("note \(note.id)", note.difference(from: there.note), \.notes) {
            try state.replace(there.number, there.note, by: note)
            imported.hasPutAside = imported.hasPutAside || note.state != given.state
        }
    }

    // MARK: Links

    mutating func insert(_ given: ContentRow.Link, _ state: inout StoreState) throws(StoreError) {
        var link = given
        link.identifiers.sort()
        let id = try identifier(link.id)
        guard let note = try state.integer("SELECT number FROM note WHERE id = ?", try identifier(link.note)) else {
            throw .importLine(
                line,
                "link \(link.id) is of note \(link.note), which is neither in the file before it nor in the store",
                file: file)
        }
        var there: ContentRow.Link?
        try state.eachLink("id = ?", id) { (found) throws(StoreError) in there = found }
        guard let there else {
            try state.insert(link, id, note: note)
            imported.links.added += 1
            return
        }
        if try replaces("link \(link.id)", link.difference(from: there), \.links) {
            try state.replaceLink(by: link, id, note: note)
        }
    }

    private func identifier(_ text: String) throws(StoreError) -> SQLiteValue {
        guard let value = SQLiteValue(identifier: text) else {
            throw .importLine(line, "\(text) is not an id of Usher's (a UUID of version 7)", file: file)
        }
        return value
    }

    /// Whether a row of the file takes the place of the one that is in the store. Counts it.
    ///
    /// - Parameter difference: the first member that differs; nil where they are the same.
    mutating func replaces(
        _ what: @autoclosure () -> String, _ difference: String?,
        _ count: WritableKeyPath<Store.Imported, Store.Imported.Count>
    ) throws(StoreError) -> Bool {
        guard let difference else {
            imported[keyPath: count].same += 1
            return false
        }
        switch choice {
        case .refuse:
            throw StoreError(
                .importConflict, "line \(line): \(what()) is in the store already, with another \(difference)",
                path: file,
                help:
                    "Nothing was imported. --keep leaves what is in the store, --replace puts the file's in its place.")
        case .keep: imported[keyPath: count].kept += 1
        case .replace: imported[keyPath: count].replaced += 1
        }
        return choice == .replace
    }
}

extension StoreError {
    fileprivate static func importLine(_ line: Int, _ message: String, file: String) -> StoreError {
        StoreError(.importLine, "line \(line): \(message)", path: file, help: "Nothing was imported.")
    }
}
