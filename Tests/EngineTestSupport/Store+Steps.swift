import UsherEngine
package import UsherStore

extension Store {
    /// Disconnects the sessions whose processes have ended, as a recovery does.
    package func loseEndedSessions() throws {
        for (session, process) in try sessionProcesses() where !process.isRunning {
            _ = try SessionLoss.lose(session, of: process, in: self)
        }
    }

    /// Claims a delivery as an engine does.
    package func claim(
        _ delivery: NewDelivery, _ claim: Claim, decision: DecisionText, begin: Bool, nonce: String
    ) throws {
        let generation = try generation()
        let result = try write { (state) throws(StoreError) in
            try state.claim(
                delivery, decision: decision, claim: claim, expectedGeneration: generation, begin: begin, nonce: nonce)
        }
        guard case .claimed = result else { throw CancellationError() }
    }
}
