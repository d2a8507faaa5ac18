import CLinux
import Glibc
public import UsherScene
internal import UsherSystem
internal import UsherText

/// Carries decisions out: opens windows, brings them forward, has them show content.
///
/// Activation never resolves: a window that is gone is reported (`windowGone`), and the caller decides again. All
/// calls block, for no longer than their handlers' time limits, and may come from several threads.
public struct Activator: Sendable {
    public let windowSystem: any WindowSystem
    /// nil where there is no desktop session.
    public let applications: (any DesktopApplications)?
    public let programs: ProgramLocator
    /// Where payloads for windows are kept; nil where there is no state directory.
    public let payloadFiles: PayloadFiles?
    /// Nothing is run: outcomes are `skipped`.
    public let isDryRun: Bool
    /// Assigns new windows to the launches that wait for them; nil where launches never overlap.
    public private(set) var claims: (any WindowClaiming)?
    let environment: HandlerEnvironment
    /// nil where there is none.
    let stateDirectory: String?
    let stop = LaunchStop()

    /// `environment` is Usher's own: handlers get a part of it.
    public init(
        windowSystem: any WindowSystem, applications: (any DesktopApplications)? = nil, environment: [String: String],
        stateDirectory: String?, isDryRun: Bool = false
    ) {
        self.windowSystem = windowSystem
        self.applications = applications
        self.environment = HandlerEnvironment(environment)
        self.programs = ProgramLocator(path: environment["PATH"])
        self.payloadFiles = stateDirectory.map(PayloadFiles.init(stateDirectory:))
        self.stateDirectory = stateDirectory
        self.isDryRun = isDryRun
    }

    /// The same, and its launches ask for their windows there.
    public func claiming(with claims: any WindowClaiming) -> Activator {
        var activator = self
        activator.claims = claims
        return activator
    }

    /// Runs a command to its end: `background`, `content-deleted`.
    public func run(_ task: ActivationTask, _ command: Command, verb: String) -> ActivationReport {
        if isDryRun { return ActivationReport(outcome: .skipped) }
        return runToEnd(task, command, verb: verb)
    }

    /// What the attempt with this nonce started, if it still runs.
    ///
    /// Blocks until it is found: at most 200 ms, or 5 s if a window system says that its window is still to come.
    public func find(nonce: String) -> FoundLaunch? {
        if nonce.isEmpty { return nil }
        let deadline = Deadline(inMilliseconds: Command.defaultTimeLimit)
        // Between fork and exec, the environment of a process does not have the nonce yet: a program that was started just
        // before the engine was killed is found a little later.
        let start = Deadline(inMilliseconds: 200)
        var wasOnItsWay = false
        while true {
            // In this order: what was on its way may arrive between the two looks.
            if windowSystem.isOnItsWay(nonce: nonce) { wasOnItsWay = true }
            if let found = look(for: nonce) { return found }
            if (wasOnItsWay ? deadline : start).isOver { return nil }
            usleep(20_000)
        }
    }

    private func look(for nonce: String) -> FoundLaunch? {
        let processes = ProcessTable.processes(withVariable: EnvironmentVariable(UsherVariables.launch, nonce))
        guard let oldest = processes.first else { return nil }
        if let sighting = try? windowSystem.find(processes: processes) {
            return FoundLaunch(
                handle: sighting.handle, handleServer: sighting.server, title: sighting.title,
                process: sighting.process ?? oldest)
        }
        return FoundLaunch(process: oldest)
    }

    /// Whether a session's window is still there; `unknown` without a handle, or with one of another window system.
    public func presence(handle: String?, server: String?) -> WindowPresence {
        guard let handle, windowSystem.recognizes(handle: handle) else { return .unknown }
        do throws(ActivationFailure) {
            return try windowSystem.presence(of: .handle(handle, server: server))
        } catch {
            return .unknown
        }
    }

    // MARK: - What the verbs share

    /// A command, ready to be run for one task.
    struct Prepared {
        var program: String
        var arguments: [String]
        /// What it gets beside the allowed part of Usher's own environment.
        var additions: [EnvironmentVariable]
        var workingDirectory: String?
        var summary: String
    }

