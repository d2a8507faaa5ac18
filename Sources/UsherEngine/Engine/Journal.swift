internal import UsherActivation
internal import UsherDelivery
internal import UsherLog
internal import UsherPayload
internal import UsherResolution
internal import UsherScene
internal import UsherStore
internal import UsherSystem
internal import UsherText

/// Writes the changes of deliveries and sessions to the store, and makes the same changes in the `DecisionState` that decisions
/// are based on.
///
/// It is used only on the engine's thread. A commit is one transaction and one sync for all of its steps. If the
/// transaction fails, none of its changes is kept, neither in the store nor in the `DecisionState`.
package struct Journal: ~Copyable {
    let store: Store
    private let planner: Planner
    private var transaction: Transaction

    init(_ store: Store, _ decisionState: DecisionState, _ planner: Planner) {
        self.store = store
        self.planner = planner
        transaction = Transaction(planner, decisionState)
    }

    /// What decisions are based on.
    var decisionState: DecisionState { transaction.decisionState }

    /// One change of the journal.
    indirect enum Step: Sendable {
        /// A request arrived.
        case arrive(Int, Request)
        /// There is room for a delivery that is queued in the journal: it is decided.
        case decideQueued(Int, id: String, Known)
        /// The effect of a claimed delivery is about to begin.
        case begin(Ticket)
        /// An effect is over.
        case finish(Ticket, Effect)
        /// A claimed delivery fails without its effect.
        case abandon(Ticket, DecisionRecord)
        /// The last record of a delivery that is not tried again after all.
        case giveUp(Int, DecisionRecord)
        case edit(Edit)
    }

    /// The engine's data about a delivery in the journal.
    struct Known: Sendable {
        /// It was left behind by an earlier run.
        var isRecovered: Bool
        var sequence: Int
        var sender: Request.Sender?
        var newWindowLimit: Int?
    }

    /// A change that another thread asked for and waits for.
    struct Edit: Sendable {
        typealias Body = @Sendable (inout StoreState, inout Changes) throws(StoreError) -> Void
        var body: Body
        /// Called once, after the commit or after it failed.
        var reply: @Sendable (StoreError?) -> Void
    }

    /// What an edit did, as far as the engine must know it.
    struct Changes: Sendable {
        var changed: [SceneSession] = []
        var ended: [(id: String, app: String)] = []
        /// Deliveries that wait in the journal from now on.
        var queued: [String] = []
        /// Deliveries that had their end and wait again.
        var redriven: [String] = []
        /// Deliveries that have their end now.
        var withdrawn: [DecisionRecord] = []
        /// Deliveries whose notification has the answer that their senders wait for.
        var answered: [(delivery: String, answer: DecisionRecord.Answer)] = []
    }

    /// The outcome of a step. A record or a ticket is large: it is handed on by reference.
    indirect enum Outcome: Sendable {
        /// The terminal record is on disk.
        case ended(Shared<DecisionRecord>)
        /// The delivery had already ended; there is nothing to report.
        case known
        /// It stays in the journal undecided until there is room in the lanes.
        case queued(Scheduler.Share)
        case claimed(Ticket)
        case began(Ticket)
        /// It is tried again.
        case retryScheduled(Ticket, after: Duration, DecisionRecord)
        /// It waits for the next run.
        case unstarted(Ticket)
        /// It had its end already, or was deleted.
        case endedElsewhere(Ticket, DeliveryState?)
        case edited(Edit, Changes)
    }

    struct Committed: Sendable {
        var outcome: Outcome
        /// Older deliveries that the step has replaced.
        var collapsed: [DecisionRecord] = []
    }

    /// Where there is room for claims.
    struct Capacity: Sendable {
        /// How many more deliveries may be claimed.
        private var room: Int
        /// Which lanes and shares are busy, before this transaction.
        private let scheduler: Scheduler
        /// What the steps of this transaction have taken.
        private var taken: [String: Int] = [:]
        private var takenOfShares: [Scheduler.Share: Int] = [:]
        /// The shares of what this transaction has queued.
        private var queued: Set<Scheduler.Share> = []

        init(_ scheduler: Scheduler) {
            room = scheduler.room
            self.scheduler = scheduler
        }

        /// Whether an arrival has to wait in the journal: there is no room for its share, or others of it wait already, which it does
        /// not overtake.
        func mustQueue(_ share: Scheduler.Share) -> Bool {
            if room <= 0 || scheduler.isStopped { return true }
            if scheduler.queued > 0, scheduler.hasBacklog(of: share) { return true }
            if !queued.isEmpty, queued.contains(share) { return true }
            return scheduler.room(for: share) <= (takenOfShares.isEmpty ? 0 : takenOfShares[share] ?? 0)
        }

        fileprivate mutating func queue(_ share: Scheduler.Share) { queued.insert(share) }

        /// Whether an effect that is claimed for a lane now begins at once.
        fileprivate func begins(in lane: String, _ width: Int) -> Bool {
            scheduler.places(in: lane, width: width) > taken[lane, default: 0]
        }

        fileprivate mutating func occupy(_ lane: String, _ share: Scheduler.Share) {
            taken[lane, default: 0] += 1
            takenOfShares[share, default: 0] += 1
            room -= 1
        }
    }

    // MARK: Commit

    /// Does all steps in one transaction. If that fails, each step is done in its own transaction. After the store has
    /// refused a step temporarily (`StoreError.mayPass`), all further steps fail with the same error.
    ///
    /// - Returns: the outcome of each step, and the events to be logged for it.
    mutating func commit(
        _ steps: [Step], _ places: Capacity, now: Instant, clock: MonotonicInstant
    ) -> (results: [Result<Committed, StoreError>], notices: [Planner.Notice]) {
        transaction.places = places
        transaction.notices = []
        transaction.now = now
        transaction.clock = clock
        let failure: StoreError
        do throws(StoreError) {
            return (try write(steps), transaction.notices)
        } catch {
            failure = error
        }
        guard steps.count > 1, !failure.meansWhole else { return (steps.map { _ in .failure(failure) }, []) }
        var results: [Result<Committed, StoreError>] = []
        var refusal: StoreError?
        for step in steps {
            if let refusal {
                results.append(.failure(refusal))
                continue
            }
            do throws(StoreError) {
                results += try write([step])
            } catch {
                results.append(.failure(error))
                if error.mayPass { refusal = error }
            }
        }
        return (results, transaction.notices)
    }

    private mutating func write(_ steps: [Step]) throws(StoreError) -> [Result<Committed, StoreError>] {
        let before = (places: transaction.places, notices: transaction.notices.count)
        do throws(StoreError) {
            let committed = try store.commit(&transaction) { (state, transaction) throws(StoreError) in
                try transaction.decisionState.begin(&state)
                var done: [Result<Committed, StoreError>] = []
                done.reserveCapacity(steps.count)
                _ = state.takeDisplaced()
                for step in steps {
                    done.append(.success(try transaction.apply(step, &state)))
                    // Sessions that lost their window to another one.
                    let displaced = state.takeDisplaced()
                    if !displaced.isEmpty { transaction.decisionState.update(displaced) }
                }
                return done
            }
            transaction.decisionState.settle()
            return committed
        } catch {
            transaction.decisionState.rollBack()
            transaction.places = before.places
            transaction.notices.removeLast(transaction.notices.count - before.notices)
            throw error
        }
    }

    // MARK: DecisionState

    mutating func replaceConfiguration(
        _ configuration: Configuration, missingPrograms: Set<SceneName>
    ) throws(StoreError) {
        let sessions = try store.follow(configuration) ? try store.sessions() : nil
        transaction.decisionState.replaceConfiguration(configuration, missingPrograms: missingPrograms)
        if let sessions { transaction.decisionState.replaceSessions(sessions) }
    }

    /// The data that an effect needs from the `DecisionState` when it begins.
    mutating func surroundings(of ticket: Ticket) -> Executor.Surroundings {
        var surroundings = Executor.Surroundings()
        let decision = ticket.plan.decision
        if decision.payloadRequest.terminal != nil {
            surroundings.places = decisionState.resolver.snapshot.sessions.all.filter {
                $0.state.isOpen && $0.handle != nil
            }
        }
        guard let app = decision.appID else { return surroundings }
        if let id = decision.session?.id { surroundings.session = decisionState.session(id, app: app) }
        if decision.action == .focus, let session = surroundings.session, session.handle == nil {
            surroundings.process = (try? store.process(ofSession: session.id)) ?? nil
        }
        if let session = surroundings.session, session.handle == nil, decision.scene?.focus?.rule != nil {
            for other in decisionState.resolver.snapshot.sessions.all where other.state.isOpen && other.id != session.id
            {
                guard let handle = other.handle else { continue }
                surroundings.otherWindows.insert(
                    handle: handle, server: other.handleServer, session: "\(other.id) (\(other.app))")
            }
        }
        if decision.action == .launch {
            if let scene = decision.scene?.name {
                surroundings.isProgramKnownMissing = decisionState.resolver.snapshot.missingPrograms.contains(
                    SceneName(app: app, scene: scene))
            }
            if let session = decision.resolution.session {
                do throws(StoreError) {
                    // It stays until the session has something else, so that a failed launch does not remove it.
                    surroundings.restoration = try planner.openings.restoration?(session, store)
                } catch {
                    surroundings.restorationFailure = ActivationFailure(error.code, error.message, help: error.help)
                }
            }
        }
        if decision.action == .notify || !decision.quiet.isEmpty {
            if let collapse = ticket.request.delivery.collapse {
                surroundings.replaced = (try? store.shownNotification(collapse: collapse, app: app)) ?? nil
            }
            if surroundings.replaced == nil, decision.notices.replacesTarget, let target = decision.noticeTarget {
                surroundings.replaced = (try? store.shownNotification(target: target, app: app)) ?? nil
            }
        }
        return surroundings
    }

    /// The record that is published for a request that could not be journalled: the decision, as far as it can be made.
    mutating func record(ofRefused request: Request, _ problem: Diagnostic) -> DecisionRecord {
        var record = request.record
        record.configuration = decisionState.configuration.digest
        if case .success(let payload) = request.reading {
            var facts = StoreFacts(store: store)
            let decision = try? planner.decision(
                payload, app: request.app, source: request.delivery.source, response: nil,
                in: &transaction.decisionState,
                &facts)
            if let decision { record.apply(decision, payload) }
            record.action = .none
        } else if case .failure(let error) = request.reading {
            record.error = .init(error)
        }
        record.error = record.error ?? problem
        record.outcome = .failed
        return record
    }

    // MARK: What an earlier run left

    /// The ids of all open deliveries, the oldest first. Before that, the sessions of processes that have ended are
    /// disconnected.
    mutating func takeOver() throws(StoreError) -> [String] {
        let lost = try store.sessionProcesses().filter { !$0.process.isRunning }
            .map { ($0.session, $0.process, SessionLoss.survivor(of: $0.session, in: store.stateFolder)) }
        if !lost.isEmpty {
            let configuration = decisionState.configuration
            let edit = Edit(
                body: { (state, changes) throws(StoreError) in
                    for (session, process, survivor) in lost {
                        var change = Store.SessionChange.disconnected(onlyOf: process)
                        // A session without a window belongs to a process that still runs for it.
                        if let survivor, try state.session(id: session)?.handle == nil {
                            change = Store.SessionChange(process: .some(survivor), onlyOf: process)
                        }
                        guard let changed = try state.change(session: session, change) else { continue }
                        if changed.state == .disconnected, configuration.isCommand(changed),
                            try state.end(session: session)
                        {
                            changes.ended.append((session, changed.app))
                        } else {
                            changes.changed.append(changed)
                        }
                    }
                }, reply: { _ in })
            let places = Capacity(Scheduler(capacity: 1))
            let (results, _) = commit([.edit(edit)], places, now: Instant.now, clock: MonotonicClock.now)
            for result in results { _ = try result.get() }
        }
        return try store.unfinished()
    }

    /// The input of a delivery of an earlier run cannot be read any more. Has the record of this delivery.
    struct Unreadable: Error {
        var record: DecisionRecord
    }

    /// The ticket of a delivery that an earlier run had decided, and may have begun.
    mutating func resume(_ stored: Store.StoredDelivery, number: Int) -> Result<Ticket, Unreadable> {
        let request = Journal.request(for: stored, Known(isRecovered: true, sequence: 0), clock: MonotonicClock.now)
        var record = request.record
        let payload: Payload
        switch request.reading {
        case .success(let read): payload = read
        case .failure(let error):
            record.error = .init(error)
            return .failure(Unreadable(record: record))
        }
        var decision: Decision
        do throws(StoreError) {
            decision = try store.read(into: &transaction) { (state, transaction) throws(StoreError) in
                try transaction.planner.decision(
                    payload, app: stored.app, source: stored.source, response: stored.response,
                    in: &transaction.decisionState, &state)
            }
        } catch {
            record.error = Diagnostic(error)
            return .failure(Unreadable(record: record))
        }
        decision.restore(stored, in: decisionState.resolver)
        record.configuration = decisionState.configuration.digest
        record.apply(decision, payload)
        record.senderID = stored.senderID
        record.session = decision.session?.id
        // The configuration of today may not have it any more.
        if stored.session != nil { record.scene = record.scene ?? stored.scene }
        var tries = Tries()
        tries.attempt = stored.attempts + 1
        tries.forgiven = stored.redriven ?? 0
        tries.isInterrupted = stored.state == .acting
        var ticket = Ticket(
            number: number, request: request, plan: Ticket.Plan(payload, decision, record), tries: tries,
            nonce: UUIDv7.next(), lane: stored.session ?? decision.laneWithoutSession(stored.id),
            width: decision.laneWidth, hasBegun: false)
        if stored.state == .acting { ticket.adoption = Ticket.Adoption(nonce: stored.nonce) }
        return .success(ticket)
    }

    // MARK: Input

    /// A delivery as the journal has it, read again.
    static func request(for stored: Store.StoredDelivery, _ known: Known, clock: MonotonicInstant) -> Request {
        var record = DecisionRecord(of: stored, configuration: "")
        record.isRecovered = known.isRecovered
        record.sequence = known.sequence
        let reading: Result<Payload, PayloadError>
        do throws(PayloadError) {
            reading = .success(try stored.payload())
        } catch {
            reading = .failure(error)
        }
        return Request(
            reading: reading, delivery: stored.delivery, app: stored.app, record: record, isNew: false, started: clock,
            sender: known.sender, newWindowLimit: known.newWindowLimit)
    }
}

