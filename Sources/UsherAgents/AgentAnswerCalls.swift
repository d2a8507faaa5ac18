package import UsherEngine
package import UsherOperation
internal import UsherScene
internal import UsherStore
internal import UsherSystem
internal import UsherText

/// Answers what an agent asks, in the place of the buttons of its notification.
package struct AgentAnswerCall: PerformedCall {
    package var id = ""
    package var action = AgentReply.Action.allow
    package var message: String?

    package init() {}
    package init(_ id: String, _ action: AgentReply.Action, message: String? = nil) {
        (self.id, self.action, self.message) = (id, action, message)
    }

    package typealias Answer = GivenAnswer
    package static let name = "agent.answer"
    package static let operation = Operation<Self>(
        "answers what an agent asks, for the hook that waits for it", .edit,
        [
            Field("id", \.id, "the session, by Usher's id or the agent's"),
            Field("action", \.action, "the answer", isRequired: true),
            Field("message", \.message, "what the agent is told with `deny`"),
        ], http: [HTTPForm(.post, "/v1/agents/{id}/answer", refusals: [404, 409])])

    package func perform(in context: OperationContext) throws(ControlError) -> GivenAnswer {
        let agent = try context.agent(id)
        let cannot = ControlError(
            .agentCannotAnswer, "no hook of \(QuotedText.text(agent.name)) waits for an answer", at: "/id",
            help: "usher agent focus \(agent.id) leads to its terminal")
        guard let delivery = agent.delivery else { throw cannot }
        do throws(ControlError) {
            let given = try DeliveriesAnswer(delivery, action: action.rawValue, message: message).perform(in: context)
            // It is given, whatever becomes of this.
            try? context.noteAnswer(to: agent)
            return given
        } catch {
            throw error.code == .answerNotWaiting ? cannot : error
        }
    }
}

// MARK: - Waiting

/// The hooks that wait for an answer, by the ids of their sessions.
private enum WaitingHooks: StoreValue {
    static var initial: [String: AnswerWait] { [:] }
}

extension Store {
    /// What a hook has waited with so far.
    func takeWait(ofAgent id: String) -> AnswerWait? {
        (try? read { (state) throws(StoreError) in state.values[WaitingHooks.self].removeValue(forKey: id) }) ?? nil
    }

    func keep(_ wait: AnswerWait, ofAgent id: String) {
        try? read { (state) throws(StoreError) in state.values[WaitingHooks.self][id] = wait }
    }

    /// False where another hook waits by now.
    func forget(_ wait: AnswerWait, ofAgent id: String) -> Bool {
        let isCurrent = try? read { (state) throws(StoreError) in
            guard state.values[WaitingHooks.self][id] === wait else { return false }
            state.values[WaitingHooks.self][id] = nil
            return true
        }
        return isCurrent ?? false
    }
}

extension OperationContext {
    /// The hook that waits for a session is told nothing: the dialog in the terminal decides. What it has shown is to be taken
    /// away, or replaced.
    func endWait(ofAgent id: String) {
        guard let wait = store.takeWait(ofAgent: id) else { return }
        wait.leaveNotification()
        try? engine.intake.endWaiting(wait)
    }

    /// The agent goes on working.
    func noteAnswer(to agent: AgentSession) throws(ControlError) {
        try storing(try store.noteAnswer(toAgent: agent.id, at: Instant.now.microseconds))
    }
}
