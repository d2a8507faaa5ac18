internal import Synchronization
internal import UsherActivation
internal import UsherLog
internal import UsherPayload
internal import UsherResolution
internal import UsherScene
internal import UsherStore

extension Dispatcher {
    /// One claimed request on its way.
    struct Job: Sendable {
        var item: Item
        var payload: Payload
        var decision: Decision
        var record: DecisionRecord
        /// Where its work is done, in order.
        var lane: String
        /// Whether the journal says that the effect begins.
        var isBegun: Bool
        /// The window was made, whatever failed afterwards.
        var isLaunched = false
        /// What `upgrade` made of the activity.
        var activity: [UInt8]?
        /// Programs that were run before the window was there.
        var preparations: [HandlerReport] = []
        /// The notification that was shown for it.
        var shown: Store.StoredNotification?

        var id: String { item.delivery.id }
    }

    /// What became of one request in a transaction.
    // Indirect: what is in it is large, and handed on often.
    indirect enum Taken: Sendable {
        case finished(DecisionRecord)
        /// Another one, that waited before, was ended for it.
        case ended(DecisionRecord)
        case claimed(Job)
        /// Journalled, to be decided when a lane is free.
        case queued(String)
    }

    /// Decides and journals requests in one transaction, and hands what was claimed to the lanes; under `turn`.
    ///
    /// - Parameter mayQueue: whether what finds no free lane may be left in the journal.
    func commit(_ items: [Item], mayQueue: Bool) throws(StoreError) -> [Taken] {
        let (taken, originals, heldBack) = try store.write { [self] (state) throws(StoreError) in
            try world.withLock { (world) throws(StoreError) in
                try world.refresh(from: &state)
                var batch = Batch(
                    room: backlog.room, queues: mayQueue && options.queue != nil,
                    isBehind: backlog.queued > 0 || isStopping)
                batch.taken.reserveCapacity(items.count)
                // Items are large: one copy of each, which is decided in place.
                for place in items.indices {
                    var item = items[place]
                    try decide(&item, &batch, &world, &state)
                }
                return (batch.taken, batch.originals, batch.heldBack)
            }
        }
        for (id, original) in originals {
            logger.info(
                "a request was sent before", ["delivery.id": .text(id), "delivery.original": .text(original)])
        }
        for (id, app) in heldBack {
            logger.info(
                "a push was held back: its app has interrupted often enough",
                ["delivery.id": .text(id), "app": .text(app)])
        }
        var queued: [String] = []
        for one in taken {
            switch one {
            case .claimed(let job): submit(job)
            case .queued(let id): queued.append(id)
            case .ended(let record): backlog.remove([record.id])
            case .finished: break
            }
        }
        backlog.queue(queued)
        figures.withLock { figures in
            figures.batches += 1
            figures.isRefusing = false
        }
        return taken
    }

    /// Tells of what a transaction ended; under no lock.
    func settle(_ taken: [Taken]) {
        for one in taken {
            switch one {
            case .finished(let record), .ended(let record): conclude(record)
            case .claimed, .queued: break
            }
        }
        lanes.lendHand()
        wakePump()
    }

    private func submit(_ job: Job) {
        backlog.enter()
        lanes.submit(job.lane) { [self] in
            perform(job)
            backlog.leave()
        }
    }

    /// What a transaction has done so far.
    private struct Batch {
        var taken: [Taken] = []
        var room: Int
        var queues: Bool
        /// Others wait in the journal already: nothing overtakes them.
        var isBehind: Bool
        /// The lanes that it has put work into.
        var lanes: Set<String> = []
        /// Duplicates, with what they are duplicates of.
        var originals: [(id: String, original: String)] = []
        /// Pushes beyond an app's `rate`.
        var heldBack: [(id: String, app: String)] = []
    }

    private func decide(
        _ item: inout Item, _ batch: inout Batch, _ world: inout World, _ state: inout StoreState
    ) throws(StoreError) {
        item.record.configuration = world.configuration.digest
        item.record.senderID = item.delivery.senderID
        guard case .success(let payload) = item.reading else {
            if case .failure(let error) = item.reading { item.record.error = .init(error) }
            item.record.decideMicroseconds = MonotonicClock.microseconds() - item.started
            return try end(item, item.record, .failed, nil, &batch, &state)
        }
        var decision = try decision(item, payload, in: &world, &state)
        item.record.take(decision, payload)
        item.record.senderID = item.delivery.senderID
        item.record.decideMicroseconds = MonotonicClock.microseconds() - item.started
        // What was decided before is not taken back because of its sender's id.
        let known = item.isNew ? nil : try state.standing(of: item.delivery.id)?.state
        if known == nil || known == .accepted,
            let original = try state.original(
                of: item.delivery, app: decision.resolution.app, window: options.duplicateWindow)
        {
            batch.originals.append((item.delivery.id, original))
            return try end(item, item.record.without(.duplicate), .duplicate, nil, &batch, &state)
        }
        if try collapse(olderThan: item, decision, &batch, &world, &state) {
            decision = try self.decision(item, payload, in: &world, &state)
            item.record.take(decision, payload)
            item.record.senderID = item.delivery.senderID
        }
        if batch.queues, batch.isBehind || batch.room <= 0 {
            batch.isBehind = true
            item.delivery.app = decision.resolution.app ?? item.delivery.app
            try state.accept(item.delivery, owner: owner)
            batch.taken.append(.queued(item.delivery.id))
            return
        }
        // After those that wait have made room for it.
        if try decision.observeRate(of: item.delivery.id, collapse: item.delivery.collapse, in: &state) {
            item.record.take(decision, payload)
            item.record.senderID = item.delivery.senderID
            batch.heldBack.append((item.delivery.id, decision.resolution.app ?? ""))
        }
        guard decision.hasEffect else {
            let text = text(of: decision, in: &world)
            return try end(item, item.record, item.record.error == nil ? .done : .failed, text, &batch, &state)
        }
        if item.isExpired(waited: known != nil) {
            return try end(item, item.record.without(.expired), .expired, nil, &batch, &state)
        }
        try claim(item, payload, decision, &batch, &world, &state)
    }

