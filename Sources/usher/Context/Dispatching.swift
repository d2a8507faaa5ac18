internal import Glibc
internal import UsherActivation
internal import UsherConfiguration
internal import UsherDispatch
internal import UsherLog
internal import UsherPayload
internal import UsherStore

/// What `dispatch`, `open` and `shortcut perform` share while no daemon runs: an engine over the configuration and the store.
struct Dispatching {
    private let context: Context
    private let loaded: LoadedConfiguration
    private let settings: Settings
    private let store: Store
    private let source: String
    private let app: String?
    private let activator: Activator
    private let isDryRun: Bool

    init(
        _ context: Context, _ loaded: LoadedConfiguration, source: String, isDryRun: Bool = false, app: String? = nil
    ) throws(CommandFailure) {
        self.context = context
        self.loaded = loaded
        self.isDryRun = isDryRun
        self.source = source
        self.app = app
        settings = loaded.settings
        store = try context.openStore(isDryRun ? .readOnly : .readWrite)
        activator = try context.activator(loaded.settings, isDryRun: isDryRun)
    }

    /// The inputs that operands name; none means standard input. Every file is there and can be read.
    static func inputs(_ operands: [String]) throws(CommandFailure) -> [PayloadInputs.Input] {
        var inputs: [PayloadInputs.Input] = []
        for operand in operands {
            if operand == "-" {
                inputs.append(.standardInput)
                continue
            }
            var status = stat()
            guard unsafe access(operand, R_OK) == 0, unsafe stat(operand, &status) == 0 else {
                throw .usage("cannot read \(operand): \(SystemError.text(errno))")
            }
            guard status.st_mode & S_IFMT != S_IFDIR else {
                throw .usage("\(operand) is a folder", help: "name its files: \(operand)/*.json")
            }
            inputs.append(.file(operand))
        }
        return inputs.isEmpty ? [.standardInput] : inputs
    }

    /// Dispatches everything, after what a killed run left behind.
    func run(_ inputs: [PayloadInputs.Input], format: PayloadFormat) throws(CommandFailure) -> ExitStatus {
        Interruption.watch()
        guard !isDryRun else {
            var run = try dryRun(format)
            var texts = PayloadInputs(logger: context.logger, showsProgress: context.showsProgress)
            let end = texts.run(inputs, into: &run)
            return try finish(run, end)
        }
        return try act(format) { $0.run(inputs) }
    }

    /// Carries out what waits in the journal, and nothing else.
    func run() throws(CommandFailure) -> ExitStatus {
        Interruption.watch()
        return try act(.auto) { _ in .complete }
    }

    /// Dispatches one payload that is made here.
    func run(_ line: [UInt8]) throws(CommandFailure) -> ExitStatus {
        Interruption.watch()
        guard !isDryRun else {
            var run = try dryRun(.auto)
            run.take(PayloadInputs.Text(line))
            return try finish(run, .complete)
        }
        return try act(.auto) { stream in
            stream.run(line)
            return .complete
        }
    }

    private func dryRun(_ format: PayloadFormat) throws(CommandFailure) -> DryRun {
        var options = DryRun.Options(source: source)
        options.app = app
        options.format = format
        options.missingPrograms = loaded.missingPrograms
        options.style = context.writesJSON ? nil : context.style
        return try context.storing { [options] () throws(StoreError) in
            try DryRun(
                loaded.configuration, store, programs: activator.programs, logger: context.logger(by: settings), options
            )
        }
    }

    private func finish(_ run: DryRun, _ streamEnd: PayloadInputs.End) throws(CommandFailure) -> ExitStatus {
        run.finish()
        var end = streamEnd
        if case .complete = end, let failure = run.outputFailure { end = .outputFailed(error: failure) }
        store.close()
        return try context.status(after: end, handled: run.tally.handled, errors: run.tally.errors, isDryRun: true)
    }

