internal import UsherActivation
internal import UsherConfiguration
package import UsherEngine
public import UsherOperation
internal import UsherScene
internal import UsherStore
internal import UsherSystem
package import UsherText

extension AgentName: FieldChoice {}
extension AgentChange.Kind: FieldChoice {}
extension AgentSession.State: FieldChoice {}

/// What a hook of an agent reports.
package struct AgentReport: PerformedCall {
    /// A process of the hook's chain.
    package struct Process: RecordValue, Hashable {
        package var pid = 0
        package var start = 0

        package init() {}
        package init(pid: Int32, start: UInt64) { (self.pid, self.start) = (Int(pid), Int(clamping: start)) }

        package static let fields: [Field<Self>] = [
            Field("pid", \.pid, "its number", isRequired: true),
            Field("start", \.start, "in clock ticks since boot", isRequired: true),
        ]
    }

    package var agent = AgentName.claude
    package var session = ""
    package var state = AgentSession.State.working
    package var kind: AgentChange.Kind?
    package var isSeen = false
    package var tool: String?
    package var cwd: String?
    package var title: String?
    /// Shown, never stored or logged.
    package var request: [String] = []
    package var parents: [Process] = []

    package init() {}

    /// nil for an event that changes nothing.
    package init?(_ event: AgentEvent, parents: [Process]) {
        guard let change = event.change else { return nil }
        (agent, session) = (event.agent, event.session)
        (tool, cwd, title) = (event.tool, event.cwd, event.title)
        // One more than is shown: it is seen there that it is not whole.
        var left = AgentNotice.longest + 1
        for part in event.request where left > 0 {
            request.append(String(part.prefix(left)))
            left -= request[request.count - 1].count
        }
        self.parents = parents
        switch change {
        case .working: state = .working
        case .waiting(let kind): (state, self.kind) = (.waiting, kind)
        case .done(let isSeen): (state, self.isSeen) = (.done, isSeen)
        case .ended: state = .ended
        }
    }

    private var change: AgentChange {
        switch state {
        case .working: .working
        case .waiting: .waiting(kind ?? .question)
        case .done: .done(isSeen: isSeen)
        case .ended: .ended
        }
    }

    package typealias Answer = Nothing
    package static let name = "agent.event"
    package static let operation = Operation<Self>(
        "what a hook of a coding agent reports", .edit,
        [
            Field("agent", \.agent, "the agent", isRequired: true),
            Field("session", \.session, "the session's id, as the agent gives it", isRequired: true),
            Field("state", \.state, "the state of the session from now on", isRequired: true),
            Field("kind", \.kind, "what it waits for"), Field("seen", \.isSeen, "the user has seen that it is done"),
            Field("tool", \.tool, "the tool that it uses"), Field("cwd", \.cwd, "the folder that it works in"),
            Field("title", \.title, "the session's title"),
            Field("request", \.request, "what it wants to do or to know: shown, and not stored"),
            Field("parents", \.parents, "the process that sends this, its parent, and so on"),
        ])

    package func perform(in context: OperationContext) throws(ControlError) -> Nothing {
        let now = Instant.now.microseconds
        let (session, tool) = (AgentEvent.cut(self.session), self.tool.map(AgentEvent.cut))
        guard !session.isEmpty else { return Nothing() }
        let known = try context.storing(try context.store.agent(agent.rawValue, session: session))
        var agent = known ?? AgentSession(self.agent, session, at: now)
        guard known != nil || state != .ended else { return Nothing() }
        let place = try context.storing(try context.store.session(id: known?.id ?? ""))
        let isConnected = place?.state.isOpen ?? false
        _ = agent.apply(change, at: now)
        agent.tool = tool ?? (state == .done ? nil : agent.tool)
        (agent.cwd, agent.title) = (cwd.map(AgentEvent.cut) ?? agent.cwd, title.map(AgentEvent.cut) ?? agent.title)
        let notice = AgentNotice(of: self, before: known, at: now, by: context.configuration.agents)
        let isNewPlace = state != .ended && setProcess(of: &agent, caller: context.caller)
        if state != .waiting, state != known?.state, notice == nil, let delivery = agent.delivery {
            context.withdraw(delivery)
            agent.delivery = nil
        }
        guard agent != known || notice != nil || !isConnected && state != .ended else { return Nothing() }
        guard var kept = try context.storing(try context.store.keep(agent)) else { return Nothing() }
        if state == .ended {
            _ = try context.storing(try context.sessions.end(session: kept.id, ifStill: nil))
        } else if !isConnected || isNewPlace || kept.name != known?.name {
            // A process has one session at a time. OpenCode has one for each of its tasks.
            for other in try context.storing(try context.store.agents())
            where self.agent != .opencode && other.state != .ended && other.id != kept.id && other.handle != nil
                && other.handle == kept.handle
            {
                _ = try context.storing(try context.sessions.end(session: other.id, ifStill: nil))
            }
            do throws(ControlError) {
                try kept.connect(in: context)
            } catch {
                guard kept.pid != nil else { throw error }
                // Its process has ended meanwhile: the next event looks for it again.
                (kept.pid, kept.start, kept.tty) = (nil, nil, nil)
                kept = try context.storing(try context.store.keep(kept)) ?? kept
                try kept.connect(in: context)
            }
        }
        if let notice, let delivery = try notice.show(of: kept, in: context) {
            kept.delivery = delivery
            _ = try context.storing(try context.store.keep(kept))
        }
        return Nothing()
    }

    /// A process that runs is kept; else it is looked for among the parents of the hook. Whether it is another one now.
    private func setProcess(of agent: inout AgentSession, caller: Int32?) -> Bool {
        if let pid = agent.pid, let status = ProcessStatus(pid: pid), status.isRunning,
            status.startTime == agent.start
        {
            return false
        }
        let before = agent.pid
        // What another process says of its parents is not believed.
        let isOwnChain = parents.first.map { $0.pid == caller.map(Int.init) } ?? false
        let found = isOwnChain ? AgentProcess.find(self.agent, in: parents) : nil
        (agent.pid, agent.start) = (found?.pid, found?.start)
        agent.tty = found.flatMap { ProcessTable.terminal(of: $0.pid) }
        return agent.pid != before
    }
}

