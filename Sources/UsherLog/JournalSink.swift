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

/// One entry in systemd-journald's native protocol.
///
/// A field is `NAME=value` and a line feed; a value that has a line feed itself is `NAME`, a line feed, its length as 64
/// little-endian bits, the value, a line feed. https://systemd.io/JOURNAL_NATIVE_PROTOCOL/
struct JournalEntry {
    private(set) var bytes: [UInt8] = []

    /// Appends a field; the name must be one already: upper case letters, digits and `_`.
    mutating func append(_ name: String, _ value: String) {
        bytes.append(contentsOf: name.utf8)
        let value = value.utf8
        if value.contains(0x0A) {
            bytes.append(0x0A)
            var length = UInt64(value.count)
            for _ in 0..<8 {
                bytes.append(UInt8(truncatingIfNeeded: length))
                length >>= 8
            }
        } else {
            bytes.append(UInt8(ascii: "="))
        }
        bytes.append(contentsOf: value)
        bytes.append(0x0A)
    }

    /// The field that a dotted key of the log's metadata becomes: `delivery.id` is `USHER_DELIVERY_ID`.
    ///
    /// journald drops names longer than 64 bytes, so they are cut.
    static func fieldName(_ key: String) -> String {
        var name = "USHER_"
        for byte in key.utf8.prefix(58) {
            switch byte {
            case 0x61...0x7A: name.unicodeScalars.append(Unicode.Scalar(byte - 0x20))
            case 0x41...0x5A, 0x30...0x39: name.unicodeScalars.append(Unicode.Scalar(byte))
            default: name.unicodeScalars.append("_")
            }
        }
        return name
    }
}

/// Whether standard error is a stream to the journal already.
enum JournalStream {
    /// systemd sets `JOURNAL_STREAM` to the device and inode of the stream that it made; if standard error was
    /// redirected since then, it has another device and inode (systemd.exec(5)).
    ///
    /// - Parameter variable: the value of `JOURNAL_STREAM`.
    static func isStandardError(_ variable: String?) -> Bool { names(descriptor: 2, variable) }

    private static func names(descriptor: Int32, _ variable: String?) -> Bool {
        guard let parts = variable?.split(separator: ":", omittingEmptySubsequences: false), parts.count == 2,
            let device = UInt64(parts[0]), let inode = UInt64(parts[1])
        else { return false }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { return false }
        return UInt64(status.st_dev) == device && UInt64(status.st_ino) == inode
    }
}
