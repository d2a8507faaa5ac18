internal import Dispatch
internal import UsherConfiguration
package import UsherEngine
internal import UsherScene
internal import UsherSystem
internal import UsherText

extension Feature {
    /// Coding agents, as their hooks report them.
    package static var agents: Feature {
        var feature = Feature(.agents, [AgentReport.self, AgentList.self])
        feature.run = { host in
            let visits = DispatchQueue(label: "usher.agents")
            var run = FeatureRun()
            run.windows.tookFocus = { session, app in
                guard app == App.agentsID else { return }
                let now = Instant.now.microseconds
                visits.async { try? host.store.noteVisit(ofAgent: session, at: now) }
            }
            run.stop = { visits.sync {} }
            return run
        }
        return feature
    }
}
