internal import Synchronization
internal import UsherActivation
internal import UsherLog
public import UsherOperation
internal import UsherScene
internal import UsherStore
internal import UsherSystem
internal import UsherText

/// A sender that waits for the answer to the notification of one request.
///
/// It is made by `Intake.beginWaiting`, and ended by `Intake.endWaiting`: when the sender has its answer, or has ended itself.
public final class AnswerWait: Sendable {
    /// No sender waits longer.
    public static let longest = Duration.seconds(600)

    /// Counted from the moment at which the notification is shown: then the sender has its record without an answer.
    public let time: Duration
    private let state = Atomic<Bool>(false)
    private let leaving = Atomic<Bool>(false)

    package init(for time: Duration) { self.time = time }

    /// Whether the sender waits no longer.
    var isOver: Bool { state.load(ordering: .acquiring) }

    /// Whether its notification keeps its buttons: it is taken away, or another one takes its place.
    var leavesNotification: Bool { leaving.load(ordering: .acquiring) }

    /// To be called before the wait is ended.
    package func leaveNotification() { leaving.store(true, ordering: .releasing) }

    /// False where it was over before.
    fileprivate func end() -> Bool { !state.exchange(true, ordering: .acquiringAndReleasing) }

    /// How long a sender waits.
    ///
    /// - Parameters:
    ///   - text: such as `90s` or `5m`, more than nothing and not more than `longest`; nil for `longest`.
    ///   - place: the argument, for errors.
    public static func timeout(_ text: String?, at place: String) throws(ControlError) -> Duration {
        guard let text else { return longest }
        guard let seconds = DurationText.seconds(text), seconds > 0, .seconds(seconds) <= longest else {
            throw .argument(
                "\(QuotedText.text(text)) is no time to wait for", at: place,
                help: "such as 90s or 5m, at most 600s")
        }
        return .seconds(seconds)
    }
}

/// A notification that was shown for a sender that waits for the answer.
struct AwaitedNotice: Sendable {
    var notification: DesktopNotification
    var shown: ShownNotification
    /// The actions that are an answer, by their ids. With none of them, whatever is pressed is one.
    var answers: [String]
    /// All actions, by their ids.
    var actions: [String]

    /// What is kept of its text while the answer is waited for, in bytes: no server is given more to show.
    private static let longestText = 16 * 1024

    init(_ notification: DesktopNotification, _ shown: ShownNotification, _ category: NotificationCategory?) {
        self.notification = notification
        let body = notification.body
        if body.utf8.count > AwaitedNotice.longestText {
            var end = body.utf8.index(body.startIndex, offsetBy: AwaitedNotice.longestText)
            while String.Index(end, within: body.unicodeScalars) == nil { end = body.utf8.index(before: end) }
            self.notification.body = String(body[..<end])
        }
        self.shown = shown
        let actions = category?.actions ?? []
        answers = actions.filter(\.isAnswer).map(\.id)
        self.actions = [NotificationAction.click] + actions.map(\.id)
    }

    /// The same without the buttons that answer.
    var withoutAnswers: DesktopNotification {
        var other = notification
        other.actions.removeAll { action in answers.contains { action.key.hasSameBytes(as: $0) } }
        other.replaces = shown
        other.isSilent = true
        return other
    }

    /// What a command may answer with.
    var choices: [String] { answers.isEmpty ? actions : answers }

    func meaning(of action: String) -> Store.PressMeaning {
        if answers.isEmpty { return .clickAndAnswer }
        return answers.contains { $0.hasSameBytes(as: action) } ? .answer : .click
    }
}

/// A delivery whose sender waits for the answer to its notification.
struct Awaited: Sendable {
    let wait: AnswerWait
    let notice: AwaitedNotice
    /// Takes the record with the answer.
    let report: @Sendable (DecisionRecord) -> Void
    /// When the sender has waited for long enough.
    let deadline: MonotonicInstant
    /// Without an answer; nil until it is on disk.
    var record: Shared<DecisionRecord>?
    /// What became of the notification, as far as it does not end the wait.
    var state = Store.NotificationState.shown

    /// Of a notification that has just been shown.
    init(_ wait: AnswerWait, _ notice: AwaitedNotice, report: @escaping @Sendable (DecisionRecord) -> Void) {
        self.wait = wait
        self.notice = notice
        self.report = report
        deadline = MonotonicClock.now + wait.time
    }
}

