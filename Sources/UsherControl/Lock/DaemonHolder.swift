internal import Glibc
internal import UsherJSON

/// Who holds a state folder's lock: what the daemon wrote into it.
public struct DaemonHolder: Sendable, Hashable {
    /// 0 while the daemon has locked the file and not yet written into it.
    public var pid: Int32
    /// Where it listens for control; empty while that is not known yet.
    public var socket: String
    /// RFC 3339.
    public var started: String
    public var version: String

    public init(pid: Int32, socket: String, started: String, version: String) {
        self.pid = pid
        self.socket = socket
        self.started = started
        self.version = version
    }

    /// One JSON line.
    var line: [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        json.member("pid", Int(pid))
        json.member("socket", socket)
        json.member("started", started)
        json.member("version", version)
        json.endObject()
        json.newline()
        return json.bytes
    }

    /// What a lock file says; nil where it says nothing (yet).
    static func read(path: String) -> DaemonHolder? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 8192)
        let count = unsafe bytes.withUnsafeMutableBytes { unsafe Glibc.read(descriptor, $0.baseAddress, $0.count) }
        guard count > 0, let value = try? JSONValue(parsing: Array(bytes[..<count])),
            let pid = value["pid"]?.int64, let socket = value["socket"]?.string
        else { return nil }
        return DaemonHolder(
            pid: Int32(clamping: pid), socket: socket, started: value["started"]?.string ?? "",
            version: value["version"]?.string ?? "")
    }
}
