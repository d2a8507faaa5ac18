internal import Synchronization
internal import UsherActivation
internal import UsherLog
internal import UsherResolution
internal import UsherScene
internal import UsherStore
internal import UsherSystem

extension Dispatcher {
    /// A launch that an earlier run had begun was found: its window is the session's.
    func adopt(_ taken: Job, _ found: FoundLaunch) {
        var job = taken
        let started = MonotonicClock.microseconds()
        let nonce = job.item.nonce
        defer { activator.claims?.release(nonce) }
        var report = ActivationReport(outcome: .done)
        let isShown = job.decision.scene?.launch?.carriesTarget ?? true
        report.process = found.process
        if found.handle != nil {
            report = activator.focus(task(for: job), job.decision.scene?.focus)
            report.overlookFailure()
            (report.handle, report.handleServer) = (found.handle, found.handleServer)
        } else if let handler = job.decision.scene?.launch,
            let awaited = activator.awaitWindow(of: found, task(for: job), handler, focus: job.decision.scene?.focus)
        {
            if awaited.isLeft { return leave(job) }
            report = awaited
            report.overlookFailure()
            job.decision.session?.handle = report.handle
            job.decision.session?.handleServer = report.handleServer
            // Where there was no window, nothing was shown in it yet.
            job.item.isInterrupted = false
        }
        job.isLaunched = true
        if job.decision.continuation?.isHandled == true {
            // The journal has it as begun: whoever is told now is told of its end, too.
            job.isBegun = true
            if !job.mayHaveContinued, let failure = upgrade(&job) {
                report.failure = failure
                report.outcome = .failed
            } else {
                tell(job, isShown: isShown, &report)
            }
        } else {
            tell(job, isShown: isShown, &report)
        }
        finish(job, report, startedAt: started)
    }

    /// Nobody knows whether the effect happened, and running it again could do it twice.
    func endUnverified(_ job: Job) {
        let started = MonotonicClock.microseconds()
        let isGone: Bool
        if job.decision.action == .launch, job.decision.scene?.isKnownByProcessAlone == true {
            // No process of this launch runs any more.
            isGone = true
        } else if case .tmux = job.decision.scene?.launch?.place, job.decision.action == .launch {
            // The window system was asked, and knows no such window: the next request may make one.
            isGone = true
        } else {
            // A process may have handed over and ended: its window is believed until something contradicts it.
            isGone = false
        }
        let report = ActivationReport(
            outcome: .unverified,
            warnings: [
                ActivationFailure(
                    .interrupted, "the run that carried this out was killed, and nobody knows how far it came",
                    help: "say idempotent = true in the handler, and it is run again instead")
            ])
        finish(job, report, startedAt: started, windowIsGone: isGone)
    }

