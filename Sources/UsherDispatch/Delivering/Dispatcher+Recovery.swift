internal import Synchronization
internal import UsherActivation
internal import UsherLog
internal import UsherPayload
internal import UsherResolution
internal import UsherScene
public import UsherStore

extension Dispatcher {
    /// Finishes what a killed run left behind, and returns how many deliveries that were.
    ///
    /// What had not begun is done now. What had begun is looked for (by its launch nonce) and adopted; where it is not
    /// found it is run again only if its handler is idempotent, and else ends unverified: "once" goes before "surely".
    public func recover() throws(StoreError) -> Int {
        var count = 0
        for left in try store.interrupted() {
            if Interruption.isRequested { break }
            guard try store.adopt(id: left.id, owner: owner) else { continue }
            count += 1
            logger.notice(
                "a delivery that was interrupted is finished",
                ["delivery.id": .text(left.id), "delivery.state": .text(left.state.rawValue)])
            recover(left)
        }
        if count > 0 {
            lanes.drain()
            try world.withLock { (world) throws(StoreError) in try reload(&world) }
        }
        return count
    }

    private func recover(_ left: Store.StoredDelivery) {
        var record = DecisionRecord(
            id: left.id, sequence: 0, time: Timestamp(microseconds: left.accepted), source: left.source,
            configuration: configuration.digest)
        record.isRecovered = true
        record.senderID = left.senderID
        record.target = left.target
        let payload: Payload
        do {
            payload = try read(left)
        } catch {
            record.error = .init(error)
            return hold(record, left.delivery, .failed, explanation: nil)
        }
        let inquiry = Inquiry(payload, in: configuration, app: left.app)
        var job = Job(
            delivery: left.delivery, payload: payload,
            decision: world.withLock { Decision(inquiry, following: .none, in: $0.resolver) }, record: record,
            nonce: UUIDv7.next(), isBegun: false, attempt: left.attempts + 1, vanished: 0,
            isInterrupted: left.state == .acting)
        if left.state != .accepted { job.decision.become(left, in: world.withLock { $0.resolver }) }
        job.record.take(job.decision, payload)
        job.record.session = job.decision.session?.id
        guard left.state != .accepted else {
            return job.decision.hasEffect ? claim(job) : hold(job.record, left.delivery, .done, explanation: nil)
        }
        let lane = left.session ?? left.id
        lanes.submit(lane) { [self, job] in left.state == .acting ? resume(job, left) : perform(job) }
    }

    /// The payload as it was read before: its format may have been named on the command line then.
    private func read(_ left: Store.StoredDelivery) throws(PayloadError) -> Payload {
        var reader = PayloadReader()
        let payload: Payload
        do throws(PayloadError) {
            payload = try reader.read(left.input)
            if payload.isEnvelope || payload.format.rawValue == left.format { return payload }
        } catch {
            guard left.format != nil else { throw error }
        }
        var named = PayloadReader(format: left.format.flatMap { PayloadFormat(rawValue: $0) } ?? .auto)
        return try named.read(left.input)
    }

    /// A delivery whose effect had begun.
    private func resume(_ job: Job, _ left: Store.StoredDelivery) {
        var job = job
        switch job.decision.action {
        case .focus:
            // Bringing a window forward twice does no harm.
            perform(job)
        case .launch:
            if let nonce = left.nonce, let found = activator.find(nonce: nonce) {
                job.decision.session?.handle = found.handle
                job.decision.session?.handleServer = found.handleServer
                return adopt(job, found)
            }
            if job.decision.scene?.launch?.command.idempotent == true { return perform(job) }
            endUnverified(job)
        case .openWeb, .background, .notify, .none:
            if job.decision.command?.idempotent == true { return perform(job) }
            endUnverified(job)
        }
    }
}

extension Decision {
    /// Becomes what was decided before, as far as the journal knows.
    fileprivate mutating func become(_ left: Store.StoredDelivery, in resolver: Resolver) {
        guard let appID = left.app, let app = resolver.snapshot.configuration.app(id: appID) else { return }
        self.app = app
        action = left.action ?? action
        var verdict = resolution.verdict
        if let id = left.session {
            session = resolver.snapshot.sessions.session(id: id, app: appID)
            scene = (left.scene ?? session?.scene).flatMap { app.scene(named: $0) }
            let name = scene?.name ?? left.scene ?? ""
            // A session that was made for this request ends with it where its launch fails.
            let wasMade = left.action == .launch && (left.reason == .opens || left.reason == .default)
            verdict = wasMade ? .create(scene: name) : .activate(session: id, scene: name)
        }
        resolution = Resolution(
            verdict: verdict, reason: left.reason ?? resolution.reason, app: appID, subjects: resolution.subjects,
            rule: resolution.rule)
        policy = action == .background ? .background : nil
        command = action == .background ? app.background : action == .openWeb ? command : nil
        if left.reason == .contentDeleted { command = app.contentDeleted }
    }
}
