internal import Synchronization
internal import UsherDelivery
internal import UsherLog
package import UsherPayload
internal import UsherResolution
public import UsherScene
public import UsherStore

// What other threads ask of the engine. Each call posts mail; those that return something wait for the answer.

extension Engine: Intake {
    public var capacity: Int { min(EngineLoad.limit, options.queue) }

    /// Takes all arrivals, or none of them where too much waits already. Returns at once.
    public func submit(_ arrivals: [Arrival]) -> Bool {
        if arrivals.isEmpty { return true }
        let openBytes = store.totals.openBytes
        guard load.add(arrivals, openLimit: options.queue, openBytes: openBytes, byteLimit: options.queueBytes) else {
            return false
        }
        return mailbox.post(.arrivals(arrivals))
    }

    /// Returns when every arrival that was taken before is on disk, or was refused.
    public func drainIntake() { wait(until: .journalled) }

    /// Waits for `EngineCondition.lanesEmpty`.
    public func waitForLanes() { wait(until: .lanesEmpty) }

    /// Takes no more arrivals, and returns when everything that was taken is on disk, or was refused.
    public func closeIntake() {
        load.close()
        drainIntake()
    }
}

/// What waits to be journalled, and what is open: shared with the threads that hand over arrivals.
final class EngineLoad: Sendable {
    /// Arrivals that wait to be journalled, at most: not fewer than one request may bring.
    static let limit = 10_000
    /// Their inputs together, in bytes.
    private static let byteLimit = 64 << 20

    private struct State {
        var waiting = 0
        var bytes = 0
        /// About how many bytes of the store the waiting ones will take.
        var storeBytes: Int64 = 0
        var open = 0
        var isClosed = false
    }

    private let state = Mutex(State())

    /// Counts arrivals that are handed over; false where too much waits or is open already.
    ///
    /// - Parameters:
    ///   - openBytes: what open deliveries take in the store now.
    ///   - byteLimit: what they may take together with those that wait.
    func add(_ arrivals: [Arrival], openLimit: Int, openBytes: Int64, byteLimit: Int64) -> Bool {
        let (bytes, storeBytes) = EngineLoad.sizes(of: arrivals[...])
        return state.withLock { state in
            guard !state.isClosed, state.waiting + arrivals.count <= EngineLoad.limit,
                state.bytes + bytes <= EngineLoad.byteLimit,
                state.open + state.waiting + arrivals.count <= openLimit
            else { return false }
            // A request that alone takes more than is allowed is taken when nothing else is open.
            let taken = openBytes + state.storeBytes
            guard taken == 0 || taken + storeBytes <= byteLimit else { return false }
            state.waiting += arrivals.count
            state.bytes += bytes
            state.storeBytes += storeBytes
            return true
        }
    }

    /// The engine has decided about some of them; so many deliveries are open now.
    func noteJournalled(_ arrivals: ArraySlice<Arrival>, open: Int) {
        let (bytes, storeBytes) = EngineLoad.sizes(of: arrivals)
        state.withLock { state in
            state.waiting -= arrivals.count
            state.bytes -= bytes
            state.storeBytes -= storeBytes
            state.open = open
        }
    }

    private static func sizes(of arrivals: ArraySlice<Arrival>) -> (bytes: Int, storeBytes: Int64) {
        var sizes = (bytes: 0, storeBytes: Int64(0))
        for place in arrivals.indices {
            let bytes = arrivals[place].input.count
            sizes.bytes += bytes
            sizes.storeBytes += StoreState.room(for: bytes) + StoreState.room(for: 400)
        }
        return sizes
    }

    func close() { state.withLock { $0.isClosed = true } }
}

extension Engine {
    /// Changes the store in a transaction of the engine, and returns when it is on disk.
    ///
    /// To be called from any thread but the engine's.
    func edit<Value: Sendable>(
        _ body: @escaping @Sendable (inout StoreState, inout Journal.Changes) throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        let made = Mutex<Value?>(nil)
        let box = Kept(made)
        let reply = Reply<StoreError?>()
        let edit = Journal.Edit(
            body: { (state, changes) throws(StoreError) in
                let value = try body(&state, &changes)
                box.value.withLock { $0 = value }
            },
            reply: { reply.give($0) })
        guard mailbox.post(.edit(edit)), let failure = reply.wait() else { throw .closed(path: store.path) }
        if let failure { throw failure }
        guard let value = box.value.withLock({ $0 }) else { throw .closed(path: store.path) }
        return value
    }

    /// Journals the deliveries that a transaction makes: all of it or nothing. They wait for their turn.
    package func accept<Value: Sendable>(
        _ body: @escaping @Sendable (inout StoreState) throws(StoreError) -> (Value, deliveries: [Store.NewDelivery])
    ) throws(StoreError) -> Value {
        try edit { (state, changes) throws(StoreError) in
            let (value, deliveries) = try body(&state)
            for delivery in deliveries {
                if try state.accept(delivery) { changes.queued.append(delivery.id) }
            }
            return value
        }
    }

    /// Whether so few deliveries are open that more may be accepted.
    package var hasRoom: Bool { statistics.open < options.queue && store.totals.openBytes < options.queueBytes }

    /// Takes a delivery up again that failed, expired, collapsed or was a duplicate: see `Store.retry`. It waits for its
    /// turn as if it had just arrived.
    public func retry(delivery id: String, again: Bool = false) throws(StoreError) -> Store.RetryResult {
        try edit { (state, changes) throws(StoreError) in
            let result = try state.retry(delivery: id, again: again)
            if result == .accepted { changes.redriven.append(id) }
            return result
        }
    }

