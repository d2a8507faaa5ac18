import Glibc

/// What the kernel says about a running process.
struct ProcessStatus: Sendable, Hashable {
    /// False for one that has ended and was not yet waited for.
    var isRunning: Bool
    /// In clock ticks since boot.
    var startTime: UInt64

    /// nil where there is no such process.
    static func read(pid: Int32) -> ProcessStatus? {
        contents(of: "/proc/\(pid)/stat").flatMap { ProcessStatus(parsing: $0) }
    }

    /// Parses `/proc/<pid>/stat` (proc_pid_stat(5)).
    ///
    /// The second field is the program's name in parentheses, whatever bytes it holds: the others are counted from the
    /// last closing one.
    init?(parsing bytes: [UInt8]) {
        guard let end = bytes.lastIndex(of: UInt8(ascii: ")")) else { return nil }
        let fields = bytes[(end + 1)...].split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\n") }
        guard fields.count > 19, let state = fields[0].first,
            let startTime = UInt64(String(decoding: fields[19], as: UTF8.self))
        else { return nil }
        self.isRunning = state != UInt8(ascii: "Z") && state != UInt8(ascii: "X") && state != UInt8(ascii: "x")
        self.startTime = startTime
    }

    /// The id of this boot, different for every boot (random(4)).
    static func bootID() -> String? {
        guard let bytes = contents(of: "/proc/sys/kernel/random/boot_id") else { return nil }
        return String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }

    /// A short file of `/proc`.
    private static func contents(of path: String) -> [UInt8]? {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = unsafe bytes.withUnsafeMutableBytes { unsafe Glibc.read(file, $0.baseAddress, $0.count) }
        return count > 0 ? Array(bytes.prefix(count)) : nil
    }
}
