internal import Glibc

/// Where the running program lies.
public enum OwnProgram {
    /// Its file; nil where the system does not say, or it was replaced meanwhile.
    public static var path: String? {
        var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe buffer.withUnsafeMutableBytes { bytes in
            unsafe readlink(
                "/proc/self/exe", bytes.baseAddress.map { unsafe $0.assumingMemoryBound(to: CChar.self) }, bytes.count)
        }
        guard count > 0, count < buffer.count else { return nil }
        let path = String(decoding: buffer[..<count], as: UTF8.self)
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
        return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
            && unsafe access(path, X_OK) == 0
    }
}
