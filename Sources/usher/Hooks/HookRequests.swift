internal import Glibc
internal import UsherEngine
internal import UsherLog
internal import UsherOperation
internal import UsherSystem

/// The last requests to hooks, as the resident daemon of a state folder wrote them down (`RequestFile`).
struct HookRequests {
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
    mutating func next() -> [HookRequestRecord] {
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
        return bytes.split(separator: 0x0A).compactMap { try? HookRequestRecord(reading: Array($0)) }
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

/// How often a hook was called, as far back as the requests are kept.
struct HookCounts {
    var accepted = 0
    var ignored = 0
    var refused = 0
    var last: HookRequestRecord?

    init(_ entries: [HookRequestRecord]) {
        for entry in entries {
            // Of several lines like it only the first ones are kept; the next one says how many are missing.
            let count = 1 + entry.leftOut
            switch entry.result {
            case "accepted", "duplicate": accepted += count
            case "ignored": ignored += count
            case "refused": refused += count
            default: break
            }
            last = entry
        }
    }
}
