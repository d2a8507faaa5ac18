import CLinux
import Glibc
internal import UsherSystem
internal import UsherText

/// The processes of this user, from `/proc`.
package enum ProcessTable {
    /// The processes that were given `NAME=value`, the oldest first; never this one, which may have been started in a window
    /// that Usher made.
    ///
    /// A tmux server keeps the environment that it was started with for as long as it runs, and hands it on to every window it
    /// makes. Neither the server nor a process that has the variable through it counts.
    static func processes(withVariable variable: EnvironmentVariable) -> [Int32] {
        let wanted = Array(variable.text.utf8)
        var matches: [(start: UInt64, pid: Int32)] = []
        for pid in own() where pid != getpid() && environment(of: pid, holds: wanted) {
            matches.append((ProcessStatus(pid: pid)?.startTime ?? .max, pid))
        }
        let servers = Set(matches.map(\.pid).filter(isTmuxServer))
        if !servers.isEmpty { matches.removeAll { !servers.isDisjoint(with: lineage(of: $0.pid)) } }
        return matches.sorted { ($0.start, $0.pid) < ($1.start, $1.pid) }.map(\.pid)
    }

    /// The processes of this user that have such a name for the kernel.
    static func processes(whereName isMeant: (String) -> Bool) -> [Int32] {
        own().filter { name(of: $0).map(isMeant) ?? false }
    }

    /// The name of a process for the kernel.
    package static func name(of pid: Int32) -> String? {
        FileSystem.contents(of: "/proc/\(pid)/comm", limit: 64)
            .map { String(decoding: $0.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self) }
    }

    static func process(_ pid: Int32, holds variable: EnvironmentVariable) -> Bool {
        environment(of: pid, holds: Array(variable.text.utf8))
    }

    /// The process that leads the foreground of this one's terminal.
    private static func foregroundProcess(of pid: Int32) -> Int32? {
        ProcessStatus(pid: pid).flatMap { $0.foregroundGroup > 0 ? $0.foregroundGroup : nil }
    }

    /// The foreground of this process's terminal: the process that leads it and, where that is a shell which waits for a
    /// program in its own group (`sh -c`), what it has started.
    package static func foreground(of pid: Int32) -> [Int32] {
        guard let leader = foregroundProcess(of: pid) else { return [] }
        var group = [leader]
        var next = 0
        while next < group.count, group.count <= 64 {
            group += children(of: group[next]).filter { ProcessStatus(pid: $0)?.group == leader }
            next += 1
        }
        return group
    }

    /// The foregrounds of the terminals that a process has made, as a terminal emulator does.
    package static func foregrounds(ofTerminalsOf pid: Int32) -> [Int32] {
        // The first process of a terminal leads a session of its own.
        children(of: pid).filter { isMember($0, of: $0) }.flatMap(foreground)
    }

    private static func children(of pid: Int32) -> [Int32] {
        ((try? FileSystem.names(in: "/proc/\(pid)/task")) ?? []).flatMap { thread in
            (FileSystem.contents(of: "/proc/\(pid)/task/\(thread)/children", limit: 64 * 1024) ?? [])
                .split(separator: UInt8(ascii: " ")).compactMap { Int32(String(decoding: $0, as: UTF8.self)) }
        }
    }

    /// The file that the process in the foreground of this one's terminal runs, without its directory.
    static func foregroundProgram(of pid: Int32) -> String? {
        guard let group = foregroundProcess(of: pid) else { return nil }
        return FileSystem.link("/proc/\(group)/exe").map(FilePath.lastComponent)
    }

    /// Kills every member of a session, also those that made groups of their own.
    static func killSession(_ session: Int32) {
        for pid in all() where isMember(pid, of: session) {
            // The number may become another process's between check and signal; the descriptor's cannot.
            let descriptor = usher_pidfd_open(pid)
            guard descriptor >= 0 else { continue }
            if isMember(pid, of: session) { _ = usher_pidfd_send_signal(descriptor, SIGKILL) }
            close(descriptor)
        }
    }

    /// Signals every process with a variable but those of a session. Whether there was one.
    @discardableResult
    static func signal(
        _ number: Int32, toAllWith variable: EnvironmentVariable, outside session: Int32? = nil
    ) -> Bool {
        var found = false
        for pid in processes(withVariable: variable) {
            if let session, isMember(pid, of: session) { continue }
            let descriptor = usher_pidfd_open(pid)
            guard descriptor >= 0 else { continue }
            if process(pid, holds: variable), usher_pidfd_send_signal(descriptor, number) == 0 { found = true }
            close(descriptor)
        }
        return found
    }

    /// Kills every process with a variable, also those that are made meanwhile; at most for a second.
    static func killAll(with variable: EnvironmentVariable) {
        let deadline = Deadline(inMilliseconds: 1000)
        // Looked at again: what was forked during a look may have been passed over.
        while signal(SIGKILL, toAllWith: variable), !deadline.isOver { usleep(2000) }
    }

    /// The value of a variable in the environment that a process was started with.
    static func value(of name: String, in pid: Int32) -> String? {
        let beginning = Array("\(name)=".utf8)
        let bytes = FileSystem.contents(of: "/proc/\(pid)/environ", limit: 4 * 1024 * 1024) ?? []
        return bytes.split(separator: 0).first { $0.starts(with: beginning) }
            .map { String(decoding: $0.dropFirst(beginning.count), as: UTF8.self) }
    }

    /// Whether one process was started by the other, or by one that was.
    static func isDescendant(_ pid: Int32, of ancestor: Int32) -> Bool {
        lineage(of: pid).dropFirst().contains(ancestor)
    }

    /// Whether two are the same process, or one of them was started by the other, or by one that was.
    static func isRelated(_ one: Int32, to other: Int32) -> Bool {
        one == other || isDescendant(one, of: other) || isDescendant(other, of: one)
    }

    /// A process, the one that started it, and so on; without init.
    package static func lineage(of pid: Int32) -> [Int32] {
        var line: [Int32] = []
        var current = pid
        // Deeper than any intended tree of processes.
        while current > 1, line.count <= 64 {
            line.append(current)
            guard let status = ProcessStatus(pid: current) else { break }
            current = status.parent
        }
        return line
    }

    /// The terminal of a process, else that of the nearest parent with one, by its path.
    package static func terminal(of pid: Int32) -> String? {
        lineage(of: pid).lazy.compactMap { ProcessStatus(pid: $0)?.terminal }.first { $0 != 0 }
            .flatMap(TerminalWalk.path)
    }

    /// tmux names its server so for the kernel, whatever its socket is. The process of a new window has this name until it
    /// executes its program.
    static func isTmuxServer(_ pid: Int32) -> Bool {
        name(of: pid)?.hasSameBytes(as: "tmux: server") ?? false
    }

    private static func isMember(_ pid: Int32, of session: Int32) -> Bool {
        ProcessStatus(pid: pid)?.session == session
    }

    /// Names one life of a process: its number may be given to another one, which then has another start.
    package static func life(of pid: Int32) -> String { "\(pid):\(ProcessStatus(pid: pid)?.startTime ?? 0)" }

    private static func environment(of pid: Int32, holds wanted: [UInt8]) -> Bool {
        for _ in 0..<50 {
            guard let bytes = FileSystem.contents(of: "/proc/\(pid)/environ", limit: 4 * 1024 * 1024) else {
                return false
            }
            // For a moment of execve(2) a process shows no environment: neither the old one nor its own.
            guard bytes.isEmpty, isYoung(pid) else {
                return bytes.split(separator: 0).contains { $0.elementsEqual(wanted) }
            }
            usleep(1000)
        }
        return false
    }

    /// Whether a process was started within the last second.
    private static func isYoung(_ pid: Int32) -> Bool {
        var now = timespec()
        guard let start = ProcessStatus(pid: pid)?.startTime, unsafe clock_gettime(CLOCK_BOOTTIME, &now) == 0 else {
            return false
        }
        let ticks = UInt64(max(1, sysconf(Int32(_SC_CLK_TCK))))
        let uptime = UInt64(now.tv_sec) * ticks + UInt64(now.tv_nsec) * ticks / 1_000_000_000
        return start + ticks >= uptime
    }

    /// The processes of this user.
    package static func own() -> [Int32] { all().filter(isOwn) }

    /// Whether there is such a process, and it is this user's.
    package static func isOwn(_ pid: Int32) -> Bool {
        var status = stat()
        return unsafe stat("/proc/\(pid)", &status) == 0 && status.st_uid == geteuid()
    }

    private static func all() -> [Int32] {
        ((try? FileSystem.names(in: "/proc")) ?? []).compactMap { Int32($0) }.filter { $0 > 0 }
    }
}
