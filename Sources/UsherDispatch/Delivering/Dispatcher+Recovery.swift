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
    ///
    /// Returns when all of that is done; where `Options.queue` is set, as soon as it is taken up.
    public func recover() throws(StoreError) -> Int {
        try SessionLoss.loseEnded(in: store, by: self)
        let ids = try store.adopt(try store.abandoned(), owner: owner)
        store.forgetDeadOwners()
        var queued: [String] = []
        for id in ids {
            if Interruption.isRequested { break }
            // One by one: their inputs together may be large.
            guard let left = try store.deliveries(ids: [id]).first, !left.state.isTerminal else { continue }
            logger.notice(
                "a delivery that was left open is finished",
                ["delivery.id": .text(left.id), "delivery.state": .text(left.state.rawValue)])
            guard left.state == .accepted else {
                turn.withLock { _ in resume(left) }
                lanes.lendHand()
                continue
            }
            if let due = left.due, due > Timestamp.now().microseconds {
                // A clock that was set back must not put a try off for ever.
                let wait = min(due - Timestamp.now().microseconds, Dispatcher.longestWait)
                if options.queue != nil { backlog.retry(id, due: MonotonicClock.microseconds() + wait) }
            } else {
                queued.append(id)
            }
        }
        backlog.queue(queued)
        guard options.queue == nil else {
            wakePump()
            return ids.count
        }
        repeat { lanes.drain() } while pump()
        lanes.drain()
        return ids.count
    }

    /// No policy waits longer, in microseconds.
    private static let longestWait: Int64 = 3_600_000_000

    /// A delivery that was decided, and may have begun.
    private func resume(_ left: Store.StoredDelivery) {
        var item = item(for: left)
        item.isInterrupted = left.state == .acting
        item.record.isRecovered = true
        guard case .success(let payload) = item.reading else {
            if case .failure(let error) = item.reading { item.record.error = .init(error) }
            return endUnreadable(item.record)
        }
        var (decision, digest) = self.decision(
            payload, app: item.app ?? item.delivery.app, response: item.delivery.response)
        world.withLock { decision.become(left, in: $0.resolver) }
        item.record.configuration = digest
        var record = item.record
        record.take(decision, payload)
        record.senderID = left.senderID
        record.session = decision.session?.id
        let job = Job(
            item: item, payload: payload, decision: decision, record: record,
            lane: left.session ?? decision.laneWithoutSession(left.id),
            isBegun: false)
        backlog.enter()
        lanes.submit(job.lane) { [self] in
            if left.state == .acting { resume(job, left) } else { perform(job) }
            backlog.leave()
        }
    }

    /// A delivery whose input cannot be read any more.
    private func endUnreadable(_ record: DecisionRecord) {
        backlog.enter()
        lanes.submit("unreadable \(record.id)") { [self] in
            let line = record.json
            do throws(StoreError) {
                let result = try insist(on: record.id) { (_) throws(StoreError) in
                    try store.finish(delivery: record.id, state: .failed, record: line, owner: owner)
                }
                if result != nil { conclude(record) }
            } catch {
                var record = record
                record.warnings.append(.notJournalled(error))
                conclude(record)
            }
            backlog.leave()
        }
    }

    /// A delivery whose effect had begun.
    private func resume(_ job: Job, _ left: Store.StoredDelivery) {
        var job = job
        switch job.decision.action {
        case .focus, .notify:
            // Bringing a window forward twice does no harm, nor does showing a notification twice: missing it would.
            perform(job)
        case .launch:
            if let nonce = left.nonce, let found = activator.find(nonce: nonce) {
                job.decision.session?.handle = found.handle
                job.decision.session?.handleServer = found.handleServer
                return adopt(job, found)
            }
            if job.decision.scene?.launch?.command.idempotent == true { return perform(job) }
            endUnverified(job)
        case .openWeb, .background, .none:
            let command = job.decision.command ?? job.decision.continuation?.didFail?.command
            if command?.idempotent == true { return perform(job) }
            endUnverified(job)
        }
    }
}

extension Decision {
    /// Becomes what was decided before, as far as the journal knows.
    fileprivate mutating func become(_ left: Store.StoredDelivery, in resolver: Resolver) {
        guard let appID = left.app, let app = resolver.snapshot.configuration.app(id: appID) else { return }
        becomes(about: appID, in: resolver.snapshot.configuration)
        action = left.action ?? action
        var verdict = resolution.verdict
        if let id = left.session {
            session = resolver.snapshot.sessions.session(id: id, app: appID)
            becomes(aboutScene: left.scene ?? session?.scene)
            let name = scene?.name ?? left.scene ?? ""
            verdict = left.madeItsSession ? .create(scene: name) : .activate(session: id, scene: name)
        }
        resolution = Resolution(
            verdict: verdict, reason: left.reason ?? resolution.reason, app: appID, subjects: resolution.subjects,
            rule: resolution.rule, failure: left.reason == resolution.reason ? resolution.failure : nil)
        policy = action == .background ? .background : action == .notify ? policy : nil
        command =
            action == .background
            ? inquiry.press?.button?.background ?? app.background : action == .openWeb ? command : nil
        if left.reason == .contentDeleted { command = app.contentDeleted }
    }
}

extension Store.StoredDelivery {
    /// The payload as it was read before: its format may have been named on the command line then.
    func payload() throws(PayloadError) -> Payload {
        var reader = PayloadReader()
        let payload: Payload
        do throws(PayloadError) {
            payload = try reader.read(input)
            if payload.isEnvelope || payload.format.rawValue == format { return payload }
        } catch {
            guard format != nil else { throw error }
        }
        var named = PayloadReader(format: format.flatMap { PayloadFormat(rawValue: $0) } ?? .auto)
        return try named.read(input)
    }
}
