internal import Dispatch
internal import Glibc
internal import UsherBus
internal import UsherConfiguration
internal import UsherControl
internal import UsherEngine
internal import UsherHTTP
internal import UsherIngress
internal import UsherLog
internal import UsherOperation
internal import UsherScene
internal import UsherStore
internal import UsherSystem
internal import UsherText

/// One life of the daemon: start, serve, stop.
struct DaemonRun {
    private let options: DaemonOptions
    private let inherited: [SocketActivation.Descriptor]
    private let environment: [String: String]

    init(_ options: DaemonOptions, inherited: [SocketActivation.Descriptor]) {
        self.options = options
        self.inherited = inherited
        environment = ProcessVariables.all()
    }

    /// Returns the exit status when SIGINT or SIGTERM has come and everything that was begun is finished.
    func run() throws(DaemonFailure) -> Int32 {
        let path = try DaemonPlan.configurationPath(options, environment: environment)
        let loaded = try load(path)
        let logger = try logger(loaded.settings)
        let state = try DaemonPlan.stateFolder(options, environment: environment)
        let plan = try DaemonPlan(
            options, loaded.settings.server, configuration: path, state: state, environment: environment)
        // Before the store is opened: another running daemon owns the deliveries in it.
        let lock: DaemonLock
        do throws(ControlError) {
            // The path of an inherited socket is known once it is adopted.
            let inherits = inherited.contains { LocalSocket.isOne($0.number) }
            lock = try DaemonRun.lock(plan.state, socket: inherits ? "" : plan.socket)
        } catch {
            throw DaemonFailure(error)
        }
        if !options.isQuiet { print(ShownWarnings(in: plan.state).news(of: loaded)) }
        let status = try serve(plan, loaded, logger, lock)
        // Held to the very end.
        _ = lock.path
        return status
    }

    /// The lock of the state folder. An engine on demand that has it is asked to yield, and waited for.
    private static func lock(_ state: String, socket: String) throws(ControlError) -> DaemonLock {
        let deadline = Deadline(in: patience)
        while true {
            do throws(ControlError) {
                return try DaemonLock.acquire(
                    state: state, socket: socket, version: UsherVersion.text, started: Instant.now.text)
            } catch {
                guard error.code == .daemonRunning, !deadline.isOver else { throw error }
                // One that no longer answers is ending.
                if let found = try? ControlClient.reach(state: state, patience: 0) {
                    guard found.hello.isOnDemand else { throw error }
                    _ = try? found.client.call(Yield())
                } else if let holder = DaemonLock.holder(state: state), holder.pid != 0,
                    !DaemonPlan.isOnDemand(holder, state)
                {
                    // Without a name it is ending, or just starting: then it is known a little later what it is.
                    throw error
                }
                usleep(20_000)
            }
        }
    }

    /// How long an engine on demand is waited for: what acts is finished.
    private static let patience = Duration.seconds(60)

