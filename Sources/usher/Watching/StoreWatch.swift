internal import Glibc

/// Waits until somebody has written into a store, through inotify(7): no look at a clock while nobody does.
struct StoreWatch: ~Copyable {
    enum Event: Sendable {
        /// There may be something new: what was read before has to be read again.
        case changed
        /// The program is to end: a signal came, or nobody reads its output any more.
        case ended
    }

    private let descriptor: Int32
    /// Of the database, as it was named.
    private let path: String
    /// How long until the next look, in milliseconds; nil: until something happens.
    private var delay: Int32?

    /// SQLite writes the log, syncs it, and only then makes its index tell readers, in mapped memory that nobody is told
    /// of. The sync may take its time: after a write there are some more looks, at growing distances.
    private static let firstDelay: Int32 = 2
    private static let lastDelay: Int32 = 4096
    /// How long a burst of writes is let go on before a look.
    private static let pause: UInt32 = 5000

    init(database path: String) throws(CommandFailure) {
        self.path = path
        descriptor = inotify_init1(Int32(O_CLOEXEC) | Int32(O_NONBLOCK))
        guard descriptor >= 0 else {
            throw CommandFailure(
                .finding, "the store cannot be watched: \(SystemError.text(errno))",
                help: "fs.inotify.max_user_instances says how many programs may watch files")
        }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// From now on changes are noticed; those before belong to what is read after this.
    mutating func begin() throws(CommandFailure) {
        drain()
        var folders = [FilePathParts.folder(of: path)]
        if let real = FilePathParts.resolved(path), FilePathParts.folder(of: real) != folders[0] {
            folders.append(FilePathParts.folder(of: real))
        }
        for folder in folders { try watch(folder) }
    }

    /// Watches a folder, or the nearest one above it where it can appear.
    private func watch(_ folder: String) throws(CommandFailure) {
        let changes = UInt32(
            IN_MODIFY | IN_CREATE | IN_DELETE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE_SELF | IN_MOVE_SELF)
        var place = folder
        while unsafe inotify_add_watch(descriptor, place, changes) < 0 {
            let error = errno
            let above = FilePathParts.folder(of: place)
            guard error == ENOENT || error == ENOTDIR, above != place else {
                throw CommandFailure(.finding, "\(folder) cannot be watched: \(SystemError.text(error))")
            }
            place = above
        }
        // It may have appeared before the one above was watched.
        if place != folder { _ = unsafe inotify_add_watch(descriptor, folder, changes) }
    }

    /// Sleeps until something happens.
    ///
    /// - Parameters:
    ///   - signals: where signals can be read.
    ///   - output: whose reader may go away.
    mutating func wait(signals: Int32, output: Int32) -> Event {
        while true {
            var polled = [
                pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: signals, events: Int16(POLLIN), revents: 0),
                // Nothing is asked for: that nobody reads is always told.
                pollfd(fd: output, events: 0, revents: 0),
            ]
            let count = unsafe polled.withUnsafeMutableBufferPointer {
                unsafe poll($0.baseAddress, nfds_t($0.count), delay ?? -1)
            }
            if count < 0 {
                if errno == EINTR { continue }
                return .ended
            }
            if polled[1].revents != 0 || polled[2].revents != 0 { return .ended }
            if polled[0].revents != 0 {
                guard drain() else { continue }
                usleep(StoreWatch.pause)
                delay = StoreWatch.firstDelay
                return .changed
            }
            if count == 0, let waited = delay {
                delay = waited < StoreWatch.lastDelay ? waited * 2 : Optional.none
                return .changed
            }
        }
    }

    /// Takes what was told so far; whether any of it may be about the store.
    @discardableResult
    private func drain() -> Bool {
        var isRelevant = false
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        while true {
            let count = unsafe buffer.withUnsafeMutableBytes {
                unsafe read(descriptor, $0.baseAddress, $0.count)
            }
            guard count > 0 else { return isRelevant }
            if StoreWatch.isAboutStore(buffer[..<count]) { isRelevant = true }
        }
    }

    /// Whether any of some events is about more than the log's index, which readers open, too.
    ///
    /// An event is its watch, mask, cookie and length of name, four bytes each, and the name, filled up with zeros.
    private static func isAboutStore(_ events: ArraySlice<UInt8>) -> Bool {
        var rest = events
        while rest.count >= 16 {
            let length = rest.dropFirst(12).prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
            let name = rest.dropFirst(16).prefix(length).prefix { $0 != 0 }
            rest = rest.dropFirst(16 + length)
            if !name.reversed().starts(with: "-shm".utf8.reversed()) { return true }
        }
        return false
    }
}

/// Paths, taken apart.
enum FilePathParts {
    /// What a file lies in.
    static func folder(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == path.utf8.startIndex ? "/" : String(path[..<slash])
    }

    /// Where a file really is; nil where there is none.
    static func resolved(_ path: String) -> String? {
        guard let found = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(found) }
        return unsafe String(cString: found)
    }
}
