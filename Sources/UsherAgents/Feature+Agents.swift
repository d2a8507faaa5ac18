internal import Dispatch
internal import UsherActivation
internal import UsherConfiguration
package import UsherEngine
internal import UsherScene
internal import UsherSystem
internal import UsherText

extension Feature {
    /// Coding agents, as their hooks report them.
    package static var agents: Feature {
        var feature = Feature(
            .agents,
            [
                AgentReport.self, AgentList.self, AgentFocus.self, AgentNext.self, AgentAnswerCall.self,
                AgentLastEvents.self,
            ])
        feature.status = { code in
            switch code {
            case .agentUnknown, .terminalNone: 404
            case .agentCannotAnswer: 409
            default: nil
            }
        }
        feature.open = { openings in
            openings.absence = { session, store in
                guard session.app == App.agentsID, let agents = try? store.agents(),
                    let agent = agents.first(where: { $0.id == session.id })
                else { return nil }
                return agent.absence(among: agents)
            }
        }
        feature.run = { host in
            let thread = DispatchQueue(label: "usher.agents")
            // What is shown of a session is needed no more.
            @Sendable func withdraw(_ session: String, _ isMeant: @escaping @Sendable (AgentSession) -> Bool) {
                guard let agent = try? host.store.agents().first(where: { $0.id == session }), isMeant(agent),
                    let delivery = agent.delivery
                else { return }
                host.engine.withdrawNotification(of: delivery)
            }
            var run = FeatureRun()
            run.windows.tookFocus = { session, app in
                guard app == App.agentsID else { return }
                let now = Instant.now.microseconds
                thread.async {
                    try? host.store.noteVisit(ofAgent: session, at: now)
                    withdraw(session) { $0.state == .done }
                }
            }
            run.windows.awaitingVisit = { (try? host.store.unseenAgents()) ?? [] }
            run.windows.ended = { session in
                guard session.hasPrefix(App.agentScene) else { return }
                thread.async {
                    if let wait = host.store.takeWait(ofAgent: session) {
                        wait.leaveNotification()
                        host.engine.endWaiting(wait)
                    }
                    withdraw(session) { $0.state == .ended }
                }
            }
            run.stop = { thread.sync {} }
            return run
        }
        return feature
    }
}
