public import UsherScene
public import UsherStore
internal import UsherSystem
internal import UsherText

// What was removed can be taken back for 30 days. The functions that remove notes, links and redirects keep the rows in the
// tables `removed_…`, in the same transaction: so whatever removes something can be undone.

extension Store {
    /// A change that can be taken back.
    public struct Undoable: Sendable, Hashable {
        /// The raw value is the command's words, as the table `undo` has them.
        public enum Operation: String, Sendable, CaseIterable {
            case noteDelete = "note delete"
            case linkRemove = "link remove"
            /// Links that were removed in the editor of their note.
            case noteEdit = "note edit"
            case contentMoved = "content moved"
            case contentDeleted = "content deleted"
            case contentRestore = "content restore"
        }

        public var operation: Operation
        /// The id of the note or of the link, or the identifier of the content.
        public var id: String
        /// When it was done, in microseconds since 1970.
        public var time: Int64
        /// Its row.
        fileprivate var number: Int64

        /// How long it can be taken back.
        static let days = 30
    }

    /// What came of taking something back.
    public enum Undone: Sendable {
        /// - Parameter isAside: whether the note was in progress then, and is put aside, since another one is now.
        case done(Undoable, isAside: Bool)
        case nothing
        /// Something prevents it. Nothing was changed.
        case refused(Diagnostic)
    }

    /// Takes back the newest change that can be; each once.
    public func undo() throws(StoreError) -> Undone {
        try write { (state) throws(StoreError) in try state.undo() }
    }

    /// What can be taken back, the newest first.
    public func undoable(limit: Int) throws(StoreError) -> [Undoable] {
        try read { (state) throws(StoreError) in try state.undoable(limit: limit) }
    }

    /// Deletes what can no longer be undone.
    static func pruneUndoable(
        _ store: Store, now: Int64, keeping: Retention
    ) throws(StoreError) -> Int {
        _ = try store.write { (state) throws(StoreError) in
            try state.run("DELETE FROM undo WHERE made < ?", .integer(now - Int64(Undoable.days) * Store.day))
        }
        return 0
    }
}

/// What a transaction removes as one change: see `removing(as:of:)`.
private enum CurrentGroup: StoreValue {
    static var initial: UndoGroup? { nil }
}

/// One change of several rows, which is taken back at once.
private struct UndoGroup {
    let operation: Store.Undoable.Operation
    let id: String
    /// Its row in `undo`, once something was removed.
    var entry: Int64?
}

// MARK: - Keeping

extension StoreState {
    /// Makes one change of all that a body removes: it is taken back at once.
    package mutating func removing<Result>(
        as operation: Store.Undoable.Operation, of id: String,
        _ body: (inout StoreState) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        values[CurrentGroup.self] = UndoGroup(operation: operation, id: id)
        defer { values[CurrentGroup.self] = nil }
        return try body(&self)
    }

    private mutating func newEntry(
        _ operation: Store.Undoable.Operation, of id: String
    ) throws(StoreError) -> Int64 {
        let group = values[CurrentGroup.self]
        if let entry = group?.entry { return entry }
        let entry = try integer(
            "INSERT INTO undo (operation, id, made) VALUES (?, ?, ?) RETURNING number",
            .text((group?.operation ?? operation).rawValue), .text(group?.id ?? id), .integer(options.now()))
        guard let entry else { throw .unreadable("a change got no number", path: path) }
        values[CurrentGroup.self]?.entry = entry
        return entry
    }

    /// Keeps a note, its attachments and its links, which are about to be deleted.
    mutating func keep(removed note: Store.Note) throws(StoreError) {
        // An older state of the same note, which was imported again since, would be the wrong one to restore.
        try run(
            "DELETE FROM undo WHERE number IN (SELECT entry FROM removed_note WHERE id = ?)",
            SQLiteValue(identifier: note.id) ?? .null)
        let entry = SQLiteValue.integer(try newEntry(.noteDelete, of: note.id))
        let number = SQLiteValue.integer(note.number)
        try run(
            """
            INSERT INTO removed_note (entry, number, id, text, state, line, created, changed)
            SELECT ?, number, id, text, state, line, created, changed FROM note WHERE number = ?
            """, entry, number)
        try run(
            """
            INSERT INTO removed_attachment (entry, path, digest, size, added)
            SELECT ?, path, digest, size, added FROM attachment WHERE note = ? ORDER BY number
            """, entry, number)
        try keepLinks("note = ?", number, entry)
    }

