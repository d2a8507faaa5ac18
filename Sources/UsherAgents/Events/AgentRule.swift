internal import UsherScene

/// What an event makes of the state of a session, where a condition holds.
struct AgentRule: Sendable {
    enum Condition: Sendable {
        case always
        case tool([String])
        /// The type of the agent's notification.
        case notification([String])
        case status(String)
    }

    var event: String
    var condition: Condition
    var change: AgentChange
    /// Whether the agent's hooks report it, and not only another program that it calls.
    var isOfHooks: Bool

    init(_ event: String, _ change: AgentChange, if condition: Condition = .always, isOfHooks: Bool = true) {
        (self.event, self.condition, self.change, self.isOfHooks) = (event, condition, change, isOfHooks)
    }
}

extension AgentName {
    /// In the order in which they are tried.
    private var rules: [AgentRule] {
        switch self {
        case .claude, .codex:
            [
                AgentRule("SessionStart", .done(isSeen: true)),
                AgentRule("UserPromptSubmit", .working),
                // A question is asked by a tool: to permit the tool is no answer.
                AgentRule("PreToolUse", .waiting(.question), if: .tool(Self.asking)),
                AgentRule("PreToolUse", .working),
                AgentRule("PermissionRequest", .waiting(.question), if: .tool(Self.asking)),
                AgentRule("PermissionRequest", .waiting(.permission)),
                AgentRule("PermissionDenied", .working),
                AgentRule("PostToolUse", .working),
                AgentRule("Notification", .waiting(.permission), if: .notification(["permission_prompt"])),
                AgentRule(
                    "Notification", .waiting(.question),
                    if: .notification(["elicitation_dialog", "agent_needs_input"])),
                AgentRule("Stop", .done(isSeen: false)),
                AgentRule("StopFailure", .done(isSeen: false)),
                AgentRule("agent-turn-complete", .done(isSeen: false), isOfHooks: false),
                AgentRule("SessionEnd", .ended),
            ]
        case .gemini:
            [
                AgentRule("SessionStart", .done(isSeen: true)),
                AgentRule("BeforeAgent", .working),
                AgentRule("BeforeTool", .working),
                AgentRule("AfterTool", .working),
                AgentRule("Notification", .waiting(.permission), if: .notification(["ToolPermission"])),
                AgentRule("AfterAgent", .done(isSeen: false)),
                AgentRule("SessionEnd", .ended),
            ]
        case .copilot:
            [
                AgentRule("sessionStart", .done(isSeen: true)),
                AgentRule("userPromptSubmitted", .working),
                AgentRule("preToolUse", .working),
                AgentRule("permissionRequest", .waiting(.permission)),
                AgentRule("postToolUse", .working),
                AgentRule("agentStop", .done(isSeen: false)),
                AgentRule("sessionEnd", .ended),
            ]
        case .opencode:
            [
                AgentRule("session.status", .working, if: .status("busy")),
                AgentRule("permission.asked", .waiting(.permission)),
                AgentRule("session.idle", .done(isSeen: false)),
                AgentRule("session.deleted", .ended),
            ]
        }
    }

    /// The event whose hook may answer for the user; nil for an agent that takes no answer.
    var answeredEvent: String? {
        switch self {
        case .claude, .codex: "PermissionRequest"
        case .copilot: "permissionRequest"
        case .opencode: "permission.asked"
        case .gemini: nil
        }
    }

    private static let asking = ["AskUserQuestion", "ExitPlanMode"]

    /// The events that the agent's hooks are to report, each once.
    var hookEvents: [String] {
        var events: [String] = []
        for rule in rules where rule.isOfHooks && !events.contains(rule.event) { events.append(rule.event) }
        return events
    }

    /// What an event makes of the state; nil where that stays.
    ///
    /// - Parameters:
    ///   - notification: its type, where the event is a notification of the agent.
    ///   - status: where the event reports one.
    func change(_ event: String, tool: String?, notification: String?, status: String?) -> AgentChange? {
        rules.first { rule in
            guard rule.event == event else { return false }
            return switch rule.condition {
            case .always: true
            case .tool(let tools): tool.map(tools.contains) ?? false
            case .notification(let types): notification.map(types.contains) ?? false
            case .status(let wanted): status == wanted
            }
        }?.change
    }
}
