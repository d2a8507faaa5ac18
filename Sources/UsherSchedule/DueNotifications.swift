internal import UsherEngine
internal import UsherLog
internal import UsherPayload
internal import UsherScene
internal import UsherStore
internal import UsherSystem
internal import UsherText

/// Hands notifications that are due to the engine: each once, and late rather than never.
///
/// One is taken and its delivery is journalled in one transaction, so that no crash loses it or hands it over twice.
struct DueNotifications: DueWork {
    let engine: Engine
    var clock = LocalClock.system

    /// How many are handed over at once, and their payloads together in bytes.
    private static let batch = (count: 64, bytes: 16 << 20)

    func nextDue() throws(StoreError) -> Int64? { try engine.store.nextScheduled() }

    func clockChanged() throws(StoreError) {
        try engine.store.adjustRules(now: Instant.now.microseconds, by: clock)
    }

    func performDue() throws(StoreError) -> Bool {
        guard engine.hasRoom else { return false }
        let fired = try engine.accept { [clock] (state) throws(StoreError) in
            let now = Instant.now.microseconds
            let due = try state.takeDueNotifications(
                now: now, limit: Self.batch.count, bytes: Self.batch.bytes, by: clock)
            return (due.map(\.0.id), deliveries: due.map { Self.delivery($1, of: $0, now: now) })
        }
        for id in fired { engine.logger.log(.scheduleFired, ["schedule.id": .text(id)]) }
        return true
    }

    private static func delivery(
        _ id: String, of notification: Store.ScheduledNotification, now: Int64
    ) -> Store.NewDelivery {
        var reader = PayloadReader()
        // What cannot be read by this version any more fails when it is decided.
        let payload = try? reader.read(notification.payload)
        var delivery = Store.NewDelivery(
            id: id, senderID: nil, source: DeliverySource.schedule, accepted: now, input: notification.payload,
            app: notification.app, payload)
        // At once or never: it has waited already, and comes at once.
        if delivery.expires == 0 { delivery.expires = nil }
        (delivery.schedule, delivery.scheduled) = (notification.id, notification.next)
        return delivery
    }
}
