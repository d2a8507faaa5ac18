internal import Glibc
internal import UsherScene
internal import UsherSystem
internal import UsherText

extension StoreRepair {
    /// Copies what can be read into a new file, and puts that into the place of the damaged one.
    func salvage() throws(StoreError) -> Outcome {
        var outcome = Outcome()
        let real = StoreFile.resolved(file.path)
        let draft = real + ".repair-" + UUIDv7.next()
        let made = unsafe open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard made >= 0 else { throw .system(errno, "the new file cannot be made", path: file.path) }
        close(made)
        defer { for ending in ["", "-journal", "-wal", "-shm"] { unsafe unlink(draft + ending) } }
        do {
            var new = try Connection(path: draft, mode: .readWrite, busyTimeout: 0)
            // Nobody waits for it, and what is half made is made anew.
            try new.execute("PRAGMA page_size = 8192; PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF")
            var old = try Connection(path: file.path, mode: .readWrite, busyTimeout: 0)
            old.checkpointsWhenClosed(false)
            try old.execute(
                "PRAGMA locking_mode = EXCLUSIVE; PRAGMA query_only = ON; PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON"
            )
            guard try (old.integer("SELECT count(*) FROM sqlite_schema WHERE name = 'session'") ?? 0) == 1 else {
                throw .unreadable("the list of its tables is lost", path: file.path)
            }
            // Rows are copied into tables like their own, which are then brought up to date as any store is.
            let version = try Schema.version(&old, known: options.migrations.count)
            try Schema.migrate(&new, steps: Array(options.migrations.prefix(max(1, version))))
            try new.execute("BEGIN; DELETE FROM store")
            for table in SalvagedTable.all { outcome.tables += try table.copy(from: &old, to: &new).map { [$0] } ?? [] }
            try new.execute("COMMIT")
            try Schema.migrate(&new, steps: options.migrations)
            try new.execute("BEGIN")
            // Counters that may be lost, or older than what was found.
            try new.execute(
                """
                INSERT OR IGNORE INTO store (id, generation, used, created) VALUES (1, 1, 0, 0);
                UPDATE store SET
                    generation = 1 + max(generation, (SELECT coalesce(max(generation), 0) FROM session)),
                    used = max(used, (SELECT coalesce(max(used), 0) FROM session)),
                    created = max(created, (SELECT coalesce(max(created), 0) FROM session)),
                    redirects = 1 + max(redirects, (SELECT coalesce(max(number), 0) FROM redirect))
                """)
            for table in ["condition", "redirect"] {
                // Numbers that were given once are not given again.
                let last = (try? old.integer("SELECT seq FROM sqlite_sequence WHERE name = ?", .text(table))) ?? nil
                guard let last else { continue }
                try new.run(
                    "UPDATE sqlite_sequence SET seq = ? WHERE name = ? AND seq < ?", .integer(last), .text(table),
                    .integer(last))
            }
            try StoreRepair.tidy(&new, &outcome)
            try new.execute("COMMIT")
            guard try new.text("PRAGMA integrity_check(1)") == "ok",
                try new.integer("SELECT count(*) FROM pragma_foreign_key_check") == 0
            else { throw .unreadable("what was copied is not whole", path: draft) }
            try new.execute("PRAGMA synchronous = FULL")
        }
        outcome.damaged = try replace(real, by: draft)
        return outcome
    }

    /// The damaged file stays under another name, with the log that belongs to it.
    private func replace(_ real: String, by draft: String) throws(StoreError) -> String {
        let descriptor = unsafe open(draft, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { throw .system(errno, "the new file cannot be read", path: draft) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw .system(errno, "the new file cannot be written", path: draft) }
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
        guard unsafe rename(draft, real) == 0 else {
            throw .system(errno, "the new file cannot take its place", path: real)
        }
        return damaged
    }
}