    func finish(_ job: Job, _ report: ActivationReport, startedAt started: Int64, windowIsGone: Bool = false) {
        let change = change(after: report, job, windowIsGone: windowIsGone)
        let ended = sessionToEnd(after: report, job)
        let isTied = isTiedToProcess(job, report)
        var record = job.record
        record.outcome = report.outcome
        record.actMicroseconds = MonotonicClock.microseconds() - started
        record.seen = report.seen
        record.warnings += report.warnings.map {
            .init(name: $0.code.name, message: $0.message, help: $0.help)
        }
        record.handlers = (job.preparations + report.handlers).map(DecisionRecord.HandlerRun.init)
        if let failure = report.failure {
            record.error = .init(failure.code, failure.message, help: failure.help)
            record.outcome = .failed
        }
        record.warnings += companions.withLock { $0[job.id]?.tries ?? [] }
        if let delay = delayBeforeNextTry(of: job, after: report) {
            return putBack(job, record, in: delay, session: change, endSession: ended)
        }
        tellOfFailure(job, report, &record)
        let state: DeliveryState = record.error == nil ? .done : .failed
        do {
            let line = record.json
            var attempts = 0
            let finished = try insist(on: job.id) { [record] (attempt) throws(StoreError) in
                attempts = attempt
                return try store.write { [self] (store) throws(StoreError) in
                    try world.withLock { (world) throws(StoreError) in
                        try world.follow(&store) { (store, changes) throws(StoreError) in
                            var change = change
                            if isTied, let given = change, try store.session(id: given.id)?.state == .connected {
                                // The program has registered its session itself.
                                change?.change = Store.SessionChange(title: given.change.title)
                            }
                            let lost = try LostWindow(of: change, record, in: &store)
                            let result = try store.finish(
                                delivery: job.id, state: state, record: lost?.record.json ?? line,
                                session: lost?.change ?? change, endSession: ended, owner: owner)
                            changes.note(result, ended: ended, app: job.decision.app?.id)
                            if let shown = job.shown, case .finished = result { try store.insert(shown) }
                            return (result: result, record: lost?.record)
                        }
                    }
                }
            }
            guard let finished else { return }
            let result = finished.result
            if let changed = finished.record { record = changed }
            if isTied { processObserver.withLock { $0 }?() }
            switch result {
            case .finished: break
            // The try before was written although it failed: what is there is this very record.
            case .alreadyFinished(let known) where known == state && attempts > 1: break
            case .alreadyFinished(let known): return endElsewhere(job, known)
            case .taken, .unknown: return endElsewhere(job, nil)
            }
        } catch {
            record.error = .init(error.code, error.message, help: error.help)
            logger.error(
                "a record could not be journalled",
                [
                    "delivery.id": .text(record.id), "error.code": .text(error.code.code),
                    "error.message": .text(error.message),
                ])
        }
        logger.info(
            "a request was carried out",
            [
                "delivery.id": .text(record.id), "action": .text(record.action.rawValue),
                "reason": .text(record.reason.rawValue), "outcome": .text(record.outcome.rawValue),
                "session.id": record.session.map(LogValue.text), "target": record.target.map(LogValue.text),
                "title": record.title.map(LogValue.text),
                "payload.body": job.decision.inquiry.body.map(LogValue.payload),
            ])
        conclude(record)
    }

    /// Ends a request that could not be carried out; the journal may not even know it.
    func fail(_ job: Job, _ problem: DecisionRecord.Problem) {
        var record = job.record
        record.outcome = .failed
        record.error = problem
        logger.error(
            "a request could not be carried out",
            [
                "delivery.id": .text(record.id), "error.code": .text(problem.code.code),
                "error.message": .text(problem.message),
            ])
        abandon(job, .failed, record)
    }

    /// Ends a claimed request that never begins, so that no later run does what this one calls failed; where the store
    /// does not take that either, the next run finds it, and the record says so.
    func abandon(_ job: Job, _ state: DeliveryState, _ record: DecisionRecord) {
        var record = record
        let line = record.json
        do {
            let isWritten: Void? = try insist(on: job.id) { (_) throws(StoreError) in
                try store.write { [self] (store) throws(StoreError) in
                    try world.withLock { (world) throws(StoreError) in
                        guard let known = try store.delivery(id: job.id), !known.state.isTerminal else { return }
                        try world.follow(&store) { (store, changes) throws(StoreError) in
                            let (changed, ended) = try store.abandon(known, state: state, record: line)
                            if let changed { changes.changed.append(changed) }
                            if let ended, let app = job.decision.app?.id { changes.ended.append((ended, app)) }
                        }
                    }
                }
            }
            if isWritten == nil { return }
        } catch {
            record.warnings.append(.notJournalled(error))
        }
        conclude(record)
    }

    /// Somebody else gave a claimed request its end: whoever waits for it here is told.
    func endElsewhere(_ job: Job, _ state: DeliveryState?) {
        var record = job.record
        switch state {
        case .collapsed: record = record.without(.collapsed)
        case .expired: record = record.without(.expired)
        case .duplicate: record = record.without(.duplicate)
        case .done: record.outcome = .unverified
        default:
            record.outcome = .failed
            record.error = .dropped
        }
        conclude(record)
    }

