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

// MARK: - Installed

extension LoadedConfiguration {
    /// A warning that what a command launches is not there on this machine.
    public func notInstalled(_ command: Command, _ message: String, help: String?) -> ConfigurationDiagnostic {
        ConfigurationDiagnostic(
            .warning, .commandNotFound, path: command.location.path, location: command.location, message: message,
            help: help, sourceLine: sources.text(ofLineAt: command.location))
    }

    /// Adds what was found later, in its place.
    public mutating func add(_ found: [ConfigurationDiagnostic]) {
        guard !found.isEmpty else { return }
        diagnostics = (diagnostics + found).enumerated().sorted { one, other in
            if ConfigurationDiagnostic.precedes(one.element, other.element) { return true }
            return !ConfigurationDiagnostic.precedes(other.element, one.element) && one.offset < other.offset
        }.map(\.element)
    }
}
