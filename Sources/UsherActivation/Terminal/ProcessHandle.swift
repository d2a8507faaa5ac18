package import UsherScene
internal import UsherSystem
internal import UsherText

/// The window of a session that is the place of a process in the terminals, found anew at each use: `process:PID:START`.
public struct ProcessHandle: Sendable, Hashable {
    private static let prefix = "process:"

    public let pid: Int32
    /// In clock ticks since boot; nil where it is not given.
    public let start: UInt64?

    /// `process:PID`, or `process:PID:START`.
    public init?(_ text: String) {
        guard text.utf8.starts(with: Self.prefix.utf8) else { return nil }
        let parts = text.utf8.dropFirst(Self.prefix.utf8.count)
            .split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        func number<Number: FixedWidthInteger>(_ part: Substring.UTF8View) -> Number? {
            part.allSatisfy { (0x30...0x39).contains($0) } ? Number(String(Substring(part))) : nil
        }
        guard parts.count == 1 || parts.count == 2, let pid: Int32 = number(Substring(parts[0]).utf8), pid > 0 else {
            return nil
        }
        self.pid = pid
        guard parts.count == 2 else {
            start = nil
            return
        }
        guard let start: UInt64 = number(Substring(parts[1]).utf8) else { return nil }
        self.start = start
    }

    private init(pid: Int32, start: UInt64) { (self.pid, self.start) = (pid, start) }

    public var text: String { "\(Self.prefix)\(pid)\(start.map { ":\($0)" } ?? "")" }

    /// The same with the start; nil where no such process of this user runs.
    public var running: ProcessHandle? {
        guard ProcessTable.isOwn(pid), let status = ProcessStatus(pid: pid), status.isRunning,
            start.map({ $0 == status.startTime }) ?? true
        else { return nil }
        return ProcessHandle(pid: pid, start: status.startTime)
    }
}

extension SeenEvidence {
    /// How far its process is from what a session has as its window; nil where it does not run there. The process itself is
    /// nearest, then a parent in the same terminal, then its pane of the inner tmux, then the window with its only terminal.
    package func distance(to handle: String?, server: String?) -> Int? {
        guard let handle, let process else { return nil }
        if let owner = ProcessHandle(handle) {
            guard let owner = owner.running, let terminal = ProcessStatus(pid: owner.pid)?.terminal else { return nil }
            // Another terminal that was opened from there is another place.
            return ProcessTable.lineage(of: process.pid).prefix {
                ProcessStatus(pid: $0).map { $0.terminal == terminal || $0.terminal == 0 } ?? false
            }.firstIndex(of: owner.pid)
        }
        if let part = TmuxHandle(handle, server: server)?.text {
            guard let place = tmux.first,
                server.flatMap(TmuxSnapshot.place(ofServer:)).map({ $0.pid == place.server }) ?? true
            else { return nil }
            return part == place.pane ? 100 : part == place.window ? 101 : nil
        }
        return tmux.isEmpty && tab == .only && handle == window ? 102 : nil
    }
}