extension Store.DecisionText {
    init(_ record: DecisionRecord) {
        self.init(
            action: record.action, reason: record.reason, app: record.app, scene: record.scene,
            resolved: record.resolved, configuration: record.configuration)
    }
}

extension Diagnostic {
    init(_ error: StoreError) { self.init(error.code, error.message, help: error.help) }
}

extension StoreError {
    /// Whether every transaction would fail with this error: retrying each step alone would only wait as long again.
    fileprivate var meansWhole: Bool { code == .storeBusy || code == .storeGone }
}

extension Journal.Step {
    /// The engine's number of the delivery; 0 for an edit.
    var number: Int {
        switch self {
        case .arrive(let number, _), .decideQueued(let number, _, _), .giveUp(let number, _): number
        case .begin(let ticket), .finish(let ticket, _), .abandon(let ticket, _): ticket.number
        case .edit: 0
        }
    }
}

extension DecisionRecord {
    /// The state of a delivery with this terminal record.
    var end: DeliveryState {
        switch reason {
        case .duplicate: .duplicate
        case .expired: .expired
        case .collapsed: .collapsed
        default: error == nil ? .done : .failed
        }
    }
}

/// Steps that the store has refused temporarily, with the time of the next attempt.
struct HeldSteps {
    private var steps: [Journal.Step] = []
    private var pause = HeldSteps.firstPause
    /// Since when the store refuses steps, and when the next attempt is due.
    private var refusingSince: MonotonicInstant?
    private(set) var due: MonotonicInstant?

