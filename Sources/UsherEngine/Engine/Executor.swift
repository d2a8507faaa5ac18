internal import Glibc
internal import Synchronization
internal import UsherActivation
internal import UsherHook
internal import UsherJSON
internal import UsherLog
internal import UsherPayload
internal import UsherResolution
internal import UsherScene
internal import UsherStore
internal import UsherSystem
internal import UsherText

/// Carries out the effects of claimed deliveries: launches programs, focuses windows, shows targets and notifications,
/// runs handlers. Its threads may block. It does not use the journal and makes no decisions. The state of sessions and
/// windows that an effect needs is in its `Surroundings`.
package final class Executor: Sendable {
    let activator: Activator
    let stateFolder: String
    let notifications: NotificationDesk?
    let tokens: ActivationTokens
    private let presence: (any UserPresence)?
    private let visits: VisitWatch
    let front: FrontWindow
    private let suggestion: @Sendable (_ app: String) -> [UInt8]?
    private let absence: @Sendable (SceneSession) -> ActivationFailure?
    private let threads: WorkerThreads
    /// What the engine's thread looks up when an effect begins.
    struct Surroundings: Sendable {
        /// The claimed session as it is now; nil where there is none any more.
        var session: SceneSession?
        /// The process that a session without a window lives by.
        var process: Store.SessionProcess?
        /// The windows that other open sessions have; filled in where a rule looks for a window.
        var otherWindows = HeldWindows()
        /// The open sessions with a window, one of which may be the place of the terminal that is to come forward.
        var places: [SceneSession] = []
        /// The activity that the session had when its window was lost.
        var restoration: [UInt8]?
        /// Why it could not be read.
        var restorationFailure: ActivationFailure?
        /// The notification that is shown now and is to be replaced: it has the same collapse id, or target.
        var replaced: Store.StoredNotification?
        /// Whether the scene's program is known to be missing: it was chosen all the same.
        var isProgramKnownMissing = false
        /// Whether the sender waits for the answer to its notification.
        var awaitsAnswer = false
        /// The sender's request not to try it again.
        var cancellation: Cancellation?
        /// What earlier tries came to.
        var earlierTries: [DecisionRecord.Note] = []
    }

    /// - Parameter stateFolder: of the store, for the programs that were started for its sessions.
    init(
        _ activator: Activator, stateFolder: String, notifications: NotificationDesk?,
        presence: (any UserPresence)? = nil, visits: VisitWatch = VisitWatch(), tokens: ActivationTokens,
        suggestion: @escaping @Sendable (_ app: String) -> [UInt8]? = { _ in nil },
        absence: @escaping @Sendable (SceneSession) -> ActivationFailure? = { _ in nil }, threads: Int
    ) {
        self.activator = activator
        self.presence = presence
        self.visits = visits
        self.stateFolder = stateFolder
        self.notifications = notifications
        self.tokens = tokens
        self.suggestion = suggestion
        self.absence = absence
        front = FrontWindow(activator.windowSystem)
        self.threads = WorkerThreads(limit: threads)
    }

    /// Carries out a claimed delivery on its own thread, and reports the result. `watched` is called for an effect with
    /// `watchesFront`, before or after `report`, with the warning for its record.
    ///
    /// If the system cannot create a thread, `runInlineIfStarved` does the work.
    func run(
        _ ticket: Ticket, _ surroundings: Surroundings, _ report: @escaping @Sendable (Effect) -> Void,
        watched: @escaping @Sendable (DecisionRecord.Note?) -> Void
    ) {
        if ticket.opensWindow { front.noteRequest(ticket.number) }
        threads.submit { [self] in
            var work = Work(self, ticket, surroundings)
            work.watched = watched
            report(work.run())
        }
    }

    /// The result of a claimed delivery that fails before its effect begins.
    func failure(_ failure: ActivationFailure, of ticket: Ticket, _ surroundings: Surroundings) -> Effect {
        var work = Work(self, ticket, surroundings)
        work.tellsOfFailure = ticket.hasBegun
        return work.fail(failure)
    }

    /// Does on the calling thread the work for which no thread could be created.
    func runInlineIfStarved() { threads.runInlineIfStarved() }

    /// Whether the user should not be disturbed for this reason. False if the desktop cannot answer.
    fileprivate func holds(_ state: QuietRule.State) -> Bool {
        switch state {
        case .doNotDisturb: presence?.isDoNotDisturb() ?? false
        case .locked: presence?.isLocked() ?? false
        case .fullscreen: (try? activator.windowSystem.isFrontFullscreen()) ?? false
        }
    }

    /// A user that has used no key and no pointer for longer may be away.
    package static let presenceTime = Duration.seconds(60)

    /// What shows that the user looks at a session now; nil where that is not known for certain.
    fileprivate func sight(of session: SceneSession) -> SeenEvidence? {
        guard session.state.isOpen, let evidence = visits.evidence(of: session) else { return nil }
        visits.notePlace(session, isSeen: evidence.isSeen)
        guard evidence.isCertain else { return nil }
        let keyTime = evidence.keyTime.map { Duration.seconds(Instant.now.microseconds / 1_000_000 - $0) }
        guard let time = presence?.timeSinceInput() ?? keyTime, time <= Executor.presenceTime else { return nil }
        return evidence
    }

    /// See `EngineOpenings.suggestion`.
    fileprivate func suggestion(for app: String) -> [UInt8]? { suggestion(app) }

    /// See `EngineOpenings.absence`.
    fileprivate func absence(of session: SceneSession) -> ActivationFailure? { absence(session) }

    fileprivate func settleFront(_ ticket: Ticket, _ report: ActivationReport) {
        front.restoreLatest(after: ticket.number, handle: report.handle, server: report.handleServer)
    }
}

