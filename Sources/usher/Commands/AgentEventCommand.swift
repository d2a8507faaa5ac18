internal import Dispatch
internal import Glibc
internal import Synchronization
internal import UsherActivation
internal import UsherAgents
internal import UsherConfiguration
internal import UsherOperation
internal import UsherScene
internal import UsherSystem
internal import UsherText

/// `usher agent event`: what hooks call. It must never be in an agent's way: whatever happens, its status is 0.
enum AgentEventCommand {
    private static let agent = Option("agent", "AGENT", "the agent whose hook this is")
    /// What the agent waits for at most beside an answer.
    private static let longest = Duration.seconds(10)
    private static let event = Option("event", "NAME", "the event, where the JSON does not name it")

    static let description = CommandDescription(
        "agent event", "report what a coding agent does; its hooks call this", operands: [.init("JSON", .optional)],
        options: [agent, event],
        discussion: [
            "Reads the hook's JSON, else standard input. Without usherd, and with what it does not understand, it does nothing:",
            "its status is always 0, and it starts nothing. Prompts are not sent. A hook that may answer for the user waits for",
            "the answer as long as [agents] of usher.toml says, and prints it; any other takes ten seconds at most.",
        ],
        examples: [
            .init(
                #"usher agent event --agent claude '{"session_id":"s","hook_event_name":"Stop"}'"#, "its turn is over")
        ],
        run: { (arguments, context) throws(CommandFailure) -> ExitStatus in
            try? run(arguments, context)
            return .handled
        })

    /// Whether the command line is that of a hook: then nothing that is wrong with it is told.
    static var isMeant: Bool {
        (try? ProcessEnvironment.arguments())?.prefix(2).elementsEqual(["agent", "event"]) ?? false
    }

    private static func run(_ arguments: Arguments, _ context: Context) throws(CommandFailure) {
        guard let agent = arguments.value(agent).flatMap(AgentName.init) else { return }
        // An agent waits for its hooks.
        let limit = HookLimit(longest)
        let text: [UInt8]
        if let operand = arguments.operands.first {
            text = Array(operand.utf8)
        } else {
            let input = try InputFile("-")
            guard !input.isTerminal else { return }
            text = try input.readAll(limit: AgentEvent.longestText)
        }
        // What the hook's parents are is known now: it may lose them.
        let parents = ProcessTable.lineage(of: getpid()).compactMap { pid in
            ProcessStatus(pid: pid).map { AgentReport.Process(pid: pid, start: $0.startTime) }
        }
        guard let event = AgentEvent(of: agent, named: arguments.value(event), parsing: text),
            let report = AgentReport(event, parents: parents),
            let daemon = try context.daemon(ofAnyConfiguration: true),
            !daemon.hello.isOnDemand
        else { return }
        if report.isAnswerable {
            let path = daemon.hello.configuration
            limit.extend {
                let loaded = ConfigurationLoader.load(path: path)
                return (loaded.hasErrors ? AgentSettings() : loaded.settings.agents).wait(of: agent)
            }
        }
        guard let text = try daemon.call(report).text(for: agent) else { return }
        context.output.write(text + "\n")
    }
}

/// Ends the process, as if nothing had happened, when its time is over.
private final class HookLimit: Sendable {
    private let addition = Mutex<(@Sendable () -> Duration)?>(nil)

    init(_ time: Duration) { end(after: time) }

    /// Then there is this time, too.
    func extend(by time: @escaping @Sendable () -> Duration) { addition.withLock { $0 = time } }

    private func end(after time: Duration) {
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(Int(time.milliseconds))) { [self] in
            guard let time = addition.withLock({ $0.take() }) else { _exit(0) }
            end(after: time())
        }
    }
}