    /// `payloadFile` gives the file for `{payload-file}`, and is asked only where that is used.
    func prepare(
        _ task: ActivationTask, _ command: Command, payloadFile: (ActivationTask) throws(ActivationFailure) -> String
    ) throws(ActivationFailure) -> Prepared {
        let template = try CommandTemplate(command)
        let file = template.usesPayloadFile ? try payloadFile(task) : ""
        let arguments = try template.expandArguments(task, payloadFile: file)
        let additions = try environment.additions(command, template, task, payloadFile: file)
        return Prepared(
            program: try programs.require(template.program), arguments: arguments, additions: additions,
            workingDirectory: command.workingDirectory, summary: ShellText.command([template.program] + arguments))
    }

    /// `{payload-file}` of a child whose standard input is the payload: the child can open it again by this name.
    func standardInput(_: ActivationTask) -> String { "/dev/stdin" }

    /// The payload as a file of its own.
    private func savedPayload(_ task: ActivationTask) throws(ActivationFailure) -> String {
        guard let payloadFiles else { throw .noStateDirectory }
        return try payloadFiles.write(task.payload, nonce: task.nonce)
    }

    /// - Parameter captures: keeps the end of what it writes, for the record.
    func request(_ prepared: Prepared, name: String, task: ActivationTask, captures: Bool) -> SpawnRequest {
        var request = SpawnRequest(
            program: prepared.program, arguments: [name] + prepared.arguments,
            environment: environment.complete(prepared.additions), workingDirectory: prepared.workingDirectory,
            input: task.payload, captureLimit: captures ? HandlerReport.keptOutput : nil)
        request.keepsLast = true
        request.errors = .apart
        return request
    }

    /// A short handler: exit 0 is `done`, anything else `failed`, its time limit `unverified`.
    private func runToEnd(_ task: ActivationTask, _ command: Command, verb: String, timeLimit: Int? = nil)
        -> ActivationReport
    {
        let name = command.arguments.first ?? ""
        do throws(ActivationFailure) {
            let prepared = try prepare(task, command, payloadFile: standardInput)
            let limit = timeLimit ?? command.timeLimit
            let result = try Spawner.run(
                request(prepared, name: name, task: task, captures: true), timeLimit: limit)
            let report = HandlerReport(
                verb: verb, command: prepared.summary, status: .init(result.end),
                milliseconds: result.milliseconds,
                output: .tail(of: result.output, of: result.outputLength, limit: HandlerReport.keptOutput),
                errorOutput: .tail(of: result.errorOutput, of: result.errorLength, limit: HandlerReport.keptOutput))
            guard let end = result.end else {
                return ActivationReport(.timeLimit(name, milliseconds: limit), handlers: [report])
            }
            let said = Printable.lastLine(of: report.errorOutput) ?? Printable.lastLine(of: report.output)
            return ActivationReport(name, end, output: said, handlers: [report])
        } catch {
            return notStarted(error, command, verb: verb)
        }
    }

    func notStarted(_ failure: ActivationFailure, _ command: Command, verb: String) -> ActivationReport {
        let report = HandlerReport(
            verb: verb, command: ShellText.command(command.arguments), status: .failedToStart)
        return ActivationReport(failure, handlers: [report])
    }
}

// MARK: - Ask

extension Activator {
    /// What a command answered on its standard output.
    public struct CommandAnswer: Sendable {
        /// At most `limit` bytes of it; what it wrote on standard error is not among them.
        public var output: [UInt8]
        /// Whether it wrote more.
        public var isTruncated: Bool
        /// `done` where it ended by itself with status 0.
        public var report: ActivationReport
    }

    /// Asks a command: the task's payload on its standard input, the answer on its output, within its time limit.
    ///
    /// In a dry run nothing is asked, and nothing answered.
    public func ask(_ task: ActivationTask, _ command: Command, verb: String, limit: Int) -> CommandAnswer {
        if isDryRun { return CommandAnswer(output: [], isTruncated: false, report: .init(outcome: .skipped)) }
        let name = command.arguments.first ?? ""
        do throws(ActivationFailure) {
            let prepared = try prepare(task, command, payloadFile: standardInput)
            var request = request(prepared, name: name, task: task, captures: true)
            request.captureLimit = limit
            request.keepsLast = false
            let result = try Spawner.run(request, timeLimit: command.timeLimit)
            // The record says that there was an answer, not what it was.
            let handler = HandlerReport(
                verb: verb, command: prepared.summary, status: .init(result.end),
                milliseconds: result.milliseconds,
                errorOutput: .tail(of: result.errorOutput, of: result.errorLength, limit: HandlerReport.keptOutput))
            let report: ActivationReport =
                if let end = result.end {
                    ActivationReport(
                        name, end, output: Printable.lastLine(of: handler.errorOutput), handlers: [handler])
                } else {
                    ActivationReport(.timeLimit(name, milliseconds: command.timeLimit), handlers: [handler])
                }
            return CommandAnswer(
                output: result.output, isTruncated: result.outputLength > result.output.count, report: report)
        } catch {
            return CommandAnswer(output: [], isTruncated: false, report: notStarted(error, command, verb: verb))
        }
    }
}

