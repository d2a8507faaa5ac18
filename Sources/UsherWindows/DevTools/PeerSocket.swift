internal import Glibc
internal import UsherActivation
internal import UsherSystem

/// The other end of a connection on this machine (proc(5)): `/proc/net/tcp` has its user and inode, and the descriptors
/// of our own user's processes show which process has it.
///
/// The first process that binds a port gets it, and any user's process may bind it once a browser has ended. So each
/// connection is checked, not the port, and a connection to another user's program is refused.
struct PeerSocket: Sendable, Hashable {
    private let inode: String

    /// To be called after the peer has sent data: a socket has no owner until a process has accepted the connection.
    init(of connection: borrowing DevToolsSocket) throws(DevToolsProblem) {
        guard let theirs = connection.address(isOurs: false), let ours = connection.address(isOurs: true) else {
            throw .ended
        }
        // A server for both versions of IP has connections of version 4 in the other table.
        for (file, prefix) in [("/proc/net/tcp", ""), ("/proc/net/tcp6", ""), ("/proc/net/tcp6", Self.mapped)] {
            let table = FileSystem.contents(of: file, limit: 32 << 20) ?? []
            guard let found = Self.entry(of: prefix + theirs, with: prefix + ours, in: table) else { continue }
            guard found.user == String(geteuid()) else { throw .foreign }
            inode = found.inode
            return
        }
        throw .ownerless
    }

    /// What the kernel's table says of the socket at one end of a connection.
    ///
    /// - Parameters:
    ///   - own: that end, as the table writes it.
    ///   - table: lines of a number, local and remote address, state, queues, timer, retransmits, user, timeout, inode.
    static func entry(of own: String, with other: String, in table: [UInt8]) -> (user: String, inode: String)? {
        let wanted = Array(": \(own) \(other) ".utf8)
        for line in table.split(separator: 0x0A) {
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")), line[colon...].starts(with: wanted) else {
                continue
            }
            let fields = String(decoding: line, as: UTF8.self).split(separator: " ")
            guard fields.count > 9 else { return nil }
            return (String(fields[7]), String(fields[9]))
        }
        return nil
    }

    /// `::ffff:0:0/96`, the addresses of version 4 within those of version 6.
    private static let mapped = String(repeating: "0", count: 16) + TableText.word(UInt32(0xFFFF).bigEndian)

    /// The process that has it; of several the oldest, which is the browser itself.
    var process: Int32? {
        let wanted = "socket:[\(inode)]"
        let user = geteuid()
        for process in ((try? FileSystem.names(in: "/proc")) ?? []).compactMap({ Int32($0) }).sorted() {
            var status = stat()
            guard unsafe stat("/proc/\(process)", &status) == 0, status.st_uid == user else { continue }
            let folder = "/proc/\(process)/fd"
            if ((try? FileSystem.names(in: folder)) ?? []).contains(where: { Self.link("\(folder)/\($0)") == wanted }) {
                return process
            }
        }
        return nil
    }

    /// The file that a process runs.
    static func program(of process: Int32) -> String? { link("/proc/\(process)/exe") }

    private static func link(_ path: String) -> String? {
        var buffer = [CChar](repeating: 0, count: 4096)
        let count = unsafe readlink(path, &buffer, buffer.count)
        return count > 0 ? String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self) : nil
    }
}

/// How `/proc/net/tcp` writes numbers.
enum TableText {
    /// A word of an address as it lies in memory, read as a number of this machine.
    static func word(_ word: UInt32) -> String { padded(UInt64(word), 8) }

    static func port(_ port: UInt16) -> String { padded(UInt64(port), 4) }

    private static func padded(_ number: UInt64, _ width: Int) -> String {
        let digits = String(number, radix: 16, uppercase: true)
        return String(repeating: "0", count: width - digits.utf8.count) + digits
    }
}
