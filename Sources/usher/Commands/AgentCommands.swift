internal import UsherAgents
internal import UsherConfiguration
internal import UsherEngine
internal import UsherLog
internal import UsherOperation
internal import UsherScene
internal import UsherSystem
internal import UsherText

/// `usher agent install|remove|status`: the hooks by which coding agents report to Usher.
enum AgentCommands {
    private static let operand = CommandDescription.Operand("AGENT", .one, of: .agents)

    static let install = CommandDescription(
        "agent install", "let a coding agent report to Usher what it does", operands: [operand],
        discussion: [
            "Agents: \(AgentName.list). Adds a hook for each of their events to",
            "the agent's settings, or writes a file of its own for it. Nothing else in the settings changes, comments and line",
            "ends included. Again, it changes nothing, or corrects the path of usher.",
        ],
        examples: [.init("usher agent install claude", "in ~/.claude/settings.json")],
        run: { (arguments, context) throws(CommandFailure) -> ExitStatus in
            let agent = try agent(arguments)
            let hooks = try hooks(of: agent, context)
            try AgentFile(of: agent, context).install(hooks)
            try report(hooks, context)
            if agent == .codex { context.errors.note(codexNote) }
            return .handled
        })

    static let remove = CommandDescription(
        "agent remove", "take back what usher agent install has done", operands: [operand],
        discussion: [
            "Restores every byte. Where you edited the settings since, only the hooks of usher are taken out."
        ],
        examples: [.init("usher agent remove claude", "Claude Code reports nothing more")],
        run: { (arguments, context) throws(CommandFailure) -> ExitStatus in
            let agent = try agent(arguments)
            if try !AgentFile(of: agent, context).remove() {
                context.errors.note("usher is not in the settings of \(agent.rawValue): nothing to remove")
            }
            try report(try hooks(of: agent, context), context)
            return .handled
        })

    static let status = CommandDescription(
        "agent status", "which coding agents report to Usher", operands: [.init("AGENT", .optional, of: .agents)],
        discussion: [
            "installed; absent; partial: some events are not reported; outdated: the hooks call usher at another path."
        ],
        examples: [.init("usher agent status", "all agents"), .init("usher agent status codex", "this one")],
        run: { (arguments, context) throws(CommandFailure) -> ExitStatus in
            let agents = try arguments.operands.isEmpty ? AgentName.allCases : [agent(arguments)]
            let isServed = try isServed(context)
            let lastEvents = lastEvents(context)
            var answers: [AgentSettingsAnswer] = []
            for agent in agents {
                var answer = try answer(try hooks(of: agent, context), isServed, context)
                answer.lastEvent = lastEvents[agent]
                answers.append(answer)
            }
            context.print(answers, none: "", ["agent", "state", "file", "note"]) {
                [$0.agent, $0.state.rawValue, $0.file, $0.note ?? ""]
            }
            return .handled
        })

    static let list = CommandDescription(
        AgentList.self, discussion: ["They are there while usherd runs: their hooks report to it."],
        examples: [.init("usher agent list", "the oldest first"), .init("usher agent list --all", "ended ones, too")]
    ) { answer, _, context in
        context.print(
            answer, none: "no sessions of agents: usher agent install AGENT lets one report to usherd",
            ["id", "agent", "state", "since", "title", "folder"]
        ) { agent in
            [
                agent.id, agent.agent.rawValue, agent.kind?.rawValue ?? agent.state.rawValue,
                LocalClock.system.text(agent.since), agent.title, agent.cwd,
            ].map { $0.map(AgentEvent.blanked) }
        }
    }

    static let focus = CommandDescription(
        "agent focus", "bring the terminal of an agent's session forward", operands: [.init("ID")],
        discussion: [
            "ID is that of usher agent list, or the agent's own. Prints the record: see usher help terminal focus."
        ],
        examples: [.init("usher agent focus agent-1", "its terminal, tab and pane are in front")],
        run: { (arguments, context) throws(CommandFailure) -> ExitStatus in
            try act(
                AgentFocus(
                    arguments.operands[0], token: context.token, parent: context.environment["USHER_DELIVERY"]), context
            )
        })

    static let next = CommandDescription(
        "agent next", "bring the agent's session forward that needs you next",
        discussion: [
            "First those that wait, the one that waits longest first; then those that are done and that you have not seen, the",
            "newest first. Each call takes the following one. Bind it to a key: Config/ready/keys.",
        ],
        examples: [.init("usher agent next", "the terminal of the one that waits longest")],
        run: { (_, context) throws(CommandFailure) -> ExitStatus in
            try act(AgentNext(token: context.token, parent: context.environment["USHER_DELIVERY"]), context)
        })

