import Glibc
import Synchronization
internal import UsherScene

/// The sessions and deliveries that outlive a process, in `usher.db` of the state folder.
///
/// Every method may be called from any thread, does one transaction, and has it on disk (`synchronous=FULL`) when it
/// returns. Several processes may have the same store open. Text is compared by its bytes; times are microseconds since
/// 1970.
public final class Store: Sendable {
    public enum Access: Sendable {
        /// Makes the folder (0700) and the file (0600) where they are missing, and brings an older store up to date.
        case readWrite
        /// Makes nothing at all; a missing store is an empty one, and every change is refused.
        case readOnly
    }

    public let path: String
    public let access: Access
    let file: StoreFile
    package let options: StoreOptions
    private let state: Mutex<StoreState>
    /// Changes that wait for the next commit, by any thread.
    private let waiting = Mutex<[any PendingChange]>([])
    /// See `totals`.
    let mirror = Mutex(Totals())
    /// Where the file was when it was opened; nil in a store for reading.
    private let place: StoreFile.Origin?

    /// The folder of the store's file.
    public let stateFolder: String

    /// - Parameter features: whose tables are used, too. A file that lacks them gets them.
    public convenience init(directory: String, access: Access, features: [StoreFeature]) throws(StoreError) {
        try self.init(directory: directory, access: access, options: StoreOptions(features))
    }

    package init(directory: String, access: Access, options: StoreOptions) throws(StoreError) {
        let file = StoreFile(directory: directory)
        self.file = file
        self.path = file.path
        stateFolder = file.directory
        self.access = access
        self.options = options
        switch access {
        case .readWrite:
            try StoreFile.makeDirectory(directory)
            let connection = try file.openForWriting(options)
            place = StoreFile.Origin(of: file)
            state = Mutex(StoreState(connection, path: file.path, reading: nil, place: place, options: options))
            // A damaged page is reported when it is read.
            mirror.withLock { mirror in
                mirror = state.withLock { state in
                    state.totals = (try? state.readTotals()) ?? Totals()
                    return state.totals
                }
            }
        case .readOnly:
            let opened = try file.openForReading(options)
            let reading = opened.reading
            place = nil
            state = Mutex(
                StoreState(opened.connection, path: file.path, reading: reading, place: nil, options: options))
        }
    }

    /// Whether it was opened for reading and there is no file: an empty store stands in for it.
    public var isEmptyStandIn: Bool {
        state.withLock { $0.reading == .absent }
    }

    /// Whether the file is where it was opened. What is written into one that was removed is lost, so every change of it is
    /// refused (`store.gone`). A look at the file system: about a microsecond.
    public var isInPlace: Bool { place?.isTaken ?? true }

    /// Ends the use of the store: what is in its log is copied into the file, unless others still use it. Later calls
    /// throw.
    public func close() {
        state.withLock { state in
            guard let changes = state.connection?.allChanges else { return }
            if changes >= Store.changesBeforeAnalysis {
                // Better plans next time; nothing is lost when another program is busy.
                try? state.connection?.execute("PRAGMA busy_timeout = 0; PRAGMA analysis_limit = 400; PRAGMA optimize")
            }
            state.connection = nil
            state.forgetConditions()
        }
    }

    /// So many rows that their number may call for other plans. The commit of an analysis takes a sync, for which a command
    /// that has changed a row would wait.
    private static let changesBeforeAnalysis = 500

    /// Looks for damage; throws `store.corrupt` with the first finding. Reads the whole file.
    public func check() throws(StoreError) {
        let path = path
        try read { (state) throws(StoreError) in
            let finding = try state.text("PRAGMA quick_check(1)") ?? "no answer"
            guard finding == "ok" else { throw .unreadable(finding, path: path) }
        }
    }

    /// Writes the file anew without what was removed from it, and empties its log. Where there is no room for that, or
    /// another program uses the store, what was removed may stay in unused parts of the file.
    package func compact() {
        state.withLock { state in
            for step in [
                // A copy that is made on the way may be large.
                "PRAGMA temp_store = FILE", "VACUUM", "PRAGMA temp_store = MEMORY",
                "PRAGMA busy_timeout = 1000", "PRAGMA wal_checkpoint(TRUNCATE)",
                "PRAGMA busy_timeout = \(options.busyTimeout)",
            ] {
                try? state.connection?.execute(step)
            }
        }
    }

    /// Looks at what is kept with the connection, or changes it. Asks the file nothing.
    package func withState<Result: Sendable>(_ body: (inout StoreState) -> sending Result) -> Result {
        state.withLock { body(&$0) }
    }

    private func setBounds(_ bounds: StoreState.Bounds) { state.withLock { $0.bounds = bounds } }

    // MARK: Transactions

    /// Everything in `body` sees one state of the store.
    package func read<Result: Sendable>(
        _ body: @Sendable (inout StoreState) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        var nothing: Void = ()
        return try read(into: &nothing) { (state, _) throws(StoreError) in try body(&state) }
    }

