internal import Glibc
internal import UsherJSON
internal import UsherLog
internal import UsherSystem
internal import UsherText

/// The last requests to hooks, as the resident daemon of a state folder wrote them down (`RequestFile`).
struct HookRequests {
    /// One line: `{"time","hook","path","client","status","result","error","why","left_out"}`.
    typealias Entry = JSONValue

    private let path: String
    /// Of the file that was read last: which one it is, and how far it was read.
    private var inode: UInt = 0
    private var offset = 0

    /// A file has at most 1 MiB and one line.
    private static let limit = 4 << 20

    init(in state: String) { path = RequestFile.path(in: state) }

    /// Where new requests are written.
    var file: String { path }

    /// All that were not read yet, the oldest first.
    mutating func next() -> [Entry] {
        let current = HookRequests.identity(path)
        var bytes: [UInt8] = []
        if current != inode {
            // The file that was read has another name now; what was before it is gone, or was read.
            let earlier = RequestFile.earlier(than: path)
            let isKnown = inode != 0 && HookRequests.identity(earlier) == inode
            bytes = HookRequests.content(earlier, from: isKnown ? offset : 0)
            (inode, offset) = (current, 0)
        }
        let new = HookRequests.content(path, from: offset)
        // A line that is being written is read later.
        let whole = new.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
        offset += whole
        bytes += new[..<whole]
        return bytes.split(separator: 0x0A).compactMap { try? JSONValue(parsing: Array($0)) }
    }

    /// Leaves out everything that is there.
    mutating func skip() { _ = next() }

    private static func identity(_ path: String) -> UInt {
        var status = stat()
        return unsafe stat(path, &status) == 0 ? UInt(status.st_ino) : 0
    }

    private static func content(_ path: String, from offset: Int) -> [UInt8] {
        guard let bytes = try? FileSystem.read(path, limit: limit), bytes.count > offset else { return [] }
        return Array(bytes[offset...])
    }
}

extension HookRequests.Entry {
    /// Whether the request came to a hook of that name, or to the hooks of that path.
    func isAbout(_ name: String) -> Bool {
        guard let hook = self["hook"]?.string, !hook.isEmpty else { return false }
        return hook.hasSameBytes(as: name)
            || self["path"]?.string?.utf8.elementsEqual("/hooks/\(name)".utf8) == true
    }
}

/// How often a hook was called, as far back as the requests are kept.
struct HookCounts {
    var accepted = 0
    var ignored = 0
    var refused = 0
    var last: HookRequests.Entry?

    init(_ entries: [HookRequests.Entry]) {
        for entry in entries {
            // Of several lines like it only the first ones are kept; the next one says how many are missing.
            let count = 1 + Int(clamping: entry["left_out"]?.int64 ?? 0)
            switch entry["result"]?.string {
            case "accepted", "duplicate": accepted += count
            case "ignored": ignored += count
            case "refused": refused += count
            default: break
            }
            last = entry
        }
    }
}
