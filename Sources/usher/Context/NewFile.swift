internal import Glibc
internal import UsherLog

/// Files that were not there before.
enum NewFile {
    /// Also where it is a link that leads nowhere.
    static func exists(_ path: String) -> Bool {
        var status = stat()
        return unsafe lstat(path, &status) == 0
    }

    /// Writes a new file and the folders it is in; what is there already is left alone and is an error.
    static func write(_ text: String, to path: String) throws(CommandFailure) {
        try makeFolders(for: path)
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o644)
        guard descriptor >= 0 else { throw .usage("cannot write \(path): \(SystemError.text(errno))") }
        let isWritten = FileOutput.write(Array(text.utf8), to: descriptor)
        let failure = errno
        guard close(descriptor) == 0, isWritten else {
            throw .usage("cannot write \(path): \(SystemError.text(isWritten ? errno : failure))")
        }
    }

    private static func makeFolders(for path: String) throws(CommandFailure) {
        var folder = path.utf8.first == UInt8(ascii: "/") ? "/" : ""
        for part in path.split(separator: "/").dropLast() {
            folder += part + "/"
            if unsafe mkdir(folder, 0o755) != 0, errno != EEXIST {
                throw .usage("cannot make the folder \(folder): \(SystemError.text(errno))")
            }
        }
    }
}
