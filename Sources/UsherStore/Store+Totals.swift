internal import Glibc
import Synchronization

extension Store {
    /// What all deliveries take together, in bytes as `StoreState.room` counts them.
    public struct Totals: Sendable, Hashable {
        public var openCount: Int64 = 0
        public var openBytes: Int64 = 0
        /// Of finished deliveries.
        public var keptBytes: Int64 = 0
        public var keptCount: Int64 = 0
        /// Of these, duplicates.
        public var duplicateCount: Int64 = 0
    }

    /// The sums as of the last commit of this object: read without a look at the file.
    public var totals: Totals { mirror.withLock { $0 } }

    /// Keeps finished deliveries within these bounds from now on: each commit that finishes some forgets as many of the
    /// oldest as that takes, up to twice as many or twice as many bytes as it adds.
    public func keepWithin(_ retention: Retention) {
        setBounds(
            StoreState.Bounds(
                bytes: retention.bytes, count: Int64(max(0, retention.deliveries))))
    }
}

extension StoreState {
    /// How much is kept of finished deliveries.
    struct Bounds: Sendable {
        var bytes = Int64.max
        var count = Int64.max
    }

    /// What a value of that many bytes takes in the file: pages of 8192 bytes hold several rows, or a part of one.
    package static func room(for bytes: Int) -> Int64 {
        switch bytes {
        case ...2700: Int64(bytes + bytes / 8)
        case ...4070: 4096
        case ...8157: 8192
        default: roomWithOverflow(for: bytes)
        }
    }

    /// Of a value that is longer than a page: what stands in the table, and pages of its own
    /// (https://sqlite.org/fileformat2.html#cell_payload_overflow_pages).
    private static func roomWithOverflow(for bytes: Int) -> Int64 {
        let rest = 1003 + (bytes - 1003) % 8188
        let local = rest <= 8157 ? rest : 1003
        return Int64((bytes - local + 8187) / 8188 * 8192) + room(for: local)
    }

    mutating func readTotals() throws(StoreError) -> Store.Totals {
        let row = try prepare("SELECT open_count, open_bytes, kept_bytes, kept_count, duplicate_count FROM totals")
        guard try row.step() else { throw .unreadable("the totals are missing", path: path) }
        return Store.Totals(
            openCount: row.integer(0), openBytes: row.integer(1), keptBytes: row.integer(2), keptCount: row.integer(3),
            duplicateCount: row.integer(4))
    }

    /// The last step of a transaction: forgets what the rows that it finished have pushed out. Returns the new totals.
    mutating func forgetOldest() throws(StoreError) -> Store.Totals {
        var found = try readTotals()
        let added = finishedRows
        finishedRows = 0
        guard added > 0 else { return found }
        // A sender that repeats a request must push out neither that request nor those of other senders.
        let repeated = found.duplicateCount - bounds.count / 4
        if repeated > 0 {
            try run(
                """
                DELETE FROM delivery WHERE number IN (
                    SELECT number FROM delivery WHERE state = 'duplicate' ORDER BY number LIMIT ?)
                """, .integer(min(repeated, Int64(2 * added))))
            found = try readTotals()
        }
        var (rows, bytes) = (2 * added, 2 * max(0, found.keptBytes - totals.keptBytes))
        var (kept, count) = (found.keptBytes, found.keptCount)
        while kept > bounds.bytes || count > bounds.count {
            var batch: [(number: Int64, bytes: Int64)] = []
            let row = try prepare(
                "SELECT number, bytes FROM delivery WHERE number >= ? AND finished IS NOT NULL ORDER BY number LIMIT ?",
                [.integer(firstFinished), .integer(Int64(max(16, min(1000, rows))))])
            while try row.step() { batch.append((row.integer(0), row.integer(1))) }
            for one in batch {
                firstFinished = one.number
                guard kept > bounds.bytes || count > bounds.count, rows > 0 || bytes > 0 else {
                    return try readTotals()
                }
                try run("DELETE FROM delivery WHERE number = ?", .integer(one.number))
                firstFinished += 1
                kept -= one.bytes
                count -= 1
                rows -= 1
                bytes -= one.bytes
            }
            if batch.isEmpty { break }
        }
        return kept == found.keptBytes ? found : try readTotals()
    }

    // MARK: The log

    /// A log longer than this is copied into the file at once, so that it stays below 64 MiB.
    private static let longestLog: Int64 = 40 << 20

    /// Copies a log that has grown too long into the file and empties it. Waits up to a second for processes that still read the
    /// store as it was, and tries again later where they go on.
    mutating func boundLog() {
        guard let place else { return }
        var status = stat()
        guard unsafe stat(place.path + "-wal", &status) == 0, Int64(status.st_size) > StoreState.longestLog else {
            return
        }
        let now = options.now()
        guard now >= nextLogAttempt || nextLogAttempt > now + 60_000_000 else { return }
        try? connection?.execute("PRAGMA busy_timeout = 1000; PRAGMA wal_checkpoint(TRUNCATE)")
        try? connection?.execute("PRAGMA busy_timeout = \(options.busyTimeout)")
        nextLogAttempt =
            unsafe stat(place.path + "-wal", &status) == 0 && Int64(status.st_size) > StoreState.longestLog
            ? now + 10_000_000 : 0
    }
}

extension Store.NewDelivery {
    /// About what it takes in the file, its input included.
    public var room: Int64 { roomWithoutInput + StoreState.room(for: input.count) }

    /// What its row takes with all indexes, before it has a record.
    var roomWithoutInput: Int64 {
        let texts =
            id.utf8.count + source.utf8.count + (senderID?.utf8.count ?? 0) * 2 + (app?.utf8.count ?? 0)
            + (target?.utf8.count ?? 0) + (collapse?.utf8.count ?? 0) * 2
        return StoreState.room(for: 280 + texts)
    }
}
