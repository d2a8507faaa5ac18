/// Paths as text: joined and normalised without asking the file system.
enum FilePath {
    /// Without `.`, `..` and doubled slashes, as far as that can be told from the text.
    static func normalised(_ path: String) -> String {
        let isAbsolute = path.utf8.first == UInt8(ascii: "/")
        var parts: [Substring] = []
        for part in path.split(separator: "/") where part != "." {
            if part == "..", let last = parts.last, last != ".." {
                parts.removeLast()
            } else if part == "..", isAbsolute, parts.isEmpty {
                continue
            } else {
                parts.append(part)
            }
        }
        let joined = parts.joined(separator: "/")
        if isAbsolute { return "/" + joined }
        return joined.isEmpty ? "." : joined
    }

    /// `path` as seen from a folder; an absolute one stays what it is.
    static func resolve(_ path: String, from folder: String) -> String {
        path.utf8.first == UInt8(ascii: "/") ? normalised(path) : normalised(folder + "/" + path)
    }

    /// Everything before the last slash; `.` where there is none.
    static func parent(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    static func lastComponent(of path: String) -> String {
        path.split(separator: "/").last.map(String.init) ?? path
    }
}
