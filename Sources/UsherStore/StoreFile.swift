import Glibc
import UsherScene
internal import UsherSystem
internal import UsherText

/// The files of a store on disk, seen from outside SQLite.
struct StoreFile: Sendable {
    var path: String
    let directory: String

    init(directory: String) {
        self.directory = directory.isEmpty ? "." : directory
        path = self.directory + "/usher.db"
    }

    /// What a file looked like; it has changed when this has.
    struct Identity: Sendable, Hashable {
        var device: UInt64
        var inode: UInt64
        var size: Int64
        var isRegular: Bool
        private var modified: [Int]

        init?(path: String) {
            var status = stat()
            guard unsafe stat(path, &status) == 0 else { return nil }
            device = UInt64(status.st_dev)
            inode = UInt64(status.st_ino)
            size = Int64(status.st_size)
            isRegular = status.st_mode & S_IFMT == S_IFREG
            modified = [
                status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_ctim.tv_sec, status.st_ctim.tv_nsec,
            ]
        }
    }

    /// Which file lay where, when it was opened.
    struct Origin: Sendable, Hashable {
        let path: String
        private let device: UInt64
        private let inode: UInt64

        init?(of file: StoreFile) { self.init(path: StoreFile.resolved(file.path)) }

        init?(path: String) {
            self.path = path
            guard let identity = Identity(path: path) else { return nil }
            device = identity.device
            inode = identity.inode
        }

        /// Whether it still lies there.
        var isTaken: Bool {
            var status = stat()
            return unsafe stat(path, &status) == 0 && UInt64(status.st_ino) == inode
                && UInt64(status.st_dev) == device
        }
    }

    /// The database with what may lie beside it.
    struct Files: Sendable, Hashable {
        var database: Identity
        var log: Identity?
        var hasLogIndex: Bool
        private var hasJournal: Bool

        init?(path: String) {
            // Any of them would be looked for beside the file that a link leads to.
            let real = StoreFile.resolved(path)
            guard let database = Identity(path: real) else { return nil }
            self.database = database
            log = Identity(path: real + "-wal")
            hasLogIndex = Identity(path: real + "-shm") != nil
            hasJournal = Identity(path: real + "-journal") != nil
        }

        /// Whether everything there is to read is in the database itself.
        var isStill: Bool { (log?.size ?? 0) == 0 && !hasJournal }
    }

    /// The path with every link followed; as it is when that is not possible.
    static func resolved(_ path: String) -> String {
        FilePath.resolved(path) ?? path
    }

    /// Makes the folder and its missing parents, for the owner alone.
    static func makeDirectory(_ path: String) throws(StoreError) {
        guard !path.utf8.contains(0) else { throw .unusablePath(path) }
        let parts = path.split(separator: "/", omittingEmptySubsequences: true)
        var made = path.hasPrefix("/") ? "" : "."
        for part in parts {
            made += "/" + part
            guard unsafe mkdir(made, 0o700) != 0 else { continue }
            let number = errno
            // A folder that is there may well be one that nothing can be made in.
            var status = stat()
            if unsafe stat(made, &status) == 0 {
                guard status.st_mode & S_IFMT == S_IFDIR else {
                    throw .system(ENOTDIR, "the folder cannot be made", path: made)
                }
                continue
            }
            throw .system(number, "the folder cannot be made", path: made)
        }
    }

    /// Makes an empty file that only its owner can read, unless there is a file.
    private func create() throws(StoreError) {
        if Identity(path: path) != nil { return }
        let draft = try StoreDraft(of: path) { .system($0, "the store cannot be made", path: path) }
        if unsafe link(draft.path, path) != 0, errno != EEXIST {
            throw .system(errno, "the store cannot be made", path: path)
        }
    }

    /// Refuses another program's file and a store of an unknown version, without touching them: no lock, no log, no recovery.
    ///
    /// Without a lock, a file that another process is writing may show any content. So a refusal counts only after the
    /// file has not changed for longer than one tick of the clock that gives file timestamps.
    func refuseStrangers(_ schema: Schema) throws(StoreError) {
        var refusal: (files: Files, error: StoreError)?
        for _ in 0..<100 {
            guard let files = Files(path: path) else { return }
            // Opening a pipe would wait for ever.
            guard files.database.isRegular else { throw .notAFile(path: path) }
            do throws(StoreError) {
                // SQLite would remove the log.
                if files.database.size == 0, (files.log?.size ?? 0) > 0 {
                    throw .unreadable("the file is empty, and its log is not", path: path)
                }
                var connection = try SQLiteConnection(path: path, mode: .immutable, busyTimeout: 0)
                _ = try schema.version(of: &connection)
                return
            } catch {
                // Part of the content may be in the log or journal: then only a full opening can decide.
                if error.code == .storeCorrupt, !files.isStill, files.database.size > 0 { return }
                if let refusal, refusal.files == files, refusal.error.code == error.code { throw error }
                refusal = (files, error)
            }
            usleep(20_000)
        }
        // The file keeps changing: the full opening, which takes locks, decides.
    }

