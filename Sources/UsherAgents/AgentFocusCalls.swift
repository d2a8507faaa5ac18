package import UsherEngine
package import UsherLog
package import UsherOperation
internal import UsherScene
internal import UsherStore
internal import UsherSystem
internal import UsherText

/// Brings the terminal of an agent's session forward.
package struct AgentFocus: PerformedCall {
    package var id = ""
    package var token: String?
    package var parent: String?
    package var waits: Bool { true }

    package init() {}
    package init(_ id: String, token: String? = nil, parent: String? = nil) {
        (self.id, self.token, self.parent) = (id, token, parent)
    }

    package typealias Answer = DecisionRecord
    package static let name = "agent.focus"
    package static let operation = Operation<Self>(
        "brings the terminal of an agent's session forward; answered by the decision record", .act,
        [
            Field("id", \.id, "the session, by Usher's id or the agent's"), .token(\.token),
            Field("parent", \.parent, "the delivery whose handler asks for this: it does not wait behind that one"),
        ], http: [HTTPForm(.post, "/v1/agents/{id}/focus", hidden: ["token", "parent"])])

    package func perform(in context: OperationContext) throws(ControlError) -> DecisionRecord {
        try context.focus(try context.agent(id), token: token, parent: parent)
    }
}

/// Brings the terminal of the session forward that needs the user next.
package struct AgentNext: PerformedCall {
    package var token: String?
    package var parent: String?
    package var waits: Bool { true }

    package init() {}
    package init(token: String?, parent: String?) { (self.token, self.parent) = (token, parent) }

    package typealias Answer = DecisionRecord
    package static let name = "agent.next"
    package static let operation = Operation<Self>(
        "brings the agent's session forward that waits longest, else the newest that is done and not seen", .act,
        [
            .token(\.token),
            Field("parent", \.parent, "the delivery whose handler asks for this: it does not wait behind that one"),
        ], http: [HTTPForm(.post, "/v1/agents/next", hidden: ["token", "parent"])])

    package func perform(in context: OperationContext) throws(ControlError) -> DecisionRecord {
        let agents = try context.storing(try context.store.agents())
        let waiting = agents.filter { $0.state == .waiting }.sorted { $0.since < $1.since }
        let done = agents.filter { $0.state == .done && $0.seen == nil }.sorted { $1.since < $0.since }
        let listed = (waiting + done).filter { $0.handle != nil }
        guard let next = try context.storing(try context.store.takeNext(of: listed)) else {
            var record = DecisionRecord(
                id: UUIDv7.next(), sequence: 1, time: Instant.now, source: DeliverySource.agent,
                configuration: context.configuration.digest)
            (record.action, record.outcome) = (.none, .skipped)
            record.warnings = [
                .init(
                    name: DiagnosticCode.agentNone.name,
                    message: "no session of an agent waits, or is done and not seen",
                    help: "usher agent list shows what they do")
            ]
            return record
        }
        return try context.focus(next, token: token, parent: parent)
    }
}

extension OperationContext {
    /// - Parameter id: Usher's, or the agent's.
    func agent(_ id: String) throws(ControlError) -> AgentSession {
        let agents = try storing(try store.agents())
        let found =
            agents.first { $0.id.hasSameBytes(as: id) } ?? agents.last { $0.session.hasSameBytes(as: id) }
        guard let found else {
            throw .unknown(
                .agentUnknown, "session of an agent", id, among: agents.filter { $0.state != .ended }.map(\.id),
                at: "/id")
        }
        return found
    }

    fileprivate func focus(
        _ agent: AgentSession, token: String?, parent: String?
    ) throws(ControlError) -> DecisionRecord {
        guard agent.state != .ended else {
            throw ControlError(
                .terminalNone, "\(QuotedText.text(agent.name)) has ended", at: "/id",
                help: "its next event makes a session of it again", status: .finding)
        }
        var call = SceneFocus(agent.id, token: token, parent: parent)
        call.source = DeliverySource.agent
        return try call.perform(in: self)
    }
}

/// The sessions that `next` has chosen in this round, each with the time of its state.
private enum Chosen: StoreValue {
    static var initial: [String: Int64] { [:] }
}

extension Store {
    /// The first that was not chosen in this round, else the first of a new round.
    fileprivate func takeNext(of agents: [AgentSession]) throws(StoreError) -> AgentSession? {
        try read { (state) throws(StoreError) in
            var chosen = state.values[Chosen.self]
            if !agents.contains(where: { chosen[$0.id] != $0.since }) { chosen = [:] }
            guard let next = agents.first(where: { chosen[$0.id] != $0.since }) else { return nil }
            chosen[next.id] = next.since
            state.values[Chosen.self] = chosen
            return next
        }
    }
}
