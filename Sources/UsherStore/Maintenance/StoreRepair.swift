internal import CSQLite
internal import Glibc
internal import UsherScene
internal import UsherSystem
internal import UsherText

/// Repairs a store that no process has open.
///
/// If every page can be read, the indexes are rebuilt and orphaned rows get a new owner. If pages are damaged, every
/// readable row is copied into a new file, and the damaged file is kept beside it. So are those of a file that was cut.
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
            /// How many rows could not be read; nil if the original number of rows is unknown.
            public var lost: Int?
        }
    }

    private let file: StoreFile
    private let options: StoreOptions

    /// - Throws: `doctor.in-use` if another process has the store open, `store.corrupt` if not even its list of tables
    ///   can be read.
    public static func run(directory: String, features: [StoreFeature]) throws(StoreError) -> Outcome {
        try StoreRepair(file: StoreFile(directory: directory), options: StoreOptions(features)).run()
    }

    private func run() throws(StoreError) -> Outcome {
        guard let found = StoreFile.Files(path: file.path) else {
            throw StoreError(.maintenanceFile, "there is no store, and nothing to repair", path: file.path)
        }
        guard found.database.size > 0 || !found.isStill else {
            throw StoreError(
                .maintenanceFile, "the file is empty: there is nothing in it to repair", path: file.path,
                help: "Put a backup in its place. Without one, Usher starts with an empty store.")
        }
        // SQLite would begin a new database in a file that is shorter than a header.
        let isCut = TruncatedStore.isOne(StoreFile.resolved(file.path))
        let isWhole: Bool
        do throws(StoreError) {
            if isCut, found.database.size < 512 {
                isWhole = false
            } else {
                isWhole = try lookAlone(found)
            }
        } catch {
            guard error.code == .storeCorrupt else { throw error }
            isWhole = false
        }
        // What is missing of the last page is read as zeros, and no check of the pages sees that.
        if isWhole, !isCut {
            do throws(StoreError) {
                return try mendInPlace()
            } catch {
                // Rows that are there twice keep an index from being built.
                guard error.code == .storeCorrupt || (error.sqliteCode ?? 0) & 0xff == SQLITE_CONSTRAINT else {
                    throw error
                }
            }
        }
        do throws(StoreError) {
            switch try TruncatedStore.copied(from: StoreFile.resolved(file.path)) {
            case .some(let rest): return try salvage(rest)
            case .none: return try salvage(from: file.path)
            }
        } catch {
            guard error.code == .storeCorrupt else { throw error }
            // Whoever reads this has tried to repair it.
            throw StoreError(
                .storeCorrupt, error.message, path: file.path,
                help: "Nothing was changed. Put a backup in its place, or move the file, its -wal and its -shm away:"
                    + " Usher starts with an empty store.",
                sqliteCode: error.sqliteCode)
        }
    }

    /// Whether every page is intact; throws `doctor.in-use` if another process has the store open.
    private func lookAlone(_ found: StoreFile.Files) throws(StoreError) -> Bool {
        do throws(StoreError) {
            try file.refuseStrangers(options.schema)
        } catch {
            guard error.code == .storeCorrupt, found.database.size > 0 else { throw error }
        }
        var connection = try SQLiteConnection(path: file.path, mode: .readWrite, busyTimeout: 0)
        connection.checkpointsWhenClosed(false)
        do throws(StoreError) {
            // Exclusive access is required: with a write-ahead log, this fails while any other connection to the file
            // is open.
            try connection.execute("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT")
        } catch {
            guard error.code == .storeBusy else { throw error }
            throw StoreError(
                .maintenanceInUse, "another process has the store open", path: file.path,
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
        try tidy(&connection, &outcome)
        try connection.run("COMMIT")
        return outcome
    }

    /// Rebuilds the full-text indexes and gives orphaned rows a new owner.
    private func tidy(_ connection: inout SQLiteConnection, _ outcome: inout Outcome) throws(StoreError) {
        try adoptOrphans(&connection, &outcome)
        for index in options.schema.features.flatMap(\.textIndexes) { try connection.execute(index.rebuilding) }
        outcome.actions.append("the full-text indexes were built anew")
    }
}

// MARK: - Orphans

extension StoreRepair {
    /// Gives orphaned rows another owner instead of deleting them.
    private func adoptOrphans(_ connection: inout SQLiteConnection, _ outcome: inout Outcome) throws(StoreError) {
        for feature in options.schema.features { try feature.adopt?(&connection, &outcome) }
        // A condition that cannot be read is never true. It is reported with the session that has it.
        for column in ["can", "prefers"] {
            try connection.execute(
                """
                INSERT OR IGNORE INTO condition (id, text)
                SELECT DISTINCT \(column), 'lost ' || \(column) FROM session
                WHERE \(column) NOT IN (SELECT id FROM condition)
                """)
        }
        try outcome.count(
            "inputs of deliveries that are lost were dropped",
            "DELETE FROM delivery_input WHERE number NOT IN (SELECT number FROM delivery)", &connection)
        try connection.execute(Schema.recounting)
        try outcome.count(
            "earlier records of deliveries that are lost were dropped",
            "DELETE FROM delivery_history WHERE delivery NOT IN (SELECT id FROM delivery)", &connection)
    }
}

extension StoreRepair.Outcome {
    /// Runs a statement, and says how many rows it has changed.
    package mutating func count(
        _ what: String, _ statement: String, _ connection: inout SQLiteConnection
    ) throws(StoreError) {
        try connection.run(statement)
        if connection.changes > 0 { actions.append("\(connection.changes) \(what)") }
    }
}

// MARK: - Salvage

extension StoreRepair {
    /// Lends the copy, which is there as long as that.
    private func salvage(_ rest: borrowing TruncatedStore) throws(StoreError) -> Outcome {
        do throws(StoreError) {
            var outcome = try salvage(from: rest.path)
            outcome.actions.insert(rest.lack, at: 0)
            return outcome
        } catch {
            guard error.code == .storeCorrupt else { throw error }
            throw .unreadable("\(rest.lack), and the list of its tables is lost", path: file.path)
        }
    }

    /// Copies what can be read into a new file, and puts that into the place of the damaged one.
    ///
    /// - Parameter source: the damaged file, or a copy of it.
    private func salvage(from source: String) throws(StoreError) -> Outcome {
        var outcome = Outcome()
        let real = StoreFile.resolved(file.path)
        let draft = try StoreDraft(of: real, mark: ".repair-") {
            .system($0, "the new file cannot be made", path: file.path)
        }
        do {
            var new = try SQLiteConnection(path: draft.path, mode: .readWrite, busyTimeout: 0)
            // Durability is not needed yet: an incomplete file is discarded and made again.
            try new.execute("PRAGMA page_size = 8192; PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF")
            var old = try SQLiteConnection(path: source, mode: .readWrite, busyTimeout: 0)
            old.checkpointsWhenClosed(false)
            try old.execute(
                "PRAGMA locking_mode = EXCLUSIVE; PRAGMA query_only = ON; PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON"
            )
            guard try (old.integer("SELECT count(*) FROM sqlite_schema WHERE name = 'session'") ?? 0) == 1 else {
                throw .unreadable("the list of its tables is lost", path: source)
            }
            // Rows are copied into tables like their own, which are then brought up to date as any store is.
            let version = try options.schema.version(of: &old)
            // Later ones have the newest tables but for columns.
            try options.schema.migrate(&new, to: version > 5 ? .max : max(1, version))
            let tables = SalvagedTable.own + options.schema.features.flatMap(\.salvaged)
            try new.execute("BEGIN; DELETE FROM store")
            for table in tables { outcome.tables += try table.copy(from: &old, to: &new).map { [$0] } ?? [] }
            try new.execute("COMMIT")
            try options.schema.migrate(&new)
            try new.execute("BEGIN")
            // Counters that may be lost, or older than what was found.
            try new.execute(
                """
                INSERT OR IGNORE INTO store (id, generation, used, created) VALUES (1, 1, 0, 0);
                UPDATE store SET
                    generation = 1 + max(generation, (SELECT coalesce(max(generation), 0) FROM session)),
                    used = max(used, (SELECT coalesce(max(used), 0) FROM session)),
                    created = max(created, (SELECT coalesce(max(created), 0) FROM session)),
                    shortcuts = shortcuts + EXISTS (SELECT 1 FROM shortcut)
                """)
            for feature in options.schema.features { try new.execute(feature.recounting) }
            for table in tables where table.givesNumbersOnce {
                // Numbers that were given once are not given again.
                let last =
                    (try? old.integer("SELECT seq FROM sqlite_sequence WHERE name = ?", .text(table.name))) ?? nil
                guard let last else { continue }
                try new.run(
                    "UPDATE sqlite_sequence SET seq = ? WHERE name = ? AND seq < ?", .integer(last), .text(table.name),
                    .integer(last))
            }
            try tidy(&new, &outcome)
            try new.execute("COMMIT")
            guard try new.text("PRAGMA integrity_check(1)") == "ok",
                try new.integer("SELECT count(*) FROM pragma_foreign_key_check") == 0
            else { throw .unreadable("what was copied is not whole", path: draft.path) }
            try new.execute("PRAGMA synchronous = FULL")
        }
        outcome.damaged = try replace(real, by: draft)
        return outcome
    }

    /// The damaged file stays under another name, with the log that belongs to it.
    private func replace(_ real: String, by draft: borrowing StoreDraft) throws(StoreError) -> String {
        guard draft.sync() != nil else { throw .system(errno, "the new file cannot be written", path: draft.path) }
        let damaged = real + ".damaged-\(Instant.now.microseconds / 1_000_000)"
        guard unsafe link(real, damaged) == 0 else {
            throw .system(errno, "the damaged file cannot be kept", path: damaged)
        }
        // A log of the old file must not be taken for one of the new.
        if unsafe rename(real + "-wal", damaged + "-wal") != 0, errno != ENOENT {
            throw .system(errno, "the log of the damaged file cannot be kept", path: damaged)
        }
        unsafe unlink(real + "-shm")
        unsafe unlink(real + "-journal")
        guard unsafe rename(draft.path, real) == 0 else {
            throw .system(errno, "the new file cannot take its place", path: real)
        }
        return damaged
    }
}
