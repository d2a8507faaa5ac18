package import UsherScene
package import UsherStore
internal import UsherText

/// A session of a coding agent. Times are in microseconds since 1970.
package struct AgentSession: Sendable, Hashable {
    package enum State: String, Sendable, CaseIterable { case working, waiting, done, ended }

    /// nil for one that is not stored yet.
    package var number: Int64?
    package var agent: String
    /// As the agent gives it.
    package var session: String
    package var state = State.done
    package var kind: AgentChange.Kind?
    package var since: Int64
    /// The last visit since the state is this one.
    package var seen: Int64?
    /// When the user's request came that it works on.
    package var turn: Int64?
    package var tool: String?
    package var title: String?
    package var cwd: String?
    package var pid: Int32?
    /// Of the process, in clock ticks since boot.
    package var start: UInt64?
    package var tty: String?
    /// Of its last notification.
    package var delivery: String?

    package init(_ agent: AgentName, _ session: String, at time: Int64) {
        (self.agent, self.session, since) = (agent.rawValue, session, time)
    }

    /// Of the session that leads to it; empty for one that is not stored yet.
    package var id: String { number.map { "agent-\($0)" } ?? "" }

    /// What an event makes of the state; false where that stays.
    package mutating func apply(_ change: AgentChange, at time: Int64) -> Bool {
        let before = (state, kind)
        switch change {
        case .working: (state, kind) = (.working, nil)
        case .waiting(let what): (state, kind) = (.waiting, what)
        case .done: (state, kind) = (.done, nil)
        case .ended: (state, kind) = (.ended, nil)
        }
        if state == .working || state == .waiting { turn = turn ?? time } else { turn = nil }
        let isNew = number == nil
        guard isNew || (state, kind) != before else { return false }
        (since, seen) = (time, change == .done(isSeen: true) ? time : nil)
        return true
    }
}

extension Store {
    /// Sessions of agents that are kept at most.
    static let agentLimit = 200

    /// All of them, the oldest first.
    package func agents() throws(StoreError) -> [AgentSession] {
        try read { (state) throws(StoreError) in try state.agents("ORDER BY number", []) }
    }

    package func agent(_ agent: String, session: String) throws(StoreError) -> AgentSession? {
        try read { (state) throws(StoreError) in
            try state.agents("WHERE agent = ? AND session = ?", [.text(agent), .text(session)]).first
        }
    }

    /// Writes one, whose id is made where it has none.
    ///
    /// - Returns: it, and those that went since there are too many: first those that ended first, then those without a process.
    package func keep(_ agent: AgentSession) throws(StoreError) -> (AgentSession, gone: [AgentSession]) {
        try write { (state) throws(StoreError) in
            var agent = agent
            var gone: [AgentSession] = []
            if agent.number == nil {
                gone = try state.makeRoomForAgent()
                agent.number = try state.unusedAgentNumber()
            }
            try state.run(
                """
                INSERT OR REPLACE INTO agent (number, agent, session, state, kind, since, seen, turn, tool, title, cwd, pid,
                    start, tty, delivery)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """, SQLiteValue(agent.number), .text(agent.agent), .text(agent.session), .text(agent.state.rawValue),
                SQLiteValue(agent.kind?.rawValue), .integer(agent.since), SQLiteValue(agent.seen),
                SQLiteValue(agent.turn), SQLiteValue(agent.tool), SQLiteValue(agent.title), SQLiteValue(agent.cwd),
                SQLiteValue(agent.pid.map(Int64.init)), SQLiteValue(agent.start.map { Int64(bitPattern: $0) }),
                SQLiteValue(agent.tty), SQLiteValue(agent.delivery))
            return (agent, gone)
        }
    }

    /// Notes that what one waits for has been answered.
    func noteAnswer(toAgent id: String, at time: Int64) throws(StoreError) {
        _ = try write { (state) throws(StoreError) in
            try state.run(
                """
                UPDATE agent SET state = 'working', kind = NULL, since = ?, seen = NULL
                WHERE 'agent-' || number = ? AND state = 'waiting'
                """, .integer(time), .text(id))
        }
    }

    /// The ids of those that the user has not come to since their state is this one.
    func unseenAgents() throws(StoreError) -> Set<String> {
        try read { (state) throws(StoreError) in
            Set(
                try state.agents("WHERE state IN ('waiting', 'done') AND seen IS NULL AND pid IS NOT NULL", []).map(
                    \.id))
        }
    }

    /// Notes that the user has come to the place of one.
    package func noteVisit(ofAgent id: String, at time: Int64) throws(StoreError) {
        _ = try write { (state) throws(StoreError) in
            try state.run("UPDATE agent SET seen = ? WHERE 'agent-' || number = ?", .integer(time), .text(id))
        }
    }
}

extension StoreState {
    fileprivate mutating func agents(
        _ clauses: String, _ values: [SQLiteValue]
    ) throws(StoreError) -> [AgentSession] {
        try rows(
            """
            SELECT number, agent, session, state, kind, since, seen, turn, tool, title, cwd, pid, start, tty, delivery
            FROM agent \(clauses)
            """, values
        ) { row -> AgentSession? in
            guard let name = AgentName(rawValue: row.text(1)), let state = AgentSession.State(rawValue: row.text(3))
            else { return nil }
            var agent = AgentSession(name, row.text(2), at: row.integer(5))
            (agent.number, agent.state) = (row.integer(0), state)
            agent.kind = row.optionalText(4).flatMap(AgentChange.Kind.init)
            (agent.seen, agent.turn) = (row.optionalInteger(6), row.optionalInteger(7))
            (agent.tool, agent.title, agent.cwd) = (row.optionalText(8), row.optionalText(9), row.optionalText(10))
            agent.pid = row.optionalInteger(11).flatMap { Int32(exactly: $0) }
            agent.start = row.optionalInteger(12).map { UInt64(bitPattern: $0) }
            (agent.tty, agent.delivery) = (row.optionalText(13), row.optionalText(14))
            return agent
        }.compactMap(\.self)
    }

    fileprivate mutating func makeRoomForAgent() throws(StoreError) -> [AgentSession] {
        let surplus = (try integer("SELECT count(*) FROM agent") ?? 0) + 1 - Int64(Store.agentLimit)
        guard surplus > 0 else { return [] }
        let gone = try agents("ORDER BY state <> 'ended', pid IS NOT NULL, since, number LIMIT ?", [.integer(surplus)])
        for agent in gone { try run("DELETE FROM agent WHERE number = ?", SQLiteValue(agent.number)) }
        return gone
    }

    fileprivate mutating func unusedAgentNumber() throws(StoreError) -> Int64 {
        var number = try integer("SELECT seq FROM sqlite_sequence WHERE name = 'agent'") ?? 0
        repeat { number += 1 } while try isTaken(number)
        return number
    }

    /// Another app may have a scene of the same name.
    private mutating func isTaken(_ number: Int64) throws(StoreError) -> Bool {
        try integer("SELECT 1 FROM session WHERE id = ?", .text("agent-\(number)")) != nil
    }
}