// MARK: - Plan

/// What could be done for a task.
public enum ActivationStep: Sendable {
    case launch(LaunchHandler)
    case focus(FocusHandler?)
    /// `show`, and the handlers of a continuation.
    case show(ShowHandler)
    /// `background`, `content-deleted`.
    case run(Command, verb: String)
    /// `open-web`.
    case open(PageOpener)
}

extension Activator {
    /// What a step would do, a line each, for `explain` and dry runs: `tmux select-window @3, read it back`. Runs nothing and
    /// writes nothing; where the step would be refused, the line says so.
    public func plan(_ task: ActivationTask, _ step: ActivationStep) -> [String] {
        do throws(ActivationFailure) {
            return try lines(task, step)
        } catch {
            return ["refused: \(error.message)"]
        }
    }

    private func lines(_ task: ActivationTask, _ step: ActivationStep) throws(ActivationFailure) -> [String] {
        switch step {
        case .launch(let handler):
            var lines: [String]
            switch handler.place {
            case .exec: lines = ["run \(try summary(task, handler.command, payloadFile: "/dev/stdin"))"]
            case .tmux(let group):
                let template = try CommandTemplate(handler.command)
                let arguments = try template.expandArguments(task, payloadFile: planFile(task))
                lines = [
                    windowSystem.plan(
                        .launch(WindowLaunch(group: group, program: template.program, arguments: arguments)))
                ]
            case .desktop(let action):
                let (entry, uris) = try uris(task, handler.command)
                lines = ["start \(ShellText.command([entry] + (action.map { ["action", $0] } ?? []) + uris))"]
            case .dbus(let action): lines = [try applicationCall(task, handler.command, action: action).summary]
            }
            switch handler.ready {
            case .exec(let ready):
                lines.append("wait until \(try summary(task, ready, payloadFile: "/dev/stdin")) ends with status 0")
            case .window: lines.append("wait until its window is there")
            case .dbus(let name, _): lines.append("wait until \(ShellText.command([name])) is on the session bus")
            case nil: break
            }
            return lines
        case .focus(let handler):
            if let window = window(of: task) { return [windowSystem.plan(.focus(window))] }
            switch handler?.method {
            case .exec(let command): return ["run \(try summary(task, command, payloadFile: "/dev/stdin"))"]
            case .tmux(let session, _): return [windowSystem.plan(.focus(.group(session)))]
            case .window(let rule):
                let found = try window(like: rule, for: task)
                return [windowSystem.plan(.focus(.handle(found.handle, server: found.server)))]
            case .dbus(let name, _): return [ApplicationCall(name: name, verb: .activate).summary]
            case nil: return []
            }
        case .open(let opener): return [try line(task, opener)]
        case .show(.exec(let command)), .run(let command, _):
            return ["run \(try summary(task, command, payloadFile: "/dev/stdin"))"]
        case .show(.tmuxKeys(let command)):
            guard let window = window(of: task) else { throw .noWindowToType }
            let file = planFile(task)
            return [windowSystem.plan(.type(try keys(task, command, payloadFile: { _ in file }), window))]
        case .show(.tab(let command)):
            guard let window = window(of: task) else { throw .noWindowToType }
            return [windowSystem.plan(.navigate(window, try address(task, command)))]
        case .show(.dbus(let command, let action)): return [try applicationCall(task, command, action: action).summary]
        }
    }

    func summary(
        _ task: ActivationTask, _ command: Command, payloadFile: String
    ) throws(ActivationFailure) -> String {
        let template = try CommandTemplate(command)
        return ShellText.command(
            [template.program] + (try template.expandArguments(task, payloadFile: payloadFile)),
            limit: ShellText.planLimit)
    }

