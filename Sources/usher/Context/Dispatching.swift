internal import Glibc
internal import UsherActivation
internal import UsherConfiguration
internal import UsherDispatch
internal import UsherLog
internal import UsherPayload
internal import UsherStore

/// What `dispatch`, `open` and `shortcut perform` share while no daemon runs: a dispatcher over the configuration and the store.
struct Dispatching {
    private let context: Context
    private let settings: Settings
    private let store: Store
    private let dispatcher: Dispatcher
    private let payloadFiles: PayloadFiles?
    private let isDryRun: Bool

    init(
        _ context: Context, _ loaded: LoadedConfiguration, source: String, isDryRun: Bool = false, app: String? = nil
    ) throws(CommandFailure) {
        self.context = context
        self.isDryRun = isDryRun
        settings = loaded.settings
        let store = try context.openStore(isDryRun ? .readOnly : .readWrite)
        var options = Dispatcher.Options(source: source, isDryRun: isDryRun)
        options.app = app
        options.missingPrograms = loaded.missingPrograms
        options.retention = Store.Retention(settings)
        options.style = context.writesJSON ? nil : context.style
        let activator = try context.activator(loaded.settings, isDryRun: isDryRun)
        payloadFiles = activator.payloadFiles
        let logger = context.logger(by: loaded.settings)
        let dispatcher = try context.storing { () throws(StoreError) in
            try Dispatcher(
                configuration: loaded.configuration, store: store, activator: activator, logger: logger,
                options: options)
        }
        self.dispatcher = dispatcher
        self.store = store
        if !isDryRun {
            // Nobody watched: which windows are there is looked at once.
            WindowRegistry(
                activator.windowSystem, dispatcher, logger: logger,
                sessions: { () throws(StoreError) in try dispatcher.sessions() },
                configuration: { dispatcher.configuration }
            ).look()
        }
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
        try recover()
        var stream = DispatchStream(
            dispatcher, format: format, logger: context.logger, showsProgress: context.showsProgress,
            token: context.token)
        let end = stream.run(inputs)
        return try finish(end)
    }

    /// Carries out what waits in the journal, and nothing else.
    func run() throws(CommandFailure) -> ExitStatus {
        Interruption.watch()
        try recover()
        return try finish(.complete)
    }

    /// Dispatches one payload that is made here.
    func run(_ line: [UInt8]) throws(CommandFailure) -> ExitStatus {
        Interruption.watch()
        try recover()
        var reader = PayloadReader()
        let started = MonotonicClock.microseconds()
        let reading: Result<Payload, PayloadError>
        do {
            reading = .success(try reader.read(line))
        } catch {
            reading = .failure(error)
        }
        dispatcher.handle(reading, input: line[...], sequence: 1, token: context.token, startedAt: started)
        return try finish(.complete)
    }

    private func recover() throws(CommandFailure) {
        guard !isDryRun else { return }
        let dispatcher = dispatcher
        _ = try context.storing { () throws(StoreError) in try dispatcher.recover() }
    }

    private func finish(_ streamEnd: PayloadInputs.End) throws(CommandFailure) -> ExitStatus {
        let tally = dispatcher.finish()
        // The last records are written only now.
        var end = streamEnd
        if case .complete = end, let failure = dispatcher.outputFailure { end = .outputFailed(error: failure) }
        if !isDryRun {
            let retention = Store.Retention(settings)
            payloadFiles?.prune(olderThan: max(settings.disconnectedDays, 1) * 86_400)
            do {
                try store.pruneDeliveries(keeping: retention)
                // The rest is a look at every session: now and then is enough.
                if Timestamp.now().microseconds % 32 == 0 { try store.prune(keeping: retention) }
            } catch {
                context.logger.warning("the store could not be pruned", ["error.message": .text(error.message)])
            }
        }
        store.close()
        return try context.status(after: end, handled: tally.handled, errors: tally.errors, isDryRun: isDryRun)
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
