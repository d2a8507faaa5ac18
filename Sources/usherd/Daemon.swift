internal import Glibc
internal import Synchronization
internal import UsherActivation
internal import UsherConfiguration
internal import UsherControl
internal import UsherDispatch
internal import UsherIngress
internal import UsherJSON
internal import UsherLog
internal import UsherScene
internal import UsherStore

/// The running daemon behind its doors: configuration, sessions, journal, and what carries decisions out.
final class Daemon: ControlWorld {
    let plan: DaemonPlan
    let logger: Logger
    let store: Store
    let dispatcher: Dispatcher
    let arrivals: DispatchIntake
    let planner: Activator
    private let activator: Activator
    let records: RecordBroadcast
    let processes: SessionProcesses
    let windows: WindowRegistry
    let desktop: DesktopSession
    let metrics: DaemonMetrics
    let notifier: ServiceNotifier?
    let secrets: SecretFiles
    let connections = ConnectionCount()
    /// Where the daemon listens on TCP, inherited or asked for; empty until it does.
    private let bound = Mutex<[ListenAddress]>([])
    private let environment: [String: String]
    private let loaded: Mutex<LoadedConfiguration>
    /// Counts the configurations that there were.
    private let version = Atomic<Int>(0)
    /// One reload at a time.
    let reloads = Mutex(())
    private let started = Timestamp.now()
    /// Whether requests are taken.
    private let stopping = Atomic<Bool>(false)

