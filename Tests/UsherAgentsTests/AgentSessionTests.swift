import Testing
import UsherScene

@testable import UsherAgents

/// What events make of the state of a session.
struct AgentSessionTests {
    @Test func aTurnBeginsWithTheRequestAndEndsWithTheAnswer() {
        var agent = AgentSession(.claude, "s", at: 1)
        #expect(agent.apply(.done(isSeen: true), at: 1) && agent.seen == 1 && agent.turn == nil)
        agent.number = 1
        #expect(agent.apply(.working, at: 2) && agent.turn == 2 && agent.seen == nil)
        #expect(agent.apply(.waiting(.permission), at: 3) && agent.turn == 2 && agent.kind == .permission)
        #expect(!agent.apply(.waiting(.permission), at: 4) && agent.since == 3)
        #expect(agent.apply(.waiting(.question), at: 5) && agent.since == 5)
        #expect(agent.apply(.working, at: 6) && agent.turn == 2 && agent.kind == nil)
        #expect(agent.apply(.done(isSeen: false), at: 7) && agent.turn == nil && agent.seen == nil)
        #expect(agent.apply(.ended, at: 8) && !agent.apply(.ended, at: 9))
    }
}
