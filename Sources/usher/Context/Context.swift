internal import Glibc
internal import UsherConfiguration
internal import UsherControl
internal import UsherEngine
internal import UsherFeatures
internal import UsherLog
internal import UsherOperation
internal import UsherScene
internal import UsherStore
internal import UsherSystem
internal import UsherText

/// What a command works with besides its arguments: environment, output, log, configuration and store.
struct Context {
    var environment: [String: String] { ProcessEnvironment.variables }
    /// The activation token that the desktop gave the calling program.
    let token: String?
    /// `--config`, as it was given.
    let configurationOption: String?
    /// `--state`, as it was given.
    let stateOption: String?
    /// `--quiet`.
    let isQuiet: Bool
    /// Whether the log's level and form are the command line's own: `usher.toml` then has no say.
    let givenLogLevel: String?
    let givenLogFormat: String?
    /// JSON on standard output: asked for, or it is no terminal.
    let writesJSON: Bool
    /// `--json`: for commands whose answer is otherwise a bare word.
    let asksForJSON: Bool
    let output: StandardOutput
    /// Of standard output.
    let style: TerminalStyle
    let errors: ErrorOutput
    /// Diagnostics of the configuration.
    let shownDiagnostics = ShownTexts()
    let startedEngine = StartedEngine()
    let leftovers = Leftovers()
    /// By the options alone; `logger(by:)` uses the settings of the configuration, too.
    let logger: Logger

    init(arguments: Arguments, token: String? = nil) {
        self.token = token
        configurationOption = arguments.value(.config)
        stateOption = arguments.value(.state)
        isQuiet = arguments.has(.quiet)
        givenLogLevel = arguments.value(.logLevel)
        givenLogFormat = arguments.value(.logFormat)
        let outputIsTerminal = ProcessEnvironment.isTerminal(1)
        let errorIsTerminal = ProcessEnvironment.isTerminal(2)
        asksForJSON = arguments.has(.json)
        writesJSON = arguments.has(.json) || !outputIsTerminal
        output = StandardOutput(descriptor: 1)
        style = Context.style(isTerminal: outputIsTerminal)
        errors = ErrorOutput(style: Context.style(isTerminal: errorIsTerminal), isQuiet: isQuiet)
        var logger = Logger(
            level: arguments.value(.logLevel).flatMap { LogLevel(name: $0) } ?? (isQuiet ? .error : .notice),
            style: errors.style)
        logger.direct(
            to: LogDestination(
                requested: arguments.value(.logFormat).flatMap { LogFormat(rawValue: $0) },
                journalStream: ProcessVariables["JOURNAL_STREAM"], isTerminal: errorIsTerminal))
        self.logger = logger
    }

    /// Colours only on a terminal that can, and not where `NO_COLOR` (no-color.org) is set.
    private static func style(isTerminal: Bool) -> TerminalStyle {
        TerminalStyle(
            isColoured: isTerminal && (ProcessVariables["NO_COLOR"] ?? "").isEmpty && ProcessVariables["TERM"] != "dumb"
        )
    }
}

/// What a command no longer needs and does not free: the system does that when the process ends, which follows at once
/// (`runProgram`). A large table takes a tenth of a command to free.
final class Leftovers {
    private var values: [Any] = []

    func keep(_ value: Any) { values.append(value) }
}

// MARK: - Configuration

extension Context {
    /// Where the configuration is: `--config`, else the first of the usual places that exists.
    func configurationPath() throws(CommandFailure) -> String {
        if let path = configurationOption { return path }
        let places = ConfigurationPaths.configuration(environment: environment)
        if let found = places.first(where: { unsafe access($0, F_OK) == 0 }) { return found }
        throw .usage(
            "there is no configuration in \(places.joined(separator: " or "))",
            help: "usher init writes a first one; --config and $USHER_CONFIG name another place",
            code: .configurationNotFound)
    }

    /// The configuration without errors: they are shown and end the command. Warnings are shown by `usher check`, and by the engine
    /// that acts.
    func loadConfiguration() throws(CommandFailure) -> LoadedConfiguration {
        try loadConfiguration(at: try configurationPath())
    }

