import Glibc
internal import UsherSystem
internal import UsherText

/// A file in `owners` that a process holds locked for as long as it lives: the sign for other processes that it does.
///
/// The kernel drops the lock with the process, however that ends. The lock belongs to the file and not to a number, so it
/// holds between PID namespaces, where numbers mean something else (flock(2)).
struct OwnerFile: ~Copyable {
    /// Its name in the folder: the number of the PID namespace, a hyphen and a UUID.
    let name: String
    private let path: String
    private let descriptor: Int32

    static func folder(of store: StoreFile) -> String {
        // Beside the database itself, with symbolic links resolved, so that every path to the store gives the same
        // folder.
        let path = StoreFile.resolved(store.path)
        return (path.lastIndex(of: "/").map { String(path[...$0]) } ?? "") + "owners"
    }

    /// nil where the file system has no locks, or the folder cannot be made: the process is known by its number then.
    init?(in folder: String) {
        guard (try? StoreFile.makeDirectory(folder)) != nil else { return nil }
        let name = "\(OwnerFile.namespace)-\(UUIDv7.next())"
        let path = folder + "/" + name
        // It gets its name when it is locked already: one that is not counts as left behind.
        let draft = path + ".new"
        let descriptor = unsafe open(draft, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { return nil }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, unsafe rename(draft, path) == 0 else {
            unsafe unlink(draft)
            close(descriptor)
            return nil
        }
        self.name = name
        self.path = path
        self.descriptor = descriptor
    }

    deinit {
        unsafe unlink(path)
        close(descriptor)
    }

    /// The inode number of the PID namespace of this process (pid_namespaces(7)); 0 if it cannot be read.
    private static let namespace: UInt64 = {
        var status = stat()
        return unsafe stat("/proc/self/ns/pid", &status) == 0 ? UInt64(status.st_ino) : 0
    }()

    /// Whether the numbers of the file's owner mean the same here.
    static func isOfThisNamespace(_ name: String) -> Bool {
        namespace != 0 && name.hasPrefix("\(namespace)-")
    }

    /// Whether a process holds a lock on the file.
    static func isHeld(_ name: String, in folder: String) -> Bool {
        // Names come from the store: none may lead elsewhere.
        guard !name.isEmpty, !name.utf8.contains(UInt8(ascii: "/")), !name.utf8.contains(0) else { return false }
        let descriptor = unsafe open(folder + "/" + name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        // If the lock cannot be tested, the owner counts as alive, so that nothing is taken from it.
        guard descriptor >= 0 else { return errno != ENOENT && errno != ENOTDIR && errno != ELOOP }
        defer { close(descriptor) }
        // A shared lock: two processes that test at the same time must not take each other for the owner.
        return flock(descriptor, LOCK_SH | LOCK_NB) != 0
    }

    /// Removes the files that killed processes left behind.
    static func sweep(_ folder: String) {
        let names = (try? FileSystem.names(in: folder)) ?? []
        // A draft may belong to a process that starts right now.
        for name in names where !name.hasPrefix(".") && !name.hasSuffix(".new") && !isHeld(name, in: folder) {
            unsafe unlink(folder + "/" + name)
        }
    }
}

/// The kernel's data about a running process.
struct ProcessStatus: Sendable, Hashable {
    /// False for one that has ended and was not yet waited for.
    var isRunning: Bool
    /// In clock ticks since boot.
    var startTime: UInt64

    /// nil where there is no such process.
    static func read(pid: Int32) -> ProcessStatus? {
        contents(of: "/proc/\(pid)/stat").flatMap { ProcessStatus(parsing: $0) }
    }

    /// Parses `/proc/<pid>/stat` (proc_pid_stat(5)).
    ///
    /// The second field is the program's name in parentheses, whatever bytes it holds: the others are counted from the
    /// last closing one.
    init?(parsing bytes: [UInt8]) {
        guard let end = bytes.lastIndex(of: UInt8(ascii: ")")) else { return nil }
        let fields = bytes[(end + 1)...].split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\n") }
        guard fields.count > 19, let state = fields[0].first,
            let startTime = UInt64(String(decoding: fields[19], as: UTF8.self))
        else { return nil }
        self.isRunning = state != UInt8(ascii: "Z") && state != UInt8(ascii: "X") && state != UInt8(ascii: "x")
        self.startTime = startTime
    }

    /// The id of this boot, different for every boot (random(4)).
    static func bootID() -> String? {
        guard let bytes = contents(of: "/proc/sys/kernel/random/boot_id") else { return nil }
        return String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }

    /// A short file of `/proc`.
    private static func contents(of path: String) -> [UInt8]? {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = unsafe bytes.withUnsafeMutableBytes { unsafe Glibc.read(file, $0.baseAddress, $0.count) }
        return count > 0 ? Array(bytes.prefix(count)) : nil
    }
}