    /// Keeps a link, which is about to be deleted.
    mutating func keep(removed link: Store.Link) throws(StoreError) {
        let id = SQLiteValue(identifier: link.id) ?? .null
        // As for notes. Other links of the same entry stay.
        try run(
            """
            DELETE FROM undo WHERE number IN (SELECT entry FROM removed_link WHERE id = ?) AND operation <> 'note delete'
                AND (SELECT count(*) FROM removed_link WHERE entry = undo.number) = 1
            """, id)
        try run("DELETE FROM removed_link WHERE id = ?", id)
        let entry = try newEntry(.linkRemove, of: link.id)
        try keepLinks("number = ?", .integer(link.number), .integer(entry))
    }

    private mutating func keepLinks(
        _ condition: String, _ value: SQLiteValue, _ entry: SQLiteValue
    ) throws(StoreError) {
        try run(
            """
            INSERT INTO removed_link (entry, number, id, note, app, title, created, document, file)
            SELECT ?, number, id, (SELECT id FROM note WHERE note.number = link.note), app, title, created, document, file
            FROM link WHERE \(condition)
            """, entry, value)
        try run(
            """
            INSERT INTO removed_link_identifier (entry, link, kind, identifier)
            SELECT ?, link, kind, identifier FROM link_identifier WHERE link IN (SELECT number FROM link WHERE \(condition))
            """, entry, value)
    }

    /// Keeps a redirect that was made, or that is about to be taken back.
    mutating func keep(
        changed redirect: Store.Redirect, _ operation: Store.Undoable.Operation, of id: TargetContentIdentifier
    ) throws(StoreError) {
        let entry = try newEntry(operation, of: id.text)
        try run(
            """
            INSERT INTO changed_redirect (entry, number, source, destination, is_prefix, made, reason)
            SELECT ?, number, source, destination, is_prefix, made, reason FROM redirect WHERE number = ?
            """, .integer(entry), .integer(redirect.number))
    }

    /// The number for a new row of `note` or `link`: greater than that of any row, and of any that can come back.
    mutating func nextNumber(in table: String) throws(StoreError) -> Int64 {
        try integer(
            """
            SELECT 1 + max(coalesce((SELECT max(number) FROM \(table)), 0),
                coalesce((SELECT max(number) FROM removed_\(table)), 0))
            """) ?? 1
    }
}

// MARK: - Taking back

extension StoreState {
    fileprivate mutating func undoable(limit: Int) throws(StoreError) -> [Store.Undoable] {
        let since = options.now() - Int64(Store.Undoable.days) * Store.day
        let row = try prepare(
            "SELECT number, operation, id, made FROM undo WHERE made >= ? ORDER BY number DESC LIMIT ?",
            [.integer(since), .integer(Int64(limit))])
        var found: [Store.Undoable] = []
        while try row.step() {
            guard let operation = Store.Undoable.Operation(rawValue: row.text(1)) else { continue }
            found.append(.init(operation: operation, id: row.text(2), time: row.integer(3), number: row.integer(0)))
        }
        return found
    }

    fileprivate mutating func undo() throws(StoreError) -> Store.Undone {
        guard let change = try undoable(limit: 1).first else { return .nothing }
        try run("SAVEPOINT undo")
        var isAside = false
        var refusal: Diagnostic?
        switch change.operation {
        case .noteDelete:
            refusal = try restoreNote(change, &isAside)
            if refusal == nil { refusal = try restoreLinks(change) }
        case .linkRemove, .noteEdit: refusal = try restoreLinks(change)
        case .contentMoved, .contentDeleted: refusal = try takeBackRedirect(change)
        case .contentRestore: refusal = try restoreRedirect(change)
        }
        if refusal != nil {
            try run("ROLLBACK TO undo")
        } else {
            try run("DELETE FROM undo WHERE number = ?", .integer(change.number))
        }
        try run("RELEASE undo")
        return refusal.map { .refused($0) } ?? .done(change, isAside: isAside)
    }

    private mutating func restoreNote(
        _ change: Store.Undoable, _ isAside: inout Bool
    ) throws(StoreError) -> Diagnostic? {
        let entry = SQLiteValue.integer(change.number)
        let found = try first(
            "SELECT number, id, text, state, line, created, changed FROM removed_note WHERE entry = ?", [entry]
        ) { (row) throws(StoreError) in (row.integer(0), try ContentRow.Note(reading: row)) }
        guard let (number, removed) = found, let id = SQLiteValue(identifier: removed.id) else {
            throw .unreadable("a removed note is missing", path: path)
        }
        var note = removed
        guard try integer("SELECT 1 FROM note WHERE id = ?", id) == nil else {
            return .inTheWay("the note \(note.id) is there again", of: change, help: "usher note delete \(note.id)")
        }
        if note.state == "current", try hasOtherNoteInProgress(than: nil) {
            note.state = "aside"
            isAside = true
        }
        let made = try insert(note, id, number: try free(number, in: "note"))
        try insert(try attachments("removed_attachment WHERE entry = ?", entry), ofNote: made)
        return nil
    }

