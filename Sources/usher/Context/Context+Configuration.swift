internal import Glibc
internal import UsherConfiguration
internal import UsherDispatch
internal import UsherLog
internal import UsherSystem

extension Context {
    /// Where the configuration is: `--config`, else the first of the usual places that exists.
    func configurationPath() throws(CommandFailure) -> String {
        if let path = configurationOption { return path }
        let places = ConfigurationPaths.configuration(environment: environment)
        if let found = places.first(where: { unsafe access($0, F_OK) == 0 }) { return found }
        throw .usage(
            "there is no configuration in \(places.joined(separator: " or "))",
            help: "usher init writes a first one; --config and $USHER_CONFIG name another place")
    }

    /// The configuration without errors; its diagnostics are shown, and errors end the command.
    func loadConfiguration() throws(CommandFailure) -> LoadedConfiguration {
        try loadConfiguration(at: try configurationPath())
    }

    func loadConfiguration(at path: String) throws(CommandFailure) -> LoadedConfiguration {
        let loaded = ConfigurationLoader.load(path: path)
        for diagnostic in loaded.diagnostics where diagnostic.severity == .error || !isQuiet {
            let text = diagnostic.description + "\n"
            // Some commands read it twice.
            if shownDiagnostics.isNew(text) { errors.write(text) }
        }
        guard !loaded.hasErrors else {
            let count = loaded.diagnostics.count { $0.severity == .error }
            errors.write(
                "usher: \(count == 1 ? "one error" : "\(count) errors") in the configuration: nothing was done\n"
                    + "help: usher check shows them again\n")
            throw .reported(.usage)
        }
        return withNotes(loaded)
    }

    /// With what is built in.
    func withNotes(_ loaded: LoadedConfiguration) -> LoadedConfiguration {
        loaded.withNotes(
            program: OwnProgram.path ?? OwnProgram.sibling("usher"), search: ProgramSearch(path: environment["PATH"]))
    }

    /// The logger by `usher.toml`, where the command line says nothing else.
    func logger(by settings: Settings) -> Logger {
        var logger = logger
        if !givesLogLevel, let level = settings.logLevel.flatMap({ LogLevel(name: $0.rawValue) }) {
            logger.level = level
        }
        if !givesLogFormat, let format = settings.logFormat.flatMap({ LogFormat(rawValue: $0.rawValue) }) {
            logger.direct(to: LogDestination(requested: format, journalStream: nil, isTerminal: false))
        }
        return logger
    }

    /// The configuration where there is one: for commands that can do without.
    func loadConfigurationIfPresent() throws(CommandFailure) -> LoadedConfiguration? {
        if configurationOption == nil {
            let places = ConfigurationPaths.configuration(environment: environment)
            guard environment["USHER_CONFIG"] ?? "" != "" || places.contains(where: { unsafe access($0, F_OK) == 0 })
            else { return nil }
        }
        return try loadConfiguration()
    }
}