    static let answer = CommandDescription(
        AgentAnswerCall.self, operands: [("id", .init("ID")), ("action", .init("allow|deny"))],
        discussion: [
            "Only while a hook waits: answerable in usher agent list. Presses a button of its notification. Without one of them,",
            "such as allow for a request that was not shown whole, it is refused.",
        ],
        examples: [
            .init("usher agent answer agent-1 allow", "it goes on"),
            .init("usher agent answer agent-1 deny --message 'Not on this branch'", "it is told why not"),
        ]
    ) { answer, _, context in
        if context.writesJSON { return context.print(json: answer) }
        context.output.write(answer.delivery + "\n")
    }

    private static func act<C: PerformedCall>(
        _ call: C, _ context: Context
    ) throws(CommandFailure) -> ExitStatus where C.Answer == DecisionRecord {
        let record = try context.engine(needsConfiguration: false).call(call)
        context.print(record: record)
        return record.error == nil ? .handled : .finding
    }

    private static let codexNote = "Codex runs these hooks once you trust them: say /hooks in it"

    private static func agent(_ arguments: Arguments) throws(CommandFailure) -> AgentName {
        let word = arguments.operands[0]
        guard let agent = AgentName(rawValue: word) else {
            throw .unknown("agent", word, among: AgentName.allCases.map(\.rawValue), code: .agentUnknownAgent)
        }
        return agent
    }

    private static func hooks(of agent: AgentName, _ context: Context) throws(CommandFailure) -> AgentHooks {
        try hooks(of: agent, context.loadConfigurationIfPresent()?.settings.agents)
    }

    private static func hooks(of agent: AgentName, _ settings: AgentSettings?) throws(CommandFailure) -> AgentHooks {
        let wait = (settings ?? AgentSettings()).wait(of: agent)
        return AgentHooks(
            of: agent, program: try PublishedEntry.program([])[0], wait: Int((wait.milliseconds + 999) / 1000))
    }

    private static func isServed(_ context: Context) throws(CommandFailure) -> Bool {
        try context.daemon(ofAnyConfiguration: true).map { !$0.hello.isOnDemand } ?? false
    }

    /// The newest of each agent.
    private static func lastEvents(_ context: Context) -> [AgentName: Instant] {
        guard let service = try? context.service() else { return [:] }
        // What an earlier daemon heard, it has kept as far as it changed a state.
        let states = ((try? service.call(AgentList(all: true))) ?? []).map { ($0.agent, $0.since) }
        let events = ((try? service.call(AgentLastEvents())) ?? []).map { ($0.agent, $0.time) }
        return (states + events).reduce(into: [:]) { times, event in
            times[event.0] = max(times[event.0] ?? event.1, event.1)
        }
    }

    private static func report(_ hooks: AgentHooks, _ context: Context) throws(CommandFailure) {
        let answer = try answer(hooks, try isServed(context), context)
        context.print(answer, text: "\(answer.state.rawValue): \(Printable.escaped(answer.file))\n")
        context.output.flush()
    }

    private static func answer(
        _ hooks: AgentHooks, _ isServed: Bool, _ context: Context
    ) throws(CommandFailure) -> AgentSettingsAnswer {
        let file = try AgentFile(of: hooks.agent, context)
        var answer = AgentSettingsAnswer()
        (answer.agent, answer.file, answer.isServed) = (hooks.agent.rawValue, file.path, isServed)
        do throws(CommandFailure) {
            (answer.state, answer.events) = try file.state(for: hooks)
            if hooks.agent == .codex, answer.state != .absent { answer.note = codexNote }
        } catch {
            answer.note = error.message
        }
        return answer
    }
}

extension AgentCommands {
    /// What is in the settings of each agent.
    static func states(
        _ context: Context
    ) throws(CommandFailure) -> [(agent: String, state: AgentFile.State)] {
        var states: [(agent: String, state: AgentFile.State)] = []
        // A configuration with errors says nothing of agents.
        let settings = try? context.loadConfigurationIfPresent()?.settings.agents
        for agent in AgentName.allCases {
            let hooks = try hooks(of: agent, settings)
            // Settings that cannot be read have no hooks that work.
            let state = try? AgentFile(of: agent, context).state(for: hooks).0
            states.append((agent.rawValue, state ?? .partial))
        }
        return states
    }
}

extension AgentName {
    fileprivate static var list: String { allCases.map(\.rawValue).joined(separator: ", ") }
}

/// Whether an agent reports to Usher.
private struct AgentSettingsAnswer: AnswerRecord {
    var agent = ""
    var file = ""
    var state = AgentFile.State.absent
    var events: [String] = []
    var isServed = false
    var lastEvent: Instant?
    var note: String?

    static let fields: [Field<Self>] = [
        Field(always: "agent", \.agent), Field(always: "file", \.file), Field(always: "state", \.state),
        Field(always: "events", \.events), Field(always: "usherd", \.isServed),
        Field(always: "last_event", \.lastEvent), Field(always: "note", \.note),
    ]
}
