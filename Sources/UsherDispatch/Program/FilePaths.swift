internal import Glibc

/// Paths for programs that run elsewhere.
public enum FilePaths {
    /// The path from the root on, by the folder that this process is in.
    public static func absolute(_ path: String) -> String {
        if path.utf8.first == UInt8(ascii: "/") { return path }
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let folder = unsafe buffer.withUnsafeMutableBufferPointer { unsafe getcwd($0.baseAddress, $0.count) }
        guard let folder = unsafe folder else { return path }
        return unsafe String(cString: folder) + "/" + path
    }
}
