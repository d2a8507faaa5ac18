import CLinux
import Glibc
public import UsherScene
internal import UsherSystem
internal import UsherText

extension Activator {
    static let readyInterval = 50
    static let stopInterval = 250
    /// After how many milliseconds a window is asked for again that was not granted.
    static let claimInterval = 50
    /// How long a new window is waited for when another session's window came forward, in milliseconds.
    static let heldPatience = 1000

    /// Makes the window.
    ///
    /// A program of its own is `done` when it runs and `ready`, where there is one, holds. Only a failure to start, a
    /// non-zero exit or a signal while it is waited for is the launch's fault; exit 0 hands over to a program that ran
    /// already. It is waited for only where there is `ready`, until that holds, the program ends, or grace or time limit
    /// is over: then the outcome is `unverified`. A window is read back as its user sees it.
    ///
    /// Where `focus` says what the window looks like, or `ready` asks for it, a program's window is waited for, on a desktop,
    /// and brought forward.
    public func launch(
        _ task: ActivationTask, _ handler: LaunchHandler, focus: FocusHandler? = nil
    ) -> ActivationReport {
        if isDryRun { return ActivationReport(outcome: .skipped) }
        if case .tmux(let session) = handler.place { return launchWindow(task, handler, group: session, focus) }
        let awaited = awaited(handler, focus)
        switch (handler.place, awaited) {
        case (.exec, .nothing):
            return startAndWatch(
                task, handler.command, verb: "launch", ready: nil, grace: handler.grace, waits: false)
        case (.exec, .command(let ready)):
            return startAndWatch(
                task, handler.command, verb: "launch", ready: ready, grace: handler.grace, waits: true)
        default: return launchAndAwait(task, handler, awaited, focus)
        }
    }

    func awaited(_ handler: LaunchHandler, _ focus: FocusHandler?) -> AwaitedSign {
        switch handler.ready {
        case .exec(let command): .command(command)
        case .window(let limit): .window(timeLimit: limit)
        case .dbus(let name, let limit): .name(name, timeLimit: limit)
        case nil:
            // Also where nobody can tell: that is worth a warning.
            focus?.rule == nil ? .nothing : .window(timeLimit: handler.command.timeLimit)
        }
    }

    /// Starts a program that is meant to stay. What it writes goes nowhere.
    func startAndWatch(
        _ task: ActivationTask, _ command: Command, verb: String, ready: Command?, grace: Int, waits: Bool
    ) -> ActivationReport {
        let name = command.arguments.first ?? ""
        let begin = MonotonicClock.now
        let summary: String
        var child: ChildProcess
        do throws(ActivationFailure) {
            let prepared = try prepare(task, command, payloadFile: standardInput)
            summary = prepared.summary
            var request = request(prepared, name: name, task: task, captures: false)
            request.give(token: task.token)
            child = try Spawner.start(request)
        } catch {
            return notStarted(error, command, verb: verb)
        }
        var report = HandlerReport(verb: verb, command: summary, status: .running)
        guard waits else {
            var left = ActivationReport(outcome: .done, handlers: [report])
            left.process = child.pid
            return left
        }

        let patience = min(grace, command.timeLimit)
        let deadline = Deadline(inMilliseconds: patience)
        var end: ProcessEnd?
        var probe: ReadyProbe?
        while end == nil {
            if let ready {
                let look = self.probe(task, ready, until: deadline)
                probe = look
                if look.stopsTheWait { break }
                if stop.isRaised {
                    var left = ActivationReport(outcome: .done, handlers: [report])
                    left.isLeft = true
                    return left
                }
                end = child.wait(until: .earlier(deadline, Deadline(inMilliseconds: Self.readyInterval)))
            } else {
                end = child.wait(until: deadline)
            }
            if deadline.isOver { break }
        }
        report.milliseconds = Int((MonotonicClock.now - begin).milliseconds)
        if let end { report.status = Self.status(end) }
        let handlers = [report] + (probe.map { [$0.report] } ?? [])
        switch end {
        case .exited(0): return ActivationReport(outcome: .done, handlers: handlers)
        case .exited(let status):
            return ActivationReport(.exitStatus(name, status, output: nil), handlers: handlers)
        case .signalled(let signal): return ActivationReport(.killed(name, by: signal), handlers: handlers)
        case nil: return conclude(probe, handlers: handlers, name: name, patience: patience)
        }
    }

