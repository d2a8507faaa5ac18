import CSQLite
import Glibc
public import UsherScene
internal import UsherSystem

/// Why the store could not do what it was asked, and what to do about it.
public struct StoreError: Error, Sendable, Hashable, CustomStringConvertible {
    /// `U4001` and following.
    public var code: DiagnosticCode
    /// One sentence, without the path and without a full stop.
    public var message: String
    /// The file or folder that it is about.
    public var path: String
    /// What to do, where there is something.
    public var help: String?
    /// SQLite's extended result code, where SQLite refused (https://sqlite.org/rescode.html).
    public var sqliteCode: Int32?

    public init(_ code: DiagnosticCode, _ message: String, path: String, help: String? = nil, sqliteCode: Int32? = nil)
    {
        self.code = code
        self.message = message
        self.path = path
        self.help = help
        self.sqliteCode = sqliteCode
    }

    public var description: String {
        "\(code.code) \(path): \(message)" + (help.map { ". \($0)" } ?? "")
    }
}

extension StoreError {
    /// SQLite's error as one of this store.
    @unsafe
    static func sqlite(_ result: Int32, connection: OpaquePointer?, path: String) -> StoreError {
        guard let connection = unsafe connection else {
            return StoreError(.storeOpen, "SQLite had no memory to open it", path: path, sqliteCode: result)
        }
        let text = unsafe String(cString: sqlite3_errmsg(connection))
        return sqlite(result, text: text, systemError: unsafe sqlite3_system_errno(connection), path: path)
    }

    private static func sqlite(_ result: Int32, text: String, systemError: Int32, path: String) -> StoreError {
        func error(_ code: DiagnosticCode, _ message: String, help: String?) -> StoreError {
            StoreError(code, message, path: path, help: help, sqliteCode: result)
        }
        let primary = result & 0xff
        let fileFailed = primary == SQLITE_CANTOPEN || primary == SQLITE_IOERR
        switch primary {
        case SQLITE_FULL: return .full(path: path, sqliteCode: result, isQuota: systemError == EDQUOT)
        case _ where fileFailed && (systemError == ENOSPC || systemError == EDQUOT):
            return .full(path: path, sqliteCode: result, isQuota: systemError == EDQUOT)
        case SQLITE_READONLY: return .readOnlyFile(path: path, sqliteCode: result)
        case _ where fileFailed && systemError == EROFS: return .readOnlyFileSystem(path: path, sqliteCode: result)
        case SQLITE_BUSY, SQLITE_LOCKED: return .busy(path: path, sqliteCode: result)
        case SQLITE_CORRUPT, SQLITE_NOTADB:
            return error(
                .storeCorrupt, "the store is damaged: \(text)",
                help:
                    "Nothing was changed. `usher doctor --repair` saves what can be read; or put a backup in its place, or"
                    + " move the file and its -wal and -shm files away: Usher starts with an empty store.")
        case SQLITE_CANTOPEN:
            return error(
                .storeOpen, "the store cannot be opened: \(systemError == 0 ? text : SystemError.text(systemError))",
                help: SystemError(systemError).remedy
                    ?? "Check that the folder is there and that you own it, or name another one with --state.")
        default:
            let cause = primary == SQLITE_IOERR && systemError != 0 ? SystemError.text(systemError) : text
            return error(.storeFailed, "SQLite refused: \(cause)", help: nil)
        }
    }

    /// A programming error: of a use of SQLite, of a migration, or of what is to be written.
    package static func misuse(_ message: String, path: String) -> StoreError {
        StoreError(.storeFailed, message, path: path, help: "This is a fault of Usher: please report it.")
    }

    static func busy(path: String, sqliteCode: Int32? = nil) -> StoreError {
        StoreError(
            .storeBusy, "another program has been writing to the store for too long", path: path,
            help: "Try again; if it stays so, `fuser \(path)` names the program that holds it.", sqliteCode: sqliteCode)
    }

    static func full(path: String, sqliteCode: Int32? = nil, isQuota: Bool = false) -> StoreError {
        StoreError(
            .storeFull,
            isQuota
                ? "your quota on the file system of the store is used up" : "there is no space left for the store",
            path: path,
            help: "Free some space\(isQuota ? " of yours" : "") on its file system; what was recorded before is safe.",
            sqliteCode: sqliteCode)
    }

    /// The file was removed, moved or replaced while it was open.
    static func gone(path: String) -> StoreError {
        StoreError(
            .storeGone, "the store is not where it was when it was opened", path: path,
            help: "Move its folder back, or start again: a missing store is made anew.")
    }