/// One effect while it is carried out.
private struct Work {
    private let executor: Executor
    private let activator: Activator
    private let ticket: Ticket
    private let surroundings: Executor.Surroundings
    private let started = MonotonicClock.now
    /// The session with the window that the effect found or made.
    private var session: SceneSession?
    /// The session that has the process whose terminal came forward.
    private var place: SceneSession?
    /// The window was made, whatever failed afterwards.
    private var isLaunched = false
    /// It is unknown which parts of the effect an earlier run did, and its window cannot be found.
    private var windowIsGone = false
    private var isInterrupted: Bool
    /// Whether the `didFail` handler of the app runs if its activity could not be continued.
    var tellsOfFailure = true
    /// What `upgrade` made of the activity.
    private var activity: [UInt8]?
    /// Programs that were run before the window was there.
    private var preparations: [HandlerReport] = []
    private var shown: Store.StoredNotification?
    private var awaitedNotice: AwaitedNotice?
    private var policy: Policy?
    /// Called with what became of the window in front; nil where none is watched.
    var watched: (@Sendable (DecisionRecord.Note?) -> Void)?
    private var watchesFront = false
    /// What is done at most, because the user should not be disturbed.
    private var quiet: QuietRule.Act?

    init(_ executor: Executor, _ ticket: Ticket, _ surroundings: Executor.Surroundings) {
        self.executor = executor
        activator = executor.activator
        self.ticket = ticket
        self.surroundings = surroundings
        session = surroundings.session
        isInterrupted = ticket.tries.isInterrupted
    }

    private var decision: Decision { ticket.plan.decision }
    private var scene: SceneConfiguration? { decision.scene }

    /// The values that handlers are given.
    private func task() -> ActivationTask {
        var task = ActivationTask(
            decision, delivery: ticket.id, nonce: ticket.nonce, payload: activity ?? decision.payloadRequest.handed)
        (task.session, task.handle, task.handleServer) = (session?.id, session?.handle, session?.handleServer)
        if let hook = decision.payloadRequest.hook {
            let input = HookCommandInput(ticket.plan.payload)
            task.hook = .init(name: hook.name, values: input?.values ?? [:])
            task.payload = input?.body ?? []
        }
        return task
    }

    mutating func run() -> Effect {
        if let adoption = ticket.adoption { return adopt(adoption) }
        let rule = decision.quiet
        if !rule.isEmpty, !activator.isDryRun { quiet = rule.act(where: executor.holds) }
        if quiet != nil { policy = .quiet }
        switch quiet?.limit(decision.action) ?? decision.action {
        case .none where decision.action != .none: return end(ActivationReport(outcome: .skipped))
        case .launch: return launch()
        case .focus: return decision.payloadRequest.terminal.map { focus($0) } ?? focus()
        case .notify: return notify()
        case .openWeb: return end(activator.open(task(), decision.pageOpener))
        case .background, .none:
            guard let command = decision.command else { return end(ActivationReport(outcome: .skipped)) }
            var report = activator.run(task(), command, verb: decision.verb)
            // The request is not a success, even if the handler for deleted content has succeeded.
            if decision.action == .none, report.failure == nil { report.outcome = .skipped }
            // No window can show whether the command of a hook has done its work: at its time limit it has failed.
            if decision.payloadRequest.hook != nil, report.outcome == .unverified, let limit = report.warnings.first {
                (report.outcome, report.failure, report.warnings) = (.failed, limit, [])
            }
            return end(report)
        }
    }

    // MARK: Windows