    func loadConfiguration(at path: String) throws(CommandFailure) -> LoadedConfiguration {
        let loaded = ConfigurationLoader.load(path: path)
        for diagnostic in loaded.diagnostics where diagnostic.severity == .error {
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
        if givenLogLevel == nil, !isQuiet, let level = settings.logLevel.flatMap({ LogLevel(name: $0.rawValue) }) {
            logger.level = level
        }
        if givenLogFormat == nil, let format = settings.logFormat.flatMap({ LogFormat(rawValue: $0.rawValue) }) {
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

// MARK: - Store

extension Context {
    /// The folder of the store: `--state`, else by the environment. One that other users could change is refused.
    func stateFolder() throws(CommandFailure) -> String {
        guard let path = stateOption ?? ConfigurationPaths.state(environment: environment) else {
            throw .usage(
                "there is no folder for the state", help: "set $HOME, $USHER_STATE or --state", code: .usageMissing)
        }
        do throws(FolderTrust.Fault) {
            try FolderTrust.check(path, option: "--state")
        } catch {
            throw CommandFailure(ControlError(error))
        }
        return path
    }

    func openStore(_ access: Store.Access) throws(CommandFailure) -> Store {
        let folder = try stateFolder()
        return try storing { () throws(StoreError) in try Store(directory: folder, access: access, features: .all) }
    }

    /// Compares addresses, takes in for suggestions and offers them as `usher.toml` says.
    func apply(_ settings: Settings?, to store: Store) throws(CommandFailure) {
        try storing { () throws(StoreError) in try store.use(settings ?? Settings()) }
    }

    /// Edits the store: here, under its lock, while no engine runs; else through the engine.
    func edit<Result>(
        _ body: (Store) throws(CommandFailure) -> Result, orAsk ask: (RunningDaemon) throws(CommandFailure) -> Result
    ) throws(CommandFailure) -> Result {
        let folder = FilePath.absolute(try stateFolder())
        // An engine may start or end between a look and the next.
        for _ in 0..<20 {
            if let daemon = try daemon() { return try ask(daemon) }
            let taken = try CommandFailure.attempt { () throws(ControlError) in try EditLock.take(state: folder) }
            guard let lock = taken else { continue }
            let store = try openStore(.readWrite)
            do throws(CommandFailure) {
                let result = try body(store)
                store.close()
                lock.release()
                return result
            } catch {
                store.close()
                throw error
            }
        }
        throw CommandFailure(
            ControlError(.controlUnreachable, "engines for \(folder) end as soon as they are there"))
    }

    /// Does something with the store; its errors end the command.
    func storing<Value>(_ body: () throws(StoreError) -> Value) throws(CommandFailure) -> Value {
        do { return try body() } catch { throw .store(error) }
    }

    /// A delivery by its own id, the beginning of it, the number of a row, or its sender's id.
    func delivery(_ name: String, in store: Store) throws(CommandFailure) -> Store.StoredDelivery {
        let id = try identifier(name, .delivery, in: store)
        if let delivery = try storing({ () throws(StoreError) in try store.delivery(id) }) { return delivery }
        throw CommandFailure(.noDelivery(name))
    }

    /// The configuration at a path, without a word about it; nil where there is none, or it has errors.
    func presentConfiguration(_ path: String) -> Configuration? {
        guard FileSystem.exists(path) else { return nil }
        let loaded = ConfigurationLoader.load(path: path)
        return loaded.hasErrors ? nil : withNotes(loaded).configuration
    }

    /// All sessions, or those of one app, as they are by a configuration; conditions that this version cannot read are warned
    /// about.
    func sessions(
        in store: Store, app: String?, _ configuration: Configuration?
    ) throws(CommandFailure) -> [SceneSession] {
        let sessions = try storing { () throws(StoreError) in
            var sessions = try store.sessions(app: app)
            try sessions.noteEnded(in: store) { configuration }
            if let configuration { sessions.follow(configuration) }
            return sessions
        }
        warn(of: sessions.unreadable)
        return sessions.sessions
    }

    func warn(of conditions: [Store.UnreadableCondition]) {
        for condition in conditions {
            errors.warning(
                "session \(condition.session) has a condition that this version cannot read, which counts as"
                    + " FALSEPREDICATE: \(condition.text)",
                help: "usher scene update \(condition.session) --can TEXT --prefers TEXT gives it new ones")
        }
    }
}
