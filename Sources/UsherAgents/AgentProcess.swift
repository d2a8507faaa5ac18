internal import UsherActivation
internal import UsherSystem
internal import UsherText

/// The process of an agent: found once among the parents of a hook, and kept.
enum AgentProcess {
    private static let shells: Set<String> = ["sh", "bash", "dash", "zsh", "fish", "ksh", "mksh", "ash", "tcsh", "csh"]

    /// The first of these that is named as the agent, else the first with a terminal that is no shell.
    ///
    /// - Parameter chain: a hook's process and its parents, the hook first.
    static func find(_ agent: AgentName, in chain: [AgentReport.Process]) -> (pid: Int32, start: UInt64)? {
        let parents = chain.dropFirst().compactMap { parent -> (pid: Int32, start: UInt64, hasTerminal: Bool)? in
            guard let pid = Int32(exactly: parent.pid), ProcessTable.isOwn(pid), let status = ProcessStatus(pid: pid),
                status.isRunning, status.startTime == UInt64(exactly: parent.start)
            else { return nil }
            return (pid, status.startTime, status.terminal != 0)
        }
        let named = parents.first { parent in
            // The server of Codex serves several terminals and is in none of them.
            (agent != .codex || parent.hasTerminal) && isNamed(agent.rawValue, parent.pid)
        }
        let other = parents.first { $0.hasTerminal && !shells.contains(ProcessTable.name(of: $0.pid) ?? "") }
        return (named ?? other).map { ($0.pid, $0.start) }
    }

    private static let interpreters = ["node", "bun", "deno", "python", "ruby", "perl"]

    /// Whether a process, or the script that it interprets, has this name.
    private static func isNamed(_ name: String, _ pid: Int32) -> Bool {
        guard let program = ProcessTable.name(of: pid) else { return false }
        if program.hasSameBytes(as: name) { return true }
        // `node-MainThread`, `python3.11`.
        guard interpreters.contains(where: { program.utf8.starts(with: $0.utf8) }) else { return false }
        let words = (FileSystem.contents(of: "/proc/\(pid)/cmdline", limit: 4096) ?? []).split(separator: 0)
            .map { String(decoding: $0, as: UTF8.self) }
        guard let script = words.dropFirst().first(where: { !$0.hasPrefix("-") }), script.contains("/") else {
            return false
        }
        let file = FilePath.lastComponent(of: script)
        return file.hasSameBytes(as: name) || [".js", ".mjs", ".cjs"].contains { file.hasSameBytes(as: name + $0) }
    }
}
