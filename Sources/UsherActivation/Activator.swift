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
    /// nil where there is no session bus.
    let tabs: (any TerminalTabs)?
    public let programs: ProgramLocator
    /// Where payloads for windows are kept; nil where there is no state directory.
    public let payloadFiles: PayloadFiles?
    /// Nothing is run: outcomes are `skipped`.
    public let isDryRun: Bool
    /// Assigns new windows to the launches that wait for them; nil where launches never overlap.
    public private(set) var claims: (any WindowClaiming)?
    let environment: HandlerEnvironment
    /// The home folder of the user; nil where it is not known.
    package var home: String? { environment.variables["HOME"] }
    /// nil where there is none.
    let stateDirectory: String?
    let stop = LaunchStop()

    /// `environment` is Usher's own: handlers get a part of it.
    public init(
        windowSystem: any WindowSystem, applications: (any DesktopApplications)? = nil,
        tabs: (any TerminalTabs)? = nil, environment: [String: String], stateDirectory: String?, isDryRun: Bool = false
    ) {
        self.windowSystem = windowSystem
        self.applications = applications
        self.tabs = tabs
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
        if let process = handle.flatMap(ProcessHandle.init) { return process.running == nil ? .gone : .present }
        guard let handle, windowSystem.recognizes(handle: handle) else { return .unknown }
        return (try? windowSystem.presence(of: .handle(handle, server: server))) ?? .unknown
    }

    // MARK: - What the verbs share

    /// A command, ready to be run for one task.
    struct Prepared {
        /// As the command names it: the first of its arguments.
        var name: String
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
            name: command.name, program: try programs.require(template.program), arguments: arguments,
            additions: additions, workingDirectory: command.workingDirectory,
            summary: ShellText.command([template.program] + arguments))
    }

    /// `{payload-file}` of a child whose standard input is the payload: the child can open it again by this name.
    func standardInput(_: ActivationTask) -> String { "/dev/stdin" }

    /// The payload as a file of its own.
    private func savedPayload(_ task: ActivationTask) throws(ActivationFailure) -> String {
        guard let payloadFiles else { throw .noStateDirectory }
        return try payloadFiles.write(task.payload, nonce: task.nonce)
    }

    /// - Parameter captures: keeps the end of what it writes, for the record.
    func request(_ prepared: Prepared, _ task: ActivationTask, captures: Bool) -> SpawnRequest {
        var request = SpawnRequest(
            program: prepared.program, arguments: [prepared.name] + prepared.arguments,
            environment: environment.complete(prepared.additions), workingDirectory: prepared.workingDirectory,
            input: task.payload, captureLimit: captures ? HandlerReport.keptOutput : nil)
        request.keepsLast = true
        request.errors = .apart
        return request
    }

    /// A short handler: exit 0 is `done`, anything else `failed`, its time limit `unverified`.
    private func runToEnd(
        _ task: ActivationTask, _ command: Command, verb: String, timeLimit: Int? = nil
    ) -> ActivationReport { result(of: task, command, verb: verb, timeLimit: timeLimit ?? command.timeLimit).report }

    /// Runs a short handler, and returns what it wrote as well; nil where it did not start.
    ///
    /// - Parameter answerLimit: how many bytes of its output are kept as its answer; nil where it is asked for none. The
    ///   record says that there was an answer, not what it was.
    private func result(
        of task: ActivationTask, _ command: Command, verb: String, timeLimit: Int, answerLimit: Int? = nil
    ) -> (report: ActivationReport, written: ProcessResult?) {
        do throws(ActivationFailure) {
            let prepared = try prepare(task, command, payloadFile: standardInput)
            var request = request(prepared, task, captures: true)
            request.mark(UsherVariables.run)
            if let answerLimit { (request.captureLimit, request.keepsLast) = (answerLimit, false) }
            let result = try Spawner.run(request, timeLimit: timeLimit)
            var handler = HandlerReport(
                verb: verb, command: prepared.summary, status: .init(result.end), milliseconds: result.milliseconds,
                errorOutput: .tail(of: result.errorOutput, of: result.errorLength, limit: HandlerReport.keptOutput))
            if answerLimit == nil {
                handler.output = .tail(of: result.output, of: result.outputLength, limit: HandlerReport.keptOutput)
            }
            guard let end = result.end else {
                let failure = ActivationFailure.timeLimit(command.name, milliseconds: timeLimit)
                return (ActivationReport(failure, handlers: [handler]), result)
            }
            let said = Printable.lastLine(of: handler.errorOutput) ?? Printable.lastLine(of: handler.output)
            return (ActivationReport(command.name, end, output: said, handlers: [handler]), result)
        } catch {
            return (notStarted(error, command, verb: verb), nil)
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
        let (report, written) = result(
            of: task, command, verb: verb, timeLimit: command.timeLimit, answerLimit: limit)
        return CommandAnswer(
            output: written?.output ?? [], isTruncated: written.map { $0.outputLength > $0.output.count } ?? false,
            report: report)
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
            switch handler.method {
            case .exec: lines = ["run \(try summary(task, handler.command))"]
            case .tmux(let group):
                let template = try CommandTemplate(handler.command)
                let arguments = try template.expandArguments(task, payloadFile: planFile(task))
                lines = [
                    windowSystem.plan(
                        .launch(WindowLaunch(group: group, program: template.program, arguments: arguments)))
                ]
            case .desktop(let action):
                lines = [try entrySummary(task, handler.command, action)]
            case .dbus(let action): lines = [try applicationCall(task, handler.command, action: action).summary]
            }
            switch handler.ready {
            case .exec(let ready):
                lines.append("wait until \(try summary(task, ready)) ends with status 0")
            case .window: lines.append("wait until its window is there")
            case .dbus(let name, _): lines.append("wait until \(ShellText.command([name])) is on the session bus")
            case nil: break
            }
            return lines
        case .focus(let handler):
            if let window = window(of: task) { return [windowSystem.plan(.focus(window))] }
            switch handler?.method {
            case .exec(let command): return ["run \(try summary(task, command))"]
            case .tmux(let session, _): return [windowSystem.plan(.focus(.group(session)))]
            case .window(let rule):
                let found = try window(like: rule, for: task)
                return [windowSystem.plan(.focus(.handle(found.handle, server: found.server)))]
            case .dbus(let name, _): return [ApplicationCall(name: name, verb: .activate).summary]
            case nil: return []
            }
        case .open(let opener): return [try line(task, opener)]
        case .show(.exec(let command)), .run(let command, _):
            return ["run \(try summary(task, command))"]
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

    func summary(_ task: ActivationTask, _ command: Command) throws(ActivationFailure) -> String {
        let template = try CommandTemplate(command)
        return ShellText.command(
            [template.program] + (try template.expandArguments(task, payloadFile: standardInput(task))),
            limit: ShellText.planLimit)
    }

    /// What starting a desktop entry would do.
    func entrySummary(_ task: ActivationTask, _ command: Command, _ action: String?) throws(ActivationFailure) -> String
    {
        let (entry, uris) = try uris(task, command)
        return "start \(ShellText.command([entry] + (action.map { ["action", $0] } ?? []) + uris))"
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
        let begin = MonotonicClock.now
        func done(_ summary: String) -> [HandlerReport] {
            [HandlerReport(verb: verb, command: summary, status: .ended(.exited(0)), since: begin)]
        }
        do throws(ActivationFailure) {
            switch handler {
            case .exec(let command): return runToEnd(task, command, verb: verb)
            case .tmuxKeys(let command):
                guard let window = window(of: task) else { throw .noWindowToType }
                try windowSystem.type(try keys(task, command, payloadFile: savedPayload), into: window)
                return ActivationReport(
                    outcome: .done, handlers: done("tmux send-keys \(ShellText.command(command.arguments))"))
            case .tab(let command):
                guard let window = window(of: task) else { throw .noWindowToType }
                let address = try address(task, command)
                let sighting = try windowSystem.navigate(window, to: address)
                return ActivationReport(sighting, handlers: done("tab \(ShellText.command([address]))"))
            case .dbus(let command, let action):
                return call(try applicationCall(task, command, action: action), task, verb: verb).report
            }
        } catch {
            return notStarted(error, handler.command, verb: verb)
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
        if let process = task.handle.flatMap(ProcessHandle.init) {
            guard process.running != nil else { return ActivationReport(.windowGone(process.text)) }
            var report = focus(terminalOf: .process(process.pid), task.terminal, token: task.token)
            (report.handle, report.handleServer) = (process.text, nil)
            return report
        }
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

    /// - Parameter opens: whether a terminal may be opened for a tmux window that no client shows.
    func focus(
        _ window: WindowReference, _ task: ActivationTask, _ policy: FocusPolicy, opens: Bool = true
    ) -> ActivationReport {
        do throws(ActivationFailure) {
            var request = request(window, task, policy)
            if !opens { request.open = nil }
            return ActivationReport(try windowSystem.focus(request), policy: policy)
        } catch {
            return ActivationReport(error)
        }
    }

    /// Where the window does not come forward by itself, the handler's own way is tried, once.
    private func focus(
        _ window: WindowReference, _ task: ActivationTask, _ policy: FocusPolicy,
        insteadOf method: FocusHandler.Method?
    ) -> ActivationReport {
        var hasOther = false
        switch method {
        case .exec, .dbus: hasOther = policy.prominence == .focus
        case .tmux, .window, nil: break
        }
        let first = focus(window, task, policy, opens: !hasOther)
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
        var request = FocusRequest(
            window, policy: policy, target: task.resolved ?? task.target, token: task.token)
        request.terminal = task.terminal
        request.open = opening(task.terminal, token: task.token)
        request.tabs = tabs
        return request
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
        if case .tmux(let session) = handler.method { return launchWindow(task, handler, group: session, focus) }
        let awaited = awaited(handler, focus)
        switch (handler.method, awaited) {
        case (.exec, .nothing):
            var report = ActivationReport(outcome: .done)
            if let child = start(task, handler.command, verb: "launch", isAwaited: false, &report) {
                report.process = child.pid
            }
            return report
        case (.exec, .command(let ready)):
            return startAndWatch(task, handler.command, verb: "launch", ready: ready, grace: handler.grace)
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

    /// Starts a program that is meant to stay. What it writes on standard output goes nowhere.
    ///
    /// - Parameters:
    ///   - isAwaited: keeps the end of its standard error meanwhile.
    ///   - report: gets the program that runs, or is replaced by the reason why it does not.
    func start(
        _ task: ActivationTask, _ command: Command, verb: String, isAwaited: Bool, _ report: inout ActivationReport
    ) -> ChildProcess? {
        do throws(ActivationFailure) {
            let prepared = try prepare(task, command, payloadFile: standardInput)
            var request = request(prepared, task, captures: false)
            request.errors = isAwaited ? .drained : .discarded
            request.give(token: task.token)
            let child = try Spawner.start(request)
            report.handlers.append(HandlerReport(verb: verb, command: prepared.summary, status: .running))
            return child
        } catch {
            report = notStarted(error, command, verb: verb)
            return nil
        }
    }

    /// Starts a program, and waits until `ready` holds, where there is one, the program has ended or `grace` is over.
    func startAndWatch(
        _ task: ActivationTask, _ command: Command, verb: String, ready: Command?, grace: Int
    ) -> ActivationReport {
        let begin = MonotonicClock.now
        var report = ActivationReport(outcome: .done)
        guard var child = start(task, command, verb: verb, isAwaited: true, &report) else { return report }
        var end: ProcessEnd?
        if let ready {
            _ = awaitReady(task, ready, of: command, grace: grace, &report) { pause in
                end = child.wait(until: pause)
                return end != nil
            }
        } else {
            end = child.wait(until: Deadline(inMilliseconds: min(grace, command.timeLimit)))
        }
        report.handlers[0].milliseconds = MonotonicClock.milliseconds(since: begin)
        if let end {
            report.handlers[0].status = .ended(end)
            if end != .exited(0) { report.handlers[0].errorOutput = child.lastErrors() }
            let said = Printable.lastLine(of: report.handlers[0].errorOutput)
            return ActivationReport(command.name, end, output: said, handlers: report.handlers)
        }
        if report.isUnconfirmed { report.handlers[0].errorOutput = child.lastErrors() }
        return report
    }

    private func launchWindow(
        _ task: ActivationTask, _ handler: LaunchHandler, group: String?, _ focus: FocusHandler?
    ) -> ActivationReport {
        let command = handler.command
        let begin = MonotonicClock.now
        let sighting: WindowSighting
        var report: HandlerReport
        do throws(ActivationFailure) {
            let prepared = try prepare(task, command, payloadFile: savedPayload)
            report = HandlerReport(verb: "launch", command: prepared.summary, status: .running)
            // A window whose program cannot be executed opens and closes without a message, so everything is checked before.
            try request(prepared, task, captures: false).validate()
            if let directory = prepared.workingDirectory { try Spawner.checkDirectory(directory) }
            sighting = try windowSystem.launch(
                WindowLaunch(
                    group: group, program: prepared.program, arguments: prepared.arguments,
                    environment: environment.inWindow(prepared.additions),
                    workingDirectory: prepared.workingDirectory, nonce: task.nonce,
                    focus: request(.group(group ?? ""), task, focus?.policy ?? FocusPolicy())))
        } catch {
            return notStarted(error, command, verb: "launch")
        }
        report.milliseconds = MonotonicClock.milliseconds(since: begin)
        var result = ActivationReport(sighting, policy: focus?.policy ?? FocusPolicy(), handlers: [report])
        guard case .exec(let ready) = handler.ready else { return result }

        let process = sighting.process.map { usher_pidfd_open($0) }.flatMap { $0 < 0 ? nil : $0 }
        defer { if let process { close(process) } }
        var readyTask = task
        readyTask.handle = sighting.handle ?? task.handle
        // `ready` may have come to hold before the program ended.
        var hadEnded = sighting.process != nil && (process.map(Poll.isReadable) ?? true)
        let hasEnded = awaitReady(readyTask, ready, of: command, grace: handler.grace, &result) { pause in
            if hadEnded { return true }
            hadEnded = Poll.wait(for: process ?? -1, until: pause) == .ready
            return hadEnded ? nil : false
        }
        if hasEnded {
            result.outcome = .unverified
            result.warnings.append(.closedBeforeReady(command.name))
        }
        return result
    }

    /// Asks `ready` until it holds, the program has ended, waiting is stopped, or grace or time limit is over, and notes in
    /// the report what came of it.
    ///
    /// - Parameter hasEnded: waits until the deadline or the end of the program, and returns whether it has ended; nil where
    ///   it ended in this wait, and `ready` is to be asked once more.
    /// - Returns: whether the program ended first. The outcome does not say so yet.
    func awaitReady(
        _ task: ActivationTask, _ ready: Command, of command: Command, grace: Int, _ report: inout ActivationReport,
        hasEnded: (Deadline) -> Bool?
    ) -> Bool {
        let patience = min(grace, command.timeLimit)
        let deadline = Deadline(inMilliseconds: patience)
        let handlers = report.handlers
        while true {
            let limit = min(ready.timeLimit, max(Int(deadline.remainingMilliseconds), 1))
            let look = runToEnd(task, ready, verb: "ready", timeLimit: limit)
            report.handlers = handlers + look.handlers
            if look.outcome == .done { return false }
            if look.handlers.first?.status == .failedToStart {
                // It can never hold.
                (report.outcome, report.failure) = (.failed, look.failure)
                return false
            }
            let pause = Deadline.earlier(deadline, Deadline(inMilliseconds: Self.readyInterval))
            guard let ended = hasEnded(pause) else { continue }
            if ended { return true }
            if stop.isRaised {
                report.isLeft = true
                return false
            }
            if deadline.isOver {
                report.outcome = .unverified
                report.warnings.append(.notReady(command.name, milliseconds: patience))
                return false
            }
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
        do throws(ActivationFailure) {
            guard let applications else { throw .noDesktop }
            let start = try applications.call(call)
            let handler = HandlerReport(verb: verb, command: start.summary, status: .ended(.exited(0)), since: begin)
            return (ActivationReport(outcome: .done, warnings: start.warnings, handlers: [handler]), start.process)
        } catch {
            let handler = HandlerReport(verb: verb, command: call.summary, status: .failedToStart, since: begin)
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
            switch handler.method {
            case .dbus(let action):
                return call(try applicationCall(task, command, action: action), task, verb: verb)
            case .desktop(let action):
                let begin = MonotonicClock.now
                guard let applications else { throw .noDesktop }
                let (entry, uris) = try uris(task, command)
                let template = try CommandTemplate(command)
                let variables = try environment.additions(command, template, task, payloadFile: "")
                // An application that is activated over the bus is given none of them: nothing else would refuse these.
                for variable in variables where variable.value.utf8.contains(0) {
                    throw .holdsNUL("the environment variable \(variable.name)")
                }
                let start = try applications.launch(
                    EntryLaunch(
                        entry: entry, action: action, uris: uris, environment: variables,
                        workingDirectory: command.workingDirectory, token: task.token))
                let handler = HandlerReport(verb: verb, command: start.summary, status: .running, since: begin)
                return (ActivationReport(outcome: .done, warnings: start.warnings, handlers: [handler]), start.process)
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
