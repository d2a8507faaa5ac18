internal import UsherStore

/// Reads the records that follow one delivery's from the journal, a page at a time.
struct RecordBacklog: Sendable {
    /// A record, and where the next page begins.
    struct Entry: Sendable {
        var event: RecordBroadcast.Event
        var place: Store.RecordPlace
    }

    struct Page: Sendable {
        var entries: [Entry]
        /// Whether there was nothing more when it was read.
        var isLast: Bool
    }

    private static let page = 1000

    let store: Store
    private(set) var place: Store.RecordPlace
    /// Deliveries that arrived before this one had their records at the beginning.
    private let first: Int64

    /// Nil where the delivery is not known (any more), or not finished.
    init?(after id: String, in store: Store) throws(StoreError) {
        guard let place = try store.recordPlace(of: id) else { return nil }
        self.store = store
        self.place = place
        first = try store.firstNumber(after: place)
    }

    /// What follows, in the order in which it was finished.
    mutating func next() throws(StoreError) -> Page {
        var (records, isAll) = try store.records(after: place, from: first, limit: RecordBacklog.page)
        if isAll {
            // An old delivery that was asked for again meanwhile has a new record.
            (records, isAll) = try store.records(after: place, from: 0, limit: RecordBacklog.page)
        }
        if let last = records.last { place = last.place }
        return Page(
            entries: records.map {
                Entry(event: RecordBroadcast.Event(id: $0.id, json: Array($0.record.utf8)), place: $0.place)
            }, isLast: isAll)
    }
}
