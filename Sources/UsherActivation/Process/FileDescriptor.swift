import Glibc

/// A file descriptor that is closed when its owner goes.
struct FileDescriptor: ~Copyable {
    let number: Int32

    init(owning number: Int32) { self.number = number }

    deinit { close(number) }

    /// A duplicate out of the way of standard input, output and error, which a child's are put in place of: a program started
    /// with those closed would otherwise get them for its own files.
    static func aboveStandard(duplicating number: Int32) throws(ActivationFailure) -> FileDescriptor {
        let moved = fcntl(number, F_DUPFD_CLOEXEC, 3)
        guard moved >= 0 else { throw .system("no file descriptor", errno: errno) }
        return FileDescriptor(owning: moved)
    }
}
