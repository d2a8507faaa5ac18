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
/// Requests are decided in the order they are handed in, by one thread; what they lead to is done side by side, in
/// order for each scene. Records come out in the order of the requests.
public final class Dispatcher: Sendable {
    let configuration: Configuration
    let store: Store
    let activator: Activator
    let logger: Logger
    let options: Options
    let owner = Store.Owner.current()
    let world: Mutex<World>
    /// No more requests are on their way than have a thread: one that has begun really runs.
    static let capacity = 256
    let lanes = SceneLanes(limit: capacity)
    let output: OrderedOutput
    let front: FrontWindow
    /// Records without an effect that wait for one common commit.
    let waiting = Mutex<[Waiting]>([])
    let tally = Mutex(Tally())

    /// What is decided on, and which change of the store it is.
    struct World: Sendable {
        var resolver: Resolver
        var generation: Int64
    }

    struct Waiting: Sendable {
        var finished: Store.Finished
        var record: DecisionRecord
    }

    public struct Options: Sendable {
        public var isDryRun: Bool
        /// The app of `--app`: goes before what a payload says.
        public var app: String?
        public var source: String
        /// The configurations whose program is not to be found.
        public var missingPrograms: Set<Snapshot.SceneName>
        /// For people instead of JSON.
        public var style: TerminalStyle?
        public var outputDescriptor: Int32

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
        self.configuration = configuration
        self.store = store
        self.activator = activator
        self.logger = logger
        self.options = options
        output = OrderedOutput(
            descriptor: options.outputDescriptor, capacity: Dispatcher.capacity,
            bufferSize: options.isDryRun ? 64 * 1024 : 0)
        front = FrontWindow(activator.windowSystem)
        let sessions = try store.sessions()
        for condition in sessions.unreadable {
            logger.warning(
                "a stored condition cannot be read and counts as false",
                ["session.id": .text(condition.session), "predicate.text": .text(condition.text)])
        }
        world = Mutex(
            World(resolver: Dispatcher.resolver(configuration, sessions, options), generation: sessions.generation))
    }

    private static func resolver(_ configuration: Configuration, _ sessions: Store.Sessions, _ options: Options)
        -> Resolver
    {
        Resolver(
            Snapshot(
                configuration: configuration, sessions: SessionTable(sessions.sessions),
                missingPrograms: options.missingPrograms))
    }

    /// Reads the sessions again, after another process changed them.
    func reload(_ world: inout World) throws(StoreError) {
        let sessions = try store.sessions()
        world.resolver.replaceSessions(SessionTable(sessions.sessions))
        world.generation = sessions.generation
    }

    /// Waits for everything that was begun, and writes every record.
    public func finish() -> Tally {
        flush()
        lanes.drain()
        // A request that was decided again in its lane may have ended without an effect.
        flush()
        output.drain()
        return tally.withLock { $0 }
    }

    /// The errno of the write of records that failed (EPIPE: their reader has gone): nothing more should be handed in.
    public var outputFailure: Int32? { output.failure }

    // MARK: Records

    /// Appends what is shown of a record.
    func append(_ record: DecisionRecord, to bytes: inout [UInt8]) {
        guard let style = options.style else { return record.appendLine(to: &bytes) }
        bytes.append(contentsOf: (record.text(style: style) + "\n").utf8)
    }

    func line(for record: DecisionRecord) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(DecisionRecord.usualSize)
        append(record, to: &bytes)
        return bytes
    }

    func count(_ record: DecisionRecord) {
        tally.withLock { tally in
            tally.handled += 1
            if record.error != nil { tally.errors += 1 }
        }
    }

    /// Writes a record out that is on disk, or need not be.
    func emit(_ record: DecisionRecord) {
        // What an earlier run took in is no part of this run's output.
        if record.isRecovered { return }
        count(record)
        if options.isDryRun {
            output.append { append(record, to: &$0) }
        } else {
            output.write(line(for: record), at: record.sequence)
        }
    }

    /// Keeps a record without an effect until the next common commit: one commit serves many.
    func hold(_ record: DecisionRecord, _ delivery: Store.NewDelivery, _ state: DeliveryState, explanation: String?) {
        let decision = Store.DecisionText(
            action: record.action, reason: record.reason, app: record.app, scene: record.scene,
            resolved: record.resolved, explanation: explanation, configuration: record.configuration)
        let waiting = Waiting(
            finished: Store.Finished(delivery, state: state, record: record.json, decision: decision), record: record)
        let isFull = self.waiting.withLock { list in
            list.append(waiting)
            return list.count >= 128
        }
        if isFull { flush() }
    }

    /// Commits the records that wait, and writes them out.
    public func flush() {
        if options.isDryRun { return output.flush() }
        let list = waiting.withLock { list in
            defer { list = [] }
            return list
        }
        guard !list.isEmpty else { return }
        var failure: DecisionRecord.Problem?
        do {
            try store.record(list.map(\.finished))
        } catch {
            failure = .init(error.code, error.message, help: error.help)
            logger.error(
                "records could not be journalled",
                [
                    "error.code": .text(error.code.code), "error.message": .text(error.message),
                    "records": .number(Int64(list.count)),
                ])
        }
        for one in list {
            var record = one.record
            // What is not on disk must not look as if it were.
            if let failure {
                record.error = record.error ?? failure
                record.outcome = .failed
            }
            emit(record)
        }
    }
}