    private static let firstPause = Duration.milliseconds(50)
    private static let longestPause = Duration.seconds(2)

    var isEmpty: Bool { steps.isEmpty }

    /// Whether the store has refused a step, and has not accepted one since.
    var isRefusing: Bool { refusingSince != nil }

    /// Keeps a step for a later attempt. Returns false if it is not kept: it would always be refused, or has been
    /// refused for longer than `patience`.
    mutating func add(
        _ step: Journal.Step, _ error: StoreError, patience: Duration?, at now: MonotonicInstant
    ) -> Bool {
        let since = refusingSince ?? now
        refusingSince = since
        guard error.mayPass, patience.map({ now - since < $0 }) ?? true else { return false }
        steps.append(step)
        return true
    }

    /// The steps that are due, in the order in which they were to be written.
    mutating func removeDue(at now: MonotonicInstant) -> [Journal.Step] {
        guard let due, due <= now else { return [] }
        return removeAll()
    }

    mutating func removeAll() -> [Journal.Step] {
        defer { steps = [] }
        due = nil
        return steps
    }

    /// Called after a transaction, with whether the store accepted a step. If so, the next attempt is due at once.
    mutating func reschedule(isTaken: Bool, at now: MonotonicInstant) {
        if isTaken {
            refusingSince = nil
            pause = HeldSteps.firstPause
            due = steps.isEmpty ? nil : now
        } else if !steps.isEmpty {
            due = now + pause
            pause = min(pause * 2, HeldSteps.longestPause)
        }
    }
}