    private mutating func launch() -> Effect {
        guard let session else { return fail(.noSession) }
        if let shown = shownContent {
            var effect = unlaunched(session, .shown(shown))
            effect.isTiedToProcess = ProcessHandle(shown.handle) != nil
            return effect
        }
        if let failure = upgrade() { return fail(failure) }
        guard let handler = scene?.launch else {
            let absence = scene?.focus?.rule.map {
                activator.absence(of: session.scene, $0, held: surroundings.otherWindows)
            }
            return fail(
                absence
                    ?? ActivationFailure(
                        .noHandler, "the scene \(session.scene) has no launch",
                        help: "add launch = { exec = […] } or { tmux = […] } to [[scenes]] \(session.scene)"))
        }
        var task = task()
        task.token = executor.tokens.take(of: ticket.id)
        var warning = surroundings.restorationFailure
        if let kept = surroundings.restoration {
            do throws(ActivationFailure) {
                task.restorationFile = try activator.keep(kept, as: "restoration", nonce: ticket.nonce)
            } catch {
                warning = error
            }
        }
        var report = activator.launch(task, handler, focus: focusHandler)
        judgeLock(&report)
        if let warning { report.warnings.append(warning) }
        if report.isUnstarted { return unlaunched(session, .unstarted) }
        if report.isLeft { return leftForNextRun() }
        if report.failure?.code == .programNotFound, let program = scene?.program,
            !activator.programs.isInstalled(program),
            ticket.tries.vanished < 2, !surroundings.isProgramKnownMissing
        {
            return unlaunched(session, .programGone)
        }
        executor.settleFront(ticket, report)
        executor.front.noteOpenedWindow()
        watchFront(report)
        isLaunched = report.failure == nil
        if report.failure == nil, !handler.carriesTarget || decision.continuation?.isHandled == true {
            self.session?.handle = report.handle
            self.session?.handleServer = report.handleServer
            tell(isShown: handler.carriesTarget, &report)
        }
        return end(report)
    }

    /// What the user opened may show the target already, and be known only now. A new window that was asked for is made.
    private var shownContent: ShownContent? {
        guard !ticket.tries.hasLooked, !activator.isDryRun, decision.resolution.reason != .requested, let scene,
            let app = decision.app
        else { return nil }
        return activator.content(showing: targets, by: scene, of: app)
    }

    /// The content that is asked for, by all its identifiers.
    private var targets: [TargetContentIdentifier] {
        if decision.payloadRequest.isFocusAlone { return session?.target.map { [$0] } ?? [] }
        return [decision.resolution.resolved, decision.payloadRequest.request.target].compactMap(\.self)
    }

    private mutating func focus() -> Effect {
        guard let session else { return fail(.noSession) }
        if let process = surroundings.process, !process.isRunning,
            SessionLoss.survivor(of: session.id, in: executor.stateFolder) == nil
        {
            // Its process has ended, and has left none behind.
            return windowGone(session, serverIsGone: session.handle.flatMap(ProcessHandle.init) == nil)
        }
        if session.handle == nil, scene?.focus?.method == nil, let failure = executor.absence(of: session) {
            return fail(failure)
        }
        if let failure = upgrade() { return fail(failure) }
        var task = task()
        task.token = executor.tokens.take(of: ticket.id)
        task.otherWindows = surroundings.otherWindows
        var report = activator.focus(task, focusHandler)
        judgeLock(&report)
        if report.sparedTyping, quiet == nil { policy = .typing }
        if session.handle == nil {
            self.session?.handle = report.handle
            self.session?.handleServer = report.handleServer
        }
        if report.windowGone {
            executor.tokens.giveBack(of: ticket.id)
            return ticket.tries.vanished < 2 ? windowGone(session, serverIsGone: serverIsGone(session)) : end(report)
        }
        executor.settleFront(ticket, report)
        watchFront(report)
        if report.failure == nil { tell(isShown: false, &report) }
        return end(report)
    }

    private mutating func focus(_ terminal: TerminalRequest) -> Effect {
        var settings = decision.resolution.configuration.value.terminal
        if let detached = terminal.detached { settings.detached = detached }
        guard let subject = TerminalPlaceArgument(terminal).subject(defaultSocket: activator.tmuxSocket) else {
            return fail(.noSession)
        }
        var report = activator.focus(
            terminalOf: subject, settings, token: executor.tokens.take(of: ticket.id))
        judgeLock(&report)
        if let evidence = report.evidence {
            let near = surroundings.places.compactMap { session in
                evidence.distance(to: session.handle, server: session.handleServer).map { ($0, session) }
            }
            place = near.min { $0.0 < $1.0 }?.1
        }
        executor.settleFront(ticket, report)
        watchFront(report)
        return end(report)
    }

