internal import UsherOperation
public import UsherScene
public import UsherStore

/// `deliveries retry|drop`, for every interface (socket, HTTP, command line).
struct DeliveryOperations: Sendable {
    private let store: Store
    private let changes: any DeliveryChanges

    /// The largest number of deliveries that a command for all failed deliveries changes.
    private static let limit = 10_000

    /// - Parameter store: where deliveries are looked up.
    init(_ store: Store, _ changes: any DeliveryChanges) {
        self.store = store
        self.changes = changes
    }

    /// Takes deliveries up again; their ids. All are looked at before the first is touched.
    func retry(_ selection: DeliverySelection) throws(ControlError) -> [String] {
        let deliveries = try deliveries(selection)
        for delivery in deliveries {
            switch delivery.state {
            case .failed, .expired, .collapsed, .duplicate: break
            case .accepted, .resolved, .acting, .done: throw .delivery(delivery.id, delivery.state, "be retried")
            }
        }
        return try change(deliveries, "be retried") { (id) throws(StoreError) in try changes.redrive(delivery: id) }
    }

    /// Gives deliveries up; their ids.
    func drop(_ selection: DeliverySelection) throws(ControlError) -> [String] {
        let deliveries = try deliveries(selection)
        for delivery in deliveries where delivery.state == .acting {
            throw .delivery(delivery.id, delivery.state, "be dropped")
        }
        return try change(deliveries, "be dropped") { (id) throws(StoreError) in try changes.discard(delivery: id) }
    }

    private func deliveries(_ selection: DeliverySelection) throws(ControlError) -> [Store.StoredDelivery] {
        do throws(StoreError) {
            if selection.allFailed {
                return try store.deliveries(limit: DeliveryOperations.limit, states: [.failed]).reversed()
            }
        } catch {
            throw ControlError(error)
        }
        var found: [Store.StoredDelivery] = []
        for id in selection.ids {
            let delivery: Store.StoredDelivery?
            do throws(StoreError) {
                delivery = try store.delivery(id)
            } catch {
                throw ControlError(error)
            }
            guard let delivery else { throw .noDelivery(id) }
            if !found.contains(where: { $0.id == delivery.id }) { found.append(delivery) }
        }
        return found
    }

    private func change(
        _ deliveries: [Store.StoredDelivery], _ what: String,
        _ body: (String) throws(StoreError) -> DeliveryChange
    ) throws(ControlError) -> [String] {
        for delivery in deliveries {
            let change: DeliveryChange
            do throws(StoreError) {
                change = try body(delivery.id)
            } catch {
                throw ControlError(error)
            }
            switch change {
            case .done: continue
            case .refused(let state): throw .delivery(delivery.id, state, what)
            case .unknown: throw .noDelivery(delivery.id)
            }
        }
        return deliveries.map(\.id)
    }
}

extension ControlError {
    fileprivate static func delivery(_ id: String, _ state: DeliveryState, _ what: String) -> ControlError {
        ControlError(
            .controlDeliveryState, "the delivery \(id) is \(state.rawValue): it cannot \(what)",
            help: "usher deliveries show \(id) says what became of it")
    }
}

/// The result of changing one delivery.
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
