/// Which records were sent lately: the journal and the publication may both give one.
///
/// A delivery that was asked for again has a second record with the same id, which is another.
struct RecentRecords: Sendable {
    private var hashes: [Int] = []
    private var start = 0
    private var known: Set<Int> = []

    /// False where it was sent already.
    ///
    /// - Parameter limit: how many are remembered. A batch is in the journal before the first of it is published.
    mutating func insert(_ event: RecordBroadcast.Event, limit: Int) -> Bool {
        guard known.insert(event.hash).inserted else { return false }
        hashes.append(event.hash)
        // Two at most, so that what the journal gave is forgotten slowly, as it is published.
        for _ in 0..<2 where hashes.count - start > limit {
            known.remove(hashes[start])
            start += 1
        }
        if start > limit {
            hashes.removeSubrange(..<start)
            start = 0
        }
        return true
    }
}