    /// Of what was read with evidence.
    private func judgeLock(_ report: inout ActivationReport) {
        guard let evidence = report.evidence, report.outcome == .verified || evidence.window != nil else { return }
        report.evidence?.isLocked = executor.holds(.locked)
        if report.evidence?.isLocked == true { report.lock() }
    }

    /// How long a window may take to show what it was told to, in milliseconds.
    private static let contentLimit = 300
    /// Between two looks at what has no events.
    private static let contentPause = 30

    /// Of what was read with evidence. What a handler was told to show may come a little later.
    private func judgeContent(_ report: inout ActivationReport) {
        guard var evidence = report.evidence, let session = place ?? session else { return }
        let configuration = decision.resolution.configuration.value
        let deadline = Deadline(inMilliseconds: report.handlers.isEmpty ? 0 : Self.contentLimit)
        var problem: ActivationFailure?
        while true {
            problem = activator.readContent(of: session, in: configuration, or: targets, into: &evidence)
            if problem == nil || deadline.isOver { break }
            usleep(UInt32(Self.contentPause) * 1000)
        }
        report.evidence = evidence
        guard let problem, evidence.reason == nil, report.outcome == .verified || report.outcome == .unverified else {
            return
        }
        (report.outcome, report.view, report.seen) = (.unverified, nil, report.seen ?? problem.message)
        report.warnings.append(problem)
        report.evidence?.reason = problem.code.name
    }

    /// Watches the window that has just come to the front, while the effect goes on.
    private mutating func watchFront(_ report: ActivationReport) {
        guard report.outcome == .verified, let window = report.front, let watched else { return }
        watchesFront = true
        executor.front.watch(window, for: ticket.number, focusHandler?.policy ?? FocusPolicy(), watched)
    }

    /// How the window comes forward: less far where the user should not be disturbed.
    private var focusHandler: FocusHandler? {
        guard let quiet else { return scene?.focus }
        var handler = scene?.focus ?? FocusHandler(method: nil)
        handler.policy.prominence = min(handler.policy.prominence, quiet.prominence)
        return handler
    }

    private func windowGone(_ session: SceneSession, serverIsGone: Bool) -> Effect {
        var effect = Effect(end: .windowGone(serverIsGone: serverIsGone), record: ticket.plan.record)
        // The app may have connected another window for it by now.
        effect.session = (session.id, .disconnected(ifStill: session))
        return effect
    }

    /// Whether the window system of a session's window is gone. If so, its windows are gone with it, and they are
    /// opened again on demand. A window that is gone while its server still runs was closed.
    private func serverIsGone(_ session: SceneSession) -> Bool {
        var asked = session.handle
        if asked.flatMap(ProcessHandle.init) != nil { return false }
        // A tmux session that is known by its name has no handle: any window of its server will do.
        if asked == nil, case .tmux = scene?.focus?.method { asked = "@0" }
        guard let running = asked.flatMap({ try? activator.windowSystem.server(of: $0) }) else { return true }
        return session.handleServer.map { !WindowServer.isSameLife($0, running) } ?? false
    }

    // MARK: What an earlier run left

    /// Continues an effect that an earlier run had begun, or repeats it if a repetition does no harm.
    private mutating func adopt(_ adoption: Ticket.Adoption) -> Effect {
        let isIdempotent: Bool
        switch decision.action {
        // A repetition does no harm, but leaving the effect out would.
        case .focus, .notify: isIdempotent = true
        case .launch:
            if let nonce = adoption.nonce, let found = activator.find(nonce: nonce) { return adopt(found) }
            isIdempotent = scene?.launch?.command.idempotent == true
        case .openWeb: isIdempotent = decision.pageOpener.command?.idempotent == true
        case .background, .none:
            let command = decision.command ?? decision.continuation?.didFail?.command
            isIdempotent = command?.idempotent == true
        }
        return isIdempotent ? Effect(end: .runAgain, record: ticket.plan.record) : endUnverified()
    }

    /// A launch that an earlier run had begun was found: its window is the session's.
    private mutating func adopt(_ found: FoundLaunch) -> Effect {
        session?.handle = found.handle
        session?.handleServer = found.handleServer
        var report = ActivationReport(outcome: .done)
        report.process = found.process
        let isShown = scene?.launch?.carriesTarget ?? true
        if found.handle != nil {
            report = activator.focus(task(), scene?.focus)
            judgeLock(&report)
            report.overlookFailure()
            (report.handle, report.handleServer) = (found.handle, found.handleServer)
        } else if let handler = scene?.launch,
            let awaited = activator.awaitWindow(of: found, task(), handler, focus: scene?.focus)
        {
            if awaited.isLeft { return leftForNextRun() }
            report = awaited
            judgeLock(&report)
            report.overlookFailure()
            session?.handle = report.handle
            session?.handleServer = report.handleServer
            // Where there was no window, nothing was shown in it yet.
            isInterrupted = false
        }
        isLaunched = true
        tellsOfFailure = decision.continuation?.isHandled == true
        if tellsOfFailure, !mayHaveContinued, let failure = upgrade() {
            report.failure = failure
            report.outcome = .failed
        } else {
            tell(isShown: isShown, &report)
        }
        return end(report)
    }