    /// Whether this user may make files in the folder. SQLite reports the same error for a folder without permission as
    /// for a missing one.
    private var isInWritableFolder: Bool {
        let folder = FilePath.parent(of: StoreFile.resolved(path))
        return unsafe faccessat(AT_FDCWD, folder, W_OK | X_OK, AT_EACCESS) == 0
    }
}

/// An empty file beside a store, for its owner alone, that gets a name when it has its content; it is removed otherwise.
///
/// It is closed before it gets a name: closing a file drops every lock that this process holds on it, SQLite's included
/// (https://sqlite.org/howtocorrupt.html, 2.2).
struct StoreDraft: ~Copyable, Sendable {
    let path: String

    /// Between the name that it is to get and a UUID.
    static let mark = ".new-"

    init(
        of destination: String, mark: String = StoreDraft.mark, orThrow error: (_ number: Int32) -> StoreError
    ) throws(StoreError) {
        path = destination + mark + UUIDv7.next()
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw error(errno) }
        close(descriptor)
    }

    deinit { for ending in ["", "-journal", "-wal", "-shm"] { unsafe unlink(path + ending) } }

    /// Brings it to disk. Returns its size in bytes; nil with errno where that fails.
    borrowing func sync() -> Int64? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var status = stat()
        guard fsync(descriptor) == 0, unsafe fstat(descriptor, &status) == 0 else { return nil }
        return Int64(status.st_size)
    }
}

// MARK: - Reading

extension StoreFile {
    /// How a store that is only read was opened, and until when that holds.
    enum Reading: Sendable, Hashable {
        /// There is no store yet: an empty one stands in for it.
        case absent
        /// Beside its log and the log's index, which were there: SQLite keeps it current.
        case live
        /// No process has it open: only the file is read. Valid as long as the file does not change.
        case still(Files)
        /// The index of its log is missing, or the store has an older version: a copy is read. Valid as long as the
        /// files do not change.
        case copy(Files)
    }

    struct Opened: ~Copyable {
        var connection: SQLiteConnection?
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
        // To open it says as well whether it is a store; whatever speaks against that is looked at below.
        if let opened = try? openStill(options) { return opened }
        try refuseStrangers(options.schema)
        guard let files = Files(path: path), files.database.size > 0 || !files.isStill else {
            return Opened(connection: try emptyStandIn(options), reading: .absent)
        }
        if files.log != nil, files.hasLogIndex {
            do throws(StoreError) {
                var connection = try SQLiteConnection(path: path, mode: .readOnly, busyTimeout: options.busyTimeout)
                if try options.schema.isNewest(&connection) {
                    try prepareForReading(connection)
                    return Opened(connection: connection, reading: .live)
                }
            } catch {
                // An index that this user may not write, or cannot make whole, can still be done without.
                guard error.code == .storeOpen || error.code == .storeReadOnly else { throw error }
            }
        } else if let opened = try openStill(options) {
            return opened
        }
        return Opened(connection: try openCopy(options), reading: .copy(files))
    }

    /// Opens the file alone, where all there is to read is in it; nil where it is not, or has an older version.
    private func openStill(_ options: StoreOptions) throws(StoreError) -> Opened? {
        guard let files = Files(path: path), files.isStill, files.log == nil || !files.hasLogIndex,
            files.database.isRegular, files.database.size > 0
        else { return nil }
        var connection = try SQLiteConnection(path: path, mode: .immutable, busyTimeout: options.busyTimeout)
        guard try options.schema.isNewest(&connection) else { return nil }
        try prepareForReading(connection)
        return Opened(connection: connection, reading: .still(files))
    }

    /// Whether what was opened still shows the current state of the store.
    func isCurrent(_ reading: Reading) -> Bool {
        switch reading {
        case .live: true
        case .absent: Files(path: path).map { $0.database.size == 0 && $0.isStill } ?? true
        case .still(let files), .copy(let files): Files(path: path) == files
        }
    }

