internal import Glibc
internal import UsherSystem
internal import UsherText

/// The main thread of the daemon: sleeps until a signal comes, a file of the configuration changes, or a time is due.
struct Supervisor: ~Copyable {
    /// What the daemon does when it is woken.
    struct Duties {
        /// SIGHUP, or a change of the files that are watched.
        var reload: (_ because: ReloadCause) -> Void
        /// The folders to watch; asked again after every reload.
        var folders: () -> Set<String>
        /// The folders cannot be watched; called once.
        var notWatched: (SystemError) -> Void
        /// Every `interval`.
        var keepAlive: (() -> Void)?
        /// A minute after the start, then about every hour.
        var tidy: () -> Void
    }

    enum ReloadCause: String {
        case signal, change
    }

    private let signals: Int32
    private var files: FileWatch
    /// Whether it was said that folders cannot be watched.
    private var hasTold = false
    /// How often `keepAlive` is called; nil for never.
    private let keepAliveInterval: Duration?

    /// How long the files have to be left alone before they are read: editors and `git checkout` write many.
    private static let quiet = Duration.milliseconds(150)
    /// However often they are touched, they are read so long after the first change.
    private static let patience = Duration.seconds(2)
    private static let tidyInterval = Duration.seconds(3600)
    /// Soon after the start, so that a daemon that never runs for an hour deletes old rows, too.
    private static let firstTidy = Duration.seconds(60)

    /// - Parameter signals: the end of `SignalPipe` to read from.
    init(signals: Int32, keepAliveInterval: Duration?) {
        self.signals = signals
        self.keepAliveInterval = keepAliveInterval
        files = FileWatch()
    }

    /// Returns when SIGINT or SIGTERM came.
    mutating func run(_ duties: Duties, clock: () -> MonotonicInstant) {
        files.watch(duties.folders())
        tellIfNotWatched(duties)
        /// When the files that were not read yet were touched, first and last.
        var changed: (first: MonotonicInstant, last: MonotonicInstant)?
        func changeIsDue() -> MonotonicInstant? {
            changed.map { min($0.last + Supervisor.quiet, $0.first + Supervisor.patience) }
        }
        var nextTidy = clock() + Supervisor.firstTidy
        var nextKeepAlive = keepAliveInterval.map { clock() + $0 }
        while true {
            let due = [changeIsDue(), nextTidy, nextKeepAlive].compactMap(\.self).min()
            switch wait(until: due ?? .distantFuture, clock) {
            case .signals(let numbers):
                if numbers.contains(where: { $0 == SIGINT || $0 == SIGTERM }) { return }
                changed = nil
                duties.reload(.signal)
                files.watch(duties.folders())
                tellIfNotWatched(duties)
            case .files:
                files.drain()
                let now = clock()
                changed = (changed?.first ?? now, now)
            case .time: break
            }
            // After every event: where files are touched without end, there is never a moment without one.
            let now = clock()
            if let due = changeIsDue(), now >= due {
                changed = nil
                duties.reload(.change)
                files.watch(duties.folders())
                tellIfNotWatched(duties)
            }
            if let interval = keepAliveInterval, let next = nextKeepAlive, now >= next {
                duties.keepAlive?()
                nextKeepAlive = now + interval
            }
            if now >= nextTidy {
                duties.tidy()
                nextTidy = now + Supervisor.tidyInterval
            }
        }
    }

    private mutating func tellIfNotWatched(_ duties: Duties) {
        guard !hasTold, let failure = files.failure else { return }
        hasTold = true
        duties.notWatched(failure)
    }

    private enum Event {
        case signals([Int32])
        case files, time
    }

    private func wait(until due: MonotonicInstant, _ clock: () -> MonotonicInstant) -> Event {
        while true {
            let limit = Deadline(inMilliseconds: Int(max(0, min((due - clock()).milliseconds + 1, 3_600_000))))
            guard let ready = Poll.readable(signals, files.descriptor, until: limit) else { continue }
            if ready[0] { return .signals(SignalPipe.read(signals)) }
            if ready[1] { return .files }
            if clock() >= due { return .time }
        }
    }
}