    /// It is not known whether the effect happened, and running it again could do it twice.
    private mutating func endUnverified() -> Effect {
        // If no process of the launch runs any more, or tmux reports that it has no such window, the next request may
        // make a window. Another process may have handed over to a second process and ended: its window is assumed to
        // exist until something contradicts this.
        if decision.action == .launch {
            if case .tmux = scene?.launch?.method { windowIsGone = true }
            if scene?.isKnownByProcessAlone == true { windowIsGone = true }
        }
        return end(
            ActivationReport(
                outcome: .unverified,
                warnings: [
                    ActivationFailure(
                        .interrupted, "the run that carried this out was killed, and how far it came is not known",
                        help: "say idempotent = true in the handler, and it is run again instead")
                ]))
    }

    /// Whether a killed run may have handed the activity over, and handing it over again could do harm.
    private var mayHaveContinued: Bool {
        isInterrupted && decision.continuation?.continue?.command.idempotent == false
    }

    /// The program was not started: the session is as it was before the claim.
    private func unlaunched(_ session: SceneSession, _ end: Effect.End) -> Effect {
        var effect = Effect(end: end, record: ticket.plan.record)
        unlaunched(session, &effect)
        return effect
    }

    /// The session is as it was before it was claimed for a launch.
    private func unlaunched(_ session: SceneSession, _ effect: inout Effect) {
        if decision.resolution.makesSession {
            effect.endedSession = session.id
        } else {
            effect.session = (session.id, .disconnected())
        }
    }

    private func leftForNextRun() -> Effect { Effect(end: .leftForNextRun, record: ticket.plan.record) }

    // MARK: Handlers of the window

    /// Runs the handlers that give the window its task: to continue an activity, or to show a target.
    ///
    /// - Parameter isShown: whether the window was launched with the target.
    private func tell(isShown: Bool, _ report: inout ActivationReport) {
        guard let continuation = decision.continuation, continuation.isHandled else {
            if !isShown { show(&report) }
            return
        }
        if mayHaveContinued {
            report.outcome = .unverified
            report.warnings.append(.interruptedContinuation)
            return
        }
        if let handler = continuation.willContinue {
            let told = activator.show(task(), handler, verb: ContinuationVerb.willContinue)
            report.handlers += told.handlers
            report.warnings += told.problems(of: ContinuationVerb.willContinue)
        }
        if let handler = continuation.continue {
            var taken = activator.show(task(), handler, verb: ContinuationVerb.continue)
            switch taken.failure?.code {
            case .exitStatus?, .killedBySignal?:
                taken.failure = taken.failure.map {
                    ActivationFailure(
                        .continuationNotHandled, "the app did not take the activity: \($0.message)", help: $0.help)
                }
            default: break
            }
            report.add(taken)
        } else if !isShown {
            show(&report)
        }
    }

    /// Runs the `show` handler, if there is one for this request.
    private func show(_ report: inout ActivationReport) {
        guard let handler = decision.show else { return }
        if isInterrupted, !handler.command.idempotent {
            report.outcome = .unverified
            report.warnings.append(.interruptedShow)
            return
        }
        var task = task()
        if !activator.isDryRun, let suggestion = executor.suggestion(for: task.app) {
            do throws(ActivationFailure) {
                task.suggestionFile = try activator.keep(suggestion, as: "suggestion", nonce: ticket.nonce)
            } catch {
                report.warnings.append(error)
            }
        }
        report.add(activator.show(task, handler))
    }

    /// No activity that `upgrade` writes is larger, in bytes.
    private static let longestUpgrade = 128 * 1024

    /// Gives an activity that is older than its app to `upgrade`; why there is none to hand on.
    private mutating func upgrade() -> ActivationFailure? {
        guard decision.isOutdated, let command = decision.continuation?.upgrade else { return nil }
        let answer = activator.ask(task(), command, verb: ContinuationVerb.upgrade, limit: Self.longestUpgrade)
        preparations += answer.report.handlers
        if activator.isDryRun { return nil }
        if let failure = answer.report.failure ?? answer.report.warnings.first {
            return ActivationFailure(
                .continuationUpgrade, "the activity could not be brought up to date: \(failure.message)",
                help: failure.help)
        }
        if answer.isTruncated { return .noActivity("it wrote more than \(Self.longestUpgrade) bytes") }
        var reader = JSONDocument()
        do throws(JSONError) {
            try reader.parse(answer.output)
        } catch {
            return .noActivity("what it wrote is not JSON: \(error)")
        }
        guard let root = reader.root, reader.kind(root) == .object else {
            return .noActivity("it wrote no JSON object")
        }
        activity = Array(reader.raw(root))
        return nil
    }

