public import UsherActivation
internal import UsherOperation
public import UsherScene
public import UsherStore

extension DeliverySelection {
    /// The largest number of deliveries that a command for all failed deliveries changes.
    static let limit = 10_000

    func deliveries(in context: OperationContext) throws(ControlError) -> [Store.StoredDelivery] {
        if allFailed {
            return try context.storing(try context.store.deliveries(limit: Self.limit, states: [.failed]).reversed())
        }
        var found: [Store.StoredDelivery] = []
        for id in ids {
            let delivery = try context.storing(try context.store.delivery(id))
            guard let delivery else { throw .noDelivery(id) }
            if !found.contains(where: { $0.id == delivery.id }) { found.append(delivery) }
        }
        return found
    }
}

extension OperationContext {
    /// - Returns: their ids.
    func change(
        _ deliveries: [Store.StoredDelivery], _ what: String,
        _ body: (String) throws(StoreError) -> DeliveryChange
    ) throws(ControlError) -> DeliveryListAnswer {
        for delivery in deliveries {
            switch try storing(try body(delivery.id)) {
            case .done: continue
            case .refused(let state): throw .delivery(delivery.id, state, what)
            case .unverified: throw .unverified(delivery.id)
            case .unknown: throw .noDelivery(delivery.id)
            }
        }
        return DeliveryListAnswer(deliveries.map(\.id))
    }

    /// A delivery of the journal, by its id, the beginning of it, or its sender's id, and why it went where it went.
    func explained(_ name: String) throws(ControlError) -> (Store.StoredDelivery, StoredExplanation) {
        let id = try store.identifier(name, .delivery, at: "/delivery")
        guard let delivery = try storing(try store.delivery(id)) else {
            throw .noDelivery(name)
        }
        let explanation = try storing(try StoredExplanation(of: delivery, in: store, openings: openings))
        return (delivery, explanation)
    }
}

extension ControlError {
    static func delivery(_ id: String, _ state: DeliveryState, _ what: String) -> ControlError {
        ControlError(
            .controlDeliveryState, "the delivery \(id) is \(state.rawValue): it cannot \(what)",
            help: "usher deliveries show \(id) says what became of it")
    }

    /// A delivery that was carried out, and nothing confirmed it.
    static func unverified(_ id: String) -> ControlError {
        ControlError(
            .controlDeliveryState,
            "the delivery \(id) is done, and nothing confirmed its effect: it may have been carried out",
            help: "--again carries it out once more")
    }
}

/// The result of changing one delivery.
public enum DeliveryChange: Sendable, Hashable {
    case done
    /// What is in this state cannot be changed so.
    case refused(DeliveryState)
    /// It was done, nothing confirmed it, and it was not said that it is to be done again all the same.
    case unverified
    case unknown
}

/// The result of answering the notification of a delivery.
public enum DeliveryReply: Sendable, Hashable {
    case answered(ShownNotification)
    /// It has an answer already.
    case given
    /// No sender waits for it.
    case notWaiting
    /// It has no such action, but these.
    case noAction([String])
}

/// Where finished deliveries are taken up again, or given up, and notifications answered. By our ids.
public protocol DeliveryChanges: Sendable {
    /// Accepts a delivery once more, under its id.
    ///
    /// - Parameter again: also one that was done with the outcome `unverified`.
    func redrive(delivery id: String, again: Bool) throws(StoreError) -> DeliveryChange

    /// Forgets a finished delivery, or ends one that has not begun.
    func discard(delivery id: String) throws(StoreError) -> DeliveryChange

    /// Gives the sender that waits for the answer to a delivery's notification this action as its answer, once.
    func answer(delivery id: String, _ action: String, message: String?) throws(StoreError) -> DeliveryReply

    /// Whether a sender waits for the answer to the notification of a delivery.
    func awaitsAnswer(delivery id: String) -> Bool
}
