internal import UsherActivation
internal import UsherConfiguration
package import UsherEngine
package import UsherLog
public import UsherOperation
package import UsherScene
internal import UsherStore
internal import UsherSystem
package import UsherText

extension AgentName: FieldChoice {}
extension AgentChange.Kind: FieldChoice {}
extension AgentSession.State: FieldChoice {}

/// What a hook of an agent reports.
package struct AgentReport: AwaitingCall {
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
    /// Whether the hook waits for the user's answer.
    package var isAnswerable = false

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
        isAnswerable = event.takesAnswer
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

    package typealias Answer = AgentReply
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
            Field("answerable", \.isAnswerable, "the hook waits for the user's answer, as `[agents] answer` says"),
        ])

    package func patience(by configuration: Configuration) -> Duration? {
        guard isAnswerable, state == .waiting, kind == .permission, agent.answeredEvent != nil else { return nil }
        let wait = configuration.agents.wait(of: agent)
        return wait > .zero ? wait : nil
    }

    package func perform(in context: OperationContext) throws(ControlError) -> AgentReply {
        _ = try report(in: context, nil)
        return AgentReply()
    }

    package func begin(
        _ wait: AnswerWait, in context: OperationContext,
        finished: @escaping @Sendable (DecisionRecord.Answer) -> Void
    ) throws(ControlError) -> AgentReply? {
        try report(in: context, AgentNotice.Waiting(wait: wait, finished: finished)) ? nil : AgentReply()
    }

    package func end(
        _ wait: AnswerWait, with answer: DecisionRecord.Answer, in context: OperationContext
    ) throws(ControlError) -> AgentReply {
        let agent = try? context.store.agent(agent.rawValue, session: AgentEvent.cut(session))
        let isCurrent = agent.map { context.store.forget(wait, ofAgent: $0.id) } ?? false
        guard let action = answer.action.flatMap(AgentReply.Action.init) else { return AgentReply() }
        // The answer is given, whatever becomes of this.
        if isCurrent, let agent { try? context.noteAnswer(to: agent) }
        return AgentReply(action, message: answer.message)
    }

    /// Whether the hook is told later.
    private func report(
        in context: OperationContext, _ waiting: AgentNotice.Waiting?
    ) throws(ControlError) -> Bool {
        let now = Instant.now.microseconds
        context.store.noteEvent(of: self.agent, at: now)
        let (session, tool) = (AgentEvent.cut(self.session), self.tool.map(AgentEvent.cut))
        guard !session.isEmpty else { return false }
        let known = try context.storing(try context.store.agent(agent.rawValue, session: session))
        var agent = known ?? AgentSession(self.agent, session, at: now)
        guard known != nil || state != .ended else { return false }
        let place = try context.storing(try context.store.session(id: known?.id ?? ""))
        let isConnected = place?.state.isOpen ?? false
        _ = agent.apply(change, at: now)
        agent.tool = tool ?? (state == .done ? nil : agent.tool)
        (agent.cwd, agent.title) = (cwd.map(AgentEvent.cut) ?? agent.cwd, title.map(AgentEvent.cut) ?? agent.title)
        let notice = AgentNotice(
            of: self, before: known, at: now, by: context.configuration.agents, isAwaited: waiting != nil)
        let hasChanged = known.map { ($0.state, $0.kind) != (agent.state, agent.kind) } ?? false
        if hasChanged || notice != nil || waiting != nil {
            context.endWait(ofAgent: agent.id)
        }
        let isNewPlace =
            state != .ended
            && setProcess(of: &agent, since: known, in: context.store, caller: context.caller)
        if state != .waiting, state != known?.state, notice == nil, let delivery = agent.delivery {
            context.withdraw(delivery)
            agent.delivery = nil
        }
        guard agent != known || notice != nil || !isConnected && state != .ended else { return false }
        var kept = try context.keep(agent)
        if state == .ended {
            _ = try context.storing(try context.sessions.end(session: kept.id, ifStill: nil))
        } else if !isConnected || isNewPlace || kept.name != known?.name {
            // A process has one session at a time. OpenCode has one for each of its tasks.
            for other in try context.storing(try context.store.agents())
            where self.agent != .opencode && other.state != .ended && other.id != kept.id && other.handle != nil
                && other.handle == kept.handle
            {
                try context.end(other)
            }
            do throws(ControlError) {
                try kept.connect(in: context)
            } catch {
                guard kept.pid != nil else { throw error }
                // Its process has ended meanwhile: the next event looks for it again.
                (kept.pid, kept.start, kept.tty) = (nil, nil, nil)
                kept = try context.keep(kept)
                try kept.connect(in: context)
            }
        }
        guard let notice else { return false }
        if let waiting { context.store.keep(waiting.wait, ofAgent: kept.id) }
        guard let delivery = try notice.show(of: kept, in: context, waiting, insteadOf: kept.delivery) else {
            if let waiting { _ = context.store.forget(waiting.wait, ofAgent: kept.id) }
            return false
        }
        kept.delivery = delivery
        // The hook is told later, whatever becomes of this.
        _ = try? context.keep(kept)
        return waiting != nil
    }

    /// A process that runs is kept; else it is looked for among the parents of the hook. Whether it is another one now.
    private func setProcess(
        of agent: inout AgentSession, since known: AgentSession?, in store: Store, caller: Int32?
    ) -> Bool {
        if let pid = agent.pid, let status = ProcessStatus(pid: pid), status.isRunning,
            status.startTime == agent.start
        {
            return false
        }
        let before = agent.pid
        // What another process says of its parents is not believed.
        let line = Set(caller.map(ProcessTable.lineage) ?? [])
        let chain = parents.first.map { Int32(exactly: $0.pid) == caller } ?? false ? parents : []
        var found = AgentProcess.find(
            self.agent, in: chain.filter { parent in Int32(exactly: parent.pid).map(line.contains) ?? false })
        // All processes are looked at: not for each tool that it uses.
        let isBusy = known?.state == .working && state == .working
        if found == nil, self.agent == .codex, !isBusy, let agents = try? store.agents() {
            found = AgentProcess.choice(
                of: AgentProcess.candidates(for: agent, among: agents),
                before: known == nil ? chain.first.flatMap { UInt64(exactly: $0.start) } : nil)
        }
        (agent.pid, agent.start) = (found?.pid, found?.start)
        agent.tty = found.flatMap { ProcessTable.terminal(of: $0.pid) }
        return agent.pid != before
    }
}

