internal import CSQLite
internal import UsherScene

/// Mends a store that nobody has open.
///
/// Where every page can be read, indexes are built anew and what belongs to nothing is given a place. Where pages are
/// damaged, everything that can be read is copied row by row into a new file, and the damaged one is kept beside it.
public struct StoreRepair: Sendable {
    public struct Outcome: Sendable, Hashable {
        /// Where the damaged file is now; nil where it was mended in place.
        public var damaged: String?
        /// What was copied, and how much of it was lost, by table.
        public var tables: [Table] = []
        /// What else was done, for people.
        public var actions: [String] = []

        public struct Table: Sendable, Hashable {
            public var name: String
            public var copied: Int
            /// How many rows could not be read; nil where nobody knows how many there were.
            public var lost: Int?
        }
    }

    let file: StoreFile
    let options: StoreOptions

    /// - Throws: `doctor.in-use` where somebody has the store open, `store.corrupt` where not even its tables are known.
    public static func run(directory: String) throws(StoreError) -> Outcome {
        try StoreRepair(file: StoreFile(directory: directory), options: StoreOptions()).run()
    }

    func run() throws(StoreError) -> Outcome {
        guard StoreFile.Identity(path: file.path) != nil else {
            throw StoreError(.careFile, "there is no store, and nothing to repair", path: file.path)
        }
        let isWhole: Bool
        do throws(StoreError) {
            isWhole = try lookAlone()
        } catch {
            guard error.code == .storeCorrupt else { throw error }
            isWhole = false
        }
        if isWhole {
            do throws(StoreError) {
                return try mendInPlace()
            } catch {
                // Rows that are there twice keep an index from being built.
                guard error.code == .storeCorrupt || (error.sqliteCode ?? 0) & 0xff == SQLITE_CONSTRAINT else {
                    throw error
                }
            }
        }
        return try salvage()
    }

    /// Whether every page is as it should be; throws `doctor.in-use` when somebody else has the store open.
    private func lookAlone() throws(StoreError) -> Bool {
        try file.refuseStrangers(known: options.migrations.count)
        var connection = try Connection(path: file.path, mode: .readWrite, busyTimeout: 0)
        connection.checkpointsWhenClosed(false)
        do throws(StoreError) {
            // Alone or not at all: of a file with a log nobody else may have a connection then.
            try connection.execute("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT")
        } catch {
            guard error.code == .storeBusy else { throw error }
            throw StoreError(
                .careInUse, "another process has the store open", path: file.path,
                help: "Stop it first: `fuser \(file.path)` names it.")
        }
        return try connection.text("PRAGMA integrity_check(1)") == "ok"
    }

    // MARK: In place

    private func mendInPlace() throws(StoreError) -> Outcome {
        var outcome = Outcome()
        var connection = try file.openForWriting(options)
        try connection.execute("BEGIN IMMEDIATE; REINDEX")
        outcome.actions.append("the indexes were built anew")
        try StoreRepair.tidy(&connection, &outcome)
        try connection.run("COMMIT")
        return outcome
    }

    /// Builds the full-text indexes anew, and gives what belongs to nothing a place.
    static func tidy(_ connection: inout Connection, _ outcome: inout Outcome) throws(StoreError) {
        try adoptOrphans(&connection, &outcome)
        for index in TextIndex.all { try connection.execute(index.rebuilding) }
        outcome.actions.append("the full-text indexes were built anew")
    }
}
