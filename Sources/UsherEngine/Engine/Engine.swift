internal import Synchronization
public import UsherActivation
internal import UsherDelivery
public import UsherLog
internal import UsherPayload
internal import UsherResolution
public import UsherScene
public import UsherStore
internal import UsherSystem
internal import UsherText

/// The configuration that an engine decides by.
private final class ConfigurationInUse: Sendable {
    private let configuration: Mutex<Configuration>

    init(_ configuration: Configuration) { self.configuration = Mutex(configuration) }

    var value: Configuration {
        get { configuration.withLock { $0 } }
        set { configuration.withLock { $0 = newValue } }
    }
}

/// Carries requests from their arrival to their terminal record: decide, claim, act, publish.
///
/// One thread owns the journal, the decisions, the schedule and the outbox. Its loop (`EngineLoop.run`) takes the
/// messages of other threads, writes their changes in one transaction, and then begins effects and reports to the
/// senders. Effects run on threads of the executor. This type is the interface for other threads: they post messages to
/// the mailbox, and may wait for the answer.
public final class Engine: Sendable {
    package let store: Store
    package let logger: Logger
    let options: Options
    let mailbox = Mailbox<EngineMail>()
    let executor: Executor
    private let launches: LaunchRegistry
    let subscribers = Subscribers()
    let load = EngineLoad()
    let answers: AnswerDesk
    let visits = VisitWatch()
    /// In use now.
    private let current: ConfigurationInUse

    public struct Options: Sendable {
        /// The scenes that have a program that is not installed.
        public var missingPrograms: Set<SceneName> = []
        /// For how long a sender's id names the same request; zero: not at all.
        public var duplicateWindow = Duration.seconds(86_400)
        /// How many deliveries may be open before arrivals are refused. Open: without a terminal record, including
        /// those that are not journalled yet.
        public var queue = 10_000
        /// How many bytes of the store (input, decision and evidence) open deliveries may take before arrivals are
        /// refused.
        public var queueBytes = Int64.max
        public var retention = Store.Retention.default
        /// How long a step that the store refuses is tried again before the delivery ends with an error; nil: until it
        /// succeeds, or the engine stops.
        public var patience: Duration?
        /// The patience for requests of a command, because the caller of a command waits.
        public static let commandPatience = Duration.seconds(10)
        /// Whether recovered deliveries that are not due yet are scheduled in this run, or left in the journal.
        public var waitsForRecovered = true
        /// Shows notifications; nil where none are shown.
        public var presenter: (any NotificationPresenter)?
        /// Tells whether the user should be left alone; nil where no desktop is known.
        public var presence: (any UserPresence)?
        public var openings = EngineOpenings()
        /// How many deliveries may be in lanes at once: those with a running effect, which have a thread each, and
        /// those that wait in a lane. The others stay in the journal, undecided.
        public var claimedLimit = 256
        /// How many answers to notifications may be waited for at once.
        public var awaitedLimit = 256

        /// Called on the engine's thread when nothing has happened for `quietTime`; once after each period of activity.
        /// If it is nil, the engine sets no timer for it.
        public var whenQuiet: (@Sendable () -> Void)?
        static let quietTime = Duration.seconds(3)

        public init() {}
    }

    /// Reads the sessions of the store and starts the engine's thread. Nothing is recovered yet: see `recover`.
    public init(
        configuration: Configuration, store: Store, activator: Activator, logger: Logger, options: Options
    ) throws(StoreError) {
        self.store = store
        self.logger = logger
        self.options = options
        answers = AnswerDesk(limit: options.awaitedLimit)
        let current = ConfigurationInUse(configuration)
        self.current = current
        let desk = options.presenter.map { NotificationDesk($0) }
        launches = LaunchRegistry(store)
        executor = Executor(
            activator.claiming(with: launches), stateFolder: store.stateFolder, notifications: desk,
            presence: options.presence, visits: visits, tokens: ActivationTokens(),
            suggestion: { [suggestion = options.openings.suggestion] app in
                suggestion?(app, current.value, store, logger)
            }, absence: { [absence = options.openings.absence] session in absence?(session, store) },
            threads: options.claimedLimit)
        store.keepWithin(options.retention)
        try store.follow(configuration)
        let sessions = try store.sessions()
        for condition in sessions.unreadable {
            logger.log(
                .conditionUnreadable,
                ["session.id": .text(condition.session), "predicate.text": .text(condition.text)])
        }
        let decisionState = DecisionState(configuration, sessions, missingPrograms: options.missingPrograms)
        let planner = Planner(
            duplicateWindow: options.duplicateWindow, programs: activator.programs, openings: options.openings)
        let thread = WorkerThreads(limit: 1)
        thread.submit { [mailbox, executor, subscribers, load, answers, logger, options, store] in
            var loop = EngineLoop(
                Journal(store, decisionState, planner), mailbox, executor, subscribers, load, answers, logger,
                options)
            loop.run()
        }
        attendNotifications()
    }

