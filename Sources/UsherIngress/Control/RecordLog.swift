/// The records that were published last, numbered. Who does not keep up finds the older ones in the journal.
struct RecordLog: Sendable {
    /// What is kept, in bytes.
    private static let limit = 8 << 20

    private var events: [RecordBroadcast.Event] = []
    private var bytes = 0
    /// The number of the first that is kept.
    private(set) var start = 0

    var end: Int { start + events.count }

    mutating func append(_ event: RecordBroadcast.Event) {
        events.append(event)
        bytes += event.json.count
        guard bytes > RecordLog.limit else { return }
        // Half at once, so that it is rare.
        var dropped = 0
        while bytes > RecordLog.limit / 2, dropped < events.count - 1 {
            bytes -= events[dropped].json.count
            dropped += 1
        }
        events.removeFirst(dropped)
        start += dropped
    }

    /// Some from a number on; nil where they are not kept any more.
    func events(from number: Int) -> [RecordBroadcast.Event]? {
        guard number >= start else { return nil }
        // A copy, so that nobody else holds the storage that is appended to.
        return Array(events[(number - start)...].prefix(256))
    }

    mutating func removeAll() {
        start = end
        events = []
        bytes = 0
    }
}
