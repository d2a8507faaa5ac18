internal import Glibc

/// Whether standard error is a stream to the journal already.
public enum JournalStream {
    /// systemd sets `JOURNAL_STREAM` to the device and inode of the stream that it made; if standard error was
    /// redirected since then, it has another device and inode (systemd.exec(5)).
    ///
    /// - Parameter variable: the value of `JOURNAL_STREAM`.
    public static func isStandardError(_ variable: String?) -> Bool { names(descriptor: 2, variable) }

    private static func names(descriptor: Int32, _ variable: String?) -> Bool {
        guard let parts = variable?.split(separator: ":", omittingEmptySubsequences: false), parts.count == 2,
            let device = UInt64(parts[0]), let inode = UInt64(parts[1])
        else { return false }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { return false }
        return UInt64(status.st_dev) == device && UInt64(status.st_ino) == inode
    }
}
