internal import Glibc
internal import UsherStore
internal import UsherSystem
internal import UsherText

/// A temporary file, readable by its owner alone; removed at the end, unless it is kept.
final class SpoolFile: Sendable {
    /// Where it is while it is written.
    let path: String
    private let destination: String?
    private let descriptor: Int32

    /// One in a folder, or in that for temporary files.
    init(in folder: String? = nil) throws(CommandFailure) {
        let usual = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/tmp"
        let folder = folder ?? usual
        path = folder + "/.usher-" + UUIDv7.next()
        destination = nil
        descriptor = unsafe open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw .cannot("write into \(folder)", errno: errno) }
    }

    /// One that gets a name at the end; what has that name already is left alone, and an error.
    init(becoming destination: String) throws(CommandFailure) {
        guard !destination.utf8.contains(0) else { throw .usage("a path cannot hold a NUL byte") }
        guard !FileSystem.exists(destination) else {
            throw .usage(
                "\(destination) is there already", help: "name another file, or remove that one", code: .usageFile)
        }
        path = destination + ".new-" + UUIDv7.next()
        self.destination = destination
        descriptor = unsafe open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw .cannot("write \(destination)", errno: errno) }
    }

    /// One in the folder of the store, where that can be written: a daemon need not see the folder for temporary files.
    convenience init(besideStoreOf context: Context) throws(CommandFailure) {
        let folder = try context.stateFolder()
        try self.init(in: unsafe access(folder, W_OK) == 0 ? folder : nil)
    }

    /// What a path that is no file gives, standard input or a pipe; nil for a file.
    static func copy(ofStream path: String, _ context: Context) throws(CommandFailure) -> SpoolFile? {
        var status = stat()
        guard path == "-" || (unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFREG) else { return nil }
        let input = try InputFile(path)
        let file = try SpoolFile(besideStoreOf: context)
        while true {
            let bytes = try input.read()
            guard !bytes.isEmpty else { return file }
            try context.storing { () throws(StoreError) in try file.write(Array(bytes)) }
        }
    }

    deinit {
        close(descriptor)
        unsafe unlink(path)
    }

    func empty() throws(StoreError) {
        guard ftruncate(descriptor, 0) == 0, lseek(descriptor, 0, SEEK_SET) == 0 else { throw failure("written") }
    }

    func write(_ bytes: [UInt8]) throws(StoreError) {
        guard FileOutput.write(bytes, to: descriptor) else { throw failure("written") }
    }

    /// Hands on everything that was written, until `take` has enough.
    func read(_ take: ([UInt8]) throws(StoreError) -> Bool) throws(StoreError) {
        guard lseek(descriptor, 0, SEEK_SET) == 0 else { throw failure("read") }
        var chunk = [UInt8](repeating: 0, count: 1 << 18)
        while true {
            let count = unsafe chunk.withUnsafeMutableBytes { unsafe Glibc.read(descriptor, $0.baseAddress, $0.count) }
            guard count >= 0 else { throw failure("read") }
            guard count > 0, try take(Array(chunk[..<count])) else { return }
        }
    }

    /// Gives it its name, once it is on disk.
    func keep() throws(StoreError) {
        guard let destination else { return }
        guard fsync(descriptor) == 0, unsafe link(path, destination) == 0 else { throw failure("written") }
    }

    private func failure(_ what: String) -> StoreError {
        StoreError(.maintenanceFile, "cannot be \(what): \(SystemError.text(errno))", path: destination ?? path)
    }
}
