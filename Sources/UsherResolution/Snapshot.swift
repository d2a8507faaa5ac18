public import UsherScene

/// Configuration and sessions at one moment, as a resolution sees them: a value, so that a decision can be explained and
/// replayed later.
public struct Snapshot: Sendable {
    public var configuration: Configuration
    public var sessions: SessionTable
    public var freshness: Freshness
    /// The scene configurations with a launch program that cannot be found, by app id and scene name.
    public var missingPrograms: Set<SceneName>
    /// Whether the environment can have several windows at all.
    public var supportsMultipleScenes: Bool

    public init(
        configuration: Configuration, sessions: SessionTable = SessionTable(), freshness: Freshness = .lastSeen,
        missingPrograms: Set<SceneName> = [], supportsMultipleScenes: Bool = true
    ) {
        self.configuration = configuration
        self.sessions = sessions
        self.freshness = freshness
        self.missingPrograms = missingPrograms
        self.supportsMultipleScenes = supportsMultipleScenes
    }
}
