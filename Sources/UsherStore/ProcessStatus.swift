internal import UsherSystem

/// The kernel's data about a running process.
struct ProcessStatus: Sendable, Hashable {
    /// False for one that has ended and was not yet waited for.
    var isRunning: Bool
    /// In clock ticks since boot.
    var startTime: UInt64

    /// nil where there is no such process.
    static func read(pid: Int32) -> ProcessStatus? {
        FileSystem.contents(of: "/proc/\(pid)/stat", limit: 4096).flatMap { ProcessStatus(parsing: $0) }
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
        guard let bytes = FileSystem.contents(of: "/proc/sys/kernel/random/boot_id", limit: 64), !bytes.isEmpty else {
            return nil
        }
        return String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }
}