extension Journal.Step {
    /// The id of the delivery; empty for an edit.
    var delivery: String {
        switch self {
        case .arrive(_, let request): request.delivery.id
        case .decideQueued(_, let id, _): id
        case .begin(let ticket), .finish(let ticket, _), .abandon(let ticket, _): ticket.id
        case .giveUp(_, let record): record.id
        case .edit: ""
        }
    }
}

extension Decision {
    /// Takes over what an earlier run had decided, as far as the journal has it.
    fileprivate mutating func restore(_ left: Store.StoredDelivery, in resolver: Resolver) {
        guard let appID = left.app, let app = resolver.snapshot.configuration.app(id: appID) else { return }
        let place = resolver.configuration.value.place(ofApp: appID)
        if place != resolution.appPlace {
            resolution = Resolution.of(
                resolution.reason, by: resolver.configuration, app: place, page: resolution.page,
                subjects: resolution.subjects, failure: resolution.failure)
        }
        action = left.action ?? action
        if let id = left.session {
            session = resolver.snapshot.sessions.session(id: id, app: appID)
            resolution.choose(
                left.madeItsSession ? nil : session, ofScene: left.scene ?? session?.scene,
                makesSession: left.madeItsSession)
        }
        if left.reason != resolution.reason { resolution.failure = nil }
        resolution.reason = left.reason ?? resolution.reason
        (resolution.warning, resolution.isClaimed) = (nil, false)
        policy = action == .background ? .background : action == .notify ? policy : nil
        command =
            action == .background
            ? payloadRequest.hook?.command ?? payloadRequest.press?.button?.background ?? app.background
            : nil
        if left.reason == .contentDeleted { command = app.contentDeleted }
    }
}

