internal import Glibc
internal import Synchronization
internal import UsherSystem

/// Sends entries to systemd-journald over its datagram socket; entries come from a logger with the format `journal`.
///
/// A journal that does not take entries must not stop the program: sending waits a quarter of a second once, and then not
/// at all until an entry is taken again. What could not be sent goes to standard error by its message, with the priority
/// in front (`<4>`, sd-daemon(3)).
public final class JournalSink: LogSink {
    public static let systemPath = "/run/systemd/journal/socket"
    /// Larger entries go as a file: the kernel's limit for datagrams is a setting, and near this size.
    private static let datagramLimit = 128 * 1024

    private let path: String
    private let socket: DatagramSocket
    private let fallback: any LogSink
    private let isStuck = Atomic(false)

    /// - Returns: nil where no socket is at the path.
    public init?(path: String = JournalSink.systemPath, fallback: any LogSink = StandardErrorSink()) {
        guard unsafe access(path, W_OK) == 0, let socket = DatagramSocket(limit: 250) else { return nil }
        self.path = path
        self.socket = socket
        self.fallback = fallback
    }

    public func write(_ entry: [UInt8]) {
        let waits = !isStuck.load(ordering: .relaxed)
        var error: Int32 = EMSGSIZE
        if entry.count <= JournalSink.datagramLimit { error = socket.send(entry, to: path, waits: waits) }
        if error == EMSGSIZE || error == ENOBUFS {
            error = socket.sendFile(entry, named: "usher-journal-entry", to: path, waits: waits)
        }
        isStuck.store(error == EAGAIN, ordering: .relaxed)
        if error != 0 { fallback.write(JournalSink.line(of: entry)) }
    }

    /// What standard error is given for an entry: the logger writes PRIORITY and MESSAGE first, without line feeds.
    private static func line(of entry: [UInt8]) -> [UInt8] {
        let fields = entry.split(separator: 0x0A, maxSplits: 2)
        guard fields.count >= 2, let priority = fields[0].last else { return [] }
        return Array("<".utf8) + [priority] + Array(">usher: ".utf8) + fields[1].dropFirst("MESSAGE=".utf8.count)
            + [0x0A]
    }
}
