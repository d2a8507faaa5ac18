internal import Synchronization
internal import UsherActivation
internal import UsherDelivery
internal import UsherLog
internal import UsherScene
internal import UsherText

/// Publishes the results of deliveries to senders and subscribers, after the results are on disk.
///
/// It is used only on the engine's thread, so that `accepted` always comes before `finished`. It also keeps the
/// in-memory state of every open delivery.
struct Outbox {
    /// What is kept of one open delivery.
    struct Entry {
        var delivery: Delivery
        /// The place of its record in the input.
        var sequence: Int
        var events = Arrival.Events()
        var cancellation: Cancellation?
        /// The id of the parent delivery, if a handler of another delivery sent this one.
        var parent: String?
        /// An earlier run left it: no sender waits for its record here.
        var isRecovered = false
        /// See `Arrival`.
        var newWindowLimit: Int?
        /// When it arrived.
        var since: MonotonicInstant
        /// What earlier tries came to.
        var tries: [DecisionRecord.Note] = []
        /// The record of the last try, where another follows.
        var lastTry: Shared<DecisionRecord>?
        /// The sender waits for the answer to its notification; with what takes the record then.
        var awaited: (wait: AnswerWait, report: @Sendable (DecisionRecord) -> Void)?
    }

    private enum Message {
        case accepted(Arrival.Events, id: String, isRepeated: Bool)
        case refused(Arrival.Events, Diagnostic, DecisionRecord)
        case finished(Arrival.Events, Shared<DecisionRecord>)
        case answered(Awaited, DecisionRecord.Answer)
        case left(Arrival.Events)
    }

    private let subscribers: Subscribers
    private let tokens: ActivationTokens
    private let windowSystem: any WindowSystem
    private let logger: Logger
    private var entries: [Int: Entry] = [:]
    private var numbers: [String: Int] = [:]
    private var messages: [Message] = []

    init(_ subscribers: Subscribers, _ tokens: ActivationTokens, _ windowSystem: any WindowSystem, _ logger: Logger) {
        self.subscribers = subscribers
        self.tokens = tokens
        self.windowSystem = windowSystem
        self.logger = logger
    }

    // MARK: Open deliveries

    var isEmpty: Bool { entries.isEmpty }

    mutating func open(_ entry: Entry) {
        entries[entry.delivery.number] = entry
        numbers[entry.delivery.id] = entry.delivery.number
    }

    subscript(number: Int) -> Entry? { entries[number] }

    /// Whether the sender has cancelled a delivery: it does not begin any more, and is not tried again.
    func isCancelled(_ number: Int) -> Bool { entries[number]?.cancellation?.isRequested ?? false }

    /// The deliveries that share a cancellation.
    func numbers(sharing cancellation: Cancellation) -> [Int] {
        entries.filter { $0.value.cancellation === cancellation }.keys.sorted()
    }

    /// The engine's number of an open delivery; nil where it is not open here.
    func number(of id: String) -> Int? { numbers[id] }

    /// Changes the state of a delivery. An event that does not fit the state is an error in this program: it is logged,
    /// and the journal has the valid state.
    mutating func apply(_ event: Delivery.Event, to number: Int) {
        guard let place = entries.index(forKey: number) else { return }
        do throws(Delivery.IllegalTransition) {
            try entries.values[place].delivery.apply(event)
        } catch {
            logger.log(
                .deliveryStateUnexpected,
                [
                    "delivery.id": .text(entries.values[place].delivery.id),
                    "delivery.state": .text("\(error.from)"), "event": .text("\(error.event)"),
                ])
        }
    }

    mutating func noteTry(_ number: Int, _ note: DecisionRecord.Note, _ record: DecisionRecord) {
        entries[number]?.tries.append(note)
        entries[number]?.lastTry = Shared(record)
    }

    // MARK: Messages

    /// It is in the journal.
    mutating func accept(_ number: Int) {
        guard let entry = entries[number], entry.events.accepted != nil else { return }
        messages.append(.accepted(entry.events, id: entry.delivery.id, isRepeated: false))
    }

    /// The request could not be journalled, and is refused.
    mutating func refuse(_ number: Int, _ problem: Diagnostic, _ record: DecisionRecord) {
        guard let entry = remove(number) else { return }
        endStartup(of: entry.delivery.id)
        messages.append(.refused(entry.events, problem, record))
    }