    // MARK: Notifications

    /// Shows a notification; a press on it is a delivery of its own.
    private mutating func notify() -> Effect {
        guard let desk = executor.notifications else {
            return fail(
                ActivationFailure(
                    .noHandler, "deliver = \"notify\" shows a notification first, and only usherd shows notifications",
                    help: "start usherd: requests go through it then; or say deliver = \"focus\" in the app's manifest")
            )
        }
        if decision.action == .notify, let sight {
            policy = .seen
            var report = ActivationReport(outcome: .skipped)
            report.evidence = sight
            var effect = end(report)
            effect.record.action = .none
            return effect
        }
        if decision.action != .notify { desk.begin() }
        var report = ActivationReport(outcome: .done)
        do throws(ActivationFailure) {
            let presenter = desk.presenter
            let capabilities = try presenter.capabilities()
            if !capabilities.contains("actions") { report.warnings.append(.noActions) }
            var notification = DesktopNotification(
                decision, ticket.plan.payload, capabilities: capabilities, awaitsAnswer: surroundings.awaitsAnswer)
            if let replaced = surroundings.replaced, let server = try presenter.server(), replaced.server == server {
                notification.replaces = ShownNotification(id: replaced.number, server: server)
            }
            let new = try presenter.show(notification)
            var stored = Store.StoredNotification(
                delivery: ticket.id, app: decision.appID ?? "", collapse: ticket.request.delivery.collapse,
                server: new.server, number: new.id, shown: Instant.now.microseconds)
            stored.target = decision.noticeTarget
            stored.session = decision.resolution.session
            if surroundings.awaitsAnswer {
                let notice = AwaitedNotice(notification, new, decision.noticeCategory(of: ticket.plan.payload))
                stored.awaits = !notice.answers.isEmpty
                awaitedNotice = notice
            }
            shown = stored
        } catch {
            return fail(error)
        }
        return end(report)
    }

    /// What shows that the user sees already what the notification would lead to.
    private var sight: SeenEvidence? {
        guard let level = decision.payloadRequest.level, let session = surroundings.session else { return nil }
        let maySkip = level != .critical && decision.notices.skipsSeen
        // A visit of a place is a change of what is seen of it.
        guard maySkip || (decision.notices.withdrawsOnVisit && VisitWatch.isPlace(session)) else { return nil }
        let sight = executor.sight(of: session)
        return maySkip ? sight : nil
    }

    // MARK: End

    mutating func fail(_ failure: ActivationFailure) -> Effect {
        end(ActivationReport(outcome: .failed, failure: failure))
    }

    /// The result of the effect: the record and the change of the session, or a retry if one is useful.
    mutating func end(_ given: ActivationReport) -> Effect {
        var report = given
        if policy != .seen { judgeContent(&report) }
        var record = ticket.plan.record
        record.outcome = report.outcome
        record.actTime = MonotonicClock.now - started
        record.seen = report.seen
        record.view = report.outcome == .verified ? report.view : nil
        record.evidence = report.evidence
        if let place { (record.app, record.scene, record.session) = (place.app, place.scene, place.id) }
        if report.hasOpened { record.action = .launch }
        if let policy { record.policy = policy }
        record.warnings += report.warnings.map(DecisionRecord.Note.init)
        record.handlers = (preparations + report.handlers).map(DecisionRecord.HandlerRun.init)
        if let failure = report.failure {
            record.error = .init(failure.code, failure.message, help: failure.help)
            record.outcome = .failed
        }
        record.warnings += surroundings.earlierTries
        var effect = Effect(record: record)
        effect.endedSession = sessionToEnd(after: report)
        effect.session = sessionChange(after: report)
        if let (id, change) = effect.session, change.state == .disconnected, scene?.isCommand == true {
            // The command has ended, and its session with it.
            effect.session = nil
            effect.endedSession = id
        }
        effect.isTiedToProcess = isTiedToProcess(report)
        effect.watchesFront = watchesFront
        if let action = quiet?.limit(decision.action), action != decision.action { replaceAction(action, of: &effect) }
        effect.shown = shown
        effect.awaitedNotice = awaitedNotice
        if let delay = delayBeforeNextTry(after: report) {
            effect.end = .retry(after: delay)
        } else {
            tellOfFailure(report, &effect.record)
        }
        return effect
    }