    deinit { mailbox.close() }

    /// The current configuration.
    public var configuration: Configuration { current.value }

    /// Uses another configuration for all further decisions, and gives the sessions the conditions that their scenes have now.
    /// Earlier decisions stay valid. A decision that has to be made again, because its window is gone, uses the new
    /// configuration. Throws where the store cannot have the new conditions: then the old configuration stays.
    public func replaceConfiguration(
        _ configuration: Configuration, missingPrograms: Set<SceneName>
    ) throws(StoreError) {
        let reply = Reply<Result<Void, StoreError>>()
        guard
            mailbox.post(.configuration(configuration, missingPrograms: missingPrograms, reply)),
            let result = reply.wait()
        else { throw .closed(path: store.path) }
        try result.get()
        current.value = configuration
    }

    /// Whose a window is that no session has, as far as launches of this process are concerned.
    public func owner(of window: WindowList.Window) -> WindowOwner { launches.owner(of: window) }

    /// Adds an observer: calls `body` with every terminal record from now on, after the record is on disk or was given up
    /// as unwritable, and before its sender has it. The calls are on the engine's thread, and not in the order of arrival.
    /// Refused arrivals are not reported. `body` must not block.
    public func observe(_ body: @escaping @Sendable (DecisionRecord) -> Void) { subscribers.add(body) }

    /// Replaces the one observer of processes: calls `body` when a session was made that lives as long as a process, on
    /// the engine's thread. `body` must not block.
    public func observeProcesses(_ body: @escaping @Sendable () -> Void) { subscribers.observeProcesses(body) }

    /// Schedules the deliveries that earlier runs left open. Returns their number, and does not wait for their ends.
    public func recover() throws(StoreError) -> Int {
        let reply = Reply<Result<Int, StoreError>>()
        guard mailbox.post(.recover(reply)), let result = reply.wait() else { throw .closed(path: store.path) }
        return try result.get()
    }

    /// Waits until nothing is open any more, further tries included.
    public func waitUntilIdle() { wait(until: .idle) }

    func wait(until condition: EngineCondition) {
        let reply = Reply<Void>()
        if mailbox.post(.when(condition, reply)) { reply.wait() }
    }

    /// Of the deliveries that share a cancellation, those that have not begun their effect end as interrupted, and
    /// those that wait for a retry end with the result of their last try.
    public func cancel(_ cancellation: Cancellation) {
        cancellation.request()
        mailbox.post(.cancel(cancellation))
    }

    /// Tells of a new window on the desktop, which may take the keyboard from one that a request brings to the front.
    public func noteOpenedWindow() { executor.front.noteOpenedWindow() }

    /// Stops waiting for the windows of launched programs: such requests stay in the journal, and the next run
    /// continues them. The caller then calls `stop`.
    public func stopWaitingForLaunches() { executor.activator.stopWaitingForLaunches() }

    /// Senders that wait for the answer to a notification have their records without one, and its buttons go. The caller
    /// then calls `stop`.
    public func stopWaitingForAnswers() {
        let reply = Reply<Void>()
        guard mailbox.post(.endWaits(reply)) else { return }
        reply.wait()
        executor.notifications?.finishErrands(withinSeconds: 1)
    }

    /// Begins no further effects and waits for those that have begun. The other deliveries stay in the journal for the
    /// next run. Returns false if an effect still ran after `seconds`.
    public func stop(within seconds: Double) -> Bool {
        let reply = Reply<Void>()
        guard mailbox.post(.stop(reply)) else { return true }
        return reply.wait(seconds: seconds) != nil
    }
}
