internal import Glibc
internal import Synchronization
internal import UsherActivation
internal import UsherLog
internal import UsherPayload
internal import UsherResolution
internal import UsherScene
internal import UsherStore

extension Dispatcher {
    /// How long a window that another process is launching is waited for, in microseconds.
    static let launchPatience: Int64 = 5_000_000

    /// Carries out a claimed request; called in its scene's lane.
    func perform(_ claimed: Job) {
        var job = claimed
        if !job.isBegun {
            // What is in hand is finished; what only waits for its turn is not begun.
            if Interruption.isRequested {
                // What an earlier run took in stays in the journal for the next one.
                if job.record.isRecovered { return }
                let report = ActivationReport(
                    failing: .interrupted, "not begun: the run was interrupted", help: "send the payload again")
                return finish(job, report, startedAt: MonotonicClock.microseconds())
            }
            do {
                try store.begin(delivery: job.delivery.id, attempt: job.attempt, nonce: job.nonce)
                job.isBegun = true
            } catch {
                return fail(job, .init(error.code, error.message, help: error.help))
            }
        }
        let started = MonotonicClock.microseconds()
        switch job.decision.action {
        case .launch, .focus: openWindow(&job, startedAt: started)
        case .notify:
            let report = ActivationReport(
                failing: .noHandler,
                "deliver = \"notify\" needs desktop notifications, which this version does not show",
                help: "use deliver = \"focus\" in the app's manifest")
            finish(job, report, startedAt: started)
        case .openWeb, .background, .none:
            guard let command = job.decision.command else {
                return finish(job, ActivationReport(outcome: .skipped), startedAt: started)
            }
            var report = activator.run(task(for: job), command, verb: job.decision.verb)
            // That the app was told of deleted content doesn't make the request a success.
            if job.decision.action == .none, report.failure == nil { report.outcome = .skipped }
            finish(job, report, startedAt: started)
        }
    }

    // MARK: Windows

    private func openWindow(_ job: inout Job, startedAt started: Int64) {
        guard let id = job.decision.session?.id, let app = job.decision.app?.id else {
            return finish(job, ActivationReport(failing: .noHandler, "no session was claimed"), startedAt: started)
        }
        // Work before this one in the lane may have launched the window, or lost it.
        guard let session = settled(id, app: app, launches: job.decision.action == .launch) else {
            return decideAgain(job, gone: nil, startedAt: started)
        }
        // A launch before this one in the lane, or another process's, may have failed: nothing is there to bring forward.
        if job.decision.action == .focus, !session.state.isOpen {
            return decideAgain(job, gone: nil, startedAt: started)
        }
        job.decision.session = session
        let scene = job.decision.scene
        if job.decision.action == .launch {
            guard let handler = scene?.launch else {
                let report = ActivationReport(
                    failing: .noHandler, "the scene \(session.scene) has no launch",
                    help: "add launch = { exec = […] } or { tmux = […] } to [[scenes]] \(session.scene)")
                return finish(job, report, startedAt: started)
            }
            var report = activator.launch(task(for: job), handler)
            front.settle(job.record.sequence, handle: report.handle, server: report.handleServer)
            if report.failure == nil, !handler.carriesTarget {
                job.decision.session?.handle = report.handle
                job.decision.session?.handleServer = report.handleServer
                show(job, in: scene, &report)
            }
            return finish(job, report, startedAt: started)
        }
        var report = activator.focus(task(for: job), scene?.focus)
        if report.windowGone { return decideAgain(job, gone: report, startedAt: started) }
        front.settle(job.record.sequence, handle: report.handle, server: report.handleServer)
        if report.failure == nil { show(job, in: scene, &report) }
        finish(job, report, startedAt: started)
    }

    /// Tells the window what to show, where there is something and a way.
    private func show(_ job: Job, in scene: SceneConfiguration?, _ report: inout ActivationReport) {
        guard let handler = scene?.show, job.decision.inquiry.request.target != nil else { return }
        if job.isInterrupted, !handler.command.idempotent {
            report.outcome = .unverified
            return
        }
        report.add(activator.show(task(for: job), handler))
    }

    /// The session as it is now; one that is being launched by another process is waited for. nil when it is gone.
    private func settled(_ id: String, app: String, launches: Bool) -> SceneSession? {
        let session = world.withLock { $0.resolver.snapshot.sessions.session(id: id, app: app) }
        guard !launches, session?.state == .connecting else { return session }
        let deadline = MonotonicClock.microseconds() + Dispatcher.launchPatience
        while true {
            // A store that is busy says nothing about the session.
            var stored = session
            do { stored = try store.session(id: id) } catch {}
            guard let stored else { return nil }
            if stored.state != .connecting || MonotonicClock.microseconds() > deadline { return stored }
            usleep(20_000)
        }
    }

