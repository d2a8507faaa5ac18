internal import Dispatch
internal import Synchronization
internal import UsherActivation
public import UsherEngine
internal import UsherJSON
internal import UsherLog
internal import UsherScene
internal import UsherStore
internal import UsherSystem
internal import UsherText

/// Shows reminders as notifications when they are due: each once, and late rather than never.
///
/// A reminder is taken and its delivery is journalled in one transaction, so that no crash loses it or shows it twice.
/// While no notification server can be reached, reminders wait.
public final class Reminders: Sendable {
    private let engine: Engine
    private let queue = DispatchQueue(label: "usher.reminders")
    /// Of the look that is awaited: an earlier one does nothing.
    private let turn = Atomic<Int>(0)
    /// Whether a reminder waits for content to be opened.
    private let awaitsOpening: Atomic<Bool>
    private let shows: Bool
    private let isStopped = Atomic<Bool>(false)
    private let hasReportedAbsence = Atomic<Bool>(false)

    /// While a reminder waits for a time, the clock is looked at this often: it may jump, and the machine may sleep.
    private static let longestWait = Duration.seconds(5)
    /// How many are shown at once.
    private static let batch = 20

    /// - Parameter shows: false where the process may end before a notification is clicked: reminders are due then, and wait
    ///   for the next process that shows them.
    public init(_ engine: Engine, shows: Bool = true) {
        self.engine = engine
        self.shows = shows
        awaitsOpening = Atomic(!shows)
    }

    /// Shows what is due, now and later. To be called once at the start, and whenever a reminder may be due at another
    /// time. Returns at once.
    public func look() {
        if shows { queue.async { [weak self] in self?.showDue() } }
    }

    /// Notes that content was opened. Returns at once.
    public func noteOpened(_ identifiers: [String]) {
        guard awaitsOpening.load(ordering: .relaxed), !identifiers.isEmpty else { return }
        queue.async { [weak self] in
            guard let self, (try? engine.store.noteOpened(identifiers)) == true, shows else { return }
            showDue()
        }
    }

    /// Shows nothing from now on; returns when what is being shown is journalled.
    public func stop() {
        isStopped.store(true, ordering: .relaxed)
        flush()
    }

    /// Returns when everything that was asked for before is done.
    func flush() { queue.sync {} }

    // MARK: On the queue

    private func showDue() {
        guard !isStopped.load(ordering: .relaxed) else { return }
        let turn = turn.add(1, ordering: .relaxed).newValue
        do throws(StoreError) {
            awaitsOpening.store(try engine.store.awaitsOpening(), ordering: .relaxed)
            while let due = try engine.store.nextReminder() {
                let left = due - Instant.now.microseconds
                guard left <= 0, canShow() else {
                    let wait = left <= 0 ? Self.longestWait : min(.microseconds(left + 1000), Self.longestWait)
                    return look(after: wait, turn)
                }
                try show()
            }
        } catch {
            engine.logger.log(
                .notificationNotStored,
                ["error.code": .text(error.code.code), "error.message": .text(error.message)])
            look(after: Self.longestWait, turn)
        }
    }

    private func look(after wait: Duration, _ turn: Int) {
        queue.asyncAfter(deadline: .now() + .microseconds(Int(wait.microseconds))) { [weak self] in
            guard let self, self.turn.load(ordering: .relaxed) == turn else { return }
            showDue()
        }
    }

    private func canShow() -> Bool {
        guard let presenter = engine.presenter else { return false }
        do throws(ActivationFailure) {
            _ = try presenter.capabilities()
            hasReportedAbsence.store(false, ordering: .relaxed)
            return true
        } catch {
            if !hasReportedAbsence.exchange(true, ordering: .relaxed) {
                engine.logger.log(
                    .notificationsNotShown,
                    ["error.code": .text(error.code.code), "error.message": .text(error.message)])
            }
            return false
        }
    }

    private func show() throws(StoreError) {
        let shown = try engine.accept { (state) throws(StoreError) in
            let now = Instant.now.microseconds
            let due = try state.takeDueReminders(now: now, limit: Self.batch)
            let deliveries = due.map { reminder in
                Store.NewDelivery(
                    id: UUIDv7.next(), source: DeliverySource.reminder, accepted: now, input: reminder.payload,
                    app: reminder.deliveryApp, target: reminder.link.target)
            }
            return (due.map(\.id), deliveries: deliveries)
        }
        for id in shown { engine.logger.log(.reminderFired, ["reminder.id": .text(id)]) }
    }
}

extension Store.Reminder {
    /// The app, where its target means nothing without it.
    fileprivate var deliveryApp: String? {
        link.target.map { TargetContentIdentifier($0).isGlobal } == false ? link.app : nil
    }

    /// A notification with its text. A click opens what it is about.
    fileprivate var payload: [UInt8] {
        var aps: [JSONValue.Member] = [
            .init("alert", .object([.init("title", .string(text))])), .init("sound", "default"),
        ]
        if let target = link.target { aps.append(.init("target-content-id", .string(target))) }
        var payload = JSONValue.object([.init("aps", .object(aps))])
        if let app = deliveryApp { payload = .object([.init("app", .string(app)), .init("payload", payload)]) }
        return Array(payload.text(escaping: .minimal).utf8)
    }
}
