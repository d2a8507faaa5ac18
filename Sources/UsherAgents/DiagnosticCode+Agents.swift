public import UsherScene

// Coding agents: U37xx.
extension DiagnosticCode {
    /// There is no such session of an agent.
    /// Remedy: `usher agent list` shows those that there are.
    public static let agentUnknown = DiagnosticCode("U3716", "agent.unknown")
    /// A warning: no session of an agent waits, or is done and not seen.
    /// Remedy: nothing: all of them work, or were visited.
    public static let agentNone = DiagnosticCode("U3717", "agent.none")
    /// The session of an agent waits for no answer that Usher could give.
    /// Remedy: answer in its terminal: `usher agent focus ID`.
    public static let agentCannotAnswer = DiagnosticCode("U3718", "agent.cannot-answer")
    /// Several processes of Codex may be that of the session: none of them comes forward.
    /// Remedy: the help names them: `usher terminal focus --pid N`.
    public static let agentAmbiguous = DiagnosticCode("U3719", "agent.ambiguous")
    /// There is no such agent.
    /// Remedy: the help names those that there are.
    public static let agentUnknownAgent = DiagnosticCode("U3711", "agent.unknown-agent")
    /// The settings of the agent are no JSON with comments. Nothing was changed.
    /// Remedy: correct the file; the message has its line and column.
    public static let agentSettingsSyntax = DiagnosticCode("U3712", "agent.settings-syntax")
    /// In the settings of the agent `hooks` is no object, or one of its events no array. Nothing was changed.
    /// Remedy: correct the file.
    public static let agentSettingsShape = DiagnosticCode("U3713", "agent.settings-shape")
    /// The settings of the agent may not be written, also not by their owner. Nothing was changed.
    /// Remedy: make the file writable: `chmod u+w`.
    public static let agentSettingsReadOnly = DiagnosticCode("U3714", "agent.settings-read-only")
    /// A file in the way of Usher's own was not written by Usher. Nothing was changed.
    /// Remedy: move it away.
    public static let agentSettingsForeign = DiagnosticCode("U3715", "agent.settings-foreign")
}
