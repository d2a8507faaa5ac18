internal import Synchronization
public import UsherLog
public import UsherPayload
public import UsherScene
public import UsherStore
public import UsherText

/// A request as an interface or an input received it, with the callbacks that report its result.
public struct Arrival: Sendable {
    /// The payload, or what is wrong with it.
    public var reading: Result<Payload, PayloadError>
    /// The raw line or body, kept in the journal. `PayloadReader` reads it again for a delivery that waits in the
    /// journal or is found there after a crash. Values received outside the body (headers, a mapping) must therefore be
    /// in it, as an envelope.
    public var input: [UInt8]
    /// The interface or input: `stdin`, a file's path, `webhook`, `hook:NAME`, `control`.
    public var source: String
    /// The app, if the interface determines it: it has precedence over the app that the payload names.
    public var app: String?
    /// The sender's explicit id from the request headers (webhook-id): it has precedence over the id in the payload.
    public var senderID: String?
    /// What identifies the signed request, if a repetition of it is a duplicate whatever its id is.
    public var code: Store.SignedCode?
    /// The place in the input, from 1, for `seq`.
    public var sequence = 1
    /// The activation token that the desktop gave to the requesting program (xdg-activation, startup notification), for
    /// the window that is brought forward for this request.
    public var token: String?
    /// The id of the parent delivery, if a handler of another delivery sends this one.
    public var parent: String?
    /// The web pages that the sending process was opened for: they are not opened again.
    public var openedPages: [String] = []
    /// How many windows of one app unauthenticated requests may open in a minute; nil and 0 set no limit. nil for an authenticated
    /// request.
    public var newWindowLimit: Int?
    /// Shared with the others of its sender.
    public var cancellation: Cancellation?
    /// The sender waits for the answer to its notification: `finished` is called with that, or when there is none any more.
    public var wait: AnswerWait?

    /// Its events; a sender that waits has the record at once where no notification is shown.
    var eventsWithoutNotice: Events {
        guard wait != nil, let finished = events.finished else { return events }
        var other = events
        other.finished = { finished($0.answered(.notShown)) }
        return other
    }

    /// When it arrived.
    public var started: MonotonicInstant
    public var events: Events

    /// Called from any thread, each at most once, never under a lock of the dispatcher; must not block.
    public struct Events: Sendable {
        /// It is on disk, under this id: from here on it will have one terminal record.
        public var accepted: (@Sendable (_ id: String) -> Void)?
        /// It repeats a request that was accepted before. Called before `accepted`.
        public var repeated: (@Sendable () -> Void)?
        /// It could not be journalled, and is not taken.
        public var refused: (@Sendable (Diagnostic) -> Void)?
        /// The same, for callers that need a record of it.
        public var notJournalled: (@Sendable (DecisionRecord) -> Void)?
        /// Its terminal record is on disk.
        public var finished: (@Sendable (DecisionRecord) -> Void)?
        /// This run stops, and leaves it in the journal to the next one, which will give it its record.
        public var left: (@Sendable () -> Void)?

        public init() {}
    }

    public init(
        _ reading: Result<Payload, PayloadError>, input: [UInt8], source: String, started: MonotonicInstant,
        events: Events = Events()
    ) {
        self.reading = reading
        self.input = input
        self.source = source
        self.started = started
        self.events = events
    }
}

/// A sender's request that its deliveries no longer begin. Those that have begun are finished.
public final class Cancellation: Sendable {
    private let flag = Atomic<Bool>(false)

    public init() {}

    public var isRequested: Bool { flag.load(ordering: .relaxed) }

    /// `Engine.cancel` also ends what waits for another try.
    public func request() { flag.store(true, ordering: .relaxed) }
}

/// Takes arrivals from any thread, without waiting for anything.
public protocol Intake: Sendable {
    /// Takes all or, when too much waits already, none of them; then false.
    func submit(_ arrivals: [Arrival]) -> Bool

    /// More arrivals than these are never taken at once, however little waits.
    var capacity: Int { get }

    /// A sender begins to wait for the answers to notifications, each for so long from the moment at which it is shown; nil
    /// where so many more may not wait. `endWaiting` follows for each.
    func beginWaiting(_ timeout: Duration, count: Int) -> [AnswerWait]?

    /// A sender waits no longer: it has its answer, or has ended. May be called again.
    func endWaiting(_ wait: AnswerWait)
}

extension Intake {
    public var capacity: Int { .max }

    public func beginWaiting(_ timeout: Duration, count: Int) -> [AnswerWait]? { nil }

    /// The same for one notification.
    public func beginWaiting(_ timeout: Duration) -> AnswerWait? { beginWaiting(timeout, count: 1)?.first }

    public func endWaiting(_ wait: AnswerWait) {}
}