    /// The same for a body that keeps what it reads in `context`. It may run more than once, and is then to begin anew.
    package func read<Context: Sendable, Result: Sendable>(
        into context: inout Context, _ body: @Sendable (inout StoreState, inout Context) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        let file = file
        let options = options
        return try state.withLock { (state) throws(StoreError) in
            guard state.connection != nil else { throw .closed(path: file.path) }
            guard state.reading != nil else { return try state.read(into: &context, body) }
            for _ in 0..<20 {
                if let reading = state.reading, !file.isCurrent(reading) { try state.reopen(file, options) }
                var outcome: Swift.Result<Result, StoreError>
                do throws(StoreError) {
                    outcome = .success(try state.read(into: &context, body))
                } catch {
                    outcome = .failure(error)
                }
                // What was read from a file that changed meanwhile proves nothing, an error included.
                if let reading = state.reading, file.isCurrent(reading) { return try outcome.get() }
            }
            throw .busy(path: file.path)
        }
    }

    /// One transaction on the calling thread: everything in `body` is done, or nothing of it.
    ///
    /// Changes that other threads hand to `write` meanwhile go before it in the same transaction, each in a savepoint, and
    /// share its sync. Where the transaction fails, they are done again on their own.
    ///
    /// - Parameter context: what `body` works on besides the store; never copied. It is the caller's to undo where this throws.
    package func commit<Context: Sendable, Result: Sendable>(
        _ context: inout Context, _ body: @Sendable (inout StoreState, inout Context) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        guard access == .readWrite else { throw .readingOnly(path: path) }
        let path = path
        return try state.withLock { (state) throws(StoreError) in
            guard state.connection != nil else { throw .closed(path: path) }
            let others = waiting.withLock { waiting in
                defer { waiting = [] }
                return waiting
            }
            let result = try state.commit(others) { (state) throws(StoreError) in try body(&state, &context) }
            mirror.withLock { $0 = state.totals }
            return result
        }
    }

    /// Runs `body` as a whole or not at all. No other connection writes meanwhile.
    ///
    /// Calls from several threads share commits: the thread that gets the connection first runs all waiting changes in
    /// one transaction, each in its own savepoint, with one sync for all. So `body` may run on another thread. It may
    /// also run a second time, if another change in the shared transaction made the whole transaction fail.
    package func write<Result: Sendable>(
        _ body: @escaping @Sendable (inout StoreState) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        guard access == .readWrite else { throw .readingOnly(path: path) }
        let path = path
        let own = Change(body)
        waiting.withLock { $0.append(own) }
        return try state.withLock { (state) throws(StoreError) in
            // The thread that had the connection before may have run this change already.
            if let outcome = own.outcome { return try outcome.get() }
            let changes = waiting.withLock { waiting in
                defer { waiting = [] }
                return waiting
            }
            if state.connection == nil {
                for change in changes { change.fail(.closed(path: path)) }
            } else {
                state.commit(changes)
                mirror.withLock { $0 = state.totals }
            }
            guard let outcome = own.outcome else { throw .closed(path: path) }
            return try outcome.get()
        }
    }
}

extension StoreState {
    fileprivate mutating func read<Context, Result>(
        into context: inout Context, _ body: (inout StoreState, inout Context) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try transaction("BEGIN") { (state) throws(StoreError) in try body(&state, &context) }
    }
}

// MARK: - Age

extension Store {
    /// The time that age is measured by, in microseconds since 1970: the clock's, unless that is more than a day ahead of
    /// the time before.
    ///
    /// A clock that was set wrong, or jumped, must not remove a month of history at once. The store then ages by one
    /// day at most, once an hour. A clock that is corrected meanwhile costs no history, and a store that was unused for
    /// a long time catches up in a few days. A clock that was set back is followed at once.
    func age() throws(StoreError) -> Int64 {
        try write { (state) throws(StoreError) in
            let now = state.options.now()
            var (known, looked) = try state.ages()
            if known == nil {
                known = try state.newest()
                looked = nil
            }
            guard let aged = known else {
                try state.set(aged: now, looked: now)
                return now
            }
            let ahead = now.subtractingReportingOverflow(aged).partialValue
            if ahead <= Store.day {
                // Not written at every call.
                if ahead.magnitude >= Store.hour.magnitude || looked == nil {
                    try state.set(aged: now, looked: now)
                }
                return now
            }
            let sinceLook = looked.map { now.subtractingReportingOverflow($0).partialValue.magnitude } ?? .max
            guard sinceLook >= Store.hour.magnitude else { return aged }
            // A time after the newest row removes nothing.
            let next = max(aged + Store.day, min(now, try state.oldest() ?? now))
            try state.set(aged: next, looked: now)
            return next
        }
    }

    private static let hour: Int64 = 3_600_000_000
    package static let day: Int64 = 86_400_000_000
}

extension StoreState {
    fileprivate mutating func ages() throws(StoreError) -> (aged: Int64?, looked: Int64?) {
        let row = try prepare("SELECT aged, looked FROM store")
        guard try row.step() else { throw .unreadable("the age is missing", path: path) }
        return (row.optionalInteger(0), row.optionalInteger(1))
    }

    fileprivate mutating func set(aged: Int64, looked: Int64) throws(StoreError) {
        try run("UPDATE store SET aged = ?, looked = ?", .integer(aged), .integer(looked))
    }

