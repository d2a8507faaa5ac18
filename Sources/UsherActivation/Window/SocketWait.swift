package import UsherSystem

/// Waits, by inotify(7) and without polling, until a process may listen on a socket again.
package struct SocketWait: ~Copyable {
    private var watch: PathWatch
    private let path: String
    private let prefix: String

    /// `prefix` is that of the socket's name; the name itself where it is nil. The path need not exist, nor its folders.
    package init?(path: String, prefix: String? = nil) {
        // A socket has a name before its process listens on it, so a name leads to several attempts.
        guard let watch = PathWatch(for: .init(delays: 5...640)) else { return nil }
        self.watch = watch
        self.path = path
        self.prefix = prefix ?? FilePath.lastComponent(of: path)
    }

    /// From now on names that appear are noticed. Stands before the look whose failure leads to `wait`.
    package mutating func begin() { try? watch.begin([(path, prefix)]) }

    /// Whether it is worth looking; false when `end` can be read or the deadline is over.
    package mutating func wait(or end: Int32, until deadline: Deadline? = nil) -> Bool {
        watch.wait(or: end, until: deadline) == .changed
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
