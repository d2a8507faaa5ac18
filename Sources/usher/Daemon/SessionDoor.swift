internal import UsherConfiguration
internal import UsherControl
internal import UsherDispatch
internal import UsherJSON
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
    func change(_ command: ControlCommand) throws(CommandFailure) -> ExitStatus {
        let (session, warnings) = try changed(command)
        for warning in warnings { context.errors.warning(warning) }
        context.print(session: session)
        return .handled
    }

    private func changed(_ command: ControlCommand) throws(CommandFailure) -> (JSONValue, [String]) {
        if let daemon {
            let answer = try daemon.call(try command.completed(by: context))
            return (answer["session"] ?? .null, answer["warnings"]?.elements?.compactMap(\.string) ?? [])
        }
        let store = try context.openStore(.readWrite)
        defer { store.close() }
        let configuration = command.givesConditions ? try context.loadConfigurationIfPresent()?.configuration : nil
        let server = try context.windowServer(of: command.handle)
        let commands = SessionCommands(store, configuration: configuration, windowServer: { _ in server })
        do throws(ControlError) {
            let changed: SessionCommands.Changed
            switch command {
            case .update(let id, let update): changed = try commands.update(id, update)
            case .activate(let id, let update): changed = try commands.activate(id, update)
            case .disconnect(let id, let update): changed = try commands.disconnect(id, update)
            case .close(let id):
                return (SessionText.answer(try commands.close(id), state: SessionAnswer.closed), [])
            default: throw .protocolViolation("\(command.name) changes no session")
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
        if let daemon {
            // What only this process knows: the window system of its environment.
            let server = try context.windowServer(of: requests.lazy.compactMap(\.handle).first)
            var completed = requests
            for index in completed.indices where completed[index].handle != nil {
                completed[index].handleServer = completed[index].handleServer ?? server
            }
            return daemon.answer(.connect(completed, checks: checks)).map(Connected.init)
        }
        let configuration = try context.loadConfiguration().configuration
        let server = try context.windowServer(of: requests.lazy.compactMap(\.handle).first)
        let folder = try context.stateFolder()
        let readOnly = try context.openStore(.readOnly)
        do throws(ControlError) {
            let plan = try SessionPlan(requests, in: configuration, known: readOnly, windowServer: { _ in server })
            var connected = Connected(warnings: plan.warnings.map { ($0.index, $0.message) })
            if !checks {
                // Nothing is made before everything is known to be right.
                let store: Store
                do throws(StoreError) {
                    store = try Store(directory: folder, access: .readWrite)
                } catch {
                    throw ControlError(error)
                }
                defer { store.close() }
                connected.sessions = try plan.connect(in: store)
            }
            return .success(connected)
        } catch {
            return .failure(error)
        }
    }

    /// Prints what was connected, as one list.
    func print(_ connected: Connected) {
        if daemon == nil { context.print(connected.sessions) } else { context.print(sessions: connected.answers) }
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

extension ControlCommand {
    /// With what only this process knows: the window system of its environment.
    fileprivate func completed(by context: Context) throws(CommandFailure) -> ControlCommand {
        guard case .update(let session, var update) = self, update.handleServer == nil else { return self }
        update.handleServer = try context.windowServer(of: update.handle)
        return .update(session: session, update)
    }

    fileprivate var handle: String? { update?.handle }

    fileprivate var givesConditions: Bool { update?.can != nil || update?.prefers != nil }

    private var update: SessionUpdate? {
        switch self {
        case .update(_, let update), .activate(_, let update), .disconnect(_, let update): update
        default: nil
        }
    }
}
