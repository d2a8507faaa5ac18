internal import UsherActivation
internal import UsherDelivery
internal import UsherLog
internal import UsherPayload
internal import UsherScene
internal import UsherStore
internal import UsherText

/// A request as it arrived or as the journal has it, before it is decided.
///
/// A class, so that its large members (payload, input) are handed from step to step without copies.
final class Request: Sendable {
    /// The payload, or what is wrong with it.
    let reading: Result<Payload, PayloadError>
    let delivery: Store.NewDelivery
    /// The app that the endpoint or the journal gives; it has precedence over the app that the payload names.
    let app: String?
    /// The beginning of the record: what is known before the decision.
    let record: DecisionRecord
    /// Whether the journal cannot know it yet: its id was made just now.
    let isNew: Bool
    /// When work on it began.
    let started: MonotonicInstant
    /// The parent delivery; nil if no handler of another delivery sent the request.
    let sender: Sender?
    /// The web pages that the process was opened for that asks.
    let openedPages: [String]
    /// See `Arrival`.
    let newWindowLimit: Int?

    /// The parent delivery of a request: a handler of this delivery sent the request.
    struct Sender: Sendable {
        var delivery: String
        /// The lanes that this delivery and its own parents hold. The request must not wait in them for the end of its
        /// parent.
        var lanes: Set<String>
        /// The number of deliveries of which each was sent by a handler of the one before; 1 where the parent has none.
        var depth: Int
    }

    init(
        reading: Result<Payload, PayloadError>, delivery: Store.NewDelivery, app: String?, record: DecisionRecord,
        isNew: Bool, started: MonotonicInstant, sender: Sender? = nil, openedPages: [String] = [],
        newWindowLimit: Int? = nil
    ) {
        self.reading = reading
        self.delivery = delivery
        self.app = app
        self.record = record
        self.isNew = isNew
        self.started = started
        self.sender = sender
        self.openedPages = openedPages
        self.newWindowLimit = newWindowLimit
    }
}

/// What earlier tries of a delivery came to.
struct Tries: Sendable {
    /// The number of the try that follows.
    var attempt = 1
    /// How many tries do not count against the handler's limit, because the user retried the delivery or its window was
    /// gone.
    var forgiven = 0
    /// How often the chosen window had vanished in this run.
    var vanished = 0
    /// Whether it was looked for a window that shows the target already.
    var hasLooked = false
    /// The effect began in an earlier run that was killed: it is unknown which parts of it were done.
    var isInterrupted = false
}

/// A claimed delivery with everything that its effect needs.
struct Ticket: Sendable {
    let number: Int
    let request: Request
    /// The decision and the draft of the record, shared by all copies of the ticket.
    let plan: Plan
    var tries: Tries
    /// Journalled before the effect: a window that the effect makes can be recognised by it.
    var nonce: String
    var lane: String
    var width = 1
    /// Whether the journal says that the effect begins.
    var hasBegun: Bool
    /// It was found in the journal as begun by an earlier run: what that run started is looked for first.
    var adoption: Adoption?

    var id: String { request.delivery.id }

    var share: Scheduler.Share {
        .init(source: request.delivery.source, app: plan.decision.resolution.app ?? request.delivery.app)
    }

    final class Plan: Sendable {
        let payload: Payload
        let decision: Decision
        let record: DecisionRecord

        init(_ payload: Payload, _ decision: Decision, _ record: DecisionRecord) {
            self.payload = payload
            self.decision = decision
            self.record = record
        }
    }

    /// The journal's data about an effect that an earlier run had begun.
    struct Adoption: Sendable {
        /// Of the last attempt.
        var nonce: String?
    }

    /// Whether the action is a window: launched, or brought forward.
    var opensWindow: Bool { plan.decision.opensWindow }
}

/// What an effect came to, as the executor reports it.
struct Effect: Sendable {
    enum End: Sendable {
        case finished
        /// It failed and is worth another try.
        case retry(after: Duration)
        /// The claimed session is not there any more, or not open: it is decided again.
        case decideAgain
        /// The chosen window is gone. `serverIsGone`: its window system too, so that the session comes back on demand.
        case windowGone(serverIsGone: Bool)
        /// The program that was to be launched is not installed any more.
        case programGone
        /// A window that the user opened shows the target: it becomes a session's, and it is decided again.
        case shown(ShownContent)
        /// What was launched is still waited for, and the engine stops: the next run goes on with it.
        case leftForNextRun
        /// The engine stops before the program was started: it is given back to the journal as if it had not begun.
        case unstarted
        /// An earlier run had begun it, and doing it twice does no harm: it begins once more.
        case runAgain
    }

    var end: End = .finished
    /// Complete but for what the journal may add.
    var record: DecisionRecord
    /// What becomes of its session.
    var session: (id: String, change: Store.SessionChange)?
    /// The session to end, because its first launch failed.
    var endedSession: String?
    /// The notification that was shown for it.
    var shown: Store.StoredNotification?
    /// The same, where the sender waits for its answer.
    var awaitedNotice: AwaitedNotice?
    /// Whether the session exists only as long as the launched process: no window shows whether it still exists.
    var isTiedToProcess = false
    /// Its window came to the front and is watched there: a warning for the record may follow.
    var watchesFront = false
    /// A notification was shown instead of what was decided: see `QuietRule`.
    var isNoticeInstead = false
}
