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
        var modified: [Int]

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
    struct Place: Sendable, Hashable {
        let path: String
        let device: UInt64
        let inode: UInt64

        init?(of file: StoreFile) {
            path = StoreFile.resolved(file.path)
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
        var hasJournal: Bool

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
        guard let real = unsafe realpath(path, nil) else { return path }
        defer { unsafe free(real) }
        return unsafe String(cString: real)
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
    ///
    /// It gets its name when it is closed already: closing a file drops every lock that this process holds on it, SQLite's
    /// included (https://sqlite.org/howtocorrupt.html, 2.2).
    func create() throws(StoreError) {
        if Identity(path: path) != nil { return }
        let draft = path + ".new-" + UUIDv7.next()
        let file = unsafe open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw .system(errno, "the store cannot be made", path: path) }
        close(file)
        defer { unsafe unlink(draft) }
        if unsafe link(draft, path) != 0, errno != EEXIST {
            throw .system(errno, "the store cannot be made", path: path)
        }
    }

    /// Refuses another program's file and a newer store, without touching them: no lock, no log, no recovery.
    ///
    /// Without a lock a file that another process makes meanwhile may look like anything: a refusal counts when nothing
    /// has changed for longer than a tick of the clock that stamps files.
    func refuseStrangers(known: Int) throws(StoreError) {
        var refusal: (files: Files, error: StoreError)?
        for _ in 0..<100 {
            guard let files = Files(path: path) else { return }
            // Opening a pipe would wait for ever.
            guard files.database.isRegular else { throw .notAFile(path: path) }
            do throws(StoreError) {
                var connection = try Connection(path: path, mode: .immutable, busyTimeout: 0)
                _ = try Schema.version(&connection, known: known)
                return
            } catch {
                // Half of what makes up the file may be in its log or journal: only a full opening can tell then.
                if error.code == .storeCorrupt, !files.isStill { return }
                if let refusal, refusal.files == files, refusal.error.code == error.code { throw error }
                refusal = (files, error)
            }
            usleep(20_000)
        }
        // It changes all the time: a full opening, with its locks, has the last word.
    }

    /// Whether this user may make files in the folder: SQLite cannot tell a folder that refuses from one that is missing.
    var isInWritableFolder: Bool {
        let real = StoreFile.resolved(path)
        let folder = real.lastIndex(of: "/").map { String(real[...$0]) } ?? "."
        return unsafe faccessat(AT_FDCWD, folder, W_OK | X_OK, AT_EACCESS) == 0
    }
}
