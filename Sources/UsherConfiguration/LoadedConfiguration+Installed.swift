public import UsherScene

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
