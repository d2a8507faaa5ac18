internal import Glibc

/// Paths and descriptors as the daemon is given them.
enum Places {
    /// Makes the folders that a file is in, for this user alone; one that is there stays as it is. 0, or the errno.
    static func makeFolder(of file: String) -> Int32 {
        var folder = "/"
        for part in file.split(separator: "/").dropLast() {
            folder += part + "/"
            if unsafe mkdir(folder, 0o700) != 0, errno != EEXIST, errno != EROFS { return errno }
        }
        return 0
    }

    /// The system's words for an errno.
    static func text(of error: Int32) -> String { unsafe String(cString: strerror(error)) }

    /// Whether a listening descriptor is a Unix socket.
    static func isUnixSocket(_ descriptor: Int32) -> Bool {
        var address = sockaddr()
        var length = socklen_t(MemoryLayout<sockaddr>.size)
        guard unsafe getsockname(descriptor, &address, &length) == 0 else { return false }
        return address.sa_family == sa_family_t(AF_UNIX)
    }
}