    /// Something else than a window is the result, because the user should not be disturbed: the session is as before the
    /// claim.
    private func replaceAction(_ action: Action, of effect: inout Effect) {
        effect.record.action = action
        if action == .none { effect.record.warnings.append(.heldBackForQuiet) }
        effect.isNoticeInstead = action == .notify && executor.notifications != nil
        guard ticket.opensWindow else { return }
        (effect.session, effect.endedSession) = (nil, nil)
        if decision.action == .launch, let session = surroundings.session { unlaunched(session, &effect) }
        if effect.endedSession != nil { effect.record.session = nil }
    }

    /// Runs the `didFail` handler of the app, because its activity could not be continued. The run and its errors are
    /// added to the record.
    private func tellOfFailure(_ report: ActivationReport, _ record: inout DecisionRecord) {
        guard tellsOfFailure, let handler = decision.continuation?.didFail,
            let failure = record.error.map({ ActivationFailure($0.code, $0.message, help: $0.help) })
                ?? report.unansweredContinuation
        else { return }
        var task = task()
        task.error = failure
        let told = activator.show(task, handler, verb: ContinuationVerb.didFail)
        record.handlers += told.handlers.map(DecisionRecord.HandlerRun.init)
        record.warnings += told.problems(of: ContinuationVerb.didFail).map(DecisionRecord.Note.init)
    }

    /// The change of the session that results from an activation.
    private func sessionChange(after report: ActivationReport) -> (id: String, change: Store.SessionChange)? {
        guard let session, ticket.opensWindow, sessionToEnd(after: report) == nil else { return nil }
        if (report.failure != nil && !isLaunched) || windowIsGone || report.window == .unidentified {
            guard decision.action == .launch else { return nil }
            return (session.id, .disconnected())
        }
        var change = Store.SessionChange(used: report.outcome == .verified)
        // An unverified focus does not end the launch of another process.
        if decision.action == .launch || report.outcome != .unverified { change.state = .connected }
        // The program may have given its handle itself while it was launched.
        if decision.action == .launch, let handle = report.handle {
            change.handle = .some(handle)
            change.handleServer = .some(report.handleServer)
        }
        // A handle that the app gave comes without the server it belongs to.
        if session.handleServer == nil, report.handle != nil { change.handleServer = .some(report.handleServer) }
        if let title = decision.payloadRequest.title { change.title = .some(title) }
        if isTiedToProcess(report) {
            SessionLoss.tie(&change, of: session.id, in: executor.stateFolder, to: report.process)
        }
        return (session.id, change)
    }

    /// Whether the session exists only as long as the launched process: no window shows whether it still exists, or none
    /// has come yet.
    private func isTiedToProcess(_ report: ActivationReport) -> Bool {
        guard decision.action == .launch, report.handle == nil, report.failure == nil else { return false }
        return report.window == .missing || report.process != nil && scene?.isKnownByProcessAlone == true
    }

    /// The session to end: one whose new window was closed, or one that was created for this delivery, and for which the
    /// first launch failed.
    private func sessionToEnd(after report: ActivationReport) -> String? {
        guard decision.action == .launch, let session else { return nil }
        if report.window == .closed { return session.id }
        return report.failure != nil && !isLaunched && decision.resolution.makesSession ? session.id : nil
    }

    // MARK: Retries

    /// How long to wait before a failed request is tried again; nil where it is not.
    private func delayBeforeNextTry(after report: ActivationReport) -> Duration? {
        guard surroundings.cancellation?.isRequested != true, let command = command(in: report),
            let policy = command.retry,
            isWorthAnotherTry(report, command), !report.windowGone
        else { return nil }
        let tries = ticket.tries.attempt - ticket.tries.forgiven
        guard tries < policy.attempts else { return nil }
        let delay = policy.delay(afterTry: tries, jitter: Double.random(in: 0...1))
        // There is no retry that would begin after the expiration time.
        if let expires = ticket.request.delivery.expires,
            expires == 0 || expires <= Instant.now.microseconds + delay.microseconds
        {
            return nil
        }
        return delay
    }

    private func isWorthAnotherTry(_ report: ActivationReport, _ command: Command) -> Bool {
        switch report.failure?.code {
        case .exitStatus, .killedBySignal, .cannotStart, .programNotFound, .continuationNotHandled: return true
        // The effect may have happened, so there is a retry only if a repetition does no harm. The programs that ran
        // before the effect are not taken into account.
        case nil:
            return command.idempotent && report.handlers.last?.status == .timedOut
                && report.warnings.contains { $0.code == .timeLimit }
        default: return false
        }
    }

