internal import Glibc
internal import UsherActivation

/// The process that listens on a port of this machine, as proc(5) tells: `/proc/net/tcp` has the socket's inode, the
/// descriptors of our own user's processes say whose it is.
struct ListeningProcess: Sendable, Hashable {
    var process: Int32
    /// The file that it runs.
    var program: String?

    /// What is known of a listener.
    enum Found: Hashable {
        case nobody
        case foreign
        case socket(inode: String)
    }

    init?(on address: DevToolsAddress) throws(DevToolsProblem) {
        let file = address.isVersion6 ? "/proc/net/tcp6" : "/proc/net/tcp"
        let table = String(decoding: File.read(file, limit: 8 << 20) ?? [], as: UTF8.self)
        switch Self.listener(on: address, in: table, user: geteuid()) {
        case .nobody: return nil
        case .foreign: throw .foreign
        case .socket(let inode):
            guard let process = Self.owner(of: inode) else { return nil }
            self.process = process
            program = Self.link("/proc/\(process)/exe")
        }
    }

    /// - Parameter table: lines of a number, local and remote address, state, queues, timer, retransmits, user, timeout, inode.
    static func listener(on address: DevToolsAddress, in table: String, user: UInt32) -> Found {
        let port = String(address.port, radix: 16, uppercase: true)
        let suffix = ":" + String(repeating: "0", count: 4 - port.utf8.count) + port
        let hosts = hosts(of: address)
        for line in table.split(separator: "\n").dropFirst() {
            let fields = line.split(separator: " ")
            guard fields.count > 9, fields[3] == "0A", fields[1].hasSuffix(suffix),
                hosts.contains(String(fields[1].dropLast(suffix.utf8.count)))
            else { continue }
            return fields[7] == String(user) ? .socket(inode: String(fields[9])) : .foreign
        }
        return .nobody
    }

    /// As the table writes them: words of the machine's byte order, in hexadecimal. A wildcard listens there, too.
    private static func hosts(of address: DevToolsAddress) -> [String] {
        guard !address.isVersion6 else {
            return ["00000000000000000000000001000000", String(repeating: "0", count: 32)]
        }
        let bytes = address.host.split(separator: ".").compactMap { UInt8($0) }
        let text = bytes.reversed().map { byte in
            let digits = String(byte, radix: 16, uppercase: true)
            return digits.utf8.count == 1 ? "0" + digits : digits
        }
        return [text.joined(), "00000000"]
    }

    private static func owner(of inode: String) -> Int32? {
        let wanted = "socket:[\(inode)]"
        let user = geteuid()
        for process in File.names(in: "/proc").compactMap({ Int32($0) }).sorted() {
            var status = stat()
            guard unsafe stat("/proc/\(process)", &status) == 0, status.st_uid == user else { continue }
            let folder = "/proc/\(process)/fd"
            if File.names(in: folder).contains(where: { link("\(folder)/\($0)") == wanted }) { return process }
        }
        return nil
    }

    private static func link(_ path: String) -> String? {
        var buffer = [CChar](repeating: 0, count: 4096)
        let count = unsafe readlink(path, &buffer, buffer.count)
        return count > 0 ? String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self) : nil
    }
}