    private func serve(
        _ plan: DaemonPlan, _ loaded: LoadedConfiguration, _ logger: Logger, _ lock: borrowing DaemonLock
    ) throws(DaemonFailure) -> Int32 {
        let notifier = ServiceNotifier(environment: environment, process: getpid())
        let daemon = try Result { () throws(StoreError) in
            try Daemon(plan, .resident, loaded, logger: logger, environment: environment, notifier: notifier)
        }.mapError { DaemonFailure($0) }.get()
        let signals = try Result { () throws(SystemError) in
            try SignalPipe.open([SIGHUP, SIGINT, SIGTERM], isFinal: false)
        }.mapError { DaemonFailure("there is no pipe for signals: \($0.text)") }.get()
        let server = try listen(daemon, plan)
        let socket = DaemonRun.controlSocket(of: server) ?? ""
        do throws(ControlError) {
            if socket != plan.socket || !inherited.isEmpty { try lock.name(socket: socket) }
        } catch {
            throw DaemonFailure(error)
        }
        daemon.connections.follow(server)
        // Before anything is decided: a session whose process ended meanwhile has no window, and others have the windows
        // that there are now.
        daemon.processes.start()
        daemon.windows.start()
        // The work of a killed run goes first; requests that come meanwhile are queued.
        daemon.recover()
        daemon.features.contentsChanged()
        let search = daemon.searchProvider
        search.start()
        let served = server.serve(logger)
        notifier?.ready(status: "\(loaded.configuration.manifestApps.count) apps, \(socket)")
        logger.log(
            .daemonReady,
            [
                "version": .text(UsherVersion.text), "config": .text(loaded.configuration.digest),
                "config.path": .text(plan.configuration), "state": .text(plan.state), "socket": .text(socket),
            ])
        daemon.judgeCertificateDaily()
        var supervisor = Supervisor(signals: signals, keepAliveInterval: notifier?.watchdogInterval)
        supervisor.run(duties(daemon, notifier), clock: { MonotonicClock.now })
        search.stop()
        return stop(daemon, server, served, notifier)
    }

    private func duties(_ daemon: Daemon, _ notifier: ServiceNotifier?) -> Supervisor.Duties {
        Supervisor.Duties(
            reload: { cause in
                notifier?.reloading()
                _ = try? daemon.reload(because: cause.rawValue)
                notifier?.ready()
            },
            folders: { daemon.watchedFolders },
            notWatched: { daemon.logger.log(.filesNotWatched, ["error.message": .text($0.text)]) },
            keepAlive: { notifier?.keepAlive() },
            tidy: { daemon.tidy() })
    }

    // MARK: Start

    /// A configuration without errors; what is wrong is shown, and ends the daemon.
    private func load(_ path: String) throws(DaemonFailure) -> LoadedConfiguration {
        let loaded = ConfigurationLoader.load(path: path)
        print(loaded.diagnostics.filter { $0.severity == .error })
        guard !loaded.hasErrors else {
            throw DaemonFailure(
                "the configuration has errors: nothing was started", help: "usher check shows them again")
        }
        return loaded.withNotes()
    }

    private func print(_ diagnostics: [ConfigurationDiagnostic]) {
        for diagnostic in diagnostics { _ = FileOutput.write(Array((diagnostic.description + "\n").utf8), to: 2) }
    }

    private func logger(_ settings: Settings) throws(DaemonFailure) -> Logger {
        var format: LogFormat?
        if let name = options.logFormat ?? settings.logFormat?.rawValue {
            guard let known = LogFormat(rawValue: name) else {
                throw DaemonFailure(
                    "there is no log format \(name)",
                    help: "--log-format is one of \(LogFormat.allCases.map(\.rawValue).joined(separator: ", "))")
            }
            format = known
        }
        var level = LogLevel.notice
        if let name = options.logLevel ?? settings.logLevel?.rawValue {
            guard let known = LogLevel(name: name) else {
                throw DaemonFailure(
                    "there is no log level \(name)",
                    help: "--log-level is one of \(LogLevel.allCases.map(\.name).joined(separator: ", "))")
            }
            level = known
        }
        if options.isQuiet { level = .error }
        var logger = Logger(level: level)
        logger.identifier = "usherd"
        logger.direct(
            to: LogDestination(
                requested: format, journalStream: environment["JOURNAL_STREAM"], isTerminal: isatty(2) == 1))
        return logger
    }