/// What a transaction reads and changes in memory. It is the journal's, and is never copied: the sessions may be many.
private struct Transaction: Sendable {
    let planner: Planner
    var decisionState: DecisionState
    var places = Journal.Capacity(Scheduler(capacity: 1))
    var notices: [Planner.Notice] = []
    var now = Instant(microseconds: 0)
    var clock = MonotonicInstant(nanoseconds: 0)
    /// Where records are rendered.
    private var rendering: [UInt8] = []

    init(_ planner: Planner, _ decisionState: DecisionState) {
        self.planner = planner
        self.decisionState = decisionState
    }

    mutating func apply(
        _ step: Journal.Step, _ state: inout StoreState
    ) throws(StoreError) -> Journal.Committed {
        switch step {
        case .arrive(let number, let request):
            let circumstances = Planner.Circumstances(now: now, clock: clock)
            return try decide(number, request, circumstances, mayQueue: true, &state)
        case .decideQueued(let number, let id, let known):
            guard let stored = try state.delivery(id: id), !stored.state.isTerminal else {
                return Journal.Committed(outcome: .known)
            }
            var circumstances = Planner.Circumstances(now: now, clock: clock)
            circumstances.tries.attempt = stored.attempts + 1
            circumstances.tries.forgiven = stored.redriven ?? 0
            let request = Journal.request(for: stored, known, clock: clock)
            return try decide(number, request, circumstances, mayQueue: false, &state)
        case .begin(let ticket): return try begin(ticket, &state)
        case .finish(let ticket, let effect):
            return try finish(ticket, effect, &state)
        case .abandon(let ticket, let record): return try abandon(ticket, .failed, record, &state)
        case .giveUp(_, let record):
            _ = try state.finish(delivery: record.id, state: .failed, record: record.json)
            return Journal.Committed(outcome: .ended(Shared(record)))
        case .edit(let edit):
            var changes = Journal.Changes()
            try edit.body(&state, &changes)
            decisionState.update(changes.changed)
            for session in changes.ended { decisionState.remove(of: session.id, app: session.app) }
            decisionState.generation = try state.generation()
            return Journal.Committed(outcome: .edited(edit, changes))
        }
    }

    // MARK: Decide and claim