    private func act(
        _ format: PayloadFormat, _ body: (DispatchStream) -> PayloadInputs.End
    ) throws(CommandFailure) -> ExitStatus {
        let logger = context.logger(by: settings)
        var engineOptions = Engine.Options()
        engineOptions.missingPrograms = loaded.missingPrograms
        engineOptions.patience = 10_000_000
        engineOptions.waitsForRecovered = false
        let engine = try context.storing { [engineOptions] () throws(StoreError) in
            try Engine(
                configuration: loaded.configuration, store: store, activator: activator, logger: logger,
                options: engineOptions)
        }
        // Which windows are there is looked at once.
        WindowRegistry(
            activator.windowSystem, engine, logger: logger,
            sessions: { () throws(StoreError) in try engine.sessions() },
            configuration: { engine.configuration }
        ).look()
        _ = try context.storing { () throws(StoreError) in try engine.recover() }
        engine.finish()
        var options = DispatchStream.Options(source: source)
        options.app = app
        options.format = format
        options.showsProgress = context.showsProgress
        options.token = context.token
        options.style = context.writesJSON ? nil : context.style
        let stream = DispatchStream(engine, logger: context.logger, options)
        var end = body(stream)
        stream.finish()
        let tally = stream.tally
        // The last records are written only now.
        if case .complete = end, let failure = stream.outputFailure { end = .outputFailed(error: failure) }
        let retention = Store.Retention(
            sessionsPerApp: settings.disconnectedSessions, sessionDays: settings.disconnectedDays,
            deliveries: settings.deliveries.keepCount, deliveryDays: settings.deliveries.keepDays,
            megabytes: settings.deliveries.keepMegabytes)
        activator.payloadFiles?.prune(olderThan: max(settings.disconnectedDays, 1) * 86_400)
        do {
            try store.pruneDeliveries(keeping: retention)
            // The rest is a look at every session: now and then is enough.
            if Timestamp.now().microseconds % 32 == 0 { try store.prune(keeping: retention) }
        } catch {
            context.logger.warning("the store could not be pruned", ["error.message": .text(error.message)])
        }
        store.close()
        return try context.status(after: end, handled: tally.handled, errors: tally.errors, isDryRun: false)
    }
}

extension Context {
    /// What carries decisions out, with the window systems of this environment.
    func activator(_ settings: Settings, isDryRun: Bool) throws(CommandFailure) -> Activator {
        // A handler that calls usher means this configuration and this store.
        var environment = environment
        let state = try stateFolder()
        environment["USHER_STATE"] = FilePaths.absolute(state)
        if let path = configurationOption ?? environment["USHER_CONFIG"], !path.isEmpty {
            environment["USHER_CONFIG"] = FilePaths.absolute(path)
        }
        let (windowSystem, desktop) = windowSystems(environment, settings)
        return Activator(
            windowSystem: windowSystem, applications: desktop, environment: environment, stateDirectory: state,
            isDryRun: isDryRun)
    }
}

extension Context {
    /// Those of this environment; the desktop's are asked through usherd.
    func windowSystems(
        _ environment: [String: String], _ settings: Settings = Settings()
    ) -> (any WindowSystem, RemoteWindows) {
        let program = OwnProgram.sibling("usherd")
        let found =
            program.utf8.contains(UInt8(ascii: "/"))
            ? program : ProgramLocator(path: environment["PATH"]).locate(program)
        let desktop = RemoteWindows(
            program: found, environment: environment, devTools: settings.devTools.map(\.description))
        let systems: [any WindowSystem] = [TmuxWindowSystem(environment: environment), desktop]
        return (WindowSystems(systems + (desktop.kiosks.map { [$0] } ?? [])), desktop)
    }

    /// The settings as far as they can be read, for what only shows things: their errors are `usher check`'s.
    var settingsIfReadable: Settings {
        guard let path = try? configurationPath() else { return Settings() }
        return ConfigurationLoader.load(path: path).settings
    }

    /// The server that a handle belongs to, as far as one runs now: handles of a server that is restarted mean nothing.
    func windowServer(of handle: String?) throws(CommandFailure) -> String? {
        guard let handle else { return nil }
        // Hooks call this often: the settings are read where they matter.
        let settings = handle.utf8.starts(with: "devtools:".utf8) ? settingsIfReadable : Settings()
        return try? windowSystems(environment, settings).0.server(of: handle)
    }
}
