internal import CLinux
internal import Dispatch
internal import Glibc
internal import Synchronization
internal import UsherEngine
internal import UsherLog
internal import UsherStore
internal import UsherText

/// Watches the processes of sessions: when one ends, its session is disconnected, and its activity kept.
///
/// A pidfd means one process for as long as it is open, whatever becomes of its number. The thread sleeps until one of them
/// ends, or until the list of processes changes.
final class SessionProcesses: Sendable {
    private let store: Store
    private let sessions: any SessionChanges
    private let logger: Logger
    /// Called when a session has ended or lost its window.
    private let ended: @Sendable (_ session: String) -> Void
    private let wake: Int32
    private let isStopping = Atomic<Bool>(false)
    private let thread = DispatchQueue(label: "usher.processes")

    private struct Watched {
        var session: String
        var process: Store.SessionProcess
        /// -1 where there is no such process any more, or it could not be opened.
        var descriptor: Int32
    }

    /// How long until a disconnection that the store refused is tried again, in milliseconds.
    private static let pause: Int32 = 1000

    init(
        _ store: Store, _ sessions: any SessionChanges, logger: Logger,
        ended: @escaping @Sendable (_ session: String) -> Void
    ) {
        self.ended = ended
        self.store = store
        self.sessions = sessions
        self.logger = logger
        wake = usher_eventfd()
    }

    deinit { if wake >= 0 { close(wake) } }

    /// Disconnects the sessions whose processes ended meanwhile, and watches the others from now on.
    func start() {
        var watched: [Watched] = []
        refresh(&watched)
        _ = disconnectEnded(&watched)
        let begun = watched
        thread.async { [self] in run(begun) }
    }

    /// Makes the thread read the list of processes again: it may have changed.
    func wakeUp() { usher_eventfd_signal(wake) }

    /// Returns when nothing is watched any more.
    func stop() {
        isStopping.store(true, ordering: .sequentiallyConsistent)
        wakeUp()
        thread.sync {}
    }

    private func run(_ begun: [Watched]) {
        var watched = begun
        defer { for entry in watched where entry.descriptor >= 0 { close(entry.descriptor) } }
        var isComplete = true
        while wake >= 0, !isStopping.load(ordering: .sequentiallyConsistent) {
            var events = [pollfd(fd: wake, events: Int16(POLLIN), revents: 0)]
            // poll(2) passes over negative descriptors.
            events += watched.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
            let count = unsafe events.withUnsafeMutableBufferPointer {
                unsafe poll($0.baseAddress, nfds_t($0.count), isComplete ? -1 : SessionProcesses.pause)
            }
            if count < 0, errno != EINTR { return }
            if events[0].revents != 0 {
                usher_eventfd_clear(wake)
                refresh(&watched)
            }
            isComplete = disconnectEnded(&watched)
        }
    }

    /// Watches the processes that the store has now.
    private func refresh(_ watched: inout [Watched]) {
        guard let found = try? store.sessionProcesses() else { return }
        var kept: [Watched] = []
        for (session, process) in found {
            if let place = watched.firstIndex(where: {
                $0.process == process && $0.session.hasSameBytes(as: session)
            }) {
                kept.append(watched.remove(at: place))
            } else {
                kept.append(
                    Watched(session: session, process: process, descriptor: usher_pidfd_open(process.pid)))
            }
        }
        for entry in watched where entry.descriptor >= 0 { close(entry.descriptor) }
        watched = kept
    }

    /// Disconnects the sessions whose processes have ended; false where the store refused one of them.
    private func disconnectEnded(_ watched: inout [Watched]) -> Bool {
        var kept: [Watched] = []
        var isComplete = true
        for entry in watched {
            // The descriptor may be of another process with the same number, where that ended before it was opened.
            if entry.process.isRunning {
                kept.append(entry)
                continue
            }
            do throws(StoreError) {
                if try SessionLoss.lose(entry.session, of: entry.process, in: sessions) {
                    logger.log(
                        .windowProcessEnded,
                        ["session.id": .text(entry.session), "process.pid": .number(Int64(entry.process.pid))])
                    ended(entry.session)
                } else {
                    // Another process may have the session now.
                    wakeUp()
                }
                if entry.descriptor >= 0 { close(entry.descriptor) }
            } catch {
                isComplete = false
                var entry = entry
                // The pidfd of an ended process stays readable, and `poll` would return at once: the next try is timed instead.
                if entry.descriptor >= 0 { close(entry.descriptor) }
                entry.descriptor = -1
                kept.append(entry)
            }
        }
        watched = kept
        return isComplete
    }
}
