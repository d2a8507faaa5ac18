internal import CLinux
internal import Glibc
internal import UsherSystem

/// The file in which a note is edited: `notes/ID.md` of the state folder, for its owner alone.
///
/// Its path is the same each time, so that editors find again their data about it. While one edits it, a second one
/// gets a file of another name. The lock beside it says which text it was made from: an editing that is cut short leaves both.
struct NoteFile: ~Copyable {
    let path: String
    private let folder: String
    private let name: String
    /// -1: another one edits the note, and this is a file of this process alone.
    private let lock: Int32
    /// The digest of the text from which the file of an interrupted edit was made; nil where there is no file, or its
    /// origin is unknown.
    let base: String?

    /// - Parameter id: of the note; any name for one that is not made yet.
    init(_ id: String, state: String) throws(CommandFailure) {
        folder = FilePath.absolute(state) + "/notes"
        name = id
        for place in [FilePath.absolute(state), folder] where unsafe mkdir(place, 0o700) != 0 && errno != EEXIST {
            throw .cannot("make the folder \(place)", errno: errno)
        }
        lock = NoteFile.lock(folder + "/." + id + ".lock")
        base = lock < 0 ? nil : NoteFile.text(in: lock)
        path = folder + "/" + id + (lock < 0 ? ".\(getpid())" : "") + ".md"
    }

    deinit {
        guard lock >= 0 else { return }
        // Removed while it is locked: a process that waits for the lock checks that the file still exists.
        unsafe unlink(folder + "/." + name + ".lock")
        close(lock)
    }

    private static func lock(_ path: String) -> Int32 {
        while true {
            let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
            guard descriptor >= 0 else { return -1 }
            guard usher_lock(descriptor, 0) == 0 else {
                close(descriptor)
                return -1
            }
            var (held, there) = (stat(), stat())
            if unsafe fstat(descriptor, &held) == 0, unsafe stat(path, &there) == 0, held.st_ino == there.st_ino {
                return descriptor
            }
            close(descriptor)
        }
    }

    private static func text(in descriptor: Int32) -> String? {
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = unsafe bytes.withUnsafeMutableBytes { unsafe pread(descriptor, $0.baseAddress, $0.count, 0) }
        return count > 0 ? String(validating: bytes[..<count], as: UTF8.self) : nil
    }

    /// Writes the text that is to be edited.
    ///
    /// - Parameter base: its digest, where it is that of a note.
    func write(_ text: String, base: String? = nil) throws(CommandFailure) {
        if lock >= 0, let base, ftruncate(lock, 0) != 0 || !FileOutput.write(Array(base.utf8), to: lock) {
            throw .cannot("write into \(folder)", errno: errno)
        }
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw .cannot("write \(path)", errno: errno) }
        let isWritten = FileOutput.write(Array(text.utf8), to: descriptor)
        let failure = errno
        guard close(descriptor) == 0, isWritten else {
            remove()
            throw .cannot("write \(path)", errno: isWritten ? errno : failure)
        }
    }

    /// The text that is there; an error where it is none.
    func read() throws(CommandFailure) -> String {
        let bytes = try InputFile(path).readAll(limit: 16 << 20)
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw CommandFailure(.finding, "\(path) is not UTF-8 text")
        }
        return text
    }

    /// Whether there is a file, of this editing or of one that was cut short.
    var isThere: Bool {
        var status = stat()
        return unsafe lstat(path, &status) == 0
    }

    func remove() { unsafe unlink(path) }

    /// Renames the file to a name that is not written to again. Returns the new path.
    func keep() -> String {
        for number in 1...10_000 {
            let kept = "\(folder)/\(name).kept-\(number).md"
            // Unlike rename(2), this replaces nothing.
            if unsafe link(path, kept) == 0 {
                unsafe unlink(path)
                return kept
            }
            guard errno == EEXIST else { break }
        }
        return path
    }
}
