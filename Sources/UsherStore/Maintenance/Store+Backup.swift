internal import Glibc
internal import UsherScene
internal import UsherSystem

extension Store {
    /// Writes a copy of the store as it is at one moment, while others go on writing; then checks it.
    ///
    /// What has that name already is left alone, and an error. The copy is its owner's alone (0600).
    /// - Returns: its size in bytes.
    @discardableResult
    public func backUp(to destination: String) throws(StoreError) -> Int64 {
        guard !destination.utf8.contains(0) else { throw .unusablePath(destination) }
        guard !isEmptyStandIn else {
            throw StoreError(.maintenanceFile, "there is no store yet, and nothing to copy", path: path)
        }
        var status = stat()
        guard unsafe lstat(destination, &status) != 0 else {
            throw StoreError(
                .maintenanceFile, "is there already", path: destination, help: "Name another file, or remove that one.")
        }
        let copy = try StoreCopy(of: destination) { .copy($0, path: destination) }
        let draft = copy.draft.path
        try read { (state) throws(StoreError) in
            // The first read begins the transaction. From then on it sees an unchanged database, even while other
            // processes write.
            _ = try state.integer("SELECT count(*) FROM sqlite_schema")
            try state.connection?.backUp(toDraft: draft)
        }
        return try copy.keep(replaces: false)
    }
}

/// A copy of a store that gets its name when it is whole; without that it is removed.
private struct StoreCopy: ~Copyable, Sendable {
    private let destination: String
    private let error: @Sendable (_ number: Int32) -> StoreError
    fileprivate let draft: StoreDraft

    init(
        of destination: String, orThrow error: @escaping @Sendable (_ number: Int32) -> StoreError
    ) throws(StoreError) {
        self.destination = destination
        self.error = error
        draft = try StoreDraft(of: destination, orThrow: error)
    }

    /// Checks what was copied, brings it to disk and gives it its name.
    ///
    /// - Parameter replaces: whether a file that has the name already gives way; else that is an error.
    /// - Returns: its size in bytes.
    borrowing func keep(replaces: Bool) throws(StoreError) -> Int64 {
        do {
            var connection = try SQLiteConnection(path: draft.path, mode: .immutable, busyTimeout: 0)
            let finding = try connection.text("PRAGMA integrity_check(1)") ?? "no answer"
            guard finding == "ok" else {
                throw StoreError(
                    .storeCorrupt, "the store is damaged, and no copy was kept: \(finding)", path: draft.path,
                    help: "`usher doctor --repair` copies everything that can be read into a new file.")
            }
        }
        guard let size = draft.sync(),
            unsafe (replaces ? rename(draft.path, destination) : link(draft.path, destination)) == 0
        else { throw error(errno) }
        return size
    }
}

extension SQLiteConnection {
    /// Fills a copy with what this connection reads now.
    fileprivate borrowing func backUp(toDraft draft: String) throws(StoreError) {
        let other = try SQLiteConnection(path: draft, mode: .readWrite, busyTimeout: 0)
        other.checkpointsWhenClosed(true)
        try other.execute("PRAGMA synchronous = OFF")
        try backUp(to: other)
    }
}

/// The copy of a store that is left beside it before its rows are rewritten: `usher.db.version-6`.
package struct MigrationCopy: Sendable {
    /// See `StoreOptions`.
    var freeSpace: @Sendable (_ folder: String) -> Int64?

    /// Copies a store that has something to lose, and checks the copy.
    ///
    /// - Returns: nil where it has nothing.
    func make(_ connection: inout SQLiteConnection, version: Int) throws(StoreError) -> Made? {
        let real = connection.resolvedPath
        guard try connection.integer("SELECT EXISTS (SELECT 1 FROM delivery)") == 1 else { return nil }
        try checkRoom(for: &connection, at: real)
        let path = real + ".version-\(version)"
        let copy = try StoreCopy(of: path) { .system($0, "the copy cannot be made", path: path) }
        try connection.run("BEGIN")
        let moment = Result { () throws(StoreError) -> Int64? in
            _ = try connection.integer("SELECT count(*) FROM sqlite_schema")
            try connection.backUp(toDraft: copy.draft.path)
            return try connection.integer("PRAGMA data_version")
        }
        try connection.run("COMMIT")
        let found = try moment.get()
        _ = try copy.keep(replaces: true)
        return Made(moment: found, file: StoreFile.Origin(path: path))
    }

    /// A copy that was made.
    struct Made: Sendable {
        /// `PRAGMA data_version` as of the copy. A different value later means that another process has written since.
        let moment: Int64?
        fileprivate let file: StoreFile.Origin?

        /// Removes it, unless another process has put its own in its place.
        func remove() {
            if let file, file.isTaken { unsafe unlink(file.path) }
        }
    }

    /// The copy, the log of the transaction and the new rows beside the old ones, each as large as the file.
    private func checkRoom(for connection: inout SQLiteConnection, at path: String) throws(StoreError) {
        let size =
            try (connection.integer("PRAGMA page_count") ?? 0) * (connection.integer("PRAGMA page_size") ?? 0)
        let needed = 3 * size + (16 << 20)
        guard let free = freeSpace(FilePath.parent(of: path)), free < needed else { return }
        throw StoreError(
            .storeFull,
            "bringing the store up to date takes \(needed >> 20) MiB, and \(free >> 20) MiB are free", path: path,
            help: "Nothing was changed. Free some space on its file system, and start again.")
    }

    static func freeSpace(in folder: String) -> Int64? {
        var volume = statvfs()
        guard unsafe statvfs(folder, &volume) == 0 else { return nil }
        return Int64(clamping: UInt64(volume.f_bavail) * UInt64(volume.f_frsize))
    }

    /// Removes what processes that were killed left of their copies.
    static func sweepDrafts(of path: String) {
        let real = StoreFile.resolved(path)
        let folder = FilePath.parent(of: real)
        let beginning = FilePath.lastComponent(of: real) + ".version-"
        let names = (try? FileSystem.names(in: folder)) ?? []
        for name in names where name.hasPrefix(beginning) && name.contains(StoreDraft.mark) {
            unsafe unlink(folder + "/" + name)
        }
    }
}
