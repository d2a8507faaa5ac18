internal import Dispatch
internal import Synchronization
public import UsherActivation
internal import UsherJSON
public import UsherLog
internal import UsherPayload
internal import UsherResolution
public import UsherScene
public import UsherStore

/// Carries requests from a payload to a terminal record: decide, claim, act.
///
/// Requests are decided in the order they are handed in, a batch in one transaction; what they lead to is done side by
/// side, in order for each scene. What finds no free lane waits in the journal.
public final class Dispatcher: Sendable {
    let store: Store
    let activator: Activator
    let logger: Logger
    let options: Options
    let owner: Store.Owner
    /// Locked inside of the store's transactions, and never while the store is waited for.
    let world: Mutex<World>
    let lanes: SceneLanes
    /// nil where records are not written out.
    let output: OrderedOutput?
    let front: FrontWindow
    /// One batch after the other is decided, committed and handed to the lanes: so these follow the journal.
    let turn = Mutex(Turn())
    let backlog: Backlog
    let companions = Mutex<[String: Companion]>([:])
    /// What was handed in and is not finished.
    let open = DispatchGroup()
    let observers = Mutex<[@Sendable (DecisionRecord) -> Void]>([])
    let tally = Mutex(Tally())
    let figures = Mutex(Statistics())
    let tokens = ActivationTokens()
    /// nil where no notifications are shown.
    let notifications: NotificationDesk?
    let stopping = Mutex(false)
    /// Since when the store takes no steps of requests, by the monotonic clock; 0 where it does.
    let refusingSince = Atomic<Int64>(0)

    struct Turn: Sendable {
        /// How many arrivals there were.
        var arrivals = 0
    }

    public struct Options: Sendable {
        public var isDryRun: Bool
        /// The app of `--app`: goes before what a payload says.
        public var app: String?
        public var source: String
        /// The configurations whose program is not to be found.
        public var missingPrograms: Set<SceneName>
        /// For people instead of JSON.
        public var style: TerminalStyle?
        /// Where records are written to; nil for nowhere.
        public var outputDescriptor: Int32?
        /// For how many seconds a sender's id names the same request; 0 for not at all.
        public var duplicateWindow: Int64 = 86_400
        /// How many open deliveries may wait in the journal for a free lane. nil: whoever hands them in waits instead.
        public var queue: Int?
        public var retention = Store.Retention.default
        /// How long a store that refuses is tried again where `queue` is nil, in microseconds: then the record says so. With
        /// a queue it is tried until it takes what came of a request, or the dispatcher is stopped.
        public var storePatience: Int64 = 10_000_000
        /// Shows notifications; nil where none are.
        public var presenter: (any NotificationPresenter)?
        /// How many requests may be on their way at once. Each has a thread: one that has begun really runs.
        public var lanes = 256

        public init(source: String, isDryRun: Bool = false) {
            self.source = source
            self.isDryRun = isDryRun
            self.app = nil
            self.missingPrograms = []
            self.style = nil
            self.outputDescriptor = 1
        }
    }

    /// How the requests of a run ended.
    public struct Tally: Sendable {
        public var handled = 0
        public var errors = 0
    }

    /// Reads the sessions of the store. Nothing is recovered yet: see `recover`.
    public init(
        configuration: Configuration, store: Store, activator: Activator, logger: Logger, options: Options
    ) throws(StoreError) {
        self.store = store
        self.activator = activator
        self.logger = logger
        self.options = options
        owner = store.owner()
        output = options.outputDescriptor.map {
            OrderedOutput(
                descriptor: $0, capacity: options.lanes, bufferSize: options.isDryRun ? 64 * 1024 : 0)
        }
        front = FrontWindow(activator.windowSystem)
        backlog = Backlog(capacity: options.lanes)
        notifications = options.isDryRun ? nil : options.presenter.map { NotificationDesk($0) }
        lanes = SceneLanes(limit: options.lanes)
        var sessions = try store.sessions()
        if options.isDryRun { try sessions.noteEnded(in: store) }
        for condition in sessions.unreadable {
            logger.warning(
                "a stored condition cannot be read and counts as false",
                ["session.id": .text(condition.session), "predicate.text": .text(condition.text)])
        }
        world = Mutex(World(configuration, sessions, missingPrograms: options.missingPrograms))
        attendNotifications()
    }

    /// What is decided by, as of now.
    public var configuration: Configuration { world.withLock { $0.configuration } }

    /// Decides by another configuration from now on. What was decided before is carried out as it was decided.
    public func replaceConfiguration(_ configuration: Configuration, missingPrograms: Set<SceneName>) {
        world.withLock { $0.replaceConfiguration(configuration, missingPrograms: missingPrograms) }
    }

    /// Calls `body` with every terminal record from now on, once it is on disk: from any thread, under no lock, and not in
    /// the order of arrival. It must not block.
    public func observe(_ body: @escaping @Sendable (DecisionRecord) -> Void) {
        observers.withLock { $0.append(body) }
    }

    /// Waits for everything that was handed in, tries again included, and writes every record.
    public func finish() -> Tally {
        if options.isDryRun {
            output?.flush()
        } else {
            lanes.lendHand()
            // What was stopped stays open, in the journal.
            if !isStopping { open.wait() }
            // The last record is out before its lane is done.
            lanes.drain()
            output?.drain()
        }
        return tally.withLock { $0 }
    }

    /// Waits no longer for windows of what was launched: such requests stay in the journal, and the next dispatcher goes on
    /// with them. `stop` follows.
    public func leaveLaunches() { activator.leaveLaunches() }

    /// Begins nothing more and waits for the effects that have begun; what has not begun stays in the journal for the next
    /// dispatcher. False where something still ran after `seconds`.
    public func stop(within seconds: Double) -> Bool {
        stopping.withLock { $0 = true }
        backlog.stop()
        return lanes.drain(within: seconds)
    }

    /// Whether what has not begun is to be left alone.
    var isStopping: Bool { stopping.withLock { $0 } }

    /// The errno of the write of records that failed (EPIPE: their reader has gone): nothing more should be handed in.
    public var outputFailure: Int32? { output?.failure }
}
