internal import Glibc
internal import UsherSystem

/// Waits until a process has written into a store, through inotify(7): no timer runs while none does.
struct StoreWatch: ~Copyable {
    private var watch: PathWatch
    /// Of the database, as it was named.
    private let path: String

    init(database path: String) throws(CommandFailure) {
        self.path = path
        // SQLite writes the log, syncs it, and only then updates its index, in mapped memory, which inotify does not
        // report. The sync may take long: after a write the store is read a few more times.
        var interest = PathWatch.Interest(delays: 2...4096)
        interest.includesChanges = true
        // The log's index, which readers open, too.
        interest.ignoredSuffix = "-shm"
        interest.pause = 5000
        guard let watch = PathWatch(for: interest) else {
            throw CommandFailure(
                .finding, "the store cannot be watched: \(SystemError.text(errno))",
                help: "fs.inotify.max_user_instances says how many programs may watch files")
        }
        self.watch = watch
    }

    /// From now on SIGINT and SIGTERM end a wait: where they can be read.
    static func openSignals() throws(CommandFailure) -> Int32 {
        try Result { () throws(SystemError) in try SignalPipe.open([SIGINT, SIGTERM], isFinal: true) }
            .mapError { CommandFailure(.finding, "there is no pipe: \($0.text)") }.get()
    }

    /// From now on changes are noticed; those before belong to what is read after this.
    mutating func begin() throws(CommandFailure) {
        // The database may be a link to one elsewhere. The log's name begins with that of the database.
        let real = FilePath.resolved(path).flatMap { $0 == path ? nil : $0 }
        do throws(PathWatch.Failure) {
            try watch.begin([path, real].compactMap { $0 }.map { ($0, FilePath.lastComponent(of: $0)) })
        } catch {
            throw CommandFailure(
                .finding, "\(error.folder) cannot be watched: \(SystemError.text(error.error.number))")
        }
    }

    /// Sleeps until something happens.
    ///
    /// - Parameters:
    ///   - signals: where signals can be read.
    ///   - output: whose reader may go away.
    ///   - end: when to stop waiting; nil: never.
    mutating func wait(signals: Int32, output: Int32, until end: Deadline? = nil) -> PathWatch.Event {
        watch.wait(or: signals, output: output, until: end)
    }
}
