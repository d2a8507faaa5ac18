internal import Synchronization
internal import UsherLog
public import UsherPayload
internal import UsherResolution
internal import UsherScene
internal import UsherStore

extension Dispatcher {
    /// One request on its way.
    struct Job: Sendable {
        var delivery: Store.NewDelivery
        var payload: Payload
        var decision: Decision
        var record: DecisionRecord
        var nonce: String
        /// Whether the journal says that the effect begins.
        var isBegun: Bool
        var attempt: Int
        /// How often the chosen window had vanished.
        var vanished: Int
        /// The effect began in an earlier run, which was killed: nobody knows how far it came.
        var isInterrupted: Bool
    }

    /// Takes one line of input: a payload, or what is wrong with it.
    ///
    /// Decides at once and returns; blocks only while too many records are on their way.
    ///
    /// - Parameters:
    ///   - sequence: the line's place in the input, counted from 1 without gaps.
    ///   - source: where it came from, instead of the run's source.
    public func handle(
        _ reading: Result<Payload, PayloadError>, input: ArraySlice<UInt8>, sequence: Int, source: String? = nil,
        startedAt started: Int64
    ) {
        if !options.isDryRun, !output.reserveIfPossible() {
            // Records that wait for a commit may be what holds up all the others.
            flush()
            output.reserve()
        }
        if sequence % 10_000 == 0, !options.isDryRun {
            // A stream may never end.
            _ = try? store.pruneDeliveries()
        }
        let now = Timestamp.now()
        var record = DecisionRecord(
            id: UUIDv7.next(), sequence: sequence, time: now, source: source ?? options.source,
            configuration: configuration.digest, isDryRun: options.isDryRun)
        switch reading {
        case .failure(let error):
            record.decideMicroseconds = MonotonicClock.microseconds() - started
            record.error = .init(error)
            if options.isDryRun { return emit(record) }
            hold(record, delivery(record, nil, input), .failed, explanation: nil)
        case .success(let payload):
            decide(payload, record, input: input, startedAt: started)
        }
    }

    private func delivery(_ record: DecisionRecord, _ payload: Payload?, _ input: ArraySlice<UInt8>)
        -> Store.NewDelivery
    {
        Store.NewDelivery(
            id: record.id, senderID: payload?.senderID, source: record.source, format: payload?.format.rawValue,
            accepted: record.time.microseconds, input: Array(input), app: record.app, target: record.target)
    }

    private func decide(
        _ payload: Payload, _ record: DecisionRecord, input: ArraySlice<UInt8>, startedAt started: Int64
    ) {
        var record = record
        let inquiry = Inquiry(payload, in: configuration, app: options.app)
        if options.isDryRun {
            let decision = world.withLock { Decision(inquiry, following: .none, in: $0.resolver, fallbackLimit: 0) }
            record.take(decision, payload)
            record.decideMicroseconds = MonotonicClock.microseconds() - started
            emit(record)
            return
        }
        let decision = world.withLock { Decision(inquiry, following: .none, in: $0.resolver) }
        record.take(decision, payload)
        record.decideMicroseconds = MonotonicClock.microseconds() - started
        let delivery = delivery(record, payload, input)
        let job = Job(
            delivery: delivery, payload: payload, decision: decision, record: record, nonce: UUIDv7.next(),
            isBegun: false, attempt: 1, vanished: 0, isInterrupted: false)
        if decision.hasEffect {
            claim(job)
        } else {
            let explanation = world.withLock { self.explanation(of: decision, in: $0) }
            hold(record, delivery, record.error == nil ? .done : .failed, explanation: explanation)
        }
    }

    /// What led to a decision, as JSON, kept with the delivery.
    func explanation(of decision: Decision, in world: World) -> String {
        var report = ExplanationReport(
            explanation: world.resolver.account(
                for: decision.resolution, of: decision.inquiry.request, following: decision.redirection, limit: 12),
            freshness: world.resolver.snapshot.freshness, age: 0, configurationDigest: configuration.digest,
            now: Timestamp.now().microseconds, plan: [], action: decision.action, policy: decision.policy,
            locate: { condition, _ in condition })
        report.textLimit = 1024
        return report.json
    }

    // MARK: Claim

    /// Claims a decision, deciding again as long as others change the sessions meanwhile, and hands it to its lane.
    func claim(_ claimed: Job) {
        var job = claimed
        do {
            for attempt in 0..<32 {
                let result = try world.withLock { (world) throws(StoreError) in
                    if attempt > 0 {
                        try reload(&world)
                        job.decision = Decision(
                            job.decision.inquiry, following: job.decision.redirection, in: world.resolver)
                        job.record.take(job.decision, job.payload)
                    }
                    return try claim(&job, in: &world)
                }
                switch result {
                case .claimed: return
                case .stale: continue
                case .duplicate(let original):
                    job.record.action = .none
                    job.record.reason = .duplicate
                    job.record.outcome = .skipped
                    job.record.session = nil
                    job.record.rule = nil
                    logger.info(
                        "a request was sent before",
                        ["delivery.id": .text(job.record.id), "delivery.original": .text(original)])
                    return hold(job.record, job.delivery, .duplicate, explanation: nil)
                }
            }
            fail(job, .init(.storeBusy, "others change the sessions faster than a decision can be claimed"))
        } catch {
            fail(job, .init(error.code, error.message, help: error.help))
        }
    }