    /// The command that failed; if none failed, the command that ran last.
    private func command(in report: ActivationReport) -> Command? {
        switch report.handlers.last?.verb {
        case "launch", "ready": return scene?.launch?.command
        case "show": return scene?.show?.command
        case "focus":
            if case .exec(let command) = scene?.focus?.method { return command }
            return nil
        case ContinuationVerb.continue: return decision.continuation?.continue?.command
        case nil: return nil
        default: return decision.command
        }
    }
}

/// What the runs of a continuation's handlers are called in records.
private enum ContinuationVerb {
    static let willContinue = "will-continue"
    static let `continue` = "continue"
    static let didFail = "did-fail"
    static let upgrade = "upgrade"
}

extension ActivationReport {
    /// Adds the report of the `show` step. If the step failed, the whole activation has failed. If the step is
    /// unverified, the activation is unverified. A successful step does not change the outcome.
    fileprivate mutating func add(_ show: ActivationReport) {
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

    /// The session is locked: whatever is in front, the user sees none of it. It is the first of all conditions.
    fileprivate mutating func lock() {
        let locked = ActivationFailure(.seenLocked, "the session is locked")
        (outcome, seen, view) = (.unverified, locked.message, nil)
        warnings.insert(locked, at: 0)
        evidence?.reason = locked.code.name
    }

    /// The program was found, so the activation has not failed: an operation on its window that failed is only a
    /// warning.
    fileprivate mutating func overlookFailure() {
        guard let failure else { return }
        outcome = .unverified
        warnings.append(failure)
        self.failure = nil
    }

    /// What went wrong with a run that decides nothing: only warnings.
    fileprivate func problems(of verb: String) -> [ActivationFailure] {
        ([failure].compactMap { $0 } + warnings).map {
            ActivationFailure($0.code, "\(verb): \($0.message)", help: $0.help)
        }
    }

    /// The time limit of `continue`, where that is what ended it.
    fileprivate var unansweredContinuation: ActivationFailure? {
        guard let last = handlers.last, last.verb == ContinuationVerb.continue, last.status == .timedOut else {
            return nil
        }
        return warnings.last { $0.code == .timeLimit }
    }
}

extension ActivationFailure {
    fileprivate static let noSession = ActivationFailure(.noHandler, "no session was claimed")

    fileprivate static let interruptedContinuation = ActivationFailure(
        .interrupted, "the run that handed the activity over was killed, and whether it was taken is not known",
        help: "say idempotent = true in the app's `continue`, and it is handed over again instead")

    fileprivate static let interruptedShow = ActivationFailure(
        .interrupted, "the run that showed the target was killed, and how far it came is not known",
        help: "say idempotent = true in `show`, and it is run again instead")

    fileprivate static func noActivity(_ problem: String) -> ActivationFailure {
        ActivationFailure(
            .continuationUpgrade, "the activity could not be brought up to date: \(problem)",
            help: "`upgrade` reads an activity on standard input and writes one, a JSON object, to standard output")
    }
}

extension DecisionRecord.HandlerRun {
    init(_ report: HandlerReport) {
        let (status, code): (String, Int?) =
            switch report.status {
            case .ended(.exited(let status)): ("exited", Int(status))
            case .ended(.signalled(let signal)): ("signalled", Int(signal))
            case .ended(.unknown): ("ended", nil)
            case .timedOut: ("timed-out", nil)
            case .failedToStart: ("failed-to-start", nil)
            case .running: ("running", nil)
            }
        self.init(
            verb: report.verb, program: report.command, status: status, code: code, milliseconds: report.milliseconds,
            output: report.output, errorOutput: report.errorOutput)
    }
}

extension RetryPolicy {
    /// How long to wait after the given try, counted from 1. The time doubles with each try and varies by up to a
    /// quarter, so that deliveries that failed together are not retried together.
    ///
    /// - Parameter jitter: from 0 to 1.
    func delay(afterTry count: Int, jitter: Double) -> Duration {
        let doubled = Double(first) * Double(1 << UInt64(max(0, min(count - 1, 40))))
        return .microseconds(Int64(min(doubled, Double(limit)) * (0.75 + 0.5 * jitter) * 1000))
    }
}

extension DecisionRecord.Note {
    fileprivate init(_ failure: ActivationFailure) {
        self.init(name: failure.code.name, message: failure.message, help: failure.help)
    }

    /// `quiet` says that nothing is to be done.
    fileprivate static let heldBackForQuiet = Self(
        name: DiagnosticCode.notificationQuiet.name, message: "held back: the user should not be disturbed now",
        help: "`quiet` in the app's manifest or in usher.toml says so; usher deliveries list has what came meanwhile")
}
