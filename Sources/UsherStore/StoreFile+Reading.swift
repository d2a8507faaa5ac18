import Glibc
import UsherScene

extension StoreFile {
    /// How a store that is only read was opened, and until when that holds.
    enum Reading: Sendable, Hashable {
        /// There is no store yet: an empty one stands in for it.
        case absent
        /// Beside its log and the log's index, which were there: SQLite keeps it current.
        case live
        /// Nobody has it open: the file alone, as long as nothing about it changes.
        case still(Files)
        /// Left without the index of its log, or of an older version: a copy, as long as nothing about it changes.
        case copy(Files)
    }

    struct Opened: ~Copyable {
        var connection: Connection?
        var reading: Reading
    }

    /// Opens the store without making anything in its folder.
    ///
    /// A reader through SQLite's usual ways would leave a log and an index behind, which it may not remove again.
    func openForReading(_ options: StoreOptions) throws(StoreError) -> Opened {
        var attempts = 0
        while true {
            let files = Files(path: path)
            do throws(StoreError) {
                return try openForReadingOnce(options)
            } catch {
                // What was read without locks from a file that changed meanwhile proves nothing.
                attempts += 1
                guard attempts < 20, Files(path: path) != files else { throw error }
            }
        }
    }

    private func openForReadingOnce(_ options: StoreOptions) throws(StoreError) -> Opened {
        try refuseStrangers(known: options.migrations.count)
        guard let files = Files(path: path), files.database.size > 0 || !files.isStill else {
            return Opened(connection: try emptyStandIn(options), reading: .absent)
        }
        if files.log != nil, files.hasLogIndex {
            do throws(StoreError) {
                var connection = try Connection(path: path, mode: .readOnly, busyTimeout: options.busyTimeout)
                if try Schema.version(&connection, known: options.migrations.count) == options.migrations.count {
                    try prepareForReading(connection)
                    return Opened(connection: connection, reading: .live)
                }
            } catch {
                // An index that this user may not write, or cannot make whole, can still be done without.
                guard error.code == .storeOpen || error.code == .storeReadOnly else { throw error }
            }
        } else if files.isStill {
            var connection = try Connection(path: path, mode: .immutable, busyTimeout: options.busyTimeout)
            if try Schema.version(&connection, known: options.migrations.count) == options.migrations.count {
                try prepareForReading(connection)
                return Opened(connection: connection, reading: .still(files))
            }
        }
        return Opened(connection: try openCopy(options), reading: .copy(files))
    }

    /// Whether what was read still tells the truth about the store.
    func isCurrent(_ reading: Reading) -> Bool {
        switch reading {
        case .live: true
        case .absent: Files(path: path).map { $0.database.size == 0 && $0.isStill } ?? true
        case .still(let files), .copy(let files): Files(path: path) == files
        }
    }

    private func prepareForReading(_ connection: borrowing Connection) throws(StoreError) {
        connection.protectsItsStructure()
        try connection.execute(
            "PRAGMA query_only = ON; PRAGMA trusted_schema = OFF; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -8000"
        )
    }

    private func emptyStandIn(_ options: StoreOptions) throws(StoreError) -> Connection {
        var connection = try Connection(path: path, mode: .memory, busyTimeout: options.busyTimeout)
        try Schema.migrate(&connection, steps: options.migrations)
        return connection
    }

    /// A copy of the database and its log in a folder of its own, which is gone as soon as it is open.
    private func openCopy(_ options: StoreOptions) throws(StoreError) -> Connection {
        let base = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/tmp"
        var template = Array((base + "/usher-XXXXXX").utf8CString)
        let made = unsafe template.withUnsafeMutableBufferPointer { unsafe mkdtemp($0.baseAddress!) != nil }
        guard made else { throw .system(errno, "a copy cannot be made", path: base) }
        let folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let copy = folder + "/usher.db"
        defer {
            for ending in ["", "-wal", "-shm", "-journal"] { unsafe unlink(copy + ending) }
            unsafe rmdir(folder)
        }
        let original = StoreFile.resolved(path)
        for ending in ["", "-wal", "-journal"] {
            try StoreFile.copy(original + ending, to: copy + ending)
        }
        var connection = try Connection(path: copy, mode: .readWrite, busyTimeout: options.busyTimeout)
        connection.checkpointsWhenClosed(false)
        try Schema.migrate(&connection, steps: options.migrations)
        // Opens every file that SQLite will want, while they still have names.
        _ = try connection.integer("SELECT count(*) FROM sqlite_schema")
        try prepareForReading(connection)
        return connection
    }

    /// Copies a file that nobody has open; one that is missing has no copy.
    private static func copy(_ source: String, to destination: String) throws(StoreError) {
        let input = unsafe open(source, O_RDONLY | O_CLOEXEC)
        guard input >= 0 else {
            if errno == ENOENT { return }
            throw .system(errno, "the store cannot be read", path: source)
        }
        defer { close(input) }
        let output = unsafe open(destination, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard output >= 0 else { throw .system(errno, "a copy cannot be made", path: destination) }
        defer { close(output) }
        var block = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = unsafe block.withUnsafeMutableBytes { unsafe read(input, $0.baseAddress, $0.count) }
            if count == 0 { return }
            guard count > 0 else { throw .system(errno, "the store cannot be read", path: source) }
            var written = 0
            while written < count {
                let step = unsafe block.withUnsafeBytes {
                    unsafe write(output, $0.baseAddress! + written, count - written)
                }
                guard step > 0 else { throw .system(errno, "a copy cannot be made", path: destination) }
                written += step
            }
        }
    }
}