    private mutating func decide(
        _ number: Int, _ request: Request, _ given: Planner.Circumstances, mayQueue: Bool, _ state: inout StoreState
    ) throws(StoreError) -> Journal.Committed {
        var circumstances = given
        var collapsed: [DecisionRecord] = []
        func committed(_ outcome: Journal.Outcome) -> Journal.Committed {
            Journal.Committed(outcome: outcome, collapsed: collapsed)
        }
        while true {
            let verdict = try planner.plan(
                request, circumstances, places, mayQueue: mayQueue, in: &decisionState, &state, noting: &notices)
            switch consume verdict {
            case .known: return committed(.known)
            case .collapses(let older):
                for delivery in older {
                    let record = DecisionRecord(of: delivery, configuration: decisionState.configuration.digest)
                        .without(.collapsed)
                    try abandon(delivery, .collapsed, record, &state)
                    collapsed.append(record)
                }
                circumstances.hasCollapsed = true
            case .queue(let app, _):
                let share = Scheduler.Share(source: request.delivery.source, app: app)
                places.queue(share)
                var delivery = request.delivery
                delivery.app = app
                try state.accept(delivery)
                return committed(.queued(share))
            case .end(let end, var record, let decision, let original):
                record.render(in: &rendering)
                let text =
                    if let decision {
                        try self.text(of: decision, accepted: request.delivery.accepted, &state)
                    } else { Store.DecisionText(record) }
                let isWritten = try state.record(
                    request.delivery, target: record.target ?? request.delivery.target, state: end, record: record.json,
                    decision: text, original: original)
                return committed(isWritten ? .ended(Shared(record)) : .known)
            case .act(let plan, let claim, let lane, let width):
                return committed(
                    try self.claim(
                        number, request, circumstances.tries, plan, claim, lane, width, &state))
            }
        }
    }

    private mutating func claim(
        _ number: Int, _ request: Request, _ tries: Tries, _ plan: Ticket.Plan, _ claim: Store.Claim,
        _ laneName: String, _ width: Int, _ state: inout StoreState
    ) throws(StoreError) -> Journal.Outcome {
        var decision = plan.decision
        var record = plan.record
        var delivery = request.delivery
        // What a shortcut item or an action of a notification means is in the manifest, not in what came.
        if delivery.target == nil { delivery.target = record.target }
        let nonce = UUIDv7.next()
        let begins = places.begins(in: request.free(laneName), width)
        let result = try state.claim(
            delivery, decision: try text(of: decision, accepted: delivery.accepted, &state), claim: claim,
            expectedGeneration: decisionState.generation, begin: begins,
            nonce: nonce, isNew: request.isNew)
        guard case .claimed(let session, let generation) = result else {
            // It has its end.
            return .known
        }
        decisionState.generation = generation
        if let rate = decision.interruption, let app = decision.appID {
            try state.noteInterruption(by: record.id, of: app, within: rate.milliseconds)
        }
        var lane = request.free(laneName)
        if let session {
            decisionState.update(session)
            decision.session = session
            record.session = session.id
            lane = request.free(session.id)
        }
        places.occupy(lane, Scheduler.Share(source: delivery.source, app: decision.resolution.app ?? delivery.app))
        return .claimed(
            Ticket(
                number: number, request: request, plan: Ticket.Plan(plan.payload, decision, record),
                tries: tries, nonce: nonce, lane: lane, width: width, hasBegun: begins, adoption: nil))
    }

    // MARK: Begin and finish

    private mutating func begin(
        _ ticket: Ticket, _ state: inout StoreState
    ) throws(StoreError) -> Journal.Committed {
        if Planner.isExpired(ticket.request.delivery, ticket.tries, waited: true, now: now) {
            return try abandon(ticket, .expired, ticket.plan.record.without(.expired), &state)
        }
        switch try state.begin(delivery: ticket.id, attempt: ticket.tries.attempt, nonce: ticket.nonce) {
        case .begun:
            var ticket = ticket
            ticket.hasBegun = true
            return Journal.Committed(outcome: .began(ticket))
        case .finished(let end): return Journal.Committed(outcome: .endedElsewhere(ticket, end))
        case .unknown: return Journal.Committed(outcome: .endedElsewhere(ticket, nil))
        }
    }

