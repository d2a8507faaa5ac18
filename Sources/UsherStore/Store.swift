import Synchronization

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
    let options: StoreOptions
    private let state: Mutex<StoreState>
    /// Changes that wait for the next commit, by any thread.
    private let waiting = Mutex<[any PendingChange]>([])
    let ownerFile = Mutex<OwnerFile?>(nil)
    /// See `totals`.
    let mirror = Mutex(Totals())
    /// Where the file was when it was opened; nil in a store for reading.
    private let place: StoreFile.Place?

    /// The folder of the store's file.
    public let stateFolder: String

    public convenience init(directory: String, access: Access) throws(StoreError) {
        try self.init(directory: directory, access: access, options: StoreOptions())
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
            place = StoreFile.Place(of: file)
            state = Mutex(StoreState(connection, path: file.path, reading: nil, place: place, options: options))
            // A page that is damaged is said by whatever needs it.
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

    /// Ends the use of the store: what is in its log is copied into the file, unless others still use it. Whatever is
    /// called afterwards throws.
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
        // From now on any process may take over the deliveries that are still open.
        ownerFile.withLock { $0 = nil }
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

    func setBounds(_ bounds: StoreState.Bounds) { state.withLock { $0.bounds = bounds } }

    // MARK: Transactions

    /// Everything in `body` sees one state of the store.
    func read<Result: Sendable>(
        _ body: @Sendable (inout StoreState) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        let file = file
        let options = options
        return try state.withLock { (state) throws(StoreError) in
            guard state.connection != nil else { throw .closed(path: file.path) }
            guard state.reading != nil else { return try state.transaction("BEGIN", body) }
            for _ in 0..<20 {
                if let reading = state.reading, !file.isCurrent(reading) { try state.reopen(file, options) }
                var outcome: Swift.Result<Result, StoreError>
                do throws(StoreError) {
                    outcome = .success(try state.transaction("BEGIN", body))
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

    /// Everything in `body` sees one state of the store; like `read`, for callers that keep what they read in `context`.
    package func reading<Context: Sendable, Result: Sendable>(
        _ context: inout Context, _ body: @Sendable (inout StoreState, inout Context) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        let path = path
        return try state.withLock { (state) throws(StoreError) in
            guard state.connection != nil else { throw .closed(path: path) }
            return try state.transaction("BEGIN") { (state) throws(StoreError) in try body(&state, &context) }
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