    private func planFile(_ task: ActivationTask) -> String {
        payloadFiles?.path(nonce: task.nonce) ?? "{payload-file}"
    }
}

// MARK: - Show

extension Activator {
    /// Has the window show the content. Typed keys cannot be read back: `done`.
    ///
    /// - Parameter verb: `show`, or the name of a continuation's handler.
    public func show(_ task: ActivationTask, _ handler: ShowHandler, verb: String = "show") -> ActivationReport {
        if isDryRun { return ActivationReport(outcome: .skipped) }
        switch handler {
        case .exec(let command): return runToEnd(task, command, verb: verb)
        case .tmuxKeys(let command): return type(task, command, verb: verb)
        case .tab(let command): return navigate(task, command, verb: verb)
        case .dbus(let command, let action):
            do throws(ActivationFailure) {
                return call(try applicationCall(task, command, action: action), task, verb: verb).report
            } catch {
                return notStarted(error, command, verb: verb)
            }
        }
    }

    private func type(_ task: ActivationTask, _ command: Command, verb: String) -> ActivationReport {
        let begin = MonotonicClock.now
        do throws(ActivationFailure) {
            guard let window = window(of: task) else { throw .noWindowToType }
            try windowSystem.type(try keys(task, command, payloadFile: savedPayload), into: window)
        } catch {
            return notStarted(error, command, verb: verb)
        }
        let report = HandlerReport(
            verb: verb, command: "tmux send-keys \(ShellText.command(command.arguments))", status: .ended(.exited(0)),
            milliseconds: Int((MonotonicClock.now - begin).milliseconds))
        return ActivationReport(outcome: .done, handlers: [report])
    }

    private func navigate(_ task: ActivationTask, _ command: Command, verb: String) -> ActivationReport {
        let begin = MonotonicClock.now
        do throws(ActivationFailure) {
            guard let window = window(of: task) else { throw .noWindowToType }
            let address = try address(task, command)
            let sighting = try windowSystem.navigate(window, to: address)
            let handler = HandlerReport(
                verb: verb, command: "tab \(ShellText.command([address]))", status: .ended(.exited(0)),
                milliseconds: Int((MonotonicClock.now - begin).milliseconds))
            return ActivationReport(sighting, handlers: [handler])
        } catch {
            return notStarted(error, command, verb: verb)
        }
    }

    /// The address that a tab is to show.
    func address(_ task: ActivationTask, _ command: Command) throws(ActivationFailure) -> String {
        guard let text = command.arguments.first else { throw .emptyCommand }
        return try PlaceholderText(text).expand(task, payloadFile: "")
    }

    func keys(
        _ task: ActivationTask, _ command: Command, payloadFile: (ActivationTask) throws(ActivationFailure) -> String
    ) throws(ActivationFailure) -> WindowKeys {
        let sequence = try KeySequence(command)
        let file = sequence.usesPayloadFile ? try payloadFile(task) : ""
        return WindowKeys(
            strokes: try sequence.expand(task, payloadFile: file), holdsPayloadText: sequence.hasPlaceholders,
            session: task.session)
    }
}

// MARK: - Focus

extension Activator {
    /// Brings the session's window forward: by its handle, else by the handler. With neither there is nothing that could
    /// be done or confirmed: `unverified`, no failure.
    public func focus(_ task: ActivationTask, _ handler: FocusHandler?) -> ActivationReport {
        if isDryRun { return ActivationReport(outcome: .skipped) }
        let policy = handler?.policy ?? FocusPolicy()
        if let window = window(of: task) { return focus(window, task, policy, insteadOf: handler?.method) }
        switch handler?.method {
        case .exec(let command): return runToEnd(task, command, verb: "focus")
        case .tmux(let session, _): return focus(.group(session), task, policy)
        case .window(let rule):
            do throws(ActivationFailure) {
                let found = try window(like: rule, for: task)
                return focus(.handle(found.handle, server: found.server), task, policy)
            } catch {
                return ActivationReport(error)
            }
        case .dbus(let name, _): return activate(name, task)
        case nil: return ActivationReport(outcome: .unverified)
        }
    }