    private func prepareForReading(_ connection: borrowing SQLiteConnection) throws(StoreError) {
        connection.protectsItsStructure()
        try connection.execute(
            "PRAGMA query_only = ON; PRAGMA trusted_schema = OFF; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -8000"
        )
    }

    private func emptyStandIn(_ options: StoreOptions) throws(StoreError) -> SQLiteConnection {
        var connection = try SQLiteConnection(path: path, mode: .memory, busyTimeout: options.busyTimeout)
        try options.schema.migrate(&connection)
        return connection
    }

    /// A copy of the database and its log in a folder of its own, which is gone as soon as it is open.
    private func openCopy(_ options: StoreOptions) throws(StoreError) -> SQLiteConnection {
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
        var connection = try SQLiteConnection(path: copy, mode: .readWrite, busyTimeout: options.busyTimeout)
        connection.checkpointsWhenClosed(false)
        try options.schema.migrate(&connection)
        // Opens every file that SQLite will need, while they still have names.
        _ = try connection.integer("SELECT count(*) FROM sqlite_schema")
        try prepareForReading(connection)
        return connection
    }

    /// Copies a file that no process has open. A missing file is skipped.
    static func copy(_ source: String, to destination: String) throws(StoreError) {
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
            guard FileOutput.write(Array(block.prefix(count)), to: output) else {
                throw .system(errno, "a copy cannot be made", path: destination)
            }
        }
    }
}

// MARK: - Writing

extension StoreFile {
    /// A connection that may write, to a store of the newest version.
    func openForWriting(_ options: StoreOptions) throws(StoreError) -> SQLiteConnection {
        try create()
        try refuseStrangers(options.schema)
        do throws(StoreError) {
            var connection = try SQLiteConnection(path: path, mode: .readWrite, busyTimeout: options.busyTimeout)
            guard !connection.isReadOnly else { throw .readOnlyFile(path: path) }
            // Until its version is known the file is not to be touched, not even by closing it.
            connection.checkpointsWhenClosed(false)
            connection.protectsItsStructure()
            try connection.execute(
                """
                PRAGMA page_size = 8192; -- of a file that is empty yet: several deliveries find room on a page
                PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF;
                PRAGMA temp_store = MEMORY; PRAGMA cache_size = -16000; PRAGMA mmap_size = 0;
                PRAGMA wal_autocheckpoint = 1000; PRAGMA journal_size_limit = 67108864
                """)
            if let pages = options.maximumPages { try connection.execute("PRAGMA max_page_count = \(pages)") }
            try options.schema.migrate(&connection, copying: MigrationCopy(freeSpace: options.freeSpace))
            try switchLogOn(&connection, timeout: options.busyTimeout)
            connection.checkpointsWhenClosed(true)
            return connection
        } catch {
            if error.code == .storeOpen, !isInWritableFolder {
                throw .readOnlyFile(path: path, sqliteCode: error.sqliteCode)
            }
            throw error
        }
    }

    /// SQLite doesn't wait for other connections here by itself: two processes may be making the same store.
    private func switchLogOn(_ connection: inout SQLiteConnection, timeout: Int32) throws(StoreError) {
        var waited: Int32 = 0
        while true {
            do throws(StoreError) {
                let mode = try connection.text("PRAGMA journal_mode = WAL")
                guard mode == "wal" else {
                    throw StoreError(
                        .storeOpen, "the file system cannot hold a write-ahead log (mode \(mode ?? "unknown"))",
                        path: path, help: "Name a folder on a local file system with --state.")
                }
                return
            } catch {
                guard error.code == .storeBusy, waited < timeout else { throw error }
                usleep(5000)
                waited += 5
            }
        }
    }
}

/// Settings that tests change.
package struct StoreOptions: Sendable {
    /// How long to wait for another program's lock, in milliseconds.
    package var busyTimeout: Int32 = 5000
    /// How many pages the file may have: a full disk of any size.
    package var maximumPages: Int?
    /// How many different conditions sessions may have that no index finds (`ScenePredicate.isUnindexed`).
    package var unindexedConditions = 10_000
    package var schema: Schema
    /// How many bytes are free where a folder is; nil where that is not known.
    package var freeSpace: @Sendable (_ folder: String) -> Int64? = { MigrationCopy.freeSpace(in: $0) }
    /// In microseconds since 1970.
    package var now: @Sendable () -> Int64 = { Instant.now.microseconds }

    package init(_ features: [StoreFeature]) { schema = Schema(features) }
}
