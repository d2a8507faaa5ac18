/// A coding agent whose hooks are understood.
public enum AgentName: String, CaseIterable, Sendable {
    case claude, codex, gemini, opencode, copilot
}

/// `[agents]` of `usher.toml`: what sessions of coding agents notify of.
public struct AgentSettings: Sendable, Hashable {
    public enum Notice: String, Sendable, CaseIterable {
        /// It waits for the user.
        case waiting
        /// Its turn is over.
        case done
    }

    /// What a notification shows of what the agent waits for.
    public enum Shown: String, Sendable, CaseIterable {
        /// The tool, and what it is to do.
        case request
        /// The tool alone.
        case name
    }

    public var notify = Notice.allCases
    /// How long a turn takes whose end is notified of, in milliseconds.
    public var doneAfter = 10_000
    public var show = Shown.request
    /// How long a hook waits for the answer to what its agent asks, in milliseconds; 0: not at all.
    public var answer = 590_000
    /// The same of agents that have a time of their own.
    public var answers: [AgentName: Int] = [:]

    public init() {}

    /// How long a hook of an agent waits.
    public func wait(of agent: AgentName) -> Duration { .milliseconds(answers[agent] ?? answer) }
}
