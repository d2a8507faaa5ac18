internal import Glibc

/// Where the running program lies.
public enum OwnProgram {
    /// Its file; nil where the system does not say, or it was replaced meanwhile.
    public static var path: String? {
        guard let resolved = unsafe realpath("/proc/self/exe", nil) else { return nil }
        defer { unsafe free(resolved) }
        let path = unsafe String(cString: resolved)
        return isExecutable(path) ? path : nil
    }

    /// The program of this name that lies beside it, else the bare name: that is looked for in the PATH.
    public static func sibling(_ name: String) -> String {
        guard let path, let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return name }
        let beside = String(path[...slash]) + name
        return isExecutable(beside) ? beside : name
    }

    private static func isExecutable(_ path: String) -> Bool {
        var status = stat()
        guard unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return false }
        return unsafe access(path, X_OK) == 0
    }
}
