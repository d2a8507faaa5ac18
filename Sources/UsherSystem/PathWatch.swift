internal import Glibc

/// An instance of inotify(7); closed by `deinit`.
package struct Inotify: ~Copyable {
    /// What happened in a watched folder, or to it. The end of a watch is no event.
    package struct Event {
        package let watch: Int32
        /// Empty where it is about the folder itself, or some events were lost.
        package let name: ArraySlice<UInt8>
    }

    /// To be polled for input; -1 with errno where the system gives none.
    package let descriptor: Int32

    package init() { descriptor = inotify_init1(Int32(O_CLOEXEC) | Int32(O_NONBLOCK)) }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Begins or changes a watch; -1 with errno.
    @discardableResult
    package func watch(_ path: String, for events: Int32...) -> Int32 {
        unsafe inotify_add_watch(descriptor, path, events.reduce(0) { $0 | UInt32($1) })
    }

    package func end(_ watch: Int32) { inotify_rm_watch(descriptor, watch) }

    /// Takes the events so far.
    @discardableResult
    package func drain() -> [Event] {
        var events: [Event] = []
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        while true {
            let count = unsafe buffer.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { return events }
            // An event is its watch, mask, cookie and length of name, four bytes each, and the name, filled up with zeros.
            var rest = buffer[..<count]
            while rest.count >= 16 {
                let numbers = unsafe rest.withUnsafeBytes { raw in
                    [0, 4, 12].map { unsafe raw.loadUnaligned(fromByteOffset: $0, as: UInt32.self) }
                }
                let name = rest.dropFirst(16).prefix(Int(numbers[2]))
                if numbers[1] != UInt32(IN_IGNORED) {
                    events.append(Event(watch: Int32(bitPattern: numbers[0]), name: name.prefix { $0 != 0 }))
                }
                rest = rest[name.endIndex...]
            }
        }
    }
}

/// Waits, by inotify(7), until files may have changed that need not exist, nor their folders: no timer runs without a cause.
///
/// What an event announces may be seen only after it: an event leads to several looks, at growing intervals.
package struct PathWatch: ~Copyable {
    package enum Event {
        case changed
        /// What ends the wait sooner has happened, or waiting failed.
        case ended
        case late
    }

    /// What is waited for.
    package struct Interest {
        /// Of the intervals between the looks after an event, the first and the last, in milliseconds.
        package var delays: ClosedRange<Int32>
        /// Whether it matters that files are written and removed, or only that they appear.
        package var includesChanges = false
        /// The end of names that do not count.
        package var ignoredSuffix: String?
        /// How long a burst of events goes on before a look, in microseconds.
        package var pause: UInt32 = 0

        package init(delays: ClosedRange<Int32>) { self.delays = delays }
    }

    package struct Failure: Error {
        package let folder: String
        package let error: SystemError
    }

    private let inotify = Inotify()
    private let interest: Interest
    /// What the names that count in each watched folder begin with: a file, or a folder that is still missing.
    private var watches: [Int32: String] = [:]
    /// How long until the next look, in milliseconds; nil: until something happens.
    private var delay: Int32?

    /// nil with errno.
    package init?(for interest: Interest) {
        self.interest = interest
        if inotify.descriptor < 0 { return nil }
    }

    /// From now on changes of these files are noticed; of each, all names count that begin with `prefix`. Stands before the
    /// look that shows what was before.
    package mutating func begin(_ files: [(path: String, prefix: String)]) throws(Failure) {
        // What came meanwhile is seen by the look that follows, or by one soon after.
        if drain() { delay = interest.delays.lowerBound }
        var found: [Int32: String] = [:]
        for (path, prefix) in files { try watch(path, prefix, &found) }
        for old in watches.keys where found[old] == nil { inotify.end(old) }
        watches = found
    }

    /// Watches the folder of a file, or the nearest one above it where it can appear.
    private func watch(_ file: String, _ prefix: String, _ found: inout [Int32: String]) throws(Failure) {
        let appears = IN_CREATE | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF
        let changes = interest.includesChanges ? IN_MODIFY | IN_DELETE | IN_MOVED_FROM : 0
        var missing = file
        while true {
            let folder = FilePath.parent(of: missing)
            let number = inotify.watch(folder, for: appears, missing == file ? changes : 0)
            if number >= 0 {
                found[number] = missing == file ? prefix : FilePath.lastComponent(of: missing)
                // It may have appeared before the folder above was watched.
                let hasAppeared = unsafe access(missing, F_OK) == 0
                if missing == file || !hasAppeared { return }
                missing = file
                continue
            }
            let error = SystemError.last
            guard error.number == ENOENT || error.number == ENOTDIR, folder != missing, folder != "/", folder != "."
            else { throw Failure(folder: folder, error: error) }
            missing = folder
        }
    }

    /// Sleeps until it is worth looking.
    ///
    /// - Parameters:
    ///   - end: ends the wait once it can be read.
    ///   - output: ends the wait once its reader is gone.
    package mutating func wait(or end: Int32, output: Int32 = -1, until deadline: Deadline? = nil) -> Event {
        while true {
            if let deadline, deadline.isOver { return .late }
            let look = delay.map { Deadline(inMilliseconds: Int($0)) }
            let limit = deadline.map { end in look.map { .earlier($0, end) } ?? end } ?? look
            guard let ready = Poll.readable(inotify.descriptor, end, output: output, until: limit), !ready[1], !ready[2]
            else { return .ended }
            if ready[0] {
                guard drain() else { continue }
                usleep(interest.pause)
                delay = interest.delays.lowerBound
                return .changed
            }
            if let waited = delay, deadline?.isOver != true {
                delay = waited < interest.delays.upperBound ? waited * 2 : Optional.none
                return .changed
            }
        }
    }

    /// Takes the events so far; whether any of them may be about the files.
    private func drain() -> Bool {
        inotify.drain().contains { event in
            if event.name.isEmpty { return true }
            guard let prefix = watches[event.watch], event.name.starts(with: prefix.utf8) else { return false }
            guard let suffix = interest.ignoredSuffix else { return true }
            return !event.name.reversed().starts(with: suffix.utf8.reversed())
        }
    }
}
