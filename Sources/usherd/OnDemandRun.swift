internal import Dispatch
internal import Glibc
internal import Synchronization
internal import UsherConfiguration
internal import UsherControl
internal import UsherEngine
internal import UsherHTTP
internal import UsherLog
internal import UsherOperation
internal import UsherScene
internal import UsherStore
internal import UsherSystem
internal import UsherText

/// A second descriptor of the connection with the command that started this process.
private final class Starter: Sendable {
    private let descriptor = Mutex<Int32>(-1)

    func hold(_ connection: Int32) {
        let copy = fcntl(connection, F_DUPFD_CLOEXEC, 0)
        descriptor.withLock { $0 = copy }
    }

    /// The command waits no longer. A second call does nothing.
    func release() {
        descriptor.withLock { descriptor in
            if descriptor >= 0 { close(descriptor) }
            descriptor = -1
        }
    }
}

/// One life of an engine on demand: it serves the command that started it, and others that join, and ends when no client is
/// connected and nothing is in a lane. What is due later stays in the journal.
struct OnDemandRun {
    private let options: DaemonOptions
    private let form: OnDemandLog
    private let environment: [String: String]
    private let log: ClientLog
    /// The connection with the command stays open until the store is closed: the command waits for that.
    private let starter = Starter()

    /// The connection with the command.
    private static let connection: Int32 = 3

    init(_ options: DaemonOptions, log form: OnDemandLog) {
        self.options = options
        self.form = form
        environment = ProcessVariables.all()
        log = ClientLog(descriptor: OnDemandRun.connection)
    }

    /// Returns the exit status. Errors are answers to the client's first request.
    func run() -> Int32 {
        // No program that is started here gets it.
        _ = fcntl(OnDemandRun.connection, F_SETFD, FD_CLOEXEC)
        starter.hold(OnDemandRun.connection)
        // The lock is released before.
        defer { starter.release() }
        do throws(ControlError) {
            guard let state = options.state ?? ConfigurationPaths.state(environment: environment) else {
                throw ControlError(.daemonLock, "there is no folder for the state")
            }
            let plan = DaemonPlan(
                onDemandIn: FilePath.absolute(state), configuration: options.config.map(FilePath.absolute) ?? "")
            let lock: DaemonLock
            do throws(ControlError) {
                lock = try DaemonLock.acquire(
                    state: plan.state, socket: plan.socket, version: UsherVersion.text, started: Instant.now.text)
            } catch {
                guard error.code == .daemonRunning else { throw error }
                log.send(.elsewhere(socket: ""))
                return 0
            }
            try serve(plan)
            // Held to the very end.
            _ = lock.path
            return 0
        } catch {
            log.send(.failure(id: nil, error))
            return 2
        }
    }

    private func serve(_ plan: DaemonPlan) throws(ControlError) {
        let loaded = try load(plan.state)
        let logger = logger(by: loaded.settings)
        let daemon = try Result { () throws(StoreError) in
            let logsDecisions = !options.hidesDecisions || logger.format == .journal
            return try Daemon(
                plan, .onDemand(logsDecisions: logsDecisions), loaded, logger: logger, environment: environment)
        }.mapError { ControlError($0) }.get()
        let endpoints = DaemonEndpoints(daemon, log: log)
        let address = try OnDemandRun.address(of: plan)
        let wake = DispatchSemaphore(value: 0)
        let server: HTTPServer
        do throws(HTTPServerError) {
            server = try HTTPServer(
                listeners: [.init(.local(path: address), label: ListenerLabel.control, takesLines: true)],
                inherited: .init(descriptor: OnDemandRun.connection, label: ListenerLabel.starter), handler: endpoints
            ) { event in
                logger.log(serverEvent: event)
                switch event {
                case .inheritedConnectionClosed: starter.release()
                case .noConnections: wake.signal()
                default: break
                }
            }
        } catch {
            let remedy = error.systemError.flatMap { SystemError($0).remedy }
            throw ControlError(
                .daemonLock, error.message, help: remedy ?? "own the folder, or name another one with --state")
        }
        daemon.yielding.withLock { yielding in
            yielding = {
                server.stopListening()
                endpoints.sendYield()
            }
        }
        let served = server.serve(logger)
        // A client may join while the last work is done: then its end is waited for, too.
        repeat {
            wake.wait()
            waitForCompletion(daemon, endpoints)
            server.stopIfUnused()
            if served.wait(timeout: .now() + .milliseconds(server.connectionCount == 0 ? 1000 : 0)) == .success {
                break
            }
            starter.release()
        } while true
        waitForCompletion(daemon, endpoints)
        daemon.engine.closeIntake()
        _ = daemon.engine.stop(within: 0)
        // What the last records opened is noted.
        daemon.features.stop()
        daemon.tidyAfterUse()
        daemon.store.close()
    }

    /// The socket's path as it can be listened on: one that does not fit into an address is named from its folder, which
    /// stays open.
    private static func address(of plan: DaemonPlan) throws(ControlError) -> String {
        guard plan.socket.utf8.count > DaemonPlan.socketPathLimit else { return plan.socket }
        let folder = unsafe open(plan.state, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else {
            throw ControlError(.daemonLock, "the folder \(plan.state) cannot be opened: \(SystemError.text(errno))")
        }
        return "/proc/self/fd/\(folder)\(plan.socket.dropFirst(plan.state.count))"
    }

    /// Waits until everything that clients asked for is done.
    private func waitForCompletion(_ daemon: Daemon, _ endpoints: DaemonEndpoints) {
        endpoints.drain()
        daemon.waitForDeliveries()
    }

    /// The configuration; its errors are sent to the client, and its warnings the first time.
    private func load(_ state: String) throws(ControlError) -> LoadedConfiguration {
        // Operations that need none, as for notes, work without. Messages and records have the path as the user gave it.
        guard let path = options.config else { return LoadedConfiguration.empty.withNotes() }
        let loaded = ConfigurationLoader.load(path: path)
        let errors = loaded.diagnostics.filter { $0.severity == .error }
        for diagnostic in errors + (options.isQuiet ? [] : ShownWarnings(in: state).news(of: loaded)) {
            log.write(Array((diagnostic.description + "\n").utf8))
        }
        guard errors.isEmpty else {
            throw ControlError(
                DiagnosticCode("", ""),
                "\(errors.count == 1 ? "one error" : "\(errors.count) errors") in the configuration: nothing was done",
                help: "usher check shows them again")
        }
        return loaded.withNotes()
    }

    /// As the command's own logger would be.
    private func logger(by settings: Settings) -> Logger {
        let level = (options.logLevel ?? settings.logLevel?.rawValue).flatMap { LogLevel(name: $0) }
        var format = form.format
        if let named = (options.logFormat ?? settings.logFormat?.rawValue).flatMap({ LogFormat(rawValue: $0) }) {
            format = named
        }
        let logger = Logger(
            level: options.isQuiet ? .error : level ?? .notice, format: format,
            style: TerminalStyle(isColoured: form == .coloured), sink: log)
        guard format == .journal, let journal = JournalSink(path: JournalSink.systemPath) else { return logger }
        return Logger(level: logger.level, format: .journal, sink: journal)
    }
}
