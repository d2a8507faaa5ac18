public import UsherScene
internal import UsherSystem
internal import UsherText

/// The sign that a launched application is ready.
enum AwaitedSign {
    case nothing
    case command(Command)
    case window(timeLimit: Int)
    case name(String, timeLimit: Int)
}

extension Activator {
    /// Starts a program or an application, waits for the sign, and brings its window forward where that is known.
    func launchAndAwait(
        _ task: ActivationTask, _ handler: LaunchHandler, _ sign: AwaitedSign, _ focus: FocusHandler?
    ) -> ActivationReport {
        let source = AwaitedWindows(windowSystem, focus?.rule)
        var isAwaited = false
        if case .window = sign, source != nil { isAwaited = true }
        if isAwaited, let claims {
            let launch = pending(task, handler, focus?.rule)
            guard claims.begin(launch, isStopped: { stop.isRaised }) else {
                var unstarted = ActivationReport(outcome: .done)
                unstarted.isLeft = true
                unstarted.isUnstarted = true
                return unstarted
            }
        }
        let report = launchAndAwait(task, handler, sign, focus, source)
        if isAwaited { claims?.end(task.nonce, hasFailed: report.failure != nil) }
        return report
    }

    private func pending(_ task: ActivationTask, _ handler: LaunchHandler, _ rule: WindowRule?) -> PendingLaunch {
        let name = handler.command.name
        var launch = PendingLaunch(
            nonce: task.nonce, app: task.app, scene: task.scene, session: task.session, program: name, rule: rule)
        switch handler.method {
        case .exec, .tmux: launch.program = programs.locate(name) ?? name
        case .desktop: launch.program = "desktop:\(name)"
        case .dbus:
            launch.program = "dbus:\(name)"
            launch.handsOver = true
        }
        return launch
    }

    private func launchAndAwait(
        _ task: ActivationTask, _ handler: LaunchHandler, _ sign: AwaitedSign, _ focus: FocusHandler?,
        _ source: AwaitedWindows?
    ) -> ActivationReport {
        let begin = MonotonicClock.now
        let before = source?.now()
        var task = task
        if task.token == nil, windowSystem.isDesktop { task.token = windowSystem.startupToken(nonce: task.nonce) }
        var arrival = WindowArrival(
            before: before ?? WindowList(server: nil, windows: []), token: task.token, nonce: task.nonce,
            rule: focus?.rule)
        var child: ChildProcess?
        var report = ActivationReport(outcome: .done)
        if case .exec = handler.method {
            guard let started = start(task, handler.command, verb: "launch", isAwaited: true, &report)
            else { return report }
            arrival.process = started.pid
            claims?.noteStart(of: task.nonce, process: started.pid)
            child = consume started
        } else {
            let started = startApplication(task, handler)
            report = started.report
            if report.failure != nil { return report }
            arrival.process = started.process
            // The bus started it, or it ran already: only a process that was given the nonce was started for this launch.
            let nonce = EnvironmentVariable(UsherVariables.launch, task.nonce)
            arrival.isApplication = !(started.process.map { ProcessTable.process($0, holds: nonce) } ?? false)
            if let process = started.process, !arrival.isApplication {
                claims?.noteStart(of: task.nonce, process: process)
            }
            arrival.isHandedOver = true
            if arrival.isApplication { claims?.noteHandOver(of: task.nonce) }
        }
        switch sign {
        case .nothing: break
        case .command(let ready):
            _ = awaitReady(task, ready, of: handler.command, grace: handler.grace, &report) { pause in
                _ = Poll.wait(for: -1, until: pause)
                return false
            }
        case .name(let name, let limit): awaitName(name, limit, &report)
        case .window(let limit):
            guard let source, before != nil else {
                report.outcome = .unverified
                report.warnings.append(.nobodyTells(of: focus?.rule))
                break
            }
            awaitWindow(arrival, in: source, limit, &child, task, focus, &report)
        }
        if !report.handlers.isEmpty {
            if report.isUnconfirmed { report.handlers[0].errorOutput = child?.lastErrors() ?? "" }
            report.handlers[0].milliseconds = MonotonicClock.milliseconds(since: begin)
        }
        return report
    }

