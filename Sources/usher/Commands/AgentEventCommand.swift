internal import Dispatch
internal import Glibc
internal import UsherActivation
internal import UsherAgents
internal import UsherOperation
internal import UsherSystem

/// `usher agent event`: what hooks call. It must never be in an agent's way: whatever happens, its status is 0.
enum AgentEventCommand {
    private static let agent = Option("agent", "AGENT", "the agent whose hook this is")
    /// In seconds: what the agent waits for at most.
    private static let longest = 10
    private static let event = Option("event", "NAME", "the event, where the JSON does not name it")

    static let description = CommandDescription(
        "agent event", "report what a coding agent does; its hooks call this", operands: [.init("JSON", .optional)],
        options: [agent, event],
        discussion: [
            "Reads the hook's JSON, else standard input. Without usherd, and with what it does not understand, it does nothing:",
            "its status is always 0 after ten seconds at most, and it starts nothing. Prompts are not sent.",
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
        DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(longest)) { _exit(0) }
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
        _ = try daemon.call(report)
    }
}
