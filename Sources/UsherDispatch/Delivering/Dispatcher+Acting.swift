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
        if !job.isBegun, options.queue != nil, isAboutLeftLaunch(job) { return leave(job) }
        if !job.isBegun {
            // What is in hand is finished; what only waits for its turn is not begun.
            if isStopping || Interruption.isRequested {
                // What stays in the journal is done by the next one who looks there.
                if isStopping || job.record.isRecovered || options.queue != nil { return tellLeft(job.id) }
                let report = ActivationReport(
                    failing: .interrupted, "not begun: the run was interrupted", help: "send the payload again")
                return finish(job, report, startedAt: MonotonicClock.microseconds())
            }
            do {
                let answer = try insist(on: job.id) { [job] (_) throws(StoreError) -> Store.BeginResult? in
                    if job.item.isExpired(waited: true) { return nil }
                    return try store.begin(
                        delivery: job.id, attempt: job.item.attempt, nonce: job.item.nonce, owner: owner)
                }
                guard let answer else { return }
                switch answer {
                case nil: return abandon(job, .expired, job.record.without(.expired))
                case .begun: job.isBegun = true
                case .finished(let state): return endElsewhere(job, state)
                case .taken, .unknown: return endElsewhere(job, nil)
                }
            } catch {
                return fail(job, .init(error.code, error.message, help: error.help))
            }
        }
        let started = MonotonicClock.microseconds()
        switch job.decision.action {
        case .launch, .focus: openWindow(&job, startedAt: started)
        case .notify: present(job, startedAt: started)
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
        if job.decision.action == .focus, options.queue != nil, isAboutLeftLaunch(job) { return leave(job) }
        // Work before this one in the lane may have launched the window, or lost it.
        guard let session = settled(id, app: app, launches: job.decision.action == .launch) else {
            return decideAgain(job, gone: nil, startedAt: started)
        }
        // A launch before this one in the lane, or another process's, may have failed: nothing is there to bring forward.
        if job.decision.action == .focus, !session.state.isOpen {
            return decideAgain(job, gone: nil, startedAt: started)
        }
        job.decision.session = session
        if let failure = upgrade(&job) {
            return finish(job, ActivationReport(outcome: .failed, failure: failure), startedAt: started)
        }
        let scene = job.decision.scene
        if job.decision.action == .launch {
            guard let handler = scene?.launch else {
                let rule = scene?.focus?.rule
                let absence = rule.map { activator.absence(of: session.scene, $0, sessions: owners(besides: id)) }
                let report =
                    absence.map { ActivationReport(outcome: .failed, failure: $0) }
                    ?? ActivationReport(
                        failing: .noHandler, "the scene \(session.scene) has no launch",
                        help: "add launch = { exec = […] } or { tmux = […] } to [[scenes]] \(session.scene)")
                return finish(job, report, startedAt: started)
            }
            var report = launch(job, handler)
            if report.isLeft { return leave(job) }
            if report.failure?.code == .programNotFound, scene?.isInstalled(by: activator.programs) == false {
                return decideWithoutProgram(job, report, startedAt: started)
            }
            front.settle(job.item.arrival, handle: report.handle, server: report.handleServer)
            job.isLaunched = report.failure == nil
            if report.failure == nil, !handler.carriesTarget || job.decision.continuation?.isHandled == true {
                job.decision.session?.handle = report.handle
                job.decision.session?.handleServer = report.handleServer
                tell(job, isShown: handler.carriesTarget, &report)
            }
            return finish(job, report, startedAt: started)
        }
        var task = task(for: job)
        task.token = tokens.take(of: job.id)
        if session.handle == nil, scene?.focus?.rule != nil { task.otherWindows = windows(besides: session.id) }
        var report = activator.focus(task, scene?.focus)
        if report.sparedTyping { job.record.policy = .typing }
        if session.handle == nil { job.decision.session?.handle = report.handle }
        if session.handle == nil { job.decision.session?.handleServer = report.handleServer }
        if report.windowGone {
            tokens.giveBack(of: job.id)
            return decideAgain(job, gone: report, startedAt: started)
        }
        front.settle(job.item.arrival, handle: report.handle, server: report.handleServer)
        if report.failure == nil { tell(job, isShown: false, &report) }
        finish(job, report, startedAt: started)
    }

    /// Tells the window what to show, where there is something and a way.
    func show(_ job: Job, in scene: SceneConfiguration?, _ report: inout ActivationReport) {
        guard let handler = scene?.show, job.decision.inquiry.request.target != nil else { return }
        if job.item.isInterrupted, !handler.command.idempotent {
            report.outcome = .unverified
            return
        }
        report.add(activator.show(task(for: job), handler))
    }

    /// Whose each window is, as far as that is another session's.
    private func owners(besides session: String) -> [String: String] {
        let open = world.withLock { world in
            world.resolver.snapshot.sessions.all.filter { $0.id != session && $0.state.isOpen }
        }
        return Dictionary(
            open.compactMap { session in session.handle.map { ($0, "\(session.id) (\(session.app))") } },
            uniquingKeysWith: { first, _ in first })
    }

    /// The windows that other sessions have.
    private func windows(besides session: String) -> Set<String> {
        world.withLock { world in
            Set(
                world.resolver.snapshot.sessions.all.filter { $0.id != session && $0.state.isOpen }.compactMap(\.handle)
            )
        }
    }

    /// Whether the window that it is about is being launched, or would be, and nobody waits for it any more.
    private func isAboutLeftLaunch(_ job: Job) -> Bool {
        guard activator.leavesLaunches, job.decision.opensWindow, let id = job.decision.session?.id,
            let app = job.decision.app?.id
        else { return false }
        return job.decision.action == .launch
            || world.withLock { $0.resolver.snapshot.sessions.session(id: id, app: app)?.state == .connecting }
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
        var item = job.item
        item.vanished += 1
        item.isNew = false
        let server = job.decision.session?.handleServer
        var asked = job.decision.session?.handle
        // A tmux session that is known by its name has no handle: any window of its server will do.
        if asked == nil, case .tmux = job.decision.scene?.focus?.method { asked = "@0" }
        let running = asked.flatMap { try? activator.windowSystem.server(of: $0) }
        let serverIsGone = running == nil || (server != nil && running != server)
        // Launches of others that came to nothing are not this one's fault; each of them is gone for good.
        if item.vanished > (report == nil ? 16 : 2) {
            return finish(
                job, report ?? ActivationReport(failing: .windowGone, "the chosen window vanished again and again"),
                startedAt: started)
        }
        logger.notice(
            "the chosen window is gone, deciding again",
            ["delivery.id": .text(job.id), "session.id": job.record.session.map(LogValue.text)])
        // A window that is gone from a server that still runs was closed; a server that is gone took its windows along, and
        // they come back on demand.
        let lost = report == nil ? nil : job.decision.session?.id
        commitAgain(job, item, losing: lost, for: serverIsGone ? .now : .ever)
    }

    /// The program that was to be launched is gone since the configuration was read: that is noted, and the request decided
    /// once more. Another scene or a web page may do.
    private func decideWithoutProgram(_ job: Job, _ report: ActivationReport, startedAt started: Int64) {
        var item = job.item
        item.vanished += 1
        item.isNew = false
        guard item.vanished <= 2, let app = job.decision.app?.id, let scene = job.decision.scene?.name else {
            return finish(job, report, startedAt: started)
        }
        let isNews = world.withLock { world in
            var missing = world.resolver.snapshot.missingPrograms
            let isNews = missing.insert(SceneName(app: app, scene: scene)).inserted
            if isNews { world.resolver.replaceMissingPrograms(missing) }
            return isNews
        }
        // It was decided for all the same: somebody named this very session.
        guard isNews else { return finish(job, report, startedAt: started) }
        logger.notice(
            "the program of a scene is gone, deciding again",
            ["delivery.id": .text(job.id), "app": .text(app), "scene": .text(scene)])
        var isNew = false
        if case .create = job.decision.resolution.verdict { isNew = true }
        commitAgain(job, item, losing: job.decision.session?.id, for: isNew ? .ever : .now)
    }

    /// For how long a window is gone.
    private enum Loss {
        /// Its session is launched again on demand.
        case now
        case ever
    }

    /// Notes what became of the window that was chosen, and decides the request once more.
    private func commitAgain(_ job: Job, _ given: Item, losing session: String?, for loss: Loss) {
        var item = given
        item.attempt += 1
        // Looking for the window took no try away from its handler.
        item.forgiven += 1
        item.nonce = UUIDv7.next()
        do {
            if let session {
                let isNoted: Void? = try insist(on: job.id) { (_) throws(StoreError) in
                    switch loss {
                    case .now:
                        _ = try change(
                            session: session, .init(state: .disconnected, handle: .some(nil), handleServer: .some(nil)))
                    case .ever: try end(session: session)
                    }
                }
                if isNoted == nil { return }
            }
            let taken = try insist(on: job.id) { [item] (_) throws(StoreError) in
                try turn.withLock { (_) throws(StoreError) in try commit([item], mayQueue: false) }
            }
            if let taken { settle(taken) }
        } catch {
            fail(job, .init(error.code, error.message, help: error.help))
        }
    }

    func task(for job: Job) -> ActivationTask {
        ActivationTask(
            job.decision, delivery: job.id, nonce: job.item.nonce, payload: job.activity ?? Array(job.payload.raw))
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