    /// What an activation makes of its session.
    private func change(
        after report: ActivationReport, _ job: Job, windowIsGone: Bool
    ) -> (id: String, change: Store.SessionChange)? {
        guard let session = job.decision.session, job.decision.opensWindow,
            sessionToEnd(after: report, job) == nil
        else { return nil }
        if (report.failure != nil && !job.isLaunched) || windowIsGone || report.isUnidentified {
            guard job.decision.action == .launch else { return nil }
            return (session.id, .init(state: .disconnected, handle: .some(nil), handleServer: .some(nil)))
        }
        var change = Store.SessionChange(used: report.outcome == .verified)
        // A focus that proves nothing doesn't end another process's launch.
        if job.decision.action == .launch || report.outcome != .unverified { change.state = .connected }
        // The program may have given its handle itself while it was launched.
        if job.decision.action == .launch, let handle = report.handle {
            change.handle = .some(handle)
            change.handleServer = .some(report.handleServer)
        }
        // A handle that the app gave comes without the server it belongs to.
        if session.handleServer == nil, report.handle != nil { change.handleServer = .some(report.handleServer) }
        if let title = job.decision.inquiry.title { change.title = .some(title) }
        if isTiedToProcess(job, report), let pid = report.process {
            SessionLoss.tie(&change, of: session.id, to: pid)
        }
        return (session.id, change)
    }

    /// Whether nothing but the launched process tells whether the session is still there.
    private func isTiedToProcess(_ job: Job, _ report: ActivationReport) -> Bool {
        job.decision.action == .launch && report.process != nil && report.handle == nil && report.failure == nil
            && job.decision.scene?.isKnownByProcessAlone == true
    }

    /// A session whose first launch failed never was one.
    private func sessionToEnd(after report: ActivationReport, _ job: Job) -> String? {
        guard report.failure != nil, !job.isLaunched, job.decision.action == .launch,
            let session = job.decision.session,
            case .create = job.decision.resolution.verdict
        else { return nil }
        return session.id
    }
}

/// A launch's window that another session has taken since the launch was granted it.
private struct LostWindow: Sendable {
    var change: (id: String, change: Store.SessionChange)
    var record: DecisionRecord

    /// nil where the session may have the window.
    init?(
        of given: (id: String, change: Store.SessionChange)?, _ record: DecisionRecord, in store: inout StoreState
    ) throws(StoreError) {
        guard let given, let handle = given.change.handle ?? nil,
            let holder = try store.holders(ofWindow: handle, server: given.change.handleServer ?? nil)
                .first(where: { $0.isOpen && $0.session != given.id })
        else { return nil }
        change = (given.id, .init(state: .disconnected, handle: .some(nil), handleServer: .some(nil)))
        self.record = record
        if record.error == nil { self.record.outcome = .unverified }
        self.record.warnings.append(
            .init(
                name: DiagnosticCode.windowAmbiguous.name,
                message: "the window \(handle) became the window of the session \(holder.session) meanwhile",
                help: "the session keeps no window: its next request launches the program again"))
    }
}

extension TrackedChanges {
    mutating func note(_ result: Store.FinishResult, ended id: String?, app: String?) {
        guard case .finished(let session, _) = result else { return }
        if let session { changed.append(session) }
        if let id, let app { ended.append((id, app)) }
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

extension DecisionRecord.Problem {
    /// Somebody asked for it not to be done.
    static let dropped = Self(
        .deliveryDropped, "it was dropped before its effect began", help: "usher deliveries retry takes it up again")
}

extension ActivationReport {
    /// The program was found, so nothing has failed: what could not be done to its window is a warning.
    fileprivate mutating func overlookFailure() {
        guard let failure else { return }
        outcome = .unverified
        warnings.append(failure)
        self.failure = nil
    }
}