    init(
        _ plan: DaemonPlan, _ loaded: LoadedConfiguration, logger: Logger, environment: [String: String],
        notifier: ServiceNotifier?
    ) throws(StoreError) {
        self.plan = plan
        self.logger = logger
        self.environment = environment
        self.notifier = notifier
        secrets = SecretFiles(credentials: SecretFiles.credentialsFolder(), logger: logger)
        self.loaded = Mutex(loaded)
        let settings = loaded.settings
        let store = try Store(directory: plan.state, access: .readWrite)
        self.store = store
        // A handler that calls usher means this configuration and this store.
        var handlers = environment
        handlers["USHER_STATE"] = plan.state
        handlers["USHER_CONFIG"] = plan.configuration
        // Ours alone: a program that is started here must not speak to the service manager in our name.
        for name in ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "JOURNAL_STREAM", "CREDENTIALS_DIRECTORY"] {
            handlers[name] = nil
        }
        _ = Places.makeFolder(of: plan.socket)
        let desktop = DesktopSession(
            environment: handlers, browserSocket: BrowserSocket.path(beside: plan.socket),
            devTools: settings.devTools)
        self.desktop = desktop
        if desktop.isPastSway {
            logger.warning("SWAYSOCK is left over from an earlier session: DISPLAY is used")
        }
        if let problem = desktop.problem {
            logger.warning("browsers cannot connect", ["error.message": .text(problem.message)])
        }
        let activator = Activator(
            windowSystem: desktop.windowSystem, applications: desktop.applications, environment: handlers,
            stateDirectory: plan.state, isDryRun: false)
        self.activator = activator
        planner = Activator(
            windowSystem: desktop.windowSystem, applications: desktop.applications, environment: handlers,
            stateDirectory: plan.state, isDryRun: true)
        var options = Dispatcher.Options(source: "usherd")
        options.missingPrograms = loaded.missingPrograms
        options.outputDescriptor = nil
        options.duplicateWindow = Int64(settings.deliveries.duplicateHours) * 3600
        options.queue = settings.deliveries.queue
        options.queueBytes = Int64(settings.deliveries.queueMegabytes) << 20
        options.retention = Store.Retention(settings)
        options.presenter = desktop.notifications
        let dispatcher = try Dispatcher(
            configuration: loaded.configuration, store: store, activator: activator, logger: logger, options: options)
        self.dispatcher = dispatcher
        arrivals = DispatchIntake(dispatcher)
        processes = SessionProcesses(store, dispatcher, logger: logger)
        windows = WindowRegistry(
            desktop.windowSystem, dispatcher, logger: logger,
            sessions: { () throws(StoreError) in try dispatcher.sessions() },
            configuration: { dispatcher.configuration })
        let records = RecordBroadcast()
        self.records = records
        var readings = DaemonMetrics.Readings()
        readings.openDeliveries = { dispatcher.statistics.open }
        let connections = self.connections
        readings.connections = { connections.current }
        readings.oldestSeconds = { Double(dispatcher.statistics.oldestWaiting) / 1_000_000 }
        let metrics = DaemonMetrics(version: UsherVersion.text, readings: readings)
        self.metrics = metrics
        dispatcher.observe { record in
            metrics.count(record)
            records.publish(record)
            // Whoever sent it may be long gone: an operator has to see it.
            guard let error = record.error else { return }
            logger.notice(
                "a delivery ended with an error",
                [
                    "delivery.id": .text(record.id), "source": .text(record.source),
                    "reason": .text(record.reason.rawValue), "error.code": .text(error.code.code),
                    "error.message": .text(error.message),
                ])
        }
    }

    // MARK: ControlWorld

    var intake: any Intake { arrivals }
    var sessions: any SessionChanges { dispatcher }
    var deliveries: any DeliveryChanges { dispatcher }
    var contents: ContentService {
        var service = ContentService(
            store: store, sessions: dispatcher, configuration: configuration.configuration, activator: activator,
            logger: logger)
        service.processesChanged = { [processes] in processes.look() }
        return service
    }
    var configuration: LoadedConfiguration { loaded.withLock { $0 } }

    /// Changes with every configuration: a cheap look.
    var configurationVersion: Int { version.load(ordering: .acquiring) }

    /// The settings, and of which version they are.
    var settings: (version: Int, settings: Settings) {
        let version = configurationVersion
        return (version, configuration.settings)
    }

    func replace(_ new: LoadedConfiguration) {
        loaded.withLock { $0 = new }
        version.add(1, ordering: .acquiringAndReleasing)
        dispatcher.replaceConfiguration(new.configuration, missingPrograms: new.missingPrograms)
    }

    var hello: ControlHello {
        ControlHello(
            version: UsherVersion.text, pid: getpid(), configuration: plan.configuration,
            digest: configuration.configuration.digest, state: plan.state)
    }

    /// The folders whose changes are looked at.
    var watchedFolders: Set<String> {
        let loaded = configuration
        var folders: Set<String> = [loaded.folder, loaded.folder + "/apps", loaded.folder + "/hooks"]
        for file in loaded.files {
            let path = file.hasPrefix("/") ? file : loaded.folder + "/" + file
            folders.insert(String(path.prefix(upTo: path.lastIndex(of: "/") ?? path.startIndex)))
        }
        return folders.filter { !$0.isEmpty }
    }

    func activation(of session: SceneSession) -> ActivationState? { windows.activation(of: session) }

    var followedSystems: [String] { windows.followed }

    func windowServer(of handle: String) -> String? {
        try? activator.windowSystem.server(of: handle)
    }

    var status: JSONValue {
        let figures = dispatcher.statistics
        return .object([
            .init("version", .string(UsherVersion.text)), .init("pid", .number(String(getpid()))),
            .init("started", .string(started.text)), .init("state", .string(plan.state)),
            .init("config", .string(configuration.configuration.digest)),
            .init("stopping", .boolean(isStopping)),
            .init(
                "deliveries",
                .object([
                    .init("in_hand", .number(String(figures.inHand))),
                    .init("waiting", .number(String(figures.waiting))),
                    .init("retrying", .number(String(figures.retrying))),
                    .init("retries", .number(String(figures.retries))),
                    .init("refused", .number(String(figures.refused))),
                    .init("batches", .number(String(figures.batches))),
                ])),
        ])
    }

    /// What is listened on, whoever asked for it.
    var addresses: [ListenAddress] { bound.withLock { $0 } }

    /// To be called before anything is served.
    func listens(on addresses: [ListenAddress]) { bound.withLock { $0 = addresses } }

    /// What keeps these settings from being used: a door that would be open to other machines, tokens that cannot be read.
    /// nil where nothing does.
    ///
    /// TLS is what the daemon was started with. A hook whose secret cannot be read lets nobody in, which is said in the log; the others go on.
    func obstacle(in settings: Settings) -> String? {
        let hasTokens = settings.server.tokens != nil
        if let open = Exposure.obstacle(to: addresses, hasTLS: plan.tls != nil, hasTokens: hasTokens) { return open }
        for hook in settings.hooks {
            guard let source = hook.signature.secret else { continue }
            do throws(SecretFiles.Failure) {
                _ = try secrets.secrets(of: source)
            } catch {
                logger.warning(
                    "a hook has no secret that can be read, and lets nobody in",
                    [
                        "hook": .text(hook.name), "secret.source": .text(error.source.description),
                        "error.message": .text(error.reason),
                    ])
            }
        }
        guard let tokens = settings.server.tokens else { return nil }
        do throws(SecretFiles.Failure) {
            _ = try secrets.tokens(of: tokens)
            return nil
        } catch {
            return "the tokens of [server] cannot be read: \(error.source): \(error.reason)"
        }
    }

    // MARK: Life

    /// Whether requests are taken.
    var health: OperationAnswers.Health {
        if isStopping { return .stopping }
        return dispatcher.statistics.isRefusing ? .failing : .ok
    }

    var isStopping: Bool { stopping.load(ordering: .relaxed) }

    func beginStopping() { stopping.store(true, ordering: .relaxed) }

    /// Forgets what is old.
    func tidy() {
        let settings = configuration.settings
        let retention = Store.Retention(settings)
        store.keepWithin(retention)
        do {
            try store.prune(keeping: retention)
        } catch {
            logger.warning("the store could not be pruned", ["error.message": .text(error.message)])
        }
        planner.payloadFiles?.prune(olderThan: max(settings.disconnectedDays, 1) * 86_400)
    }
}