    /// Whether a retry may succeed: the obstacle may disappear by itself, or a person may remove it.
    package var mayPass: Bool {
        switch code {
        case .storeBusy, .storeFull, .storeGone: return true
        case .storeReadOnly, .storeOpen, .storeFailed:
            switch (sqliteCode ?? 0) & 0xff {
            case SQLITE_READONLY, SQLITE_CANTOPEN, SQLITE_IOERR, SQLITE_NOMEM, SQLITE_PROTOCOL, SQLITE_INTERRUPT:
                return true
            default: return false
            }
        default: return false
        }
    }

    /// The store may not be written, because of its permissions or where it lies.
    static func readOnlyFile(path: String, sqliteCode: Int32? = nil) -> StoreError {
        var volume = statvfs()
        if unsafe statvfs(path, &volume) == 0 || statvfs(FilePath.parent(of: path), &volume) == 0,
            volume.f_flag & UInt(ST_RDONLY) != 0
        {
            return .readOnlyFileSystem(path: path, sqliteCode: sqliteCode)
        }
        return StoreError(
            .storeReadOnly, "the store cannot be written", path: path,
            help: "Make the file and its folder writable for you, or name another folder with --state.",
            sqliteCode: sqliteCode)
    }

    private static func readOnlyFileSystem(path: String, sqliteCode: Int32? = nil) -> StoreError {
        StoreError(
            .storeReadOnly, "the file system of the store is mounted read-only", path: path,
            help: "Name a folder on another file system with --state, or mount this one for writing.",
            sqliteCode: sqliteCode)
    }

    /// A copy for the user cannot be made.
    static func copy(_ number: Int32, path: String) -> StoreError {
        StoreError(
            .maintenanceFile, "the copy cannot be made: \(SystemError.text(number))", path: path,
            help: SystemError(number).remedy ?? "Name a file in a folder that you may write.")
    }

    /// A system call on the folder or the file failed.
    static func system(_ number: Int32, _ what: String, path: String) -> StoreError {
        switch number {
        case ENOSPC, EDQUOT: return .full(path: path, isQuota: number == EDQUOT)
        case EROFS: return .readOnlyFileSystem(path: path)
        case EACCES, EPERM: return .readOnlyFile(path: path)
        default:
            return StoreError(
                .storeOpen, "\(what): \(SystemError.text(number))", path: path,
                help: SystemError(number).remedy ?? "Name another folder with --state.")
        }
    }

    static func unusablePath(_ path: String) -> StoreError {
        StoreError(.storeOpen, "a path cannot hold a NUL byte", path: path, help: "Name another folder with --state.")
    }

    static func notAFile(path: String) -> StoreError {
        StoreError(
            .storeOpen, "the store is not a file", path: path,
            help: "Move it away, or name another folder with --state.")
    }

    static func newer(version: Int64, known: Int, path: String) -> StoreError {
        StoreError(
            .storeNewer, "the store has version \(version); this Usher supports versions up to \(known)", path: path,
            help: "Nothing was changed. Use the newer Usher that wrote it, or name another folder with --state.")
    }

    static func unreleased(version: Int64, path: String) -> StoreError {
        StoreError(
            .storeNewer, "the store has version \(version), which only unreleased builds of Usher wrote", path: path,
            help: "Nothing was changed. Save its notes with `usher note export` of the build that wrote it and move the"
                + " file away, or name another folder with --state.")
    }

    static func ofMoreFeatures(version: Int, path: String) -> StoreError {
        StoreError(
            .storeNewer,
            "the store has version \(version), and this program was built without features that it has tables of",
            path: path,
            help: "Nothing was changed. Open it once with a program that has all features.")
    }

    static func foreign(path: String) -> StoreError {
        StoreError(
            .storeForeign, "the file is a database of another program", path: path,
            help: "Nothing was changed. Move it away, or name another folder with --state.")
    }

    static func readingOnly(path: String) -> StoreError {
        StoreError(.storeReadOnly, "the store was opened for reading only", path: path)
    }

    package static func closed(path: String) -> StoreError {
        StoreError(.storeFailed, "the store was closed", path: path)
    }

    static func sessionTaken(_ id: String, app: String, scene: String, path: String) -> StoreError {
        StoreError(
            .storeSessionTaken, "session \(id) is a session of app \(app), scene \(scene)", path: path,
            help: "Choose another session id, or leave it out to be given one.")
    }

    static func tooManyConditions(_ limit: Int, path: String) -> StoreError {
        StoreError(
            .storeConditions, "the sessions have \(limit) different conditions that no index finds", path: path,
            help:
                "Add a literal to the condition, as in SELF BEGINSWITH \"https://orders.example/\" AND SELF != \"…\", or"
                + " close sessions that have such conditions.")
    }

    package static func unreadable(_ what: String, path: String) -> StoreError {
        .sqlite(SQLITE_CORRUPT, text: what, systemError: 0, path: path)
    }
}
