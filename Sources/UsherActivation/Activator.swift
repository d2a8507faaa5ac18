internal import Glibc
public import UsherScene
internal import UsherSystem
internal import UsherText

/// Carries decisions out: makes windows, brings them forward, tells them what to show.
///
/// Activation never resolves: a window that is gone is reported (`windowGone`), and whoever decided decides again. All
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
    /// Decides whose a window is that a launch waits for; nil where no two launches are ever under way.
    public private(set) var claims: (any WindowClaiming)?
    let environment: HandlerEnvironment
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
        self.isDryRun = isDryRun
    }

    /// The same, and its launches ask for their windows there.
    public func claiming(with claims: any WindowClaiming) -> Activator {
        var activator = self
        activator.claims = claims
        return activator
    }

    /// Runs a command to its end: `background`, `content-deleted`. `open-web` is let run on after `launch-grace`, since it
    /// may have become the browser.
    public func run(_ task: ActivationTask, _ command: Command, verb: String) -> ActivationReport {
        if isDryRun { return ActivationReport(outcome: .skipped) }
        if verb == Action.openWeb.rawValue {
            return startAndWatch(task, command, verb: verb, ready: nil, grace: LaunchHandler.defaultGrace, waits: true)
        }
        return runToEnd(task, command, verb: verb)
    }

    /// What the attempt with this nonce started, if it still runs. A window that is on its way is waited for.
    public func find(nonce: String) -> FoundLaunch? {
        if nonce.isEmpty { return nil }
        let deadline = Deadline(inMilliseconds: Command.defaultTimeLimit)
        // Between fork and exec a process does not show the nonce yet: where nothing was on its way, a start just before the
        // kill is still waited for.
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

    /// The payload is a child's standard input, which it can open again by this name.
    func standardInput(_ task: ActivationTask) -> String { "/dev/stdin" }

    /// The payload as a file of its own.
    func savedPayload(_ task: ActivationTask) throws(ActivationFailure) -> String {
        guard let payloadFiles else { throw .noStateDirectory }
        return try payloadFiles.write(task.payload, nonce: task.nonce)
    }

    func request(_ prepared: Prepared, name: String, task: ActivationTask, captures: Bool) -> SpawnRequest {
        SpawnRequest(
            program: prepared.program, arguments: [name] + prepared.arguments,
            environment: environment.complete(prepared.additions), workingDirectory: prepared.workingDirectory,
            input: task.payload, captureLimit: captures ? CapturedOutput.defaultLimit : nil)
    }

    /// A short handler: exit 0 is `done`, anything else `failed`, its time limit `unverified`.
    func runToEnd(_ task: ActivationTask, _ command: Command, verb: String, timeLimit: Int? = nil) -> ActivationReport {
        let name = command.arguments.first ?? ""
        do throws(ActivationFailure) {
            let prepared = try prepare(task, command, payloadFile: standardInput)
            let limit = timeLimit ?? command.timeLimit
            let result = try Spawner.run(
                request(prepared, name: name, task: task, captures: true), timeLimit: limit)
            let report = HandlerReport(
                verb: verb, command: prepared.summary, status: Self.status(result.end),
                milliseconds: result.milliseconds, output: result.output, outputLength: result.outputLength)
            switch result.end {
            case .exited(0): return ActivationReport(outcome: .done, handlers: [report])
            case .exited(let status):
                let failure = ActivationFailure.exitStatus(name, status, output: Printable.firstLine(result.output))
                return ActivationReport(failure, handlers: [report])
            case .signalled(let signal): return ActivationReport(.killed(name, by: signal), handlers: [report])
            case nil: return ActivationReport(.timeLimit(name, milliseconds: limit), handlers: [report])
            }
        } catch {
            return notStarted(error, command, verb: verb)
        }
    }

    func notStarted(_ failure: ActivationFailure, _ command: Command, verb: String) -> ActivationReport {
        let report = HandlerReport(
            verb: verb, command: ShellText.command(command.arguments), status: .failedToStart)
        return ActivationReport(failure, handlers: [report])
    }

    static func status(_ end: ProcessEnd?) -> HandlerReport.Status {
        switch end {
        case .exited(let status): .exited(status)
        case .signalled(let signal): .signalled(signal)
        case nil: .timedOut
        }
    }
}