    /// The terminal record is on disk, or could not be written.
    ///
    /// - Parameters:
    ///   - isHeldBack: it is published later, see `FrontWatches`.
    ///   - isAwaited: its sender has it with the answer to the notification.
    /// - Returns: the record as it is published.
    @discardableResult
    mutating func finish(
        _ number: Int, _ end: DeliveryState, _ record: Shared<DecisionRecord>, isHeldBack: Bool = false,
        isAwaited: Bool = false
    ) -> Shared<DecisionRecord> {
        apply(.ended(end), to: number)
        guard var entry = remove(number), !isHeldBack else { return record }
        // A record that was made of the journal alone has no place in the input yet.
        var placed = record
        if !entry.isRecovered, record.value.sequence != entry.sequence {
            var other = record.value
            other.sequence = entry.sequence
            placed = Shared(other)
        }
        if isAwaited { entry.events.finished = nil }
        publish(placed, to: entry.events)
        return placed
    }

    /// The sender of a delivery waits no longer for its answer.
    mutating func answer(_ awaited: Awaited, _ answer: DecisionRecord.Answer) {
        messages.append(.answered(awaited, answer))
    }

    /// An arrival has ended in the transaction that journalled it, and was never open.
    mutating func finishAtOnce(_ events: Arrival.Events, _ record: Shared<DecisionRecord>) {
        if events.accepted != nil {
            messages.append(.accepted(events, id: record.value.id, isRepeated: record.value.end == .duplicate))
        }
        publish(record, to: events)
    }

    /// The record of a delivery that is not open here.
    mutating func publish(_ record: Shared<DecisionRecord>, to events: Arrival.Events = Arrival.Events()) {
        endStartup(of: record.value.id)
        subscribers.count(record.value)
        messages.append(.finished(events, record))
    }

    /// It stays in the journal for the next run.
    mutating func leave(_ number: Int) {
        guard let entry = remove(number) else { return }
        endStartup(of: entry.delivery.id)
        messages.append(.left(entry.events))
    }

    /// The delivery stays in the journal; nothing more is published about it in this run.
    mutating func forget(_ number: Int) { _ = remove(number) }

    /// Calls every subscriber, in order. A subscriber must not block.
    mutating func deliver() {
        if messages.isEmpty { return }
        var all: [Message] = []
        swap(&all, &messages)
        for message in all {
            switch message {
            case .accepted(let events, let id, let isRepeated):
                if isRepeated { events.repeated?() }
                events.accepted?(id)
            case .refused(let events, let problem, let record):
                events.refused?(problem)
                events.notJournalled?(record)
            case .finished(let events, let record):
                // First: a sender that has its record finds it counted and on the streams.
                subscribers.publish(record.value)
                events.finished?(record.value)
            case .answered(let awaited, let answer):
                if let record = awaited.record { awaited.report(record.value.answered(answer)) }
            case .left(let events): events.left?()
            }
        }
        all.removeAll(keepingCapacity: true)
        if messages.isEmpty { swap(&all, &messages) }
    }

    private mutating func remove(_ number: Int) -> Entry? {
        guard let entry = entries.removeValue(forKey: number) else { return nil }
        numbers[entry.delivery.id] = nil
        return entry
    }

    private func endStartup(of id: String) {
        if let token = tokens.forget(of: id) { windowSystem.endStartup(token) }
    }
}

/// The subscribers of records, and the figures: shared with other threads.
final class Subscribers: Sendable {
    private let observers = Mutex<[@Sendable (DecisionRecord) -> Void]>([])
    private let processObserver = Mutex<(@Sendable () -> Void)?>(nil)
    let statistics = Mutex(Statistics())

    func add(_ body: @escaping @Sendable (DecisionRecord) -> Void) { observers.withLock { $0.append(body) } }

    func count(_ record: DecisionRecord) {
        if record.error != nil { statistics.withLock { $0.errors += 1 } }
    }

    func observeProcesses(_ body: @escaping @Sendable () -> Void) { processObserver.withLock { $0 = body } }

    func processesChanged() { processObserver.withLock { $0 }?() }

    func publish(_ record: DecisionRecord) {
        for observer in observers.withLock({ $0 }) { observer(record) }
    }
}