    private mutating func restoreLinks(_ change: Store.Undoable) throws(StoreError) -> Diagnostic? {
        for (number, link, file) in try removedLinks(change.number) {
            guard let id = SQLiteValue(identifier: link.id), let noteID = SQLiteValue(identifier: link.note) else {
                throw .unreadable("a removed link has no id", path: path)
            }
            guard try integer("SELECT 1 FROM link WHERE id = ?", id) == nil else {
                return .inTheWay("the link \(link.id) is there again", of: change, help: "usher link remove \(link.id)")
            }
            guard let note = try integer("SELECT number FROM note WHERE id = ?", noteID) else {
                return .inTheWay("the note \(link.note) of the link \(link.id) is not there", of: change, help: nil)
            }
            try insert(link, id, note: note, number: try free(number, in: "link"), file: file)
        }
        return nil
    }

    private typealias RemovedLink = (number: Int64, link: ContentRow.Link, file: String?)

    private mutating func removedLinks(_ entry: Int64) throws(StoreError) -> [RemovedLink] {
        var found: [RemovedLink] = try rows(
            """
            SELECT number, id, note, app, title, created, document, file FROM removed_link
            WHERE entry = ? ORDER BY number
            """, [.integer(entry)]
        ) { (row) throws(StoreError) in (row.integer(0), try ContentRow.Link(reading: row), row.optionalText(7)) }
        for place in found.indices {
            found[place].link.identifiers = try identifiers(
                "removed_link_identifier WHERE entry = ? AND link = ?",
                [.integer(entry), .integer(found[place].number)])
        }
        return found
    }

    /// The number itself, unless something else has it by now.
    private mutating func free(_ number: Int64, in table: String) throws(StoreError) -> Int64 {
        let taken = try integer("SELECT 1 FROM \(table) WHERE number = ?", .integer(number)) != nil
        return taken ? try nextNumber(in: table) : number
    }

    // MARK: Redirects

    private mutating func changedRedirect(_ change: Store.Undoable) throws(StoreError) -> Store.Redirect {
        let row = try prepare(
            "SELECT \(Store.Redirect.columns) FROM changed_redirect WHERE entry = ?", [.integer(change.number)])
        guard try row.step() else { throw .unreadable("a changed redirect is missing", path: path) }
        return Store.Redirect(row)
    }

    /// A redirect that was made goes again.
    private mutating func takeBackRedirect(_ change: Store.Undoable) throws(StoreError) -> Diagnostic? {
        let made = try changedRedirect(change)
        guard try redirect(ofSource: made.source, isPrefix: made.isPrefix) == made else {
            return .inTheWay("\(made.note) is not there any more", of: change, help: nil)
        }
        try run("DELETE FROM redirect WHERE number = ?", .integer(made.number))
        try noteRedirects()
        // What was hidden behind it applies again.
        return try RedirectCheck.run(made.source, isPrefix: made.isPrefix, in: &self)
    }

    /// A redirect that was taken back is made again, as it was.
    private mutating func restoreRedirect(_ change: Store.Undoable) throws(StoreError) -> Diagnostic? {
        let gone = try changedRedirect(change)
        if let there = try redirect(ofSource: gone.source, isPrefix: gone.isPrefix) {
            return .inTheWay(
                "there is \(there.note)", of: change, help: there.source.restoreCommand(isPrefix: there.isPrefix))
        }
        try run(
            """
            INSERT INTO redirect (number, source, destination, is_prefix, made, reason)
            SELECT iif(EXISTS (SELECT 1 FROM redirect AS r WHERE r.number = c.number), NULL, number), source, destination,
                is_prefix, made, reason
            FROM changed_redirect AS c WHERE entry = ?
            """, .integer(change.number))
        try noteRedirects()
        return gone.destination == nil ? nil : try RedirectCheck.run(gone.source, isPrefix: gone.isPrefix, in: &self)
    }
}

extension Diagnostic {
    /// - Parameter help: the command that takes out of the way what is there.
    fileprivate static func inTheWay(_ message: String, of change: Store.Undoable, help: String?) -> Diagnostic {
        Diagnostic(
            .undoConflict, "\(change.operation.rawValue) cannot be taken back: \(message)",
            help: help.map { "\($0) takes it out of the way" } ?? "usher undo --list shows what can be taken back")
    }
}