    private func awaitWindow(
        _ given: WindowArrival, in source: AwaitedWindows, _ limit: Int, _ child: inout ChildProcess?,
        _ task: ActivationTask, _ focus: FocusHandler?, _ report: inout ActivationReport
    ) {
        var arrival = given
        let deadline = Deadline(inMilliseconds: limit)
        let name = Printable.text(report.handlers.first?.command ?? "")
        var list = arrival.before
        var candidates: [WindowCandidate] = []
        var loneWindows = LoneWindows()
        var signs = stop.signs(with: arrival.isHandedOver ? nil : child?.pidfd)
        var heldUntil: Deadline?
        var hasEnded = false
        do throws(ActivationFailure) {
            while true {
                // What was not granted yet may be granted later, though no window changes.
                let pause =
                    candidates.isEmpty ? deadline : .earlier(deadline, Deadline(inMilliseconds: Self.claimInterval))
                list = try source.change(after: list, until: pause, or: signs.descriptor)
                candidates = arrival.candidates(in: list)
                loneWindows.mark(&candidates)
                switch grant(candidates, task.nonce, isLast: deadline.isOver) {
                case .identified(let candidate): return focusGranted(candidate.window, task, focus, &report)
                case .likely(let candidate):
                    focusGranted(candidate.window, task, focus, &report)
                    return report.loseWindow(.unidentified(candidate.window, of: name))
                case .held(let candidate):
                    let end = heldUntil ?? Deadline(inMilliseconds: Self.heldPatience)
                    heldUntil = end
                    if end.isOver { return report.loseWindow(.held(candidate.window, by: name)) }
                case nil: heldUntil = nil
                }
                if stop.isRaised {
                    // The process that it handed over to cannot be found again.
                    report.isLeft = !arrival.isHandedOver
                    if arrival.isHandedOver {
                        report.outcome = .unverified
                        report.warnings.append(.stoppedWaiting(name))
                    }
                    return
                }
                if !arrival.isHandedOver, let end = child?.wait(until: Deadline(inMilliseconds: 0)) {
                    report.handlers[0].status = .ended(end)
                    hasEnded = true
                    if end != .exited(0) {
                        let said = Printable.lastLine(of: child?.lastErrors() ?? "")
                        report = ActivationReport(name, end, output: said, handlers: report.handlers)
                        return
                    }
                    arrival.isHandedOver = true
                    claims?.noteHandOver(of: task.nonce)
                    candidates = arrival.candidates(in: list)
                    signs = stop.signs(with: nil)
                }
                if deadline.isOver {
                    report.outcome = .unverified
                    report.warnings.append(.noWindowYet(name, milliseconds: limit, focus?.rule))
                    report.window = .missing
                    // A running application has windows of other requests, too; the number of a process that has ended may
                    // be another one's by now.
                    if !arrival.isApplication, !hasEnded { report.process = arrival.process }
                    return
                }
            }
        } catch {
            // The window system went away while the program was starting: it runs, and no more is known.
            report.outcome = .unverified
            report.warnings.append(error)
        }
    }

    private func grant(_ candidates: [WindowCandidate], _ nonce: String, isLast: Bool) -> WindowGrant? {
        if candidates.isEmpty { return nil }
        guard let claims else {
            return WindowCandidate.best(of: candidates, isLast: isLast).map(WindowGrant.identified)
        }
        return claims.claim(candidates, for: nonce, isLast: isLast)
    }

    /// Brings the window forward that a launch was granted.
    private func focusGranted(
        _ window: WindowList.Window, _ task: ActivationTask, _ focus: FocusHandler?, _ report: inout ActivationReport
    ) {
        let seen = self.focus(.handle(window.handle, server: window.server), task, focus?.policy ?? FocusPolicy())
        report.takeView(of: seen)
        report.handle = window.handle
        report.handleServer = window.server
        report.title = window.title
        if let rule = focus?.rule, !rule.matches(window) {
            report.warnings.append(.notDescribed(window, by: rule))
        }
        if let failure = seen.failure {
            report.outcome = .unverified
            report.warnings.append(failure)
            (report.handle, report.handleServer) = (nil, nil)
            // It came, and went at once.
            if seen.windowGone { report.window = .closed }
        }
    }

    /// A launch that an earlier run has begun runs, and its window is not there yet: it is waited for, as after the launch.
    /// nil where there is no sign that it has one.
    public func awaitWindow(
        of found: FoundLaunch, _ task: ActivationTask, _ handler: LaunchHandler, focus: FocusHandler?
    ) -> ActivationReport? {
        guard handler.method.startsProgram, case .window(let limit) = awaited(handler, focus),
            let source = AwaitedWindows(windowSystem, focus?.rule), let before = source.now()
        else { return nil }
        var report = ActivationReport(
            outcome: .done,
            handlers: [
                HandlerReport(verb: "launch", command: ShellText.command(handler.command.arguments), status: .running)
            ])
        // It may have come before the list was made.
        if let now = find(nonce: task.nonce), let handle = now.handle {
            report = self.focus(.handle(handle, server: now.handleServer), task, focus?.policy ?? FocusPolicy())
            (report.handle, report.handleServer, report.title) = (handle, now.handleServer, now.title)
            return report
        }
        var arrival = WindowArrival(
            before: before, token: nil, nonce: task.nonce, rule: focus?.rule)
        arrival.process = found.process
        var child: ChildProcess?
        if let claims, !claims.begin(pending(task, handler, focus?.rule), isStopped: { stop.isRaised }) {
            report.isLeft = true
            return report
        }
        claims?.noteStart(of: task.nonce, process: found.process)
        awaitWindow(arrival, in: source, limit, &child, task, focus, &report)
        claims?.end(task.nonce, hasFailed: report.failure != nil)
        return report
    }

    private func awaitName(_ name: String, _ limit: Int, _ report: inout ActivationReport) {
        do throws(ActivationFailure) {
            guard let applications else { throw .noDesktop }
            let deadline = Deadline(inMilliseconds: limit)
            repeat {
                // The bus signals it; the pauses are for checking whether the wait was stopped.
                let pause = Deadline.earlier(deadline, Deadline(inMilliseconds: Self.stopInterval))
                if try applications.wait(for: name, until: pause) != nil { return }
                if stop.isRaised {
                    report.isLeft = true
                    return
                }
            } while !deadline.isOver
            report.outcome = .unverified
            report.warnings.append(.notReady(name, milliseconds: limit))
        } catch {
            report.outcome = .unverified
            report.warnings.append(error)
        }
    }
}

extension ActivationReport {
    /// No session may keep the window that came.
    fileprivate mutating func loseWindow(_ warning: ActivationFailure) {
        outcome = .unverified
        window = .unidentified
        warnings.append(warning)
        (handle, handleServer, title) = (nil, nil, nil)
    }
}

extension LaunchHandler.Method {
    /// Whether a process is started that can be found again by what it was given.
    fileprivate var startsProgram: Bool {
        switch self {
        case .exec, .desktop: true
        case .tmux, .dbus: false
        }
    }
}
