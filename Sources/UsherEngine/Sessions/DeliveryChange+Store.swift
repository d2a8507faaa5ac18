internal import UsherLog
internal import UsherScene
public import UsherStore

extension Store: DeliveryChanges {
    public func redrive(delivery id: String, again: Bool) throws(StoreError) -> DeliveryChange {
        DeliveryChange(try retry(delivery: id, again: again))
    }

    public func discard(delivery id: String) throws(StoreError) -> DeliveryChange {
        DeliveryChange(
            try drop(delivery: id) { DecisionRecord(of: $0, configuration: $0.configuration ?? "").dropped.json })
    }
}

extension DeliveryChange {
    init(_ result: Store.RetryResult) {
        self =
            switch result {
            case .accepted: .done
            case .refused(let state): .refused(state)
            case .unverified: .unverified
            case .unknown: .unknown
            }
    }

    init(_ result: Store.DropResult) {
        self =
            switch result {
            case .removed, .dropped: .done
            case .acting: .refused(.acting)
            case .unknown: .unknown
            }
    }
}
