internal import UsherActivation
internal import UsherScene
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

    /// The processes of Codex in a terminal that work in a folder, and are no other session's.
    ///
    /// Its hooks may be children of a server that all of its terminals share. The folder, which a hook names, is not looked
    /// at.
    static func candidates(for agent: AgentSession, among agents: [AgentSession]) -> [(pid: Int32, start: UInt64)] {
        guard agent.agent == AgentName.codex.rawValue, let folder = agent.cwd.map(FilePath.normalised) else {
            return []
        }
        let taken = agents.compactMap { $0.state == .ended || $0.id == agent.id ? nil : $0.pid }
        let found = ProcessTable.own().filter { pid in
            ProcessTable.name(of: pid)?.hasSameBytes(as: agent.agent) ?? false
                && FileSystem.link("/proc/\(pid)/cwd")?.hasSameBytes(as: folder) ?? false && !taken.contains(pid)
        }
        return found.compactMap { pid in
            guard !ProcessTable.lineage(of: pid).dropFirst().contains(where: found.contains),
                let status = ProcessStatus(pid: pid), status.isRunning, status.terminal != 0
            else { return nil }
            return (pid, status.startTime)
        }
    }

    /// How long a terminal may have run when the first event of its session comes, in clock ticks: 30 seconds.
    private static let youth: UInt64 = 3000

    /// The only candidate, else the only one that was started shortly before.
    ///
    /// - Parameter time: of the session's first event, in clock ticks since boot; nil for a later one.
    static func choice(
        of candidates: [(pid: Int32, start: UInt64)], before time: UInt64?
    ) -> (pid: Int32, start: UInt64)? {
        if candidates.count == 1 { return candidates[0] }
        guard let time else { return nil }
        let young = candidates.filter { $0.start <= time && time - $0.start <= youth }
        return young.count == 1 ? young[0] : nil
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

extension AgentSession {
    /// Why a session without a process cannot come forward.
    func absence(among agents: [AgentSession]) -> ActivationFailure {
        let candidates = AgentProcess.candidates(for: self, among: agents)
        guard candidates.count > 1 else {
            return ActivationFailure(
                .terminalNone, "no process with a terminal is known of \(QuotedText.text(name))",
                help: "its next event in a terminal names one")
        }
        let list = candidates.map { "\($0.pid) (\(ProcessTable.terminal(of: $0.pid) ?? "no terminal"))" }
        return ActivationFailure(
            .agentAmbiguous, "\(candidates.count) processes may be that of \(QuotedText.text(name))",
            help: "usher terminal focus --pid N brings one forward: \(list.joined(separator: ", "))")
    }
}