    /// When the last delivery came. nil where there is none.
    fileprivate mutating func newest() throws(StoreError) -> Int64? {
        try integer("SELECT accepted FROM delivery ORDER BY number DESC LIMIT 1")
    }

    /// From when the oldest is that could be forgotten. nil where there is nothing.
    fileprivate mutating func oldest() throws(StoreError) -> Int64? {
        try integer(
            """
            SELECT min(time) FROM (
                SELECT min(accepted) AS time FROM delivery WHERE finished IS NOT NULL
                UNION ALL SELECT min(changed) FROM session WHERE state = 'disconnected')
            """)
    }
}

// MARK: - Totals

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
        /// Of finished ones, those that could not be read.
        public var invalidCount: Int64 = 0
        public var invalidBytes: Int64 = 0
    }

    /// The sums as of the last commit of this object: read without a look at the file.
    public var totals: Totals { mirror.withLock { $0 } }

    /// Keeps finished deliveries within these bounds from now on: each commit that finishes some deletes as many of the
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

    /// A row was inserted. Its size is known here, so that no trigger has to run for each row.
    mutating func count(inserted state: DeliveryState, isInvalid: Bool = false, bytes: Int64) {
        guard state.isTerminal else {
            inserted.openCount += 1
            inserted.openBytes += bytes
            return
        }
        inserted.keptCount += 1
        inserted.keptBytes += bytes
        if state == .duplicate { inserted.duplicateCount += 1 }
        if isInvalid {
            inserted.invalidCount += 1
            inserted.invalidBytes += bytes
        }
    }

    /// The totals with every change of this transaction.
    mutating func readTotals() throws(StoreError) -> Store.Totals {
        try countInserted()
        let row = try prepare(
            """
            SELECT open_count, open_bytes, kept_bytes, kept_count, duplicate_count, invalid_count, invalid_bytes
            FROM totals
            """)
        guard try row.step() else { throw .unreadable("the totals are missing", path: path) }
        return Store.Totals(
            openCount: row.integer(0), openBytes: row.integer(1), keptBytes: row.integer(2), keptCount: row.integer(3),
            duplicateCount: row.integer(4), invalidCount: row.integer(5), invalidBytes: row.integer(6))
    }

    /// Adds the rows that were inserted since the last time to the table.
    private mutating func countInserted() throws(StoreError) {
        guard inserted != Store.Totals() else { return }
        try run(
            """
            UPDATE totals SET open_count = open_count + ?, open_bytes = open_bytes + ?, kept_bytes = kept_bytes + ?,
                kept_count = kept_count + ?, duplicate_count = duplicate_count + ?, invalid_count = invalid_count + ?,
                invalid_bytes = invalid_bytes + ?
            """,
            .integer(inserted.openCount), .integer(inserted.openBytes), .integer(inserted.keptBytes),
            .integer(inserted.keptCount), .integer(inserted.duplicateCount), .integer(inserted.invalidCount),
            .integer(inserted.invalidBytes))
        inserted = Store.Totals()
    }

    /// The last step of a transaction: deletes what the rows that it finished have pushed out. Returns the new totals.
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
        // Nor may a sender of what cannot be read push out what was delivered.
        if found.invalidCount > bounds.count / 4 || found.invalidBytes > bounds.bytes / 4 {
            try forgetInvalid(beyond: bounds, found, limit: 2 * added)
            found = try readTotals()
        }
        var (rows, bytes) = (2 * added, 2 * max(0, found.keptBytes - totals.keptBytes))
        var (kept, count) = (found.keptBytes, found.keptCount)
        while kept > bounds.bytes || count > bounds.count {
            let batch = try self.rows(
                "SELECT number, bytes FROM delivery WHERE number >= ? AND finished IS NOT NULL ORDER BY number LIMIT ?",
                [.integer(firstFinished), .integer(Int64(max(16, min(1000, rows))))]
            ) { (number: $0.integer(0), bytes: $0.integer(1)) }
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

    /// Deletes the oldest deliveries that could not be read, until they take at most a quarter of what is kept.
    private mutating func forgetInvalid(
        beyond bounds: Bounds, _ totals: Store.Totals, limit: Int
    ) throws(StoreError) {
        let oldest = try self.rows(
            """
            SELECT number, bytes FROM delivery
            WHERE number >= ? AND finished IS NOT NULL AND reason = 'invalid' ORDER BY number LIMIT ?
            """, [.integer(firstInvalid), .integer(Int64(limit))]
        ) { (number: $0.integer(0), bytes: $0.integer(1)) }
        var (count, bytes) = (totals.invalidCount, totals.invalidBytes)
        for one in oldest {
            firstInvalid = one.number
            guard count > bounds.count / 4 || bytes > bounds.bytes / 4 else { return }
            try run("DELETE FROM delivery WHERE number = ?", .integer(one.number))
            (count, bytes) = (count - 1, bytes - one.bytes)
        }
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
            + (code?.bytes.count ?? 0) * 2
        return StoreState.room(for: 280 + texts)
    }
}
