package import UsherScene
package import UsherStore

/// Changes of deliveries, each in its own transaction.
extension Store {
    /// A claim as an engine makes it, begun at once.
    package func claim(
        _ delivery: NewDelivery, _ claim: Claim, expecting generation: Int64, begin: Bool = true,
        decision: DecisionText = .launch
    ) throws(StoreError) -> ClaimResult {
        try write { (state) throws(StoreError) in
            try state.claim(
                delivery, decision: decision, claim: claim, expectedGeneration: generation, begin: begin,
                nonce: "nonce")
        }
    }

    /// The delivery that another one repeats, as an engine asks for it before it claims.
    package func original(of delivery: NewDelivery, app: String? = DecisionText.launch.app) throws(StoreError)
        -> String?
    {
        try write { (state) throws(StoreError) in
            try state.original(of: delivery, app: app, window: .seconds(86_400))
        }
    }

    package func begin(delivery id: String, attempt: Int, nonce: String) throws(StoreError) -> BeginResult {
        try write { (state) throws(StoreError) in try state.begin(delivery: id, attempt: attempt, nonce: nonce) }
    }

    package func accept(_ deliveries: [NewDelivery]) throws(StoreError) {
        try write { (state) throws(StoreError) in for delivery in deliveries { try state.accept(delivery) } }
    }

    @discardableResult
    package func finish(
        delivery id: String, state terminal: DeliveryState, record: String,
        session: (id: String, change: SessionChange)? = nil, endSession: String? = nil
    ) throws(StoreError) -> FinishResult {
        try write { (state) throws(StoreError) in
            try state.finish(
                delivery: id, state: terminal, record: record, session: session, endSession: endSession)
        }
    }

    package func press(
        _ response: String, onNumber number: UInt32, of server: String, as id: String
    ) throws(StoreError) -> PressResult {
        try write { (state) throws(StoreError) in
            try state.press(response, onNumber: number, of: server, as: id)
        }
    }
}
