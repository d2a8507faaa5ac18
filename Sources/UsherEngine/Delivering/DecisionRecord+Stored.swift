internal import UsherLog
internal import UsherStore
internal import UsherText

extension DecisionRecord {
    /// The journal's data about a delivery that has no record yet.
    init(of left: Store.StoredDelivery, configuration: String) {
        self.init(
            id: left.id, sequence: 0, time: Instant(microseconds: left.accepted), source: left.source,
            configuration: configuration)
        senderID = left.senderID
        format = left.format
        app = left.app
        target = left.target
        resolved = left.resolved
        scene = left.scene
        parent = left.parent
        notificationAction = left.button
        if let id = left.schedule {
            schedule = Schedule(id: id, due: Instant(microseconds: left.scheduled ?? left.accepted))
        }
    }
}
