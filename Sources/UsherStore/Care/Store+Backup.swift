internal import Glibc
internal import UsherScene
internal import UsherSystem
internal import UsherText

extension Store {
    /// Writes a copy of the store as it is at one moment, while others go on writing; then checks it.
    ///
    /// What has that name already is left alone, and an error. The copy is its owner's alone (0600).
    /// - Returns: its size in bytes.
    @discardableResult
    public func backUp(to destination: String) throws(StoreError) -> Int64 {
        guard !destination.utf8.contains(0) else { throw .unusablePath(destination) }
        guard !isEmptyStandIn else {
            throw StoreError(.careFile, "there is no store yet, and nothing to copy", path: path)
        }
        var status = stat()
        guard unsafe lstat(destination, &status) != 0 else {
            throw StoreError(
                .careFile, "is there already", path: destination, help: "Name another file, or remove that one.")
        }
        let draft = destination + ".new-" + UUIDv7.next()
        let descriptor = unsafe open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw .system(errno, "the copy cannot be made", path: destination) }
        Glibc.close(descriptor)
        defer { for ending in ["", "-journal", "-wal", "-shm"] { unsafe Glibc.unlink(draft + ending) } }
        try read { (state) throws(StoreError) in
            // Something must be read for the transaction to begin: from then on nothing changes for it, whoever writes.
            _ = try state.integer("SELECT count(*) FROM sqlite_schema")
            let copy = try Connection(path: draft, mode: .readWrite, busyTimeout: 0)
            copy.checkpointsWhenClosed(true)
            try copy.execute("PRAGMA synchronous = OFF")
            try state.connection?.backUp(to: copy)
        }
        try Store.checkCopy(draft)
        let synced = unsafe open(draft, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard synced >= 0 else { throw .system(errno, "the copy cannot be made", path: destination) }
        defer { Glibc.close(synced) }
        guard fsync(synced) == 0, unsafe Glibc.link(draft, destination) == 0, unsafe fstat(synced, &status) == 0 else {
            throw .system(errno, "the copy cannot be made", path: destination)
        }
        return Int64(status.st_size)
    }

    private static func checkCopy(_ path: String) throws(StoreError) {
        var connection = try Connection(path: path, mode: .immutable, busyTimeout: 0)
        let finding = try connection.text("PRAGMA integrity_check(1)") ?? "no answer"
        guard finding == "ok" else {
            throw StoreError(
                .storeCorrupt, "the store is damaged, and no copy was kept: \(finding)", path: path,
                help: "`usher doctor --repair` copies everything that can be read into a new file.")
        }
    }
}
