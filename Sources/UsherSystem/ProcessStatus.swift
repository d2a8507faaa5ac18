/// The kernel's data about a process.
package struct ProcessStatus: Sendable, Hashable {
    /// False for one that has ended and was not yet waited for.
    package var isRunning: Bool
    /// By a signal, or by a process that traces it.
    package var isStopped: Bool
    /// The number of its parent.
    package var parent: Int32
    /// Its process group.
    package var group: Int32
    /// The number of its session's first process.
    package var session: Int32
    /// The device number of its controlling terminal; 0 where it has none.
    package var terminal: UInt32
    /// The process group in the foreground of its terminal; -1 where it has no terminal.
    package var foregroundGroup: Int32
    /// In clock ticks since boot. With its number, it identifies a process.
    package var startTime: UInt64

    /// nil where there is no such process.
    package init?(pid: Int32) {
        guard let bytes = FileSystem.contents(of: "/proc/\(pid)/stat", limit: 4096) else { return nil }
        self.init(parsing: bytes)
    }

    /// Parses `/proc/<pid>/stat` (proc_pid_stat(5)).
    ///
    /// The second field is the program's name in parentheses, whatever bytes it holds: the others are counted from the
    /// last closing one.
    package init?(parsing bytes: [UInt8]) {
        guard let end = bytes.lastIndex(of: UInt8(ascii: ")")) else { return nil }
        let fields = bytes[(end + 1)...].split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\n") }
        func number<Number: FixedWidthInteger>(_ field: Int) -> Number? {
            Number(String(decoding: fields[field], as: UTF8.self))
        }
        guard fields.count > 19, let state = fields[0].first, let parent: Int32 = number(1),
            let group: Int32 = number(2), let session: Int32 = number(3), let terminal: Int32 = number(4),
            let foregroundGroup: Int32 = number(5),
            let startTime: UInt64 = number(19)
        else { return nil }
        isRunning = state != UInt8(ascii: "Z") && state != UInt8(ascii: "X") && state != UInt8(ascii: "x")
        isStopped = state == UInt8(ascii: "T") || state == UInt8(ascii: "t")
        (self.parent, self.group, self.session) = (parent, group, session)
        self.terminal = UInt32(bitPattern: terminal)
        (self.foregroundGroup, self.startTime) = (foregroundGroup, startTime)
    }

    /// The id of this boot, different for every boot (random(4)).
    package static func bootID() -> String? {
        guard let bytes = FileSystem.contents(of: "/proc/sys/kernel/random/boot_id", limit: 64), !bytes.isEmpty else {
            return nil
        }
        return String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }
}
