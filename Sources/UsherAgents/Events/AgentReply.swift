internal import UsherJSON
public import UsherOperation
public import UsherScene

/// What a hook is answered with; nothing where the dialog in the terminal decides.
public struct AgentReply: AnswerRecord {
    public enum Action: String, CaseIterable, Sendable, FieldChoice { case allow, deny }

    public var action: Action?
    /// For the agent, where it is denied.
    public var message: String?

    public init() {}
    public init(_ action: Action?, message: String? = nil) { (self.action, self.message) = (action, message) }

    public static let fields: [Field<Self>] = [
        Field(ifAny: "action", \.action, "The answer that the hook waited for"),
        Field(ifAny: "message", \.message, "What is told with it"),
    ]

    /// What the hook prints, in the form of its agent; nil: nothing.
    public func text(for agent: AgentName) -> String? {
        guard let action else { return nil }
        let message = JSONValue.string(message ?? "Denied with Usher")
        let decision: JSONValue =
            switch action {
            case .allow: ["behavior": "allow"]
            case .deny: ["behavior": "deny", "message": message]
            }
        let value: JSONValue
        switch agent {
        case .claude, .codex:
            value = ["hookSpecificOutput": ["hookEventName": "PermissionRequest", "decision": decision]]
        case .copilot: value = decision
        case .opencode: value = ["reply": action == .allow ? "once" : "reject"]
        case .gemini: return nil
        }
        return value.text()
    }
}
