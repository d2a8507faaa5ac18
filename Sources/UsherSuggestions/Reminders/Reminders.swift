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
    private let due: DueReminders
    private let timer: DueTimer
    private let shows: Bool

    /// - Parameter shows: false where the process may end before a notification is clicked: reminders are due then, and wait
    ///   for the next process that shows them.
    public init(_ engine: Engine, shows: Bool = true) {
        due = DueReminders(engine, awaitsOpening: !shows)
        timer = DueTimer(due, named: "reminders", engine.logger)
        self.shows = shows
    }

    /// See `DueTimer.look`.
    public func look() {
        if shows { timer.look() }
    }

    /// Notes that content was opened. Returns at once.
    public func noteOpened(_ identifiers: [String]) {
        guard due.awaitsOpening.load(ordering: .relaxed), !identifiers.isEmpty else { return }
        timer.perform { [due, shows] in (try? due.engine.store.noteOpened(identifiers)) == true && shows }
    }

    /// Shows nothing from now on; returns when what is being shown is journalled.
    public func stop() { timer.stop() }

    /// Returns when everything that was asked for before is done.
    func flush() { timer.flush() }
}

private final class DueReminders: DueWork {
    let engine: Engine
    /// Whether a reminder waits for content to be opened.
    let awaitsOpening: Atomic<Bool>
    private let hasReportedAbsence = Atomic<Bool>(false)

    /// How many are shown at once.
    private static let batch = 20

    init(_ engine: Engine, awaitsOpening: Bool) {
        self.engine = engine
        self.awaitsOpening = Atomic(awaitsOpening)
    }

    func nextDue() throws(StoreError) -> Int64? {
        awaitsOpening.store(try engine.store.awaitsOpening(), ordering: .relaxed)
        return try engine.store.nextReminder()
    }

    func performDue() throws(StoreError) -> Bool {
        guard canShow() else { return false }
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
        return true
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
