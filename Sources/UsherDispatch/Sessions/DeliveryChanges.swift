public import UsherScene
public import UsherStore

/// What became of the wish to change one delivery.
public enum DeliveryChange: Sendable, Hashable {
    case done
    /// What is in this state cannot be changed so.
    case refused(DeliveryState)
    case unknown
}

/// Where finished deliveries are taken up again, or given up. By our ids.
public protocol DeliveryChanges: Sendable {
    /// Accepts a delivery once more, under its id.
    func redrive(delivery id: String) throws(StoreError) -> DeliveryChange

    /// Forgets a finished delivery, or ends one that has not begun.
    func discard(delivery id: String) throws(StoreError) -> DeliveryChange
}
