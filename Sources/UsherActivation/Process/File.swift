import Glibc

/// Whole small files and directories, read at once.
package enum File {
    /// The bytes of a file, at most `limit`; nil where it cannot be read.
    package static func read(_ path: String, limit: Int) -> [UInt8]? {
        let number = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard number >= 0 else { return nil }
        let descriptor = FileDescriptor(owning: number)
        var captured = CapturedOutput(limit: limit)
        while captured.total < limit, case .some = captured.read(from: descriptor.number) {}
        return captured.bytes
    }

    /// The names in a directory, none where it cannot be read.
    package static func names(in path: String) -> [String] {
        guard let directory = unsafe opendir(path) else { return [] }
        defer { unsafe closedir(directory) }
        var names: [String] = []
        while let entry = unsafe readdir(directory) {
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }
}