    private enum ClaimEnd {
        case claimed, stale
        case duplicate(String)
    }

    private func claim(_ job: inout Job, in world: inout World) throws(StoreError) -> ClaimEnd {
        let decision = job.decision
        let explanation = explanation(of: decision, in: world)
        guard decision.hasEffect else {
            hold(job.record, job.delivery, job.record.error == nil ? .done : .failed, explanation: explanation)
            return .claimed
        }
        var wish = Store.Claim.none
        if decision.opensWindow {
            switch decision.resolution.verdict {
            case .activate(let session, _): wish = .activate(session: session)
            case .create: wish = .create(newSession(for: decision, &job.record))
            case .openWeb, .nothing: break
            }
        }
        let lane: String
        switch wish {
        case .activate(let session): lane = session
        case .create: lane = "new \(job.record.id)"
        case .none:
            // Background pushes of an app are handled in their order; a page of the web is a page by itself.
            lane =
                decision.action == .openWeb
                ? "web \(job.record.id)" : "app \(decision.resolution.app ?? "") \(decision.verb)"
        }
        let begins = lanes.isIdle(lane)
        let text = Store.DecisionText(
            action: decision.action, reason: decision.resolution.reason, app: decision.resolution.app,
            scene: decision.resolution.scene, resolved: decision.resolution.resolved?.text, explanation: explanation,
            configuration: configuration.digest)
        let result = try store.claim(
            job.delivery, decision: text, claim: wish, expectedGeneration: world.generation, begin: begins,
            nonce: job.nonce, owner: owner)
        switch result {
        case .stale: return .stale
        case .duplicate(let original): return .duplicate(original)
        case .claimed(let session, let generation):
            world.generation = generation
            if let session {
                world.resolver.update(session)
                job.decision.session = session
                job.record.session = session.id
            }
            job.isBegun = begins
            let job = job
            lanes.submit(job.decision.session?.id ?? lane) { [self] in perform(job) }
            return .claimed
        }
    }

    private func newSession(for decision: Decision, _ record: inout DecisionRecord) -> Store.NewSession {
        let target = decision.resolution.resolved ?? decision.inquiry.request.url.map(TargetContentIdentifier.init)
        let template = decision.app?.targets.first { $0.name == decision.scene?.target }?.template
        let made = decision.scene?.conditions(for: target, template: template)
        for name in made?.unfilled ?? [] {
            record.warnings.append(
                .init(
                    name: DiagnosticCode.unfilledCondition.name,
                    message: "\(name) uses a variable that this target has no value for",
                    help: "it counts as FALSEPREDICATE for this window"))
        }
        return Store.NewSession(
            app: decision.resolution.app ?? "", scene: decision.scene?.name ?? "",
            role: decision.scene?.role ?? .windowApplication, target: target,
            conditions: made?.conditions ?? ActivationConditions(), state: .connecting, title: decision.inquiry.title)
    }

    /// Ends a request that could not be carried out; the journal may not even know it.
    func fail(_ job: Job, _ problem: DecisionRecord.Problem) {
        var record = job.record
        record.outcome = .failed
        record.error = problem
        settle(job, record)
        logger.error(
            "a request could not be carried out",
            [
                "delivery.id": .text(record.id), "error.code": .text(problem.code.code),
                "error.message": .text(problem.message),
            ])
        emit(record)
    }
}

extension Dispatcher {
    /// Ends a claimed delivery that was not carried out, so that no later run does what this one calls failed; where the
    /// store does not take that either, the next run finds it.
    private func settle(_ job: Job, _ record: DecisionRecord) {
        guard let session = job.decision.session, job.decision.action == .launch else {
            _ = try? store.finish(delivery: job.delivery.id, state: .failed, record: record.json)
            return
        }
        let wasMade = if case .create = job.decision.resolution.verdict { true } else { false }
        _ = try? store.finish(
            delivery: job.delivery.id, state: .failed, record: record.json,
            session: wasMade ? nil : (session.id, .init(state: .disconnected)), endSession: wasMade ? session.id : nil)
    }
}

extension Decision {
    /// Whether its action is a window: launched, or brought forward.
    var opensWindow: Bool { action == .launch || action == .focus }
}

extension DecisionRecord {
    /// Takes over what was decided; a dry run and an action of `none` are skipped.
    mutating func take(_ decision: Decision, _ payload: Payload) {
        let resolution = decision.resolution
        senderID = payload.senderID
        format = payload.format.rawValue
        app = resolution.app
        target = decision.inquiry.request.target?.text
        resolved = resolution.resolved?.text
        scene = resolution.scene
        session = resolution.session
        action = decision.action
        reason = resolution.reason
        policy = decision.policy
        rule = resolution.rule
        title = decision.inquiry.title
        outcome = .skipped
        warnings = decision.inquiry.warnings.map(Note.init)
        error = resolution.failure.map { Problem($0.code, $0.message, help: $0.help) }
    }
}
