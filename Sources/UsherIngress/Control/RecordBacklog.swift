internal import UsherScene
internal import UsherStore

/// The records that followed one delivery's, from the journal.
enum RecordBacklog {
    /// How far back it goes.
    static let limit = 10_000
    private static let page = 500

    /// In the order in which they were finished; nil where the delivery is not known (any more).
    ///
    /// A delivery that was accepted earlier and finished later belongs to them: a page beyond the delivery is looked at
    /// for such.
    static func events(after id: String, in store: Store) throws(StoreError) -> [RecordBroadcast.Event]? {
        guard let last = try store.delivery(id), let since = last.finished else { return nil }
        let terminal = Set(DeliveryState.allCases.filter(\.isTerminal))
        var found: [Store.StoredDelivery] = []
        var before: String?
        var isBeyond = false
        while found.count < limit {
            let deliveries = try store.deliveries(limit: page, states: terminal, before: before)
            found += deliveries.filter { ($0.finished ?? 0) >= since && $0.id != last.id && $0.record != nil }
            guard deliveries.count == page, !isBeyond else { break }
            isBeyond = deliveries.contains { $0.id == last.id }
            before = deliveries.last?.id
        }
        // Newest first until now; of one microsecond, the earlier accepted first.
        let ordered = found.reversed().enumerated().sorted {
            ($0.element.finished ?? 0, $0.offset) < ($1.element.finished ?? 0, $1.offset)
        }
        return ordered.map { RecordBroadcast.Event(id: $0.element.id, json: Array(($0.element.record ?? "").utf8)) }
    }
}