    /// Forgets a finished delivery; ends one that has not begun: see `Store.drop`.
    public func drop(delivery id: String) throws(StoreError) -> Store.DropResult {
        let digest = configuration.digest
        return try edit { (state, changes) throws(StoreError) in
            guard let known = try state.delivery(id: id) else { return .unknown }
            if known.state == .acting { return .acting }
            if known.state.isTerminal { return try state.forget(delivery: id) ? .removed : .unknown }
            let record = DecisionRecord(of: known, configuration: digest).dropped
            let (changed, ended) = try state.abandon(known, state: .failed, record: record.json)
            if let changed { changes.changed.append(changed) }
            if let ended, let app = known.app { changes.ended.append((ended, app)) }
            changes.withdrawn.append(record)
            return .dropped
        }
    }

    /// Whether something is in a lane, or waits for one.
    public var hasWork: Bool {
        let statistics = self.statistics
        return statistics.inHand + statistics.waiting > 0
    }

    /// What was done so far, and what waits.
    public var statistics: Statistics {
        var statistics = subscribers.statistics.withLock { $0 }
        statistics.isRefusing = statistics.isRefusing || !store.isInPlace
        return statistics
    }
}

// MARK: Sessions

extension Engine: SessionChanges {
    public var stateFolder: String { store.stateFolder }

    /// See `Store.connect`.
    public func connect(_ new: [Store.NewSession]) throws(StoreError) -> [SceneSession] {
        if new.isEmpty { return [] }
        return try edit { (state, changes) throws(StoreError) in
            let made = try state.connect(new)
            changes.changed = made
            return made
        }
    }

    /// See `Store.change(session:_:)`. A command without a window is ended where it would be disconnected.
    public func change(session id: String, _ change: Store.SessionChange) throws(StoreError) -> SceneSession? {
        let configuration = configuration
        return try edit { (state, changes) throws(StoreError) in
            guard let session = try state.change(session: id, change) else { return nil }
            if session.state == .disconnected, configuration.isCommand(session), try state.end(session: id) {
                changes.ended = [(id, session.app)]
            } else {
                changes.changed = [session]
            }
            return session
        }
    }

    /// See `Store.end(session:ifStill:)`.
    @discardableResult
    public func end(session id: String, ifStill seen: SceneSession? = nil) throws(StoreError) -> Bool {
        try edit { (state, changes) throws(StoreError) in
            guard let session = try state.session(id: id), try state.end(session: id, ifStill: seen) else {
                return false
            }
            changes.ended = [(id, session.app)]
            return true
        }
    }

    public func session(id: String) throws(StoreError) -> SceneSession? { try store.session(id: id) }

    public func sessions(app: String?) throws(StoreError) -> Store.Sessions { try store.sessions(app: app) }

    /// The sessions that the engine decides by at this moment.
    public func sessions() throws(StoreError) -> [SceneSession] {
        let reply = Reply<[SceneSession]>()
        guard mailbox.post(.look { reply.give($0.all) }), let sessions = reply.wait() else {
            throw .closed(path: store.path)
        }
        return sessions
    }
}

extension Engine: DeliveryChanges {
    public func redrive(delivery id: String, again: Bool) throws(StoreError) -> DeliveryChange {
        DeliveryChange(try retry(delivery: id, again: again))
    }

    public func discard(delivery id: String) throws(StoreError) -> DeliveryChange {
        DeliveryChange(try drop(delivery: id))
    }
}

/// A value that a closure on another thread gives.
private final class Kept<Value: Sendable>: Sendable {
    let value: Mutex<Value?>

    init(_ value: consuming sending Mutex<Value?>) { self.value = value }
}

extension DecisionRecord {
    /// The record that is published for a claimed delivery that had its end already.
    func endedElsewhere(as state: DeliveryState?) -> DecisionRecord {
        var record = self
        switch state {
        case .collapsed: return without(.collapsed)
        case .expired: return without(.expired)
        case .duplicate: return without(.duplicate)
        case .done: record.outcome = .unverified
        default:
            record.outcome = .failed
            record.error = .dropped
        }
        return record
    }
}

extension DecisionRecord.Note {
    /// The journal has the delivery open, against what its record says.
    static func notJournalled(_ error: StoreError) -> Self {
        Self(
            name: error.code.name, message: "this end could not be journalled: \(error.message)",
            help: "the delivery is still open, and the next run of usher sees to it")
    }
}

extension Store.NewDelivery {
    /// A request before its decision, with what its payload says.
    package init(
        id: String, senderID: String?, source: String, accepted: Int64, input: [UInt8], app: String?,
        _ payload: Payload?
    ) {
        self.init(
            id: id, senderID: senderID, source: source, format: payload?.format.rawValue, accepted: accepted,
            input: input,
            app: app, target: payload?.targetContentIdentifier)
        expires = payload?.expires
        collapse = payload?.collapseID.flatMap { $0.isEmpty ? nil : $0 }
    }
}

extension Payload {
    /// After this its effect is not to begin, in microseconds since 1970; 0: at once or never (`apns-expiration`).
    var expires: Int64? {
        guard let text = expiration, let seconds = Int64(text), seconds >= 0 else { return nil }
        let (microseconds, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
        return overflow ? nil : microseconds
    }
}