    private mutating func finish(
        _ ticket: Ticket, _ effect: Effect, _ state: inout StoreState
    ) throws(StoreError) -> Journal.Committed {
        switch effect.end {
        case .decideAgain: return try decideAgain(ticket, &state)
        case .windowGone(let serverIsGone):
            try lose(effect, serverIsGone: serverIsGone, &state)
            return try decideAgain(ticket, &state)
        case .programGone:
            if let app = ticket.plan.decision.appID, let scene = ticket.plan.decision.scene?.name {
                var missing = decisionState.resolver.snapshot.missingPrograms
                missing.insert(SceneName(app: app, scene: scene))
                decisionState.replaceMissingPrograms(missing)
            }
            try lose(effect, serverIsGone: effect.endedSession == nil, &state)
            return try decideAgain(ticket, &state)
        case .shown(let content):
            try lose(effect, serverIsGone: effect.endedSession == nil, &state)
            try give(content, to: effect.session?.id, &state)
            var ticket = ticket
            ticket.tries.hasLooked = true
            // No window has vanished.
            ticket.tries.vanished -= 1
            return try decideAgain(ticket, &state)
        case .retry, .unstarted:
            var delay = Duration.zero
            if case .retry(let after) = effect.end { delay = after }
            let result = try state.scheduleRetry(
                delivery: ticket.id, due: now.microseconds + delay.microseconds, session: effect.session,
                endSession: effect.endedSession)
            if let elsewhere = follow(result, effect, ticket) { return Journal.Committed(outcome: elsewhere) }
            if case .unstarted = effect.end { return Journal.Committed(outcome: .unstarted(ticket)) }
            return Journal.Committed(outcome: .retryScheduled(ticket, after: delay, effect.record))
        case .leftForNextRun, .runAgain:
            throw .misuse("an effect that is not over is to be recorded as finished", path: state.path)
        case .finished:
            var effect = effect
            if effect.isTiedToProcess, let given = effect.session, try state.session(id: given.id)?.state == .connected
            {
                // The program has registered its session itself.
                effect.session = (given.id, Store.SessionChange(title: given.change.title))
            }
            try giveUpLostWindow(&effect, &state)
            effect.record.render(in: &rendering)
            let result = try state.finish(
                delivery: ticket.id, state: effect.record.error == nil ? .done : .failed, record: effect.record.json,
                session: effect.session, endSession: effect.endedSession)
            if let elsewhere = follow(result, effect, ticket) { return Journal.Committed(outcome: elsewhere) }
            if effect.record.action != ticket.plan.decision.action {
                try state.change(delivery: ticket.id, action: effect.record.action)
            }
            if effect.record.policy == .seen { try state.forgetInterruption(by: ticket.id) }
            if let shown = effect.shown { try state.insert(shown) }
            return Journal.Committed(outcome: .ended(Shared(effect.record)))
        }
    }

    /// A window that a launch was granted may have become another session's since: then this session keeps none.
    private func giveUpLostWindow(_ effect: inout Effect, _ state: inout StoreState) throws(StoreError) {
        guard let given = effect.session, let handle = given.change.handle ?? nil,
            let holder = try state.holders(ofWindow: handle, server: given.change.handleServer ?? nil)
                .first(where: { $0.isOpen && $0.session != given.id })
        else { return }
        effect.session = (given.id, .disconnected())
        if effect.record.error == nil { effect.record.outcome = .unverified }
        effect.record.warnings.append(
            .init(
                name: DiagnosticCode.windowAmbiguous.name,
                message: "the window \(handle) became the window of the session \(holder.session) meanwhile",
                help: "the session keeps no window: its next request launches the program again"))
    }

    /// Follows what an end made of sessions; the outcome where the delivery had ended before.
    private mutating func follow(
        _ result: Store.FinishResult, _ effect: Effect, _ ticket: Ticket
    ) -> Journal.Outcome? {
        switch result {
        case .finished(let session, let generation):
            if let session { decisionState.update(session) }
            if let ended = effect.endedSession, let app = ticket.plan.decision.appID {
                decisionState.remove(of: ended, app: app)
            }
            if let generation { decisionState.generation = generation }
            return nil
        case .alreadyFinished(let end): return .endedElsewhere(ticket, end)
        case .unknown: return .endedElsewhere(ticket, nil)
        }
    }

    /// The session of a window that is gone: it ends, or stays disconnected where its window system is gone as well.
    private mutating func lose(
        _ effect: Effect, serverIsGone: Bool, _ state: inout StoreState
    ) throws(StoreError) {
        if serverIsGone {
            if let (id, lost) = effect.session, let session = try state.change(session: id, lost) {
                decisionState.update(session)
            }
        } else if let id = effect.session?.id ?? effect.endedSession, let session = try state.session(id: id),
            try state.end(session: id, ifStill: effect.session?.change.ifStill)
        {
            decisionState.remove(of: id, app: session.app)
        }
        decisionState.generation = try state.generation()
    }

