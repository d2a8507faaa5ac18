internal import UsherConfiguration
internal import UsherDispatch
internal import UsherJSON
internal import UsherOperation
internal import UsherScene
internal import UsherStore

/// Where a command changes sessions: in the daemon while one runs, else in the store. The answers are the same.
struct SessionDoor {
    private let context: Context
    private let daemon: Daemon?

    init(_ context: Context) throws(CommandFailure) {
        self.context = context
        daemon = try context.daemon()
    }

    // MARK: One session

    /// Changes a session and prints it.
    func change(_ call: any Call) throws(CommandFailure) -> ExitStatus {
        let (session, warnings) = try changed(call)
        for warning in warnings { context.errors.warning(warning) }
        context.print(session: session)
        return .handled
    }

    private func changed(_ call: any Call) throws(CommandFailure) -> (JSONValue, [String]) {
        try context.edit { (store) throws(CommandFailure) in
            try changed(call, in: store)
        } orAsk: { (engine) throws(CommandFailure) in
            let answer = try engine.call(try completed(call))
            return (answer["session"] ?? .null, answer["warnings"]?.elements?.compactMap(\.string) ?? [])
        }
    }

    private func changed(
        _ call: any Call, in store: Store
    ) throws(CommandFailure) -> (JSONValue, [String]) {
        let update = (call as? any SceneChange)?.update
        let givesConditions = update?.can != nil || update?.prefers != nil
        let configuration = givesConditions ? try context.loadConfigurationIfPresent()?.configuration : nil
        let server = try context.windowServer(of: update?.handle)
        let commands = SessionCommands(store, configuration: configuration, windowServer: { _ in server })
        do throws(ControlError) {
            let changed: SessionCommands.Changed
            switch call {
            case let call as SceneUpdate: changed = try commands.update(call.session, call.update)
            case let call as SceneActivate: changed = try commands.activate(call.session, call.update)
            case let call as SceneDisconnect: changed = try commands.disconnect(call.session, call.update)
            case let call as SceneClose:
                return (SessionText.answer(try commands.close(call.session), state: SessionAnswer.closed), [])
            default: throw .protocolViolation("\(call.name) changes no session")
            }
            return (SessionText.answer(changed.session), changed.warnings)
        } catch {
            throw CommandFailure(error)
        }
    }

    // MARK: Many

    /// What came of sessions that were to be connected.
    struct Connected {
        /// Those of the store, where no daemon runs.
        var sessions: [SceneSession] = []
        /// The daemon's answers.
        var answers: [JSONValue] = []
        var warnings: [(index: Int, message: String)] = []
    }

    /// Connects all or none; an error names what is wrong with which.
    ///
    /// - Parameter checks: only looks whether they could be connected.
    func connect(
        _ requests: [SessionRequest], checks: Bool = false
    ) throws(CommandFailure) -> Result<Connected, ControlError> {
        if let daemon { return try connect(requests, checks: checks, through: daemon) }
        let configuration = try context.loadConfiguration().configuration
        let requests = try completed(requests)
        let readOnly = try context.openStore(.readOnly)
        let plan: SessionPlan
        do throws(ControlError) {
            plan = try SessionPlan(requests, in: configuration, known: readOnly, windowServer: { _ in nil })
        } catch {
            return .failure(error)
        }
        var connected = Connected(warnings: plan.warnings.map { ($0.index, $0.message) })
        if checks { return .success(connected) }
        // Nothing is made before everything is known to be right.
        return try context.edit { (store) throws(CommandFailure) in
            do throws(ControlError) {
                connected.sessions = try plan.connect(in: store)
                return .success(connected)
            } catch {
                return .failure(error)
            }
        } orAsk: { (engine) throws(CommandFailure) in
            try connect(requests, through: engine)
        }
    }

    private func connect(
        _ requests: [SessionRequest], checks: Bool = false, through engine: Daemon
    ) throws(CommandFailure) -> Result<Connected, ControlError> {
        engine.answer(SceneConnect(try completed(requests), checks: checks)).map(Connected.init)
    }

    /// The call with the window system's server of its handle, from this process's environment.
    private func completed(_ call: any Call) throws(CommandFailure) -> any Call {
        guard var change = call as? SceneUpdate, change.update.handleServer == nil else { return call }
        change.update.handleServer = try context.windowServer(of: change.update.handle)
        return change
    }

    /// The requests with the window systems' servers of their handles, from this process's environment.
    private func completed(_ requests: [SessionRequest]) throws(CommandFailure) -> [SessionRequest] {
        var servers = HandleServers(count: requests.count)
        var completed = requests
        for index in completed.indices where completed[index].handleServer == nil {
            guard let handle = completed[index].handle else { continue }
            completed[index].handleServer = try servers.server(of: handle) { (handle) throws(CommandFailure) in
                try context.windowServer(of: handle)
            }
        }
        return completed
    }

    /// Prints what was connected, as one list.
    func print(_ connected: Connected) {
        if connected.answers.isEmpty {
            context.print(connected.sessions)
        } else {
            context.print(sessions: connected.answers)
        }
    }

    /// Prints each.
    func printEach(_ connected: Connected) {
        for session in connected.sessions { context.print(session: SessionText.answer(session)) }
        for answer in connected.answers { context.print(session: answer) }
    }
}

extension SessionDoor.Connected {
    fileprivate init(_ answer: JSONValue) {
        answers = answer["sessions"]?.elements ?? []
        warnings = (answer["warnings"]?.elements ?? []).compactMap { warning in
            guard let index = warning["index"]?.int64, let message = warning["message"]?.string else { return nil }
            return (Int(clamping: index), message)
        }
    }
}
