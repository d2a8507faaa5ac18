internal import Synchronization
internal import UsherActivation
internal import UsherLog
internal import UsherScene
internal import UsherStore
internal import UsherSystem

/// What is in memory of notifications: everything that must survive is in the store.
final class NotificationDesk: Sendable {
    let presenter: any NotificationPresenter
    /// Events are seen to one after the other, and not in the presenter's thread: the store may be busy.
    let thread = WorkerThreads(limit: 1)
    /// Looks at what the user sees may take seconds, and hold no event back.
    let looks = WorkerThreads(limit: 1)
    /// A server that hangs holds no event back.
    private let errands = WorkerThreads(limit: 1)
    private let state = Mutex(State())
    private let handler = Mutex<(@Sendable (NotificationEvent) -> Void)?>(nil)
    private let withdrawal = Mutex<(@Sendable (_ delivery: String) -> Void)?>(nil)

    private struct State {
        /// Notifications on their way to the server, or from there to the store.
        var onTheWay = 0
        /// Events of notifications that the store does not know, not yet perhaps.
        var early: [NotificationEvent] = []
        /// Deliveries whose notifications are to be taken away as soon as the store knows them.
        var unneeded: Set<String> = []
    }

    /// No more events than these wait for their notification.
    private static let earlyLimit = 256

    init(_ presenter: any NotificationPresenter) { self.presenter = presenter }

    /// Takes one away that was pressed, where it is still shown.
    func withdraw(_ shown: ShownNotification) {
        runErrand { [presenter] in try? presenter.close(shown) }
    }

    /// Asks the server for something, after what it was asked for before. Does not wait.
    func runErrand(_ body: @escaping @Sendable () -> Void) {
        errands.submit(body)
        errands.runInlineIfStarved()
    }

    /// Shows one once more without the buttons that answer, where it is still shown.
    ///
    /// - Parameters:
    ///   - delivery: that it is shown for, in the store.
    ///   - notification: what takes its place.
    func removeAnswers(
        to delivery: String, in store: Store, _ logger: Logger,
        _ notification: @escaping @Sendable (any NotificationPresenter) throws(ActivationFailure) -> DesktopNotification
    ) {
        runErrand { [presenter] in
            do {
                guard try store.isShown(notificationOf: delivery) else { return }
                let new = try presenter.show(try notification(presenter))
                try store.noteAnswersGone(fromNotificationOf: delivery, new.id, of: new.server)
            } catch let error as StoreError {
                logger.storeRefuses(error)
            } catch {
                // Its server is gone, and the notification with it.
            }
        }
    }

    /// Waits for what the server was asked for before.
    func finishErrands(withinSeconds seconds: Double) {
        let reply = Reply<Void>()
        runErrand { reply.give(()) }
        _ = reply.wait(seconds: seconds)
    }

    // MARK: Events that are faster than the store

    func begin() { state.withLock { $0.onTheWay += 1 } }

    /// One more is in the store, or will never be: the events that may be its own are looked at again.
    func shownIsStored() {
        let (events, unneeded) = state.withLock { state in
            state.onTheWay -= 1
            defer { (state.early, state.unneeded) = ([], []) }
            return (state.early, state.unneeded)
        }
        if !unneeded.isEmpty, let withdraw = withdrawal.withLock({ $0 }) { unneeded.forEach(withdraw) }
        guard let handler = handler.withLock({ $0 }) else { return }
        for event in events { handler(event) }
    }

    /// Calls `body` with every event that had to wait for its notification, and `withdraw` with the deliveries of those that
    /// are unneeded.
    func handleEarlyEvents(
        _ body: @escaping @Sendable (NotificationEvent) -> Void,
        withdraw: @escaping @Sendable (_ delivery: String) -> Void
    ) {
        handler.withLock { $0 = body }
        withdrawal.withLock { $0 = withdraw }
    }

    /// The notification of a delivery is to be taken away as soon as the store knows it.
    func noteUnneeded(_ delivery: String) { state.withLock { _ = $0.unneeded.insert(delivery) } }

    func forgetUnneeded(_ delivery: String) { state.withLock { _ = $0.unneeded.remove(delivery) } }

    /// Keeps an event until the next notification is in the store; false where none is on its way.
    func postpone(_ event: NotificationEvent) -> Bool {
        state.withLock { state in
            guard state.onTheWay > 0, state.early.count < NotificationDesk.earlyLimit else { return false }
            state.early.append(event)
            return true
        }
    }
}
