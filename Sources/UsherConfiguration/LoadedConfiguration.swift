public import UsherScene

/// What was read: apps and settings, and everything that is wrong with their files.
public struct LoadedConfiguration: Sendable {
    /// With errors: as far as it could be read. Such a configuration is for messages, not for decisions.
    public var configuration: Configuration
    public var settings: Settings
    /// By file and place.
    public var diagnostics: [ConfigurationDiagnostic]
    public var sources: SourceMap
    /// The folder that the paths of places are relative to, absolute.
    public var folder: String
    /// Every file that was read, relative to `folder` where it is inside; the digest is over these.
    public var files: [String]
    /// The scenes whose launch program is not found.
    public var missingPrograms: Set<SceneName>

    public var hasErrors: Bool { diagnostics.contains { $0.severity == .error } }
}