    /// The window that the task's handle names; nil where it is none of this window system's.
    func window(of task: ActivationTask) -> WindowReference? {
        guard let handle = task.handle, windowSystem.recognizes(handle: handle) else { return nil }
        return .handle(handle, server: task.handleServer)
    }

    /// The only window that a rule means and no other session has.
    func window(like rule: WindowRule, for task: ActivationTask) throws(ActivationFailure) -> WindowList.Window {
        let found = try windowSystem.windows().windows.filter { window in
            rule.matches(window) && task.otherWindows.holder(of: window) == nil
        }
        guard let window = found.first else { throw .noWindow(like: rule) }
        if found.count > 1 { throw .ambiguousWindow(found, like: rule) }
        return window
    }

    /// The task with the window that its session will get, where it has none yet: for plans. Throws what a focus would.
    public func settled(_ task: ActivationTask, _ handler: FocusHandler?) throws(ActivationFailure) -> ActivationTask {
        guard window(of: task) == nil, case .window(let rule) = handler?.method,
            !rule.isOfBrowsers || windowSystem.browsers != nil
        else { return task }
        var task = task
        let found = try window(like: rule, for: task)
        (task.handle, task.handleServer) = (found.handle, found.server)
        return task
    }

    /// Why a scene that cannot launch has nothing to bring forward: the window that nearly matches its `focus`, or the
    /// session that has it.
    public func absence(of scene: String, _ rule: WindowRule, held: HeldWindows) -> ActivationFailure {
        let windows = (try? windowSystem.windows().windows) ?? []
        return .nothingToShow(scene, rule, windows, held)
    }

    func focus(_ window: WindowReference, _ task: ActivationTask, _ policy: FocusPolicy) -> ActivationReport {
        do throws(ActivationFailure) {
            return ActivationReport(try windowSystem.focus(request(window, task, policy)), policy: policy)
        } catch {
            return ActivationReport(error)
        }
    }

    /// Where the window does not come forward by itself, the handler's own way is tried, once.
    private func focus(
        _ window: WindowReference, _ task: ActivationTask, _ policy: FocusPolicy,
        insteadOf method: FocusHandler.Method?
    ) -> ActivationReport {
        let first = focus(window, task, policy)
        guard first.outcome == .unverified, first.seen != nil, policy.prominence == .focus else { return first }
        var second: ActivationReport
        switch method {
        case .exec(let command): second = runToEnd(task, command, verb: "focus")
        case .dbus(let name, _): second = activate(name, task)
        case .tmux, .window, nil: return first
        }
        // The handler's own report proves nothing: the window is observed again.
        let look = focus(window, task, policy)
        second.takeView(of: look)
        second.failure = look.failure
        second.windowGone = look.windowGone
        (second.handle, second.handleServer, second.title) = (look.handle, look.handleServer, look.title)
        return second
    }

    private func activate(_ name: String, _ task: ActivationTask) -> ActivationReport {
        call(ApplicationCall(name: name, verb: .activate, token: task.token), task, verb: "focus").report
    }

    private func request(_ window: WindowReference, _ task: ActivationTask, _ policy: FocusPolicy) -> FocusRequest {
        FocusRequest(window, policy: policy, target: task.resolved ?? task.target, token: task.token)
    }
}

// MARK: - Launch

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
            // Also where that cannot be found out: it is worth a warning.
            focus?.rule == nil || !handler.hasWindow ? .nothing : .window(timeLimit: handler.command.timeLimit)
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
        if let end { report.status = .ended(end) }
        let handlers = [report] + (probe.map { [$0.report] } ?? [])
        guard let end else { return conclude(probe, handlers: handlers, name: name, patience: patience) }
        return ActivationReport(name, end, handlers: handlers)
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
            // A window whose program cannot be executed opens and closes without a message, so everything is checked before.
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
        var result = ActivationReport(sighting, policy: focus?.policy ?? FocusPolicy(), handlers: [report])
        guard case .exec(let ready) = handler.ready else { return result }

        let patience = min(handler.grace, command.timeLimit)
        let deadline = Deadline(inMilliseconds: patience)
        let process = sighting.process.map { usher_pidfd_open($0) }.flatMap { $0 < 0 ? nil : $0 }
        defer { if let process { close(process) } }
        var readyTask = task
        readyTask.handle = sighting.handle ?? task.handle
        while true {
            let hadEnded = sighting.process != nil && (process.map(Poll.isReadable) ?? true)
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
            _ = Poll.wait(for: process ?? -1, until: pause)
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
}

