internal import UsherActivation
internal import UsherConfiguration
internal import UsherEngine
internal import UsherFeatures
internal import UsherPayload
internal import UsherStore
internal import UsherSystem

/// `dispatch --dry-run`: decides as an engine would, and does and writes nothing.
enum Rehearsal {
    static func run(
        _ context: Context, _ inputs: [PayloadInput], format: PayloadFormat, app: String?
    ) throws(CommandFailure) -> ExitStatus {
        try run(context, source: "stdin", format: format, app: app) { run in
            var reader = InputReader(context)
            return reader.run(inputs, into: &run)
        }
    }

    /// Of one payload that is made here.
    static func run(_ context: Context, _ payload: [UInt8], source: String) throws(CommandFailure) -> ExitStatus {
        try run(context, source: source, format: .auto, app: nil) { run in
            var reader = PayloadReader()
            let reading = Result { () throws(PayloadError) in try reader.read(payload) }
            run.decide(reading, startedAt: MonotonicClock.now)
            return .complete
        }
    }

    private static func run(
        _ context: Context, source: String, format: PayloadFormat, app: String?,
        _ decide: (inout DryRun) -> InputEnd
    ) throws(CommandFailure) -> ExitStatus {
        let loaded = try context.loadConfiguration()
        let store = try context.openStore(.readOnly)
        defer { store.close() }
        var options = DryRun.Options(source: source)
        options.app = app
        options.format = format
        options.style = context.writesJSON ? nil : context.style
        var run = try context.dryRun(loaded, store, options)
        Interruption.watch()
        var end = decide(&run)
        run.finish()
        context.leftovers.keep(run)
        // The last records are written only now.
        if case .complete = end, let failure = run.outputFailure { end = .outputFailed(error: failure) }
        let tally = run.tally
        return try context.status(after: end, handled: tally.handled, errors: tally.errors, isDryRun: true)
    }
}

extension DryRun: InputReceiver {
    mutating func wait() { finish() }

    var end: InputEnd? {
        if Interruption.isRequested { return .interrupted }
        return outputFailure.map { .outputFailed(error: $0) }
    }

    var handled: Int { tally.handled }
}

extension Context {
    /// What decides as an engine would with this configuration and this store, and does nothing.
    func dryRun(
        _ loaded: LoadedConfiguration, _ store: Store, _ given: DryRun.Options
    ) throws(CommandFailure) -> DryRun {
        var options = given
        options.missingPrograms = loaded.missingPrograms
        options.openings = .all
        let programs = try activator(isDryRun: true).programs
        return try storing { [options] () throws(StoreError) in
            try DryRun(loaded.configuration, store, programs: programs, logger: logger(by: loaded.settings), options)
        }
    }

    /// What carries decisions out, with the window systems of this environment.
    func activator(isDryRun: Bool) throws(CommandFailure) -> Activator {
        // A handler that calls usher means this configuration and this store.
        var environment = environment
        let state = try stateFolder()
        environment["USHER_STATE"] = FilePath.absolute(state)
        if let path = configurationOption ?? environment["USHER_CONFIG"], !path.isEmpty {
            environment["USHER_CONFIG"] = FilePath.absolute(path)
        }
        let (windowSystem, desktop) = windowSystems(environment)
        return Activator(
            windowSystem: windowSystem, applications: desktop, environment: environment, stateDirectory: state,
            isDryRun: isDryRun)
    }

    /// Those of this environment; the desktop's are asked through usherd.
    func windowSystems(_ environment: [String: String]) -> (any WindowSystem, RemoteWindows) {
        let desktop = RemoteWindows(program: usherd, environment: environment)
        return (WindowSystems([TmuxWindowSystem(environment: environment), desktop]), desktop)
    }

    /// The server that a handle belongs to, as far as one runs now: handles of a server that is restarted mean nothing.
    func windowServer(of handle: String?) throws(CommandFailure) -> String? {
        guard let handle else { return nil }
        return try? windowSystems(environment).0.server(of: handle)
    }
}
