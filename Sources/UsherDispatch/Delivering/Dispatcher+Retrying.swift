internal import Synchronization
internal import UsherActivation
internal import UsherLog
internal import UsherResolution
internal import UsherScene
internal import UsherStore

extension Dispatcher {
    /// How long to wait before a failed request is tried again, in microseconds; nil where it is not.
    func delayBeforeNextTry(of job: Job, after report: ActivationReport) -> Int64? {
        guard let command = command(of: job, in: report), let policy = command.retry,
            isWorthAnotherTry(report, command), !report.windowGone
        else { return nil }
        if Interruption.isRequested, options.queue == nil { return nil }
        if isCancelled(job.id) { return nil }
        let tries = job.item.attempt - job.item.forgiven
        guard tries < policy.attempts else { return nil }
        let delay = policy.delay(afterTry: tries, jitter: Double.random(in: 0...1))
        // What would be too late then has had its last try.
        if let expires = job.item.delivery.expires,
            expires == 0 || expires <= Timestamp.now().microseconds + delay
        {
            return nil
        }
        return delay
    }

    private func isWorthAnotherTry(_ report: ActivationReport, _ command: Command) -> Bool {
        switch report.failure?.code {
        case .exitStatus, .killedBySignal, .cannotStart, .programNotFound, .continuationNotHandled: return true
        // It may have happened: only what may happen twice is tried again. What ran before it is no reason.
        case nil:
            return command.idempotent && report.handlers.last?.status == .timedOut
                && report.warnings.contains { $0.code == .timeLimit }
        default: return false
        }
    }

    /// The command that ran last: where something failed, the one that did.
    private func command(of job: Job, in report: ActivationReport) -> Command? {
        let scene = job.decision.scene
        switch report.handlers.last?.verb {
        case "launch", "ready": return scene?.launch?.command
        case "show": return scene?.show?.command
        case "focus":
            if case .exec(let command) = scene?.focus?.method { return command }
            return nil
        case ContinuationVerb.continue: return job.decision.continuation?.continue?.command
        case nil: return nil
        default: return job.decision.command
        }
    }

    /// Gives a failed request back to the journal until its next try.
    func putBack(
        _ job: Job, _ record: DecisionRecord, in delay: Int64, session: (id: String, change: Store.SessionChange)?,
        endSession ended: String?
    ) {
        let due = Timestamp.now().microseconds + delay
        do {
            let result = try insist(on: job.id) { (_) throws(StoreError) in
                try store.write { [self] (store) throws(StoreError) in
                    try world.withLock { (world) throws(StoreError) in
                        try world.follow(&store) { (store, changes) throws(StoreError) in
                            let result = try store.putBack(
                                delivery: job.id, due: due, session: session, endSession: ended, owner: owner)
                            changes.note(result, ended: ended, app: job.decision.app?.id)
                            return result
                        }
                    }
                }
            }
            guard let result else { return }
            switch result {
            case .finished: break
            case .alreadyFinished(let state): return endElsewhere(job, state)
            case .taken, .unknown: return endElsewhere(job, nil)
            }
        } catch {
            return fail(job, .init(error.code, error.message, help: error.help))
        }
        let why = record.error?.message ?? record.warnings.last?.message ?? "no answer"
        logger.notice(
            "a request failed and is tried again",
            [
                "delivery.id": .text(job.id), "attempt": .number(Int64(job.item.attempt)),
                "delay.ms": .number(delay / 1000), "error.message": .text(why),
            ])
        figures.withLock { $0.retries += 1 }
        companions.withLock { companions in
            companions[job.id]?.lastTry = Companion.Kept(record)
            companions[job.id]?.tries.append(
                .init(name: DiagnosticCode.deliveryTriedAgain.name, message: "try \(job.item.attempt) failed: \(why)"))
        }
        // A run takes up what an earlier one left, but does not stay for it.
        if job.record.isRecovered, options.queue == nil { return }
        backlog.retry(job.id, due: MonotonicClock.microseconds() + delay)
        wakePump()
    }
}

extension RetryPolicy {
    /// How long to wait after the given try, counted from 1, in microseconds: twice as long each time, and a quarter more
    /// or less, so that what failed together doesn't come back together.
    ///
    /// - Parameter jitter: from 0 to 1.
    func delay(afterTry count: Int, jitter: Double) -> Int64 {
        let doubled = Double(first) * Double(1 << UInt64(max(0, min(count - 1, 40))))
        return Int64(min(doubled, Double(limit)) * (0.75 + 0.5 * jitter) * 1000)
    }
}