// MARK: - Applications

// Applications of the desktop session: desktop entries, and programs that implement org.freedesktop.Application.

extension Activator {
    /// A call by bus name, as a handler of the record; the process that has the name.
    func call(
        _ call: ApplicationCall, _ task: ActivationTask, verb: String
    ) -> (report: ActivationReport, process: Int32?) {
        let begin = MonotonicClock.now
        var handler = HandlerReport(verb: verb, command: call.summary, status: .failedToStart)
        do throws(ActivationFailure) {
            guard let applications else { throw .noDesktop }
            let start = try applications.call(call)
            handler.command = start.summary
            handler.status = .ended(.exited(0))
            handler.milliseconds = Int((MonotonicClock.now - begin).milliseconds)
            var result = ActivationReport(outcome: .done, handlers: [handler])
            result.warnings += start.warnings
            return (result, start.process)
        } catch {
            handler.milliseconds = Int((MonotonicClock.now - begin).milliseconds)
            return (ActivationReport(error, handlers: [handler]), nil)
        }
    }

    /// The arguments of a handler that names an entry or a bus name first, and then URIs.
    func uris(_ task: ActivationTask, _ command: Command) throws(ActivationFailure) -> (name: String, uris: [String]) {
        let template = try CommandTemplate(command)
        let file = template.usesPayloadFile ? try savedPayload(task) : ""
        return (template.program, try template.expandArguments(task, payloadFile: file))
    }

    /// What an application is asked: a named action with the first URI, to open URIs, or just to come forward.
    private func applicationCall(
        _ task: ActivationTask, _ command: Command, action: String?
    ) throws(ActivationFailure) -> ApplicationCall {
        let (name, uris) = try uris(task, command)
        let verb: ApplicationCall.Verb =
            if let action { .action(action, parameter: uris.first) } else if uris.isEmpty { .activate } else {
                .open(uris)
            }
        return ApplicationCall(name: name, verb: verb, token: task.token, timeLimit: command.timeLimit)
    }

    /// Starts an application by its entry or its bus name; its process, where that is known.
    func startApplication(
        _ task: ActivationTask, _ handler: LaunchHandler, verb: String = "launch"
    ) -> (report: ActivationReport, process: Int32?) {
        let command = handler.command
        do throws(ActivationFailure) {
            switch handler.place {
            case .dbus(let action):
                return call(try applicationCall(task, command, action: action), task, verb: verb)
            case .desktop(let action):
                let begin = MonotonicClock.now
                guard let applications else { throw .noDesktop }
                let (entry, uris) = try uris(task, command)
                let template = try CommandTemplate(command)
                let start = try applications.launch(
                    EntryLaunch(
                        entry: entry, action: action, uris: uris,
                        environment: try environment.additions(command, template, task, payloadFile: ""),
                        workingDirectory: command.workingDirectory, token: task.token))
                let report = HandlerReport(
                    verb: verb, command: start.summary, status: .running,
                    milliseconds: Int((MonotonicClock.now - begin).milliseconds))
                var result = ActivationReport(outcome: .done, handlers: [report])
                result.warnings += start.warnings
                return (result, start.process)
            case .exec, .tmux: throw .noDesktop
            }
        } catch {
            return (notStarted(error, command, verb: verb), nil)
        }
    }
}

extension ApplicationCall {
    /// For people.
    public var summary: String {
        switch verb {
        case .activate: "dbus \(ShellText.command([name])) Activate"
        case .open(let uris): "dbus \(ShellText.command([name])) Open \(ShellText.command(uris))"
        case .action(let action, let parameter):
            "dbus \(ShellText.command([name])) ActivateAction \(ShellText.command([action] + (parameter.map { [$0] } ?? [])))"
        }
    }
}

// MARK: - Restoration

extension Activator {
    /// Keeps a document for the handlers of one attempt; the file's path.
    ///
    /// - Parameter name: what it is: `restoration`, `suggestion`.
    public func keep(_ document: [UInt8], as name: String, nonce: String) throws(ActivationFailure) -> String {
        guard let payloadFiles else { throw .noStateDirectory }
        return try payloadFiles.write(document, nonce: "\(nonce)-\(name)")
    }
}