    private func decision(
        _ item: Item, _ payload: Payload, in world: inout World, _ state: inout StoreState
    ) throws(StoreError) -> Decision {
        var inquiry = Inquiry(
            payload, in: world.configuration, app: item.app ?? item.delivery.app, response: item.delivery.response)
        let redirection = try world.redirections.follow(&inquiry) { (id) throws(StoreError) in
            try state.redirection(of: id)
        }
        let decision = Decision(inquiry, following: redirection, in: world.resolver)
        guard world.isOutdated(decision, by: activator.programs) else { return decision }
        return Decision(inquiry, following: redirection, in: world.resolver)
    }

    /// A decision outside of a transaction, with the configuration that it was made by: of what was decided before, or is
    /// only looked at.
    func decision(
        _ payload: Payload, app: String?, response: String? = nil
    ) -> (decision: Decision, digest: String) {
        let decided = world.withLock { world -> (decision: Decision, digest: String)? in
            // Nothing was ever moved: there is nothing to look up.
            guard world.redirections.version == 0 else { return nil }
            let inquiry = Inquiry(payload, in: world.configuration, app: app, response: response)
            return (
                Decision(inquiry, following: .none, in: world.resolver),
                world.configuration.digest
            )
        }
        if let decided { return decided }
        var (inquiry, redirections) = world.withLock { world in
            (Inquiry(payload, in: world.configuration, app: app, response: response), world.redirections)
        }
        // The store is not waited for with the world locked. One that cannot be read follows nothing.
        let redirection =
            (try? redirections.follow(&inquiry) { (id) throws(StoreError) in try store.redirection(of: id) }) ?? .none
        return world.withLock { world in
            func decide() -> Decision {
                Decision(inquiry, following: redirection, in: world.resolver)
            }
            var decision = decide()
            if world.isOutdated(decision, by: activator.programs) { decision = decide() }
            return (decision, world.configuration.digest)
        }
    }

    /// Journals a request that needs no effect.
    private func end(
        _ item: Item, _ record: DecisionRecord, _ end: DeliveryState, _ text: Store.DecisionText?,
        _ batch: inout Batch, _ state: inout StoreState
    ) throws(StoreError) {
        let text =
            text
            ?? Store.DecisionText(
                action: record.action, reason: record.reason, app: record.app, scene: record.scene,
                resolved: record.resolved, configuration: record.configuration)
        if try state.record(
            item.delivery, target: record.target ?? item.delivery.target, state: end, record: record.json,
            decision: text, owner: item.isNew ? nil : owner)
        {
            batch.taken.append(.finished(record))
        }
    }

    /// Ends those that wait and that this one takes the place of (`apns-collapse-id`). Whether any session changed.
    private func collapse(
        olderThan item: Item, _ decision: Decision, _ batch: inout Batch, _ world: inout World,
        _ state: inout StoreState
    ) throws(StoreError) -> Bool {
        guard let collapse = item.delivery.collapse else { return false }
        var hasChanged = false
        let app = decision.resolution.app ?? item.delivery.app
        for older in try state.collapsing(collapse, app: app, before: item.delivery.id) {
            let record = self.record(of: older, configuration: world.configuration.digest).without(.collapsed)
            hasChanged = try abandon(older, .collapsed, record, &world, &state) || hasChanged
            batch.taken.append(.ended(record))
        }
        return hasChanged
    }

    /// Ends a delivery that had not begun; whether a session changed by it.
    @discardableResult
    func abandon(
        _ delivery: Store.StoredDelivery, _ end: DeliveryState, _ record: DecisionRecord, _ world: inout World,
        _ state: inout StoreState
    ) throws(StoreError) -> Bool {
        try world.follow(&state) { (state, changes) throws(StoreError) in
            let (changed, ended) = try state.abandon(delivery, state: end, record: record.json)
            if let changed { changes.changed.append(changed) }
            if let ended, let app = delivery.app { changes.ended.append((ended, app)) }
            return changed != nil || ended != nil
        }
    }

