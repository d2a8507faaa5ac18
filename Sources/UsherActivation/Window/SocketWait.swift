internal import Glibc
package import UsherSystem

/// Waits, by inotify(7) and without polling, until a process may listen on a socket again.
package struct SocketWait: ~Copyable {
    private let descriptor: Int32
    private let path: String
    /// What the names of sockets that count begin with.
    private let prefix: String
    /// The name to be looked for in the folder that is watched now.
    private var awaited = ""
    private var watch: Int32 = -1
    /// How long until the next look, in milliseconds; nil: until something happens.
    private var delay: Int32?

    /// A socket has a name before its process listens on it, so a name leads to several attempts, at growing intervals.
    private static let firstDelay: Int32 = 5
    private static let lastDelay: Int32 = 640

    /// `prefix` is that of the socket's name; the name itself where it is nil. The path need not exist, nor its folders.
    package init?(path: String, prefix: String? = nil) {
        descriptor = inotify_init1(Int32(O_CLOEXEC) | Int32(O_NONBLOCK))
        self.path = path
        self.prefix = prefix ?? Self.name(of: path)
        if descriptor < 0 { return nil }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// From now on names that appear are noticed. Stands before the look whose failure leads to `wait`.
    package mutating func begin() {
        let before = watch
        defer { if before >= 0, before != watch { inotify_rm_watch(descriptor, before) } }
        // What came meanwhile is seen by the look that follows, or by one soon after.
        if drain() { delay = Self.firstDelay }
        let events = UInt32(IN_CREATE | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF)
        var missing = path
        awaited = prefix
        while true {
            let folder = Self.folder(of: missing)
            watch = unsafe inotify_add_watch(descriptor, folder, events)
            // The folder may have appeared before the one above it was watched; then the next turn finds it.
            if watch >= 0 {
                let isMissing = unsafe access(missing, F_OK) != 0
                if missing == path || isMissing { return }
                missing = path
                awaited = prefix
                continue
            }
            guard folder != missing, folder != "/", folder != "." else { return }
            missing = folder
            awaited = Self.name(of: folder)
        }
    }

    /// Whether it is worth looking; false when `end` can be read or the deadline is over.
    package mutating func wait(or end: Int32, until deadline: Deadline? = nil) -> Bool {
        while true {
            if let deadline, deadline.isOver { return false }
            var limit = delay ?? -1
            if let left = deadline?.remainingMilliseconds { limit = limit < 0 ? left : min(limit, left) }
            var polled = [
                pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: end, events: Int16(POLLIN), revents: 0),
            ]
            let count = unsafe poll(&polled, nfds_t(polled.count), limit)
            if count < 0, errno != EINTR { return false }
            if polled[1].revents != 0 { return false }
            if polled[0].revents != 0, drain() {
                delay = Self.firstDelay
                return true
            }
            if count == 0, let waited = delay, deadline.map({ !$0.isOver }) ?? true {
                delay = waited < Self.lastDelay ? waited * 2 : Optional.none
                return true
            }
        }
    }

    /// Takes what was told so far; whether any of it is about the name that is awaited.
    private mutating func drain() -> Bool {
        var isRelevant = false
        var buffer = [UInt8](repeating: 0, count: 16 * 1024)
        while true {
            let count = unsafe buffer.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { return isRelevant }
            // An event is its watch, mask, cookie and length of name, four bytes each, and the name, filled up with zeros.
            var rest = buffer[..<count]
            while rest.count >= 16 {
                let length = rest.dropFirst(12).prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
                let name = rest.dropFirst(16).prefix(length).prefix { $0 != 0 }
                let mask = rest.dropFirst(4).prefix(4).reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
                rest = rest.dropFirst(16 + length)
                // The end of a watch that was given up.
                if mask == UInt32(IN_IGNORED) { continue }
                // Without a name it is about the folder itself, or some events were lost.
                if name.isEmpty || name.starts(with: awaited.utf8) { isRelevant = true }
            }
        }
    }

    private static func folder(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == path.utf8.startIndex ? "/" : String(path[..<slash])
    }

    private static func name(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return path }
        return String(path[path.utf8.index(after: slash)...])
    }
}

/// Tells lists of windows that differ from the one told before, and not too many of them.
package struct WatchPace {
    /// In milliseconds: how long a burst is gathered, and how far lists are apart at least while it goes on.
    private static let burst: Int32 = 5
    private static let apart = 40
    /// The same for what is of less interest: titles that programs change all the time.
    private static let slightApart = 250

    private let changed: @Sendable (WindowList) -> Void
    private var told: WindowList?
    /// Whether anything was told.
    package var hasTold: Bool { told != nil }
    private var next = Deadline(inMilliseconds: 0)
    private var nextSlight = Deadline(inMilliseconds: 0)

    package init(_ changed: @escaping @Sendable (WindowList) -> Void) { self.changed = changed }

    /// Until when more is waited for after something happened.
    package func quiet(isSlight: Bool) -> Deadline {
        let next = isSlight ? nextSlight : next
        return Deadline(inMilliseconds: Int(max(Self.burst, next.remainingMilliseconds)))
    }

    package mutating func tell(_ list: WindowList, unless end: WatchThread.End) {
        guard list != told, !end.hasCome else { return }
        changed(list)
        told = list
        next = Deadline(inMilliseconds: Self.apart)
        nextSlight = Deadline(inMilliseconds: Self.slightApart)
    }
}