extension AgentSession {
    fileprivate func connect(in context: OperationContext) throws(ControlError) {
        let request = SessionRequest(
            app: App.agentsID, scene: App.agentScene, target: "\(App.agentsScheme):\(id)", session: id, handle: handle,
            title: name)
        _ = try SceneConnect([request]).perform(in: context)
    }

    /// For people.
    package var name: String {
        let place = cwd.map { FilePath.lastComponent(of: $0) } ?? title ?? session
        return AgentEvent.blanked("\(agent): \(place)")
    }

    package var handle: String? {
        guard let pid, let start else { return nil }
        return "process:\(pid):\(start)"
    }
}

/// The sessions of agents.
package struct AgentList: PerformedCall {
    package var all = false

    package init() {}
    package init(all: Bool) { self.all = all }

    package typealias Answer = [AgentAnswer]
    package static let name = "agent.list"
    package static let operation = Operation<Self>(
        "sessions of coding agents, the oldest first", .read, [Field("all", \.all, "those that have ended, too")],
        http: [HTTPForm(.get, "/v1/agents")])

    package func perform(in context: OperationContext) throws(ControlError) -> [AgentAnswer] {
        try context.storing(try context.store.agents()).map(AgentAnswer.init).filter { all || $0.state != .ended }
    }
}

/// A session of an agent.
package struct AgentAnswer: AnswerRecord {
    package var id = ""
    package var agent = AgentName.claude
    package var session = ""
    package var state = AgentSession.State.done
    package var kind: AgentChange.Kind?
    package var since = Instant(microseconds: 0)
    package var seen: Instant?
    package var tool: String?
    package var title: String?
    package var cwd: String?
    package var pid: Int?
    package var start: Int?
    package var tty: String?
    package var isAnswerable = false
    package var delivery: String?

    package init() {}
    init(_ stored: AgentSession) {
        (id, session, state, kind) = (stored.id, stored.session, stored.state, stored.kind)
        agent = AgentName(rawValue: stored.agent) ?? .claude
        (since, seen) = (Instant(microseconds: stored.since), stored.seen.map { Instant(microseconds: $0) })
        (tool, title, cwd, tty) = (stored.tool, stored.title, stored.cwd, stored.tty)
        (pid, start) = (stored.pid.map(Int.init), stored.start.flatMap { Int(exactly: $0) })
        delivery = stored.delivery
        // Without a daemon nothing has noticed the end of its process.
        if let process = stored.pid,
            ProcessStatus(pid: process).map({ !$0.isRunning || $0.startTime != stored.start }) ?? true
        {
            (state, kind) = (.ended, nil)
        }
    }

    package static let schema: String? = "Agent"
    package static let fields: [Field<Self>] = [
        Field(always: "id", \.id, "Of its scene session, too"), Field(always: "agent", \.agent),
        Field(always: "session_id", \.session, "As the agent gives it"), Field(always: "state", \.state),
        Field(always: "kind", \.kind, "What it waits for"), Field(always: "since", \.since),
        Field(always: "seen", \.seen, "The last visit since the state is this one"), Field(always: "tool", \.tool),
        Field(always: "title", \.title), Field(always: "cwd", \.cwd), Field(always: "pid", \.pid),
        Field(always: "start", \.start, "Of the process, in clock ticks since boot"), Field(always: "tty", \.tty),
        Field(always: "answerable", \.isAnswerable, "Whether a hook waits for an answer"),
        Field(always: "delivery", \.delivery, "Of its last notification"),
    ]
}
