internal import Synchronization
internal import UsherActivation
internal import UsherLog
internal import UsherScene
internal import UsherSystem
internal import UsherText

/// Keeps the window of the latest request in front, though scenes are brought forward side by side.
///
/// A person looks at one window. When an earlier request is done late, its window comes forward after that of a later one;
/// then the later one's is brought forward again.
final class FrontWindow: Sendable {
    private struct Front {
        var arrival: Int
        var handle: String
        var server: String?
    }

    private let front = Mutex<Front?>(nil)
    /// The newest request for a window whose effect has begun.
    private let newest = Mutex(0)
    /// When a window was opened last, as far as is known: of the time before this process, nothing is.
    private let opened: Mutex<MonotonicInstant>
    /// When a watch ended last without a loss; nil after a loss.
    private let kept = Mutex<MonotonicInstant?>(nil)
    private let windowSystem: any WindowSystem
    private let now: @Sendable () -> MonotonicInstant
    private let watches = WorkerThreads(limit: FrontWindow.watchLimit)

    /// For how long a window is watched after it was read back in front.
    static let watchTime = Duration.milliseconds(300)
    /// For so long after a window was opened, another one of a slow program may follow; and so long a watch without a loss
    /// speaks for the requests that come after it.
    private static let unrest = Duration.seconds(30)
    private static let watchLimit = 8

    init(_ windowSystem: any WindowSystem, now: @escaping @Sendable () -> MonotonicInstant = { MonotonicClock.now }) {
        self.windowSystem = windowSystem
        self.now = now
        opened = Mutex(now())
    }

    /// The effect of a request for a window begins.
    func noteRequest(_ number: Int) { newest.withLock { $0 = max($0, number) } }

    /// A window was opened, by whichever program.
    func noteOpenedWindow() { opened.withLock { $0 = now() } }

    /// Whether another window may take the front: one was opened so recently that another may follow, or no recent request
    /// has kept the front, so that nothing is known of the programs that run by now.
    var mayBeTaken: Bool {
        let now = now()
        if now - opened.withLock({ $0 }) < FrontWindow.unrest { return true }
        return kept.withLock { $0 }.map { now - $0 >= FrontWindow.unrest } ?? true
    }

    /// Watches the window that a request has brought to the front, until another request for a window begins, and brings it
    /// to the front once more where another program's window takes its place. `report` is called once, from another thread,
    /// with the warning for the record.
    func watch(
        _ window: WindowSighting.Front, for number: Int, _ policy: FocusPolicy,
        _ report: @escaping @Sendable (DecisionRecord.Note?) -> Void
    ) {
        let begin = MonotonicClock.now
        let deadline = Deadline(inMilliseconds: Int(FrontWindow.watchTime.milliseconds))
        watches.submit { [self] in
            guard isNewest(number), !deadline.isOver else { return report(nil) }
            let found = try? windowSystem.loss(of: window, until: deadline)
            guard isNewest(number) else { return report(nil) }
            kept.withLock { $0 = found == nil ? now() : nil }
            guard let loss = found else { return report(nil) }
            let time = (MonotonicClock.now - begin).milliseconds
            var code = DiagnosticCode.lostFront
            var end = "the user may have chosen it"
            if !loss.mayBeWanted {
                let reference = WindowReference.handle(window.handle, server: window.server)
                let again = try? windowSystem.focus(FocusRequest(reference, policy: policy))
                let isBack = if case .shown? = again?.view { true } else { false }
                if !isBack { code = .seenLostFront }
                end =
                    isBack ? "the window was brought to the front again" : "the window did not come to the front again"
            }
            report(
                DecisionRecord.Note(
                    name: code.name,
                    message: "\(time) ms after the window came to the front, \(Printable.text(loss.seen)); \(end)",
                    help: "find out why that program takes the keyboard: it may have been making its window just then"))
        }
        watches.runInlineIfStarved()
    }

    private func isNewest(_ number: Int) -> Bool { newest.withLock { $0 <= number } }

    /// Called after a request's window was brought forward or launched; requests are numbered as they arrive.
    func restoreLatest(after arrival: Int, handle: String?, server: String?) {
        guard let handle, windowSystem.recognizes(handle: handle) else { return }
        var later: Front? = front.withLock { front in
            if let latest = front, latest.arrival > arrival { return latest.handle == handle ? nil : latest }
            front = Front(arrival: arrival, handle: handle, server: server)
            return nil
        }
        // Nothing is locked while windows are moved, so a still later one may have come forward just before this one's.
        while let latest = later {
            // Whether it is still there is the next request's business.
            _ = try? windowSystem.focus(.handle(latest.handle, server: latest.server))
            later = front.withLock { front in
                guard let front, front.arrival > latest.arrival, front.handle != latest.handle else { return nil }
                return front
            }
        }
    }
}