    /// The chosen window has vanished: the store is told, and the request decided once more.
    private func decideAgain(_ job: Job, gone report: ActivationReport?, startedAt started: Int64) {
        var job = job
        job.vanished += 1
        let server = job.decision.session?.handleServer
        let running = (try? activator.windowSystem.windows())?.server
        let serverIsGone = running == nil || (server != nil && running != server)
        if job.vanished > 2 {
            return finish(
                job, report ?? ActivationReport(failing: .windowGone, "the chosen window vanished again and again"),
                startedAt: started)
        }
        do {
            try world.withLock { (world) throws(StoreError) in
                if let session = job.decision.session, report != nil {
                    // A window that is gone from a server that still runs was closed; a server that is gone took its
                    // windows along, and they come back on demand.
                    if serverIsGone {
                        _ = try store.change(
                            session: session.id,
                            .init(state: .disconnected, handle: .some(nil), handleServer: .some(nil)))
                    } else {
                        try store.end(session: session.id)
                    }
                }
                try reload(&world)
                job.decision = Decision(job.decision.inquiry, following: job.decision.redirection, in: world.resolver)
            }
        } catch {
            return fail(job, .init(error.code, error.message, help: error.help))
        }
        logger.notice(
            "the chosen window is gone, deciding again",
            ["delivery.id": .text(job.record.id), "session.id": job.record.session.map(LogValue.text)])
        job.record.take(job.decision, job.payload)
        job.isBegun = false
        job.attempt += 1
        claim(job)
        // Whoever hands requests in may wait for this one's record, and so would not commit it.
        flush()
    }

    // MARK: The end

    /// A launch that an earlier run had begun was found: its window is the session's.
    func adopt(_ job: Job, _ found: FoundLaunch) {
        let started = MonotonicClock.microseconds()
        var report = ActivationReport(outcome: .done)
        if found.handle != nil {
            report = activator.focus(task(for: job), nil)
            report.failure = nil
        }
        report.handle = found.handle
        report.handleServer = found.handleServer
        finish(job, report, startedAt: started)
    }

    /// Nobody knows whether the effect happened, and running it again could do it twice.
    func endUnverified(_ job: Job) {
        let started = MonotonicClock.microseconds()
        let isGone: Bool
        if case .tmux = job.decision.scene?.launch?.place, job.decision.action == .launch {
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

    private func finish(
        _ job: Job, _ report: ActivationReport, startedAt started: Int64, windowIsGone: Bool = false
    ) {
        let change = change(after: report, job, windowIsGone: windowIsGone)
        let ended = sessionToEnd(after: report, job)
        var record = job.record
        record.outcome = report.outcome
        record.actMicroseconds = MonotonicClock.microseconds() - started
        record.seen = report.seen
        record.warnings += report.warnings.map {
            .init(name: $0.code.name, message: $0.message, help: $0.help)
        }
        record.handlers = report.handlers.map(DecisionRecord.HandlerRun.init)
        if let failure = report.failure {
            record.error = .init(failure.code, failure.message, help: failure.help)
            record.outcome = .failed
        }
        let line = record.json
        do {
            try world.withLock { (world) throws(StoreError) in
                let end = try store.finish(
                    delivery: job.delivery.id, state: record.error == nil ? .done : .failed, record: line,
                    session: change, endSession: ended)
                guard case .finished(let session, let generation) = end else { return }
                // Each of the two changes counts one generation; more than that, and somebody else was at it too.
                if let session { world.resolver.update(session) }
                if let ended, let app = job.decision.app?.id { world.resolver.remove(session: ended, app: app) }
                // Where the wish changed nothing (the session is gone), the world is not known: the next claim reads it.
                let own: Int64 = session != nil || ended != nil ? 1 : 0
                if generation == world.generation + own { world.generation = generation } else { world.generation = -1 }
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
        emit(record)
    }

    /// What an activation makes of its session.
    private func change(
        after report: ActivationReport, _ job: Job, windowIsGone: Bool
    ) -> (id: String, change: Store.SessionChange)? {
        guard let session = job.decision.session, job.decision.opensWindow,
            sessionToEnd(after: report, job) == nil
        else { return nil }
        if report.failure != nil || windowIsGone {
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
        return (session.id, change)
    }

    /// A session whose first launch failed never was one.
    private func sessionToEnd(after report: ActivationReport, _ job: Job) -> String? {
        guard report.failure != nil, job.decision.action == .launch, let session = job.decision.session,
            case .create = job.decision.resolution.verdict
        else { return nil }
        return session.id
    }

    private func task(for job: Job) -> ActivationTask {
        ActivationTask(job.decision, delivery: job.delivery.id, nonce: job.nonce, payload: Array(job.payload.raw))
    }
}

extension ActivationReport {
    init(failing code: DiagnosticCode, _ message: String, help: String? = nil) {
        self.init(outcome: .failed, failure: ActivationFailure(code, message, help: help))
    }

    /// Adds what came of telling the window what to show: its failure is one of the whole, its success proves nothing.
    mutating func add(_ show: ActivationReport) {
        handlers += show.handlers
        warnings += show.warnings
        seen = seen ?? show.seen
        if let failure = show.failure {
            self.failure = failure
            outcome = .failed
        } else if show.outcome == .unverified {
            outcome = .unverified
        }
    }
}

extension DecisionRecord.HandlerRun {
    init(_ report: HandlerReport) {
        let (status, code): (String, Int?) =
            switch report.status {
            case .exited(let status): ("exited", Int(status))
            case .signalled(let signal): ("signalled", Int(signal))
            case .timedOut: ("timed-out", nil)
            case .failedToStart: ("failed-to-start", nil)
            case .running: ("running", nil)
            }
        self.init(
            verb: report.verb, program: report.command, status: status, code: code, milliseconds: report.milliseconds)
    }
}
