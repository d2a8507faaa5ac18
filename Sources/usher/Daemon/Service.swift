internal import UsherActivation
internal import UsherConfiguration
internal import UsherEngine
internal import UsherFeatures
internal import UsherOperation
internal import UsherStore
internal import UsherSystem

/// Carries out the operations on sessions, deliveries, activities, notes, links and redirects. The answers of the daemon and of
/// this process are the same.
protocol Service {
    /// What numbers in calls stand for.
    var rows: ListedRows { get }
    func answer<C: PerformedCall>(_ call: C) throws(CommandFailure) -> Result<C.Answer, ControlError>
}

extension Service {
    /// The answer; an error of the operation ends the command.
    func call<C: PerformedCall>(_ call: C) throws(CommandFailure) -> C.Answer {
        switch try answer(rows.resolving(call)) {
        case .success(let value): return value
        case .failure(let error): throw CommandFailure(error)
        }
    }
}

extension RunningDaemon: Service {}

extension Context {
    /// The daemon while one runs, else this process.
    func service() throws(CommandFailure) -> any Service {
        if let daemon = try daemon() { return daemon }
        return LocalService(context: self)
    }

    /// The session requests with the servers of their windows, from this process's environment.
    func completed(_ requests: [SessionRequest]) throws(CommandFailure) -> [SessionRequest] {
        var servers = HandleServers(count: requests.count)
        var completed = requests
        for index in completed.indices where completed[index].handleServer == nil {
            guard let handle = completed[index].handle else { continue }
            completed[index].handleServer = try servers.server(of: handle) { (handle) throws(CommandFailure) in
                try windowServer(of: handle)
            }
        }
        return completed
    }
}

/// Operations on the store of this process: a look reads it, a change has it to itself. If an engine starts meanwhile, the
/// engine carries the change out.
private struct LocalService: Service {
    let context: Context
    var rows: ListedRows { context.rows }

    func answer<C: PerformedCall>(_ call: C) throws(CommandFailure) -> Result<C.Answer, ControlError> {
        if call.onlyReads { return try look(call) }
        // A save command may change the store itself: nothing holds the lock meanwhile.
        if call.waits { return try context.engine(needsConfiguration: false).answer(call) }
        // No store is made for sessions that cannot be connected.
        if let connect = call as? SceneConnect, !FileSystem.exists(try context.stateFolder() + "/usher.db") {
            let checked = try look(SceneConnect(connect.sessions, checks: true))
            if case .failure(let error) = checked { return .failure(error) }
        }
        return try context.edit { (store) throws(CommandFailure) in
            try perform(call, store)
        } orAsk: { (engine) throws(CommandFailure) in
            engine.answer(call)
        }
    }

    private func look<C: PerformedCall>(_ call: C) throws(CommandFailure) -> Result<C.Answer, ControlError> {
        let store = try context.openStore(.readOnly)
        defer { store.close() }
        return try perform(call, store)
    }

    private func perform<C: PerformedCall>(
        _ call: C, _ store: Store
    ) throws(CommandFailure) -> Result<C.Answer, ControlError> {
        let loaded = try configuration(for: call)
        var activator: Activator?
        if call is any ContentCall {
            try context.apply(loaded?.settings, to: store)
            activator = try context.activator(isDryRun: false)
        }
        var operations = OperationContext(
            store, sessions: store, configuration: loaded?.configuration, activator: activator,
            logger: loaded.map { context.logger(by: $0.settings) } ?? context.logger,
            openings: .all)
        if call is SceneConnect || call is any SceneChange {
            let looking = try context.activator(isDryRun: true)
            operations.windowPresence = { looking.presence(handle: $0, server: $1) }
        }
        return Result { [operations] () throws(ControlError) in try operations.perform(call) }
    }

    /// What the call needs of the configuration. Notes and moves need no app; an operation that does finds that there is none.
    private func configuration(for call: any Call) throws(CommandFailure) -> LoadedConfiguration? {
        switch call {
        case is SceneConnect, is ShortcutList, is ShortcutSet, is ShortcutAdd, is ShortcutRemove:
            return try context.loadConfiguration()
        case let call as any SceneChange where call.update.can != nil || call.update.prefers != nil:
            return try context.loadConfigurationIfPresent()
        case is any ContentCall: return try context.loadConfigurationIfPresent()
        default: return nil
        }
    }
}
