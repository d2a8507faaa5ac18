import CSQLite
internal import UsherText

/// One connection to one database file; closed by `deinit`.
///
/// Opened without SQLite's own mutexes: only one thread may use it at a time.
@safe
package struct SQLiteConnection: ~Copyable {
    /// As given; errors name it.
    package let path: String
    private let handle: OpaquePointer
    /// Frequently used statements come first: comparing a few SQL texts is faster than hashing a long one.
    private var statements: [(text: String, statement: PreparedStatement)] = []
    /// The values of a statement that is run, one after the other.
    private var packed: [UInt8] = []
    /// Room for longer ones is not kept.
    private static let packedLimit = 1 << 16

    /// How many compiled statements are kept at most.
    static let statementLimit = 128

    /// The number of compiled statements kept now.
    var statementCount: Int { statements.count }

    /// SQLite keeps no account of its memory: nothing asks for it, and it takes a tenth of opening a store.
    private static let countsNoMemory = usher_sqlite3_count_no_memory() == SQLITE_OK

    package enum Mode: Sendable {
        /// An existing file. SQLite never creates one: its own would be readable by others.
        case readWrite
        /// Reads beside live writers, through the write-ahead log and its index.
        case readOnly
        /// Reads only the database file, as if no process could write it: no locks, no log, no file created.
        case immutable
        /// A database of this connection's own.
        case memory
    }

    package init(path: String, mode: Mode, busyTimeout: Int32) throws(StoreError) {
        guard !path.utf8.contains(0) else { throw .unusablePath(path) }
        _ = SQLiteConnection.countsNoMemory
        let (name, access) =
            switch mode {
            case .readWrite: (path, SQLITE_OPEN_READWRITE)
            case .readOnly: (path, SQLITE_OPEN_READONLY)
            case .immutable: (SQLiteConnection.uri(path) + "?immutable=1", SQLITE_OPEN_READONLY | SQLITE_OPEN_URI)
            case .memory: (":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MEMORY)
            }
        var opened: OpaquePointer?
        let result = unsafe sqlite3_open_v2(name, &opened, access | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
        guard result == SQLITE_OK, let connection = unsafe opened else {
            let error = unsafe StoreError.sqlite(result, connection: opened, path: path)
            unsafe sqlite3_close_v2(opened)
            throw error
        }
        self.path = path
        unsafe self.handle = unsafe connection
        unsafe sqlite3_busy_timeout(connection, busyTimeout)
    }

    // SQLite keeps the closed connection until the kept statements, which are released next, are finalised.
    deinit { unsafe sqlite3_close_v2(handle) }

    /// Where the file really is, links resolved: its log lies beside it.
    var resolvedPath: String {
        guard let name = unsafe sqlite3_db_filename(handle, "main"), unsafe name.pointee != 0 else { return path }
        return unsafe String(cString: name)
    }

    /// Whether the file could only be opened for reading although more was asked for.
    package var isReadOnly: Bool { unsafe sqlite3_db_readonly(handle, "main") == 1 }

    /// Whether there is no such table, as far as is known; false where the file cannot be read. Looks into what the connection
    /// knows of the file already.
    package func lacksTable(_ name: String) -> Bool {
        let result = unsafe sqlite3_table_column_metadata(handle, nil, name, nil, nil, nil, nil, nil, nil)
        return result == SQLITE_ERROR
    }

    /// Whether the last connection that is closed copies the log into the file. It does by default.
    func checkpointsWhenClosed(_ value: Bool) {
        unsafe usher_sqlite3_configure(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, value ? 0 : 1)
    }

    /// Refuses what SQL could do to the file's own structure.
    func protectsItsStructure() {
        unsafe usher_sqlite3_configure(handle, SQLITE_DBCONFIG_DEFENSIVE, 1)
    }

    /// Runs statements that return nothing, compiled for this once.
    package func execute(_ script: String) throws(StoreError) {
        let result = unsafe sqlite3_exec(handle, script, nil, nil, nil)
        guard result == SQLITE_OK else { throw unsafe StoreError.sqlite(result, connection: handle, path: path) }
    }

    /// A statement for one use, compiled when its text is seen for the first time, or again where the same text is in use.
    package mutating func prepare(_ sql: String, _ values: [SQLiteValue] = []) throws(StoreError) -> Statement {
        let statement = Statement(try compiled(sql))
        try statement.bind(values)
        return statement
    }

    /// Runs a statement to its end.
    package mutating func run(_ sql: String, _ values: [SQLiteValue]) throws(StoreError) {
        let statement = Statement(try compiled(sql))
        try statement.runOnce(values, packedIn: &packed)
        if packed.count > SQLiteConnection.packedLimit { packed = [] }
    }

    private mutating func compiled(_ sql: String) throws(StoreError) -> PreparedStatement {
        var isInUse = false
        // Texts of other lengths are not compared: many begin alike.
        let length = sql.utf8.count
        if var place = statements.firstIndex(where: { $0.text.utf8.count == length && $0.text.hasSameBytes(as: sql) }) {
            if place > 4 {
                statements.swapAt(place, place / 2)
                place /= 2
            }
            isInUse = statements[place].statement.isInUse
            if !isInUse { return statements[place].statement }
        }
        var made: OpaquePointer?
        let (result, isWhole) = unsafe sql.withCString { text -> (Int32, Bool) in
            var tail: UnsafePointer<CChar>?
            let result = unsafe sqlite3_prepare_v3(handle, text, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &made, &tail)
            return (result, unsafe tail.map { unsafe $0.pointee == 0 } ?? true)
        }
        guard result == SQLITE_OK, let statement = unsafe made else {
            throw unsafe StoreError.sqlite(result, connection: handle, path: path)
        }
        let prepared = unsafe PreparedStatement(adopting: statement, path: path)
        guard isWhole else { throw .misuse("one text holds several statements: \(sql.prefix(60))", path: path) }
        if isInUse { return prepared }
        // The last was the least used.
        if statements.count >= SQLiteConnection.statementLimit { statements.removeLast() }
        statements.append((sql, prepared))
        return prepared
    }

    /// Copies every page to an empty file, a part at a time (https://sqlite.org/backup.html).
    ///
    /// Within a transaction that has begun to read, the copy is a snapshot of one moment, even if other processes write
    /// meanwhile.
    package borrowing func backUp(to copy: borrowing SQLiteConnection, pages: Int32 = 512) throws(StoreError) {
        guard let backup = unsafe sqlite3_backup_init(copy.handle, "main", handle, "main") else {
            throw unsafe StoreError.sqlite(sqlite3_errcode(copy.handle), connection: copy.handle, path: copy.path)
        }
        var result = SQLITE_OK
        var patience = 1000
        while result == SQLITE_OK {
            result = unsafe sqlite3_backup_step(backup, pages)
            if result == SQLITE_BUSY || result == SQLITE_LOCKED, patience > 0 {
                patience -= 1
                sqlite3_sleep(10)
                result = SQLITE_OK
            }
        }
        unsafe sqlite3_backup_finish(backup)
        guard result == SQLITE_DONE else {
            throw unsafe StoreError.sqlite(result, connection: copy.handle, path: copy.path)
        }
    }

    /// How many rows the last statement changed.
    package var changes: Int { Int(unsafe sqlite3_changes64(handle)) }

    /// The number of the row that was inserted last.
    var lastRow: Int64 { unsafe sqlite3_last_insert_rowid(handle) }

    /// How many rows were changed since this was opened.
    var allChanges: Int { Int(unsafe sqlite3_total_changes64(handle)) }

    /// Runs one statement to its end.
    package mutating func run(_ sql: String, _ values: SQLiteValue...) throws(StoreError) {
        try run(sql, values)
    }

    /// The first column of the first row; nil where there is none or it is NULL.
    package mutating func integer(_ sql: String, _ values: SQLiteValue...) throws(StoreError) -> Int64? {
        let statement = try prepare(sql, values)
        return try statement.step() ? statement.optionalInteger(0) : nil
    }

    /// The first column of the first row; nil where there is none or it is NULL.
    package mutating func text(_ sql: String, _ values: SQLiteValue...) throws(StoreError) -> String? {
        let statement = try prepare(sql, values)
        return try statement.step() ? statement.optionalText(0) : nil
    }

    /// A `file:` URI: everything but unreserved characters and slashes is escaped (RFC 3986, 2.3).
    private static func uri(_ path: String) -> String {
        // Two slashes at the start would name a host.
        let start = path.utf8.starts(with: "//".utf8) ? "file://" : "file:"
        return start + PercentEncoding.encode(path.utf8) { PercentEncoding.isUnreserved($0) || $0 == UInt8(ascii: "/") }
    }
}
