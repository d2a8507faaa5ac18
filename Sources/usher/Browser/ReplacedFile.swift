internal import Glibc
internal import UsherLog

/// Files of Usher's own that are written anew each time.
enum ReplacedFile {
    /// In one step: whoever reads it meanwhile has the old one or the new one. Folders are made where they are missing.
    static func write(_ text: String, to path: String, mode: mode_t) throws(CommandFailure) {
        var folder = path.utf8.first == UInt8(ascii: "/") ? "/" : ""
        for part in path.split(separator: "/").dropLast() {
            folder += part + "/"
            if unsafe mkdir(folder, 0o700) != 0, errno != EEXIST {
                throw .usage("cannot make the folder \(folder): \(SystemError.text(errno))")
            }
        }
        let draft = "\(path).\(getpid())"
        let descriptor = unsafe open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode)
        guard descriptor >= 0 else { throw .usage("cannot write \(draft): \(SystemError.text(errno))") }
        let isWritten = FileOutput.write(Array(text.utf8), to: descriptor) && fchmod(descriptor, mode) == 0
        let isDone = (close(descriptor) == 0) && isWritten
        guard isDone, unsafe rename(draft, path) == 0 else {
            let failure = errno
            _ = unsafe unlink(draft)
            throw .usage("cannot write \(path): \(SystemError.text(failure))")
        }
    }

    /// At most 64 KiB; nil where it cannot be read.
    static func read(_ path: String) -> [UInt8]? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 64 * 1024)
        let count = unsafe bytes.withUnsafeMutableBytes { unsafe Glibc.read(descriptor, $0.baseAddress, $0.count) }
        return count < 0 ? nil : Array(bytes[..<count])
    }
}
