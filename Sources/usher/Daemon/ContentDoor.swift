internal import UsherConfiguration
internal import UsherDispatch
internal import UsherJSON
internal import UsherOperation
internal import UsherScene
internal import UsherStore

/// Where a command reads and changes activities, notes, links and redirects: in the daemon while one runs, else in the
/// store. The answers are the same.
struct ContentDoor {
    private let context: Context
    private let daemon: Daemon?

    init(_ context: Context) throws(CommandFailure) {
        self.context = context
        daemon = try context.daemon()
    }

    /// That of an engine which the command needs for something else as well.
    init(_ context: Context, _ engine: Daemon) {
        self.context = context
        daemon = engine
    }

    /// Carries an operation out; its answer.
    func answer(_ call: any ContentCall) throws(CommandFailure) -> JSONValue {
        if let daemon { return try daemon.call(call) }
        // A save command may change the store itself: nothing holds the lock meanwhile.
        if call.waits { return try context.engine(needsConfiguration: false).call(call) }
        guard call.kind != .read else {
            let store = try context.openStore(.readOnly)
            defer { store.close() }
            return try perform(call, store)
        }
        return try context.edit { (store) throws(CommandFailure) in
            try perform(call, store)
        } orAsk: { (engine) throws(CommandFailure) in
            try engine.call(call)
        }
    }

    private func perform(_ call: any ContentCall, _ store: Store) throws(CommandFailure) -> JSONValue {
        // Notes and moves need no app; what does finds that there is none.
        let loaded = try context.loadConfigurationIfPresent()
        let service = ContentService(
            store: store, sessions: store, configuration: loaded?.configuration ?? Configuration(),
            activator: try context.activator(loaded?.settings ?? Settings(), isDryRun: false),
            logger: loaded.map { context.logger(by: $0.settings) } ?? context.logger)
        do throws(ControlError) {
            return try service.perform(call)
        } catch {
            throw CommandFailure(error)
        }
    }
}