    private func launchWindow(
        _ task: ActivationTask, _ handler: LaunchHandler, group: String?, _ focus: FocusHandler?
    ) -> ActivationReport {
        let command = handler.command
        let name = command.arguments.first ?? ""
        let begin = MonotonicClock.now
        let sighting: WindowSighting
        var report: HandlerReport
        do throws(ActivationFailure) {
            let prepared = try prepare(task, command, payloadFile: savedPayload)
            report = HandlerReport(verb: "launch", command: prepared.summary, status: .running)
            // A window whose program cannot be executed opens and closes without a word, so everything is checked before.
            try request(prepared, name: name, task: task, captures: false).validate()
            if let directory = prepared.workingDirectory { try Spawner.checkDirectory(directory) }
            sighting = try windowSystem.launch(
                WindowLaunch(
                    group: group, program: prepared.program, arguments: prepared.arguments,
                    environment: environment.inWindow(prepared.additions),
                    workingDirectory: prepared.workingDirectory, nonce: task.nonce,
                    policy: focus?.policy ?? FocusPolicy()))
        } catch {
            return notStarted(error, command, verb: "launch")
        }
        report.milliseconds = Int((MonotonicClock.now - begin).milliseconds)
        var result = ActivationReport(sighting, handlers: [report])
        guard case .exec(let ready) = handler.ready else { return result }

        let patience = min(handler.grace, command.timeLimit)
        let deadline = Deadline(inMilliseconds: patience)
        let process = sighting.process.map { usher_pidfd_open($0) }.flatMap { $0 < 0 ? nil : $0 }
        defer { if let process { close(process) } }
        var readyTask = task
        readyTask.handle = sighting.handle ?? task.handle
        while true {
            let hadEnded = sighting.process != nil && (process.map { Self.hasEnded($0, within: 0) } ?? true)
            let look = probe(readyTask, ready, until: deadline)
            result.handlers = [report, look.report]
            if case .holds = look.result { return result }
            if stop.isRaised, !look.stopsTheWait, !hadEnded {
                result.isLeft = true
                return result
            }
            if look.stopsTheWait || hadEnded || deadline.isOver {
                let warning: ActivationFailure =
                    if case .broken(let failure) = look.result {
                        failure
                    } else if hadEnded {
                        .closedBeforeReady(name)
                    } else { .notReady(name, milliseconds: patience) }
                result.outcome = warning.code == .notReady ? .unverified : .failed
                if result.outcome == .failed { result.failure = warning } else { result.warnings.append(warning) }
                return result
            }
            let pause = Deadline.earlier(deadline, Deadline(inMilliseconds: Self.readyInterval))
            if let process {
                _ = Self.hasEnded(process, within: pause.remainingMilliseconds)
            } else {
                poll(nil, 0, pause.remainingMilliseconds)
            }
        }
    }

    // MARK: - Ready

    struct ReadyProbe {
        enum Result {
            case holds
            case notYet
            /// It can never hold: it could not be run.
            case broken(ActivationFailure)
        }

        var result: Result
        var report: HandlerReport

        var stopsTheWait: Bool {
            if case .notYet = result { false } else { true }
        }
    }

    func probe(_ task: ActivationTask, _ ready: Command, until deadline: Deadline) -> ReadyProbe {
        let limit = min(ready.timeLimit, max(Int(deadline.remainingMilliseconds), 1))
        let report = runToEnd(task, ready, verb: "ready", timeLimit: limit)
        let handler =
            report.handlers.first
            ?? HandlerReport(verb: "ready", command: ShellText.command(ready.arguments), status: .failedToStart)
        if report.outcome == .done { return ReadyProbe(result: .holds, report: handler) }
        if handler.status == .failedToStart, let failure = report.failure {
            return ReadyProbe(result: .broken(failure), report: handler)
        }
        return ReadyProbe(result: .notYet, report: handler)
    }

    private func conclude(
        _ probe: ReadyProbe?, handlers: [HandlerReport], name: String, patience: Int
    ) -> ActivationReport {
        switch probe?.result {
        case nil, .holds: ActivationReport(outcome: .done, handlers: handlers)
        case .notYet: ActivationReport(.notReady(name, milliseconds: patience), handlers: handlers)
        case .broken(let failure): ActivationReport(failure, handlers: handlers)
        }
    }

    private static func hasEnded(_ pidfd: Int32, within milliseconds: Int32) -> Bool {
        var events = pollfd(fd: pidfd, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&events, 1, milliseconds) > 0
    }
}
