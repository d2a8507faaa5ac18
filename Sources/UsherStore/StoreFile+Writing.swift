import Glibc
import UsherScene

extension StoreFile {
    /// A connection that may write, to a store of the newest version.
    func openForWriting(_ options: StoreOptions) throws(StoreError) -> Connection {
        try create()
        try refuseStrangers(known: options.migrations.count)
        do throws(StoreError) {
            var connection = try Connection(path: path, mode: .readWrite, busyTimeout: options.busyTimeout)
            guard !connection.isReadOnly else { throw .readOnlyFile(path: path) }
            // Until its version is known the file is not to be touched, not even by closing it.
            connection.checkpointsWhenClosed(false)
            connection.protectsItsStructure()
            try connection.execute(
                """
                PRAGMA page_size = 8192; -- of a file that is empty yet: several deliveries find room on a page
                PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF;
                PRAGMA temp_store = MEMORY; PRAGMA cache_size = -16000; PRAGMA mmap_size = 0;
                PRAGMA wal_autocheckpoint = 1000; PRAGMA journal_size_limit = 67108864
                """)
            if let pages = options.maximumPages { try connection.execute("PRAGMA max_page_count = \(pages)") }
            try Schema.migrate(
                &connection, steps: options.migrations, copying: MigrationCopy(freeSpace: options.freeSpace))
            try switchLogOn(&connection, timeout: options.busyTimeout)
            connection.checkpointsWhenClosed(true)
            return connection
        } catch {
            if error.code == .storeOpen, !isInWritableFolder {
                throw .readOnlyFile(path: path, sqliteCode: error.sqliteCode)
            }
            throw error
        }
    }

    /// SQLite doesn't wait for other connections here by itself: two processes may be making the same store.
    private func switchLogOn(_ connection: inout Connection, timeout: Int32) throws(StoreError) {
        var waited: Int32 = 0
        while true {
            do throws(StoreError) {
                let mode = try connection.text("PRAGMA journal_mode = WAL")
                guard mode == "wal" else {
                    throw StoreError(
                        .storeOpen, "the file system cannot hold a write-ahead log (mode \(mode ?? "unknown"))",
                        path: path, help: "Name a folder on a local file system with --state.")
                }
                return
            } catch {
                guard error.code == .storeBusy, waited < timeout else { throw error }
                usleep(5000)
                waited += 5
            }
        }
    }
}