    /// Gives a session what shows a target. One that has it already is told what it shows; without one, the session that was
    /// to be launched gets it, or a new one is made.
    private mutating func give(
        _ content: ShownContent, to launched: String?, _ state: inout StoreState
    ) throws(StoreError) {
        let holders = try state.holders(ofWindow: content.handle, server: content.handleServer)
        var given: [SceneSession] = []
        if let holder = holders.first(where: \.isOpen), let session = try state.session(id: holder.session) {
            guard session.app.hasSameBytes(as: content.app.id), session.scene.hasSameBytes(as: content.scene.name)
            else {
                return
            }
            var change = Store.SessionChange()
            WindowRegistry.read(content.target, of: session, content.app, content.scene, into: &change)
            if let changed = try state.change(session: session.id, change) { given.append(changed) }
        } else {
            let known = try launched.flatMap { (id) throws(StoreError) in try state.session(id: id) }
            let template = content.app.template(of: content.scene)
            given = try state.connect([
                Store.NewSession(
                    id: known?.id, app: content.app.id, scene: content.scene.name, role: content.scene.role,
                    target: content.target,
                    conditions: content.scene.conditions(for: content.target, template: template).conditions,
                    handle: content.handle, handleServer: content.handleServer, title: content.title,
                    found: .init(generation: known?.generation), isTargetRead: true)
            ])
            if let session = given.first, let process = ProcessHandle(content.handle)?.pid {
                // It ends with the process.
                let tie = Store.SessionChange(process: .some(Store.SessionProcess.running(pid: process)))
                if let tied = try state.change(session: session.id, tie) { given = [tied] }
            }
        }
        decisionState.update(given)
        decisionState.generation = try state.generation()
    }

    private mutating func decideAgain(
        _ ticket: Ticket, _ state: inout StoreState
    ) throws(StoreError) -> Journal.Committed {
        var circumstances = Planner.Circumstances(tries: ticket.tries, now: now, clock: clock)
        circumstances.tries.vanished += 1
        circumstances.tries.attempt += 1
        // Looking for the window took no try away from its handler.
        circumstances.tries.forgiven += 1
        let again = Request(
            reading: ticket.request.reading, delivery: ticket.request.delivery, app: ticket.request.app,
            record: ticket.request.record, isNew: false, started: ticket.request.started,
            sender: ticket.request.sender)
        return try decide(ticket.number, again, circumstances, mayQueue: false, &state)
    }

    /// Ends a claimed delivery without its effect, unless it has ended already.
    private mutating func abandon(
        _ ticket: Ticket, _ end: DeliveryState, _ record: DecisionRecord, _ state: inout StoreState
    ) throws(StoreError) -> Journal.Committed {
        if let known = try state.delivery(id: ticket.id), !known.state.isTerminal {
            try abandon(known, end, record, &state)
        }
        return Journal.Committed(outcome: .ended(Shared(record)))
    }

    /// Ends a delivery that had not begun, and what became of its session with it.
    private mutating func abandon(
        _ delivery: Store.StoredDelivery, _ end: DeliveryState, _ record: DecisionRecord, _ state: inout StoreState
    ) throws(StoreError) {
        let (changed, ended) = try state.abandon(delivery, state: end, record: record.json)
        if let changed { decisionState.update(changed) }
        if let ended, let app = delivery.app { decisionState.remove(of: ended, app: app) }
        decisionState.generation = try state.generation()
    }

    // MARK: What is kept

    /// What is kept of a decision with the delivery, its evidence included.
    private mutating func text(
        of decision: Decision, accepted: Int64, _ state: inout StoreState
    ) throws(StoreError) -> Store.DecisionText {
        let resolution = decision.resolution
        let configuration = decisionState.resolver.configuration
        if !configuration.value.manifests.isEmpty {
            try state.configurationRow(configuration.value.digest, manifests: configuration.value.manifests)
        }
        return Store.DecisionText(
            action: decision.action, reason: resolution.reason, app: resolution.app, scene: resolution.scene,
            resolved: resolution.resolved?.text,
            evidence: try DecisionEvidence.of(
                decision, accepted: accepted, in: decisionState.resolver, at: now.microseconds, &state),
            configuration: configuration.value.digest)
    }
}

extension Request {
    /// A lane for its effect that none of its senders holds.
    fileprivate func free(_ lane: String) -> String {
        guard let sender, sender.lanes.contains(lane) else { return lane }
        return "\(lane) within \(sender.delivery)"
    }
}

extension Store.StoredDelivery {
    /// The payload as it was read before: its format may have been named on the command line then.
    func payload() throws(PayloadError) -> Payload {
        var reader = PayloadReader()
        do throws(PayloadError) {
            let payload = try reader.read(input)
            if payload.isEnvelope || payload.format.rawValue == format { return payload }
        } catch {
            guard format != nil else { throw error }
        }
        var named = PayloadReader(format: format.flatMap { PayloadFormat(rawValue: $0) } ?? .auto)
        return try named.read(input)
    }
}