/// The senders that wait for an answer, and what they wait for. It is all in memory: a sender does not outlive its connection.
///
/// Deliveries are added and taken on the engine's thread alone. One is here before its notification is stored, because a
/// press may come with the transaction that stores it.
final class AnswerDesk: Sendable {
    private struct State {
        var senders = 0
        /// By the id of the delivery.
        var awaited: [String: Awaited] = [:]
        /// When the first of those that are stored is over; nil where there is none.
        var due: MonotonicInstant?
        /// A wait has been ended since the last look.
        var hasEnded = false
        var isClosed = false
    }

    /// More answers are not waited for at once.
    private let limit: Int
    private let state = Mutex(State())

    init(limit: Int) { self.limit = limit }

    // MARK: Senders, on any thread

    /// nil where these would be too many.
    func begin(_ timeout: Duration, count: Int) -> [AnswerWait]? {
        state.withLock { state in
            guard count <= limit - state.senders else { return nil }
            state.senders += count
            return (0..<count).map { _ in AnswerWait(for: timeout) }
        }
    }

    /// False where it was over before.
    func end(_ wait: AnswerWait) -> Bool {
        guard wait.end() else { return false }
        state.withLock { state in
            state.senders -= 1
            state.hasEnded = true
        }
        return true
    }

    /// From now on nothing is waited for.
    func close() { state.withLock { ($0.isClosed, $0.hasEnded) = (true, true) } }

    // MARK: Deliveries

    /// When a wait is over next.
    var due: MonotonicInstant? {
        state.withLock { $0.hasEnded && !$0.awaited.isEmpty ? MonotonicInstant(nanoseconds: 0) : $0.due }
    }

    /// The notification of a delivery is shown, and not stored yet.
    func add(_ awaited: Awaited, of delivery: String) { state.withLock { $0.awaited[delivery] = awaited } }

    /// It is stored, and the delivery has its record.
    func complete(_ delivery: String, _ record: Shared<DecisionRecord>) {
        state.withLock { state in
            guard let awaited = state.awaited[delivery] else { return }
            state.awaited[delivery]?.record = record
            state.due = min(state.due ?? awaited.deadline, awaited.deadline)
            if awaited.wait.isOver || state.isClosed { state.hasEnded = true }
        }
    }

    /// nil where its sender waits no longer, also if it has not been told yet.
    subscript(delivery: String) -> AwaitedNotice? {
        state.withLock { state in
            guard let awaited = state.awaited[delivery], !state.isClosed, !awaited.wait.isOver,
                awaited.deadline > MonotonicClock.now
            else { return nil }
            return awaited.notice
        }
    }

    @discardableResult
    func take(_ delivery: String) -> Awaited? { state.withLock { $0.awaited.removeValue(forKey: delivery) } }

    /// The deliveries whose sender waits no longer, with what it is told.
    func takeOver(at now: MonotonicInstant) -> [(delivery: String, awaited: Awaited, answer: DecisionRecord.Answer)] {
        state.withLock { state in
            let isDue = state.hasEnded || state.due.map { $0 <= now } ?? false
            guard isDue else { return [] }
            var over: [(delivery: String, awaited: Awaited, answer: DecisionRecord.Answer)] = []
            var due: MonotonicInstant?
            for (delivery, awaited) in state.awaited where awaited.record != nil {
                if awaited.wait.isOver || state.isClosed {
                    over.append((delivery, awaited, .init(state: awaited.state.rawValue)))
                } else if awaited.deadline <= now {
                    over.append((delivery, awaited, .timeout))
                } else {
                    due = min(due ?? awaited.deadline, awaited.deadline)
                }
            }
            for (delivery, _, _) in over { state.awaited[delivery] = nil }
            state.hasEnded = false
            state.due = due
            return over
        }
    }

    /// A notification has ended without a press. The delivery, where nothing can be answered any more.
    func noteEnd(of delivery: String, as end: Store.NotificationState) -> Awaited? {
        state.withLock { state in
            guard let awaited = state.awaited[delivery], awaited.record != nil else { return nil }
            guard awaited.notice.answers.isEmpty else {
                state.awaited[delivery]?.state = end
                return nil
            }
            return state.awaited.removeValue(forKey: delivery)
        }
    }

    /// The deliveries whose notifications `isMeant` says something of.
    func deliveries(where isMeant: (ShownNotification) -> Bool) -> [String] {
        state.withLock { state in state.awaited.filter { isMeant($0.value.notice.shown) }.map(\.key) }
    }
}