    /// The beginning of a record of what the journal knows.
    func record(of left: Store.StoredDelivery, configuration: String) -> DecisionRecord {
        var record = DecisionRecord(of: left, configuration: configuration)
        record.isRecovered = companions.withLock { $0[left.id] == nil }
        return record
    }

    /// What is kept of a decision with the delivery.
    private func text(of decision: Decision, in world: inout World) -> Store.DecisionText {
        let resolution = decision.resolution
        return Store.DecisionText(
            action: decision.action, reason: resolution.reason, app: resolution.app, scene: resolution.scene,
            resolved: resolution.resolved?.text, explanation: explanation(of: decision, in: &world),
            configuration: world.configuration.digest)
    }

    /// What led to a decision, as JSON, kept with the delivery.
    private func explanation(of decision: Decision, in world: inout World) -> String {
        let now = Timestamp.now().microseconds
        if let kept = world.explanation, kept.explains(decision) { return kept.json(at: now) }
        var report = ExplanationReport(
            explanation: world.resolver.account(
                for: decision.resolution, of: decision.inquiry.request, following: decision.redirection, limit: 12),
            freshness: world.resolver.snapshot.freshness, age: 0, configurationDigest: world.configuration.digest,
            now: now, plan: [], action: decision.action, policy: decision.policy,
            locate: { condition, _ in condition })
        report.textLimit = 1024
        let kept = KeptExplanation(report)
        world.explanation = kept
        return kept.json(at: now)
    }

    // MARK: Claim

    private func claim(
        _ given: Item, _ payload: Payload, _ decided: Decision, _ batch: inout Batch, _ world: inout World,
        _ state: inout StoreState
    ) throws(StoreError) {
        var item = given
        if item.nonce.isEmpty { item.nonce = UUIDv7.next() }
        var decision = decided
        var record = item.record
        // What a shortcut item or an action of a notification means is in the manifest, not in what came.
        if item.delivery.target == nil { item.delivery.target = record.target }
        let text = text(of: decision, in: &world)
        var wish = Store.Claim.none
        if decision.opensWindow {
            switch decision.resolution.verdict {
            case .activate(let session, _): wish = .activate(session: session)
            case .create: wish = .create(newSession(for: decision, &record))
            case .openWeb, .nothing: break
            }
        }
        var lane: String
        switch wish {
        case .activate(let session): lane = session
        case .create: lane = "new \(record.id)"
        case .none: lane = decision.laneWithoutSession(record.id)
        }
        let begins = !batch.lanes.contains(lane) && lanes.isIdle(lane)
        // Judged above, with the answer for the record.
        let result = try state.claim(
            item.delivery, decision: text, claim: wish, expectedGeneration: world.generation, begin: begins,
            nonce: item.nonce, owner: owner, duplicateWindow: 0)
        switch result {
        case .claimed(let session, let generation):
            world.generation = generation
            if let rate = decision.interruption, let app = decision.app {
                try state.noteInterruption(by: record.id, of: app.id, within: rate.milliseconds)
            }
            if let session {
                world.resolver.update(session)
                decision.session = session
                record.session = session.id
                lane = session.id
            }
            batch.lanes.insert(lane)
            batch.room -= 1
            batch.taken.append(
                .claimed(
                    Job(item: item, payload: payload, decision: decision, record: record, lane: lane, isBegun: begins)))
        case .duplicate:
            // It has its end, or another owner, who sees to it.
            break
        case .stale:
            // Nobody else writes during a transaction: what is decided on cannot be another state of the store.
            record.error = .init(.storeFailed, "the session that was chosen is not as the store has it")
            record.outcome = .failed
            try end(item, record, .failed, text, &batch, &state)
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
}

extension Dispatcher.Item {
    /// Whether its time has passed.
    ///
    /// - Parameter waited: it could not begin when it arrived; what is to be tried once is too late then.
    func isExpired(waited: Bool) -> Bool {
        // One that has begun before is not too late to be seen through.
        guard let expires = delivery.expires, vanished == 0, !isInterrupted else { return false }
        if expires == 0 { return waited }
        return expires <= Timestamp.now().microseconds
    }
}

extension Decision {
    /// Background pushes of an app are handled in their order; a page of the web is a page by itself.
    func laneWithoutSession(_ delivery: String) -> String {
        action == .openWeb ? "web \(delivery)" : "app \(resolution.app ?? "") \(verb)"
    }

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
        warnings += decision.notes.map { Note(name: $0.code.name, message: $0.message, help: $0.help) }
        error = resolution.failure.map { Problem($0.code, $0.message, help: $0.help) }
    }

    /// The same request, for which nothing is done.
    func without(_ reason: Reason) -> DecisionRecord {
        var record = self
        record.action = .none
        record.reason = reason
        record.outcome = .skipped
        record.session = nil
        record.rule = nil
        record.error = nil
        return record
    }
}