extension OperationContext {
    /// Stores one, which may take the place of an older one.
    fileprivate func keep(_ agent: AgentSession) throws(ControlError) -> AgentSession {
        let (kept, gone) = try storing(try store.keep(agent))
        for other in gone { try end(other) }
        return kept
    }

    /// Ends the session that leads to one, with what is shown of it.
    fileprivate func end(_ agent: AgentSession) throws(ControlError) {
        endWait(ofAgent: agent.id)
        if let delivery = agent.delivery { withdraw(delivery) }
        _ = try storing(try sessions.end(session: agent.id, ifStill: nil))
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
        try context.storing(try context.store.agents()).map { agent in
            AgentAnswer(
                agent, isAnswerable: agent.delivery.map { context.sessions.awaitsAnswer(delivery: $0) } ?? false)
        }.filter { all || $0.state != .ended }
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
    init(_ stored: AgentSession, isAnswerable: Bool) {
        (id, session, state, kind) = (stored.id, stored.session, stored.state, stored.kind)
        agent = AgentName(rawValue: stored.agent) ?? .claude
        (since, seen) = (Instant(microseconds: stored.since), stored.seen.map { Instant(microseconds: $0) })
        (tool, title, cwd, tty) = (stored.tool, stored.title, stored.cwd, stored.tty)
        (pid, start) = (stored.pid.map(Int.init), stored.start.flatMap { Int(exactly: $0) })
        (delivery, self.isAnswerable) = (stored.delivery, isAnswerable)
        // Without a daemon nothing has noticed the end of its process.
        if let process = stored.pid,
            ProcessStatus(pid: process).map({ !$0.isRunning || $0.startTime != stored.start }) ?? true
        {
            (state, kind, self.isAnswerable) = (.ended, nil, false)
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

// MARK: - Last events

/// When the hooks of each agent reported last. In memory: nothing is written for an event that changes nothing.
private enum LastEvents: StoreValue {
    static var initial: [AgentName: Int64] { [:] }
}

extension Store {
    fileprivate func noteEvent(of agent: AgentName, at time: Int64) {
        try? read { (state) throws(StoreError) in state.values[LastEvents.self][agent] = time }
    }
}

/// When hooks reported last, as far as the daemon that runs has heard of it.
package struct AgentLastEvents: PerformedCall {
    /// Of one agent.
    package struct Event: AnswerRecord {
        package var agent = AgentName.claude
        package var time = Instant(microseconds: 0)

        package init() {}

        package static let fields: [Field<Self>] = [Field(always: "agent", \.agent), Field(always: "time", \.time)]
    }

    package init() {}

    package typealias Answer = [Event]
    package static let name = "agent.events"
    package static let operation = Operation<Self>("when the hooks of each agent reported last", .read, [])

    package func perform(in context: OperationContext) throws(ControlError) -> [Event] {
        let times = try context.storing(
            try context.store.read { (state) throws(StoreError) in state.values[LastEvents.self] })
        return AgentName.allCases.compactMap { agent in
            times[agent].map { time in
                var event = Event()
                (event.agent, event.time) = (agent, Instant(microseconds: time))
                return event
            }
        }
    }
}