    private func listen(_ daemon: Daemon, _ plan: DaemonPlan) throws(DaemonFailure) -> HTTPServer {
        var listeners: [HTTPServer.Listener] = []
        var names: [String] = []
        func add(_ endpoint: HTTPServer.Endpoint, _ name: String, tls: HTTPServer.TLSFiles?, isLoopback: Bool = false) {
            var tls = tls
            // No connection across a network is without TLS.
            if !isLoopback { tls?.isOptional = false }
            listeners.append(.init(endpoint, label: name, tls: tls, takesLines: name == ListenerLabel.control))
            names.append(name)
        }
        for descriptor in inherited {
            let isLocal = LocalSocket.isOne(descriptor.number)
            add(
                .inherited(descriptor: descriptor.number), isLocal ? ListenerLabel.control : ListenerLabel.webhook,
                tls: isLocal ? nil : plan.tls)
        }
        if !names.contains(ListenerLabel.control) {
            do throws(FileSystem.WriteFailure) {
                try FileSystem.makeFolder(FilePath.parent(of: plan.socket))
            } catch {
                throw DaemonFailure(
                    "there can be no folder for the socket \(plan.socket): \(error.error.text)",
                    help: "--socket names another place")
            }
            add(.local(path: plan.socket), ListenerLabel.control, tls: nil)
        }
        for address in plan.addresses {
            add(
                .internet(host: address.host, port: address.port), ListenerLabel.webhook, tls: plan.tls,
                isLoopback: address.isLoopback)
        }
        let logger = daemon.logger
        let server: HTTPServer
        do throws(HTTPServerError) {
            var limits = HTTPServer.Limits()
            limits.unprovenBodies = daemon.configuration.settings.server.unprovenMegabytes << 20
            server = try HTTPServer(listeners: listeners, limits: limits, handler: DaemonEndpoints(daemon)) { event in
                if case .full = event { daemon.metrics.countLimited("connections") }
                logger.log(serverEvent: event)
            }
        } catch {
            throw DaemonFailure(error)
        }
        daemon.listens(
            on: server.addresses.compactMap { address in
                if case .internet(let host, let port) = address { ListenAddress(host: host, port: port) } else { nil }
            })
        if let obstacle = daemon.obstacle(in: daemon.configuration.settings) {
            throw DaemonFailure(obstacle, help: Exposure.help)
        }
        for (name, address) in zip(names, server.addresses) { DaemonNotices.listening(name, on: address) }
        return server
    }

    private static func controlSocket(of server: HTTPServer) -> String? {
        for address in server.addresses {
            if case .local(let path) = address, !path.isEmpty { return path }
        }
        return nil
    }

    // MARK: Stop

    private func stop(
        _ daemon: Daemon, _ server: HTTPServer, _ served: DispatchGroup, _ notifier: ServiceNotifier?
    ) -> Int32 {
        // The stop is bounded. On a terminal, a second Control-C ends it at once.
        signal(SIGTERM, SIG_IGN)
        signal(SIGINT, SIG_DFL)
        let seconds = Double(daemon.configuration.settings.server.drainSeconds)
        notifier?.stopping()
        daemon.logger.log(.daemonStopping)
        daemon.beginStopping()
        // A window may take long, and a stop does not wait for it.
        daemon.engine.stopWaitingForLaunches()
        daemon.engine.stopWaitingForAnswers()
        server.stop(deadlineSeconds: seconds)
        served.wait()
        daemon.features.stop()
        daemon.engine.closeIntake()
        if !daemon.engine.stop(within: seconds) {
            daemon.logger.log(.handlersRunning)
        }
        // What the last records opened is noted, too.
        daemon.features.stop()
        daemon.windows.stop()
        daemon.desktop.stop()
        daemon.processes.stop()
        daemon.records.drain()
        daemon.requests?.drain()
        daemon.store.close()
        daemon.logger.log(.daemonStopped)
        return 0
    }
}

extension HTTPServer {
    /// Serves on a thread of its own, until the server stops: then the group is empty.
    func serve(_ logger: Logger) -> DispatchGroup {
        let served = DispatchGroup()
        DispatchQueue(label: "usher.http").async(group: served) {
            do throws(HTTPServerError) {
                try self.run()
            } catch {
                logger.log(.serverEnded, ["error.message": .text(error.message)])
            }
        }
        return served
    }
}
