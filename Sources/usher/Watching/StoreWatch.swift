internal import Glibc
internal import UsherSystem

/// Waits until a process has written into a store, through inotify(7): no timer runs while none does.
struct StoreWatch: ~Copyable {
    enum Event: Sendable {
        /// There may be something new: what was read before has to be read again.
        case changed
        /// The program is to end: a signal came, or nothing reads its output any more.
        case ended
        /// It was waited long enough.
        case late
    }

    private let descriptor: Int32
    /// Of the database, as it was named.
    private let path: String
    /// How long until the next look, in milliseconds; nil: until something happens.
    private var delay: Int32?
    /// What is looked for in each watched folder: the beginning of the names of the database and its log, or the name of a
    /// folder that is still missing.
    private var watches: [Int32: String] = [:]

    /// SQLite writes the log, syncs it, and only then updates its index, in mapped memory, which inotify does
    /// not report. The sync may take long: after a write the store is read a few more times, at growing intervals.
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
        var found: [Int32: String] = [:]
        try watch(path, &found)
        // The database may be a link to one elsewhere.
        if let real = FileSystem.resolved(path), real != path { try watch(real, &found) }
        for old in watches.keys where found[old] == nil { _ = inotify_rm_watch(descriptor, old) }
        watches = found
    }

    /// Watches the folder of a file, or the nearest one above it where it can appear.
    private func watch(_ file: String, _ found: inout [Int32: String]) throws(CommandFailure) {
        let appears = UInt32(IN_CREATE | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF)
        let changes = appears | UInt32(IN_MODIFY | IN_DELETE | IN_MOVED_FROM)
        var missing = file
        while true {
            let folder = FilePath.parent(of: missing)
            let number = unsafe inotify_add_watch(descriptor, folder, missing == file ? changes : appears)
            if number >= 0 {
                found[number] = FilePath.lastComponent(of: missing)
                // It may have appeared before the folder above was watched.
                let hasAppeared = unsafe access(missing, F_OK) == 0
                if missing == file || !hasAppeared { return }
                missing = file
                continue
            }
            let error = errno
            guard error == ENOENT || error == ENOTDIR, folder != missing, folder != "/", folder != "." else {
                throw CommandFailure(.finding, "\(folder) cannot be watched: \(SystemError.text(error))")
            }
            missing = folder
        }
    }

    /// Sleeps until something happens.
    ///
    /// - Parameters:
    ///   - signals: where signals can be read.
    ///   - output: whose reader may go away.
    ///   - end: when to stop waiting; nil: never.
    mutating func wait(signals: Int32, output: Int32, until end: Deadline? = nil) -> Event {
        while true {
            if let end, end.isOver { return .late }
            var polled = [
                pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: signals, events: Int16(POLLIN), revents: 0),
                // No event is asked for: poll(2) always reports that the reader has closed its end.
                pollfd(fd: output, events: 0, revents: 0),
            ]
            let count = unsafe polled.withUnsafeMutableBufferPointer {
                let rest = end?.remainingMilliseconds
                let time = delay.map { min($0, rest ?? $0) } ?? rest ?? -1
                return unsafe poll($0.baseAddress, nfds_t($0.count), time)
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
            if count == 0, let waited = delay, end?.isOver != true {
                delay = waited < StoreWatch.lastDelay ? waited * 2 : Optional.none
                return .changed
            }
        }
    }

    /// Reads the pending events; returns whether one of them may be about the store.
    @discardableResult
    private func drain() -> Bool {
        var isRelevant = false
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        while true {
            let count = unsafe buffer.withUnsafeMutableBytes {
                unsafe read(descriptor, $0.baseAddress, $0.count)
            }
            guard count > 0 else { return isRelevant }
            if isAboutStore(buffer[..<count]) { isRelevant = true }
        }
    }

    /// Whether any of some events is about the database, its log, or a folder that was missing; the log's index does not
    /// count, which readers open, too.
    ///
    /// An event is its watch, mask, cookie and length of name, four bytes each, and the name, filled up with zeros.
    private func isAboutStore(_ events: ArraySlice<UInt8>) -> Bool {
        func number(_ bytes: ArraySlice<UInt8>) -> UInt32 { bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) } }
        var rest = events
        while rest.count >= 16 {
            let watch = Int32(truncatingIfNeeded: number(rest.prefix(4)))
            let length = Int(number(rest.dropFirst(12).prefix(4)))
            let name = rest.dropFirst(16).prefix(length).prefix { $0 != 0 }
            rest = rest.dropFirst(16 + length)
            // Without a name it is about the folder itself, or some events were lost.
            if name.isEmpty { return true }
            guard let expected = watches[watch], name.starts(with: expected.utf8) else { continue }
            if !name.reversed().starts(with: "-shm".utf8.reversed()) { return true }
        }
        return false
    }
}
