internal import Glibc
internal import Synchronization
internal import UsherActivation
internal import UsherActivities
internal import UsherBus
internal import UsherConfiguration
internal import UsherControl
internal import UsherEngine
internal import UsherFeatures
internal import UsherHTTP
internal import UsherHook
internal import UsherIngress
internal import UsherJSON
internal import UsherLog
internal import UsherOperation
internal import UsherScene
internal import UsherStore
internal import UsherSystem
internal import UsherText
internal import UsherWindows

/// The running daemon behind its listeners: configuration, sessions, journal, and what carries decisions out.
final class Daemon: ControlBackend {
    private let plan: DaemonPlan
    let logger: Logger
    let store: Store
    let engine: Engine
    let activator: Activator
    let records: RecordBroadcast
    let processes: SessionProcesses
    let windows: WindowRegistry
    let features: RunningFeatures
    let desktop: DesktopSession
    let metrics: DaemonMetrics
    private let notifier: ServiceNotifier?
    let secrets: SecretFiles
    let listeners = HookListeners()
    /// nil in an engine that no hook reaches.
    let requests: RequestFile?
    let connections = ConnectionCount()
    /// Where the daemon listens on TCP, inherited or asked for; empty until it does.
    private let bound = Mutex<[ListenAddress]>([])
    private let environment: [String: String]
    private let loaded: Mutex<LoadedConfiguration>
    /// `[browser] pages` and `deny` of the configuration in use.
    private let pageRules: PageRulesInUse
    private let decisionLog: DecisionLog
    /// Counts the configurations so far.
    private let version = Atomic<Int>(0)
    /// One reload at a time.
    private let reloads = Mutex(())
    /// Why the last reload was refused; nil where it was not.
    private let rejection = Mutex<StatusAnswer.Rejection?>(nil)
    private let started = Instant.now
    private let residence: Residence
    /// Whether what is to precede the first act was done.
    private let hasPrepared = Mutex(false)
    /// When the certificate is judged next; nil: it never was.
    private let nextCertificateLook = Mutex<MonotonicInstant?>(nil)
    /// Whether requests are taken.
    private let stopping = Atomic<Bool>(false)

    init(
        _ plan: DaemonPlan, _ residence: Residence, _ loaded: LoadedConfiguration, logger: Logger,
        environment: [String: String], notifier: ServiceNotifier? = nil
    ) throws(StoreError) {
        self.residence = residence
        self.plan = plan
        self.logger = logger
        self.environment = environment
        self.notifier = notifier
        secrets = SecretFiles(credentials: SecretFiles.credentialsFolder(), logger: logger)
        self.loaded = Mutex(loaded)
        requests = residence.awaitsAnswers ? RequestFile(in: plan.state, logger: logger) : nil
        let settings = loaded.settings
        let store = try Store(directory: plan.state, access: .readWrite, features: .all)
        self.store = store
        try store.use(settings)
        let handlers = Daemon.handlerEnvironment(plan, environment)
        let browserSocket = residence.awaitsAnswers ? BrowserSocket.path(beside: plan.socket) : nil
        if let browserSocket { try? FileSystem.makeFolder(FilePath.parent(of: browserSocket)) }
        let desktop = DesktopSession(
            environment: handlers, browserSocket: browserSocket,
            reportKWin: { [logger] event in
                switch event {
                case .loadedAgain: logger.log(.kwinScriptLoadedAgain)
                case .failed(let error): logger.log(.kwinScriptFailed, ["error.message": .text(error.message)])
                }
            })
        self.desktop = desktop
        if desktop.isPastSway, residence.awaitsAnswers {
            logger.log(.swaysockLeftOver)
        }
        if let problem = desktop.problem {
            logger.log(.browsersCannotConnect, ["error.message": .text(problem.message)])
        }
        let activator = Activator(
            windowSystem: desktop.windowSystem, applications: desktop.applications, tabs: desktop.tabs,
            environment: handlers, stateDirectory: plan.state, isDryRun: false)
        self.activator = activator
        let engine = try Engine(
            configuration: loaded.configuration, store: store, activator: activator, logger: logger,
            options: Daemon.engineOptions(loaded, desktop, residence))
        self.engine = engine
        let features = RunningFeatures()
        self.features = features
        processes = SessionProcesses(store, engine, logger: logger) { features.windows.ended($0) }
        let processes = processes
        engine.observeProcesses { processes.wakeUp() }
        let pageRules = PageRulesInUse(settings)
        self.pageRules = pageRules
        let records = RecordBroadcast()
        self.records = records
        var host = FeatureHost(
            engine, features, openings: .all, logger: logger, state: plan.state,
            awaitsAnswers: residence.awaitsAnswers)
        host.pages = { pageRules.rules }
        host.suggestions = { pageRules.suggestions }
        host.readPage = { [browsers = desktop.browsers] in try? browsers?.read(.data, of: $0) }
        host.suggest = { [notifications = desktop.notifications] notes in
            // Where no notification can be shown, the suggestion stays a line of `usher link suggest`.
            guard residence.awaitsAnswers, (try? notifications.capabilities()) != nil else { return }
            _ = engine.submit(notes.prefix(3).map { $0.notification })
        }
        host.hasListeners = { records.subscriberCount > 0 }
        host.offer = { records.announce(.suggestion(session: $0, $1)) }
        features.start(.all, in: host)
        desktop.browsers?.readPages(settings.pages.pages != .none)
        desktop.browsers?.observePauses { features.settingsChanged() }
        var openings = features.windows
        openings.standsInFront = { engine.noteFront($0, $1) }
        openings.frontChanged = { engine.noteOtherFront() }
        openings.ended = { [ended = openings.ended] session in
            ended(session)
            engine.noteWindowEnd(of: session)
        }
        engine.tellOfVisits(openings)
        windows = WindowRegistry(
            desktop.windowSystem, engine, logger: logger,
            sessions: { () throws(StoreError) in try engine.sessions() },
            configuration: { engine.configuration }, home: environment["HOME"], openings: openings,
            owner: { engine.owner(of: $0) }, windowOpened: { engine.noteOpenedWindow() })
        engine.look { [windows, presence = desktop.presence] in
            Daemon.evidence(of: $0, windows, activator, engine.configuration, presence)
        }
        var readings = DaemonMetrics.Readings()
        readings.openDeliveries = { engine.statistics.open }
        let connections = self.connections
        readings.connections = { connections.current }
        readings.oldestSeconds = { Double(engine.statistics.oldestWaiting.microseconds) / 1_000_000 }
        let metrics = DaemonMetrics(version: UsherVersion.text, readings: readings)
        self.metrics = metrics
        let decisionLog = DecisionLog(logger, settings)
        self.decisionLog = decisionLog
        engine.observe { [windows] record in
            metrics.count(record)
            records.publish(record)
            if record.hasFocused, let session = record.session, let app = record.app {
                features.tookFocus(session: session, app: app)
            }
            if record.action == .launch { windows.launchEnded() }
            if record.hasOpened { features.opened([record.target, record.resolved].compactMap { $0 }) }
            if residence.logsDecisions { decisionLog.log(record) }
        }
    }

    /// Whether the user sees a session now, as far as that is known.
    private static func evidence(
        of session: SceneSession, _ windows: WindowRegistry, _ activator: Activator, _ configuration: Configuration,
        _ presence: any UserPresence
    ) -> SeenEvidence? {
        var evidence: SeenEvidence
        if let place = session.handle.flatMap({
            activator.evidence(ofPlace: $0, server: session.handleServer, configuration.terminal)
        }) {
            evidence = place
        } else {
            guard let activation = windows.activation(of: session) else { return nil }
            evidence = activator.evidence(ofWindow: session.handle, isInFront: activation == .foregroundActive)
        }
        let other = activator.readContent(of: session, in: configuration, into: &evidence)
        guard evidence.isSeen else { return evidence }
        evidence.isLocked = presence.isLocked()
        evidence.reason = evidence.isLocked == true ? DiagnosticCode.seenLocked.name : other?.code.name
        return evidence
    }

    /// A handler that calls usher means this configuration and this store.
    private static func handlerEnvironment(_ plan: DaemonPlan, _ environment: [String: String]) -> [String: String] {
        var handlers = environment
        handlers["USHER_STATE"] = plan.state
        if !plan.configuration.isEmpty { handlers["USHER_CONFIG"] = plan.configuration }
        // A program that is started here must not notify the service manager in place of usherd.
        for name in ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "JOURNAL_STREAM", "CREDENTIALS_DIRECTORY"] {
            handlers[name] = nil
        }
        return handlers
    }

    private static func engineOptions(
        _ loaded: LoadedConfiguration, _ desktop: DesktopSession, _ residence: Residence
    ) -> Engine.Options {
        var options = residence.options(loaded.settings)
        options.missingPrograms = loaded.missingPrograms
        options.duplicateWindow = .seconds(loaded.settings.deliveries.duplicateHours * 3600)
        options.retention = Store.Retention(loaded.settings)
        if residence.awaitsAnswers { options.presenter = desktop.notifications }
        options.presence = desktop.presence
        options.openings = .all
        // Each may be on a connection of its own, and other commands are to get in.
        options.awaitedLimit = min(options.awaitedLimit, HTTPServer.Limits().mostConnections / 2)
        return options
    }

    // MARK: ControlBackend

    var intake: any Intake { engine }
    var context: OperationContext {
        var context = OperationContext(
            store, sessions: engine, configuration: configuration.configuration, activator: activator, logger: logger,
            engine: self, openings: .all)
        context.windowServer = { [activator] in try? activator.windowSystem.server(of: $0) }
        context.windowPresence = { [activator] in activator.presence(handle: $0, server: $1) }
        context.activation = { [windows] in windows.activation(of: $0) }
        context.frontHistory = { [windows] in windows.fronts }
        context.tookFocus = { [features] in features.tookFocus(session: $0.id, app: $0.app) }
        context.processesChanged = { [processes] in processes.wakeUp() }
        context.contentsChanged = { [features] in features.contentsChanged() }
        context.notifies = { [residence, notifications = desktop.notifications] in
            residence.awaitsAnswers && (try? notifications.capabilities()) != nil
        }
        context.withdraw = { [engine] in engine.withdrawNotification(of: $0) }
        context.readSelection = { [desktop] session in
            guard let browsers = desktop.browsers, let handle = session.handle, browsers.recognizes(handle: handle)
            else { return nil }
            return try? browsers.read(.selection, of: .handle(handle, server: session.handleServer))?.selection
        }
        return context
    }
    var configuration: LoadedConfiguration { loaded.withLock { $0 } }

    /// For the search of the desktop.
    var searchProvider: SearchProvider {
        let finder = ActivityFinder(
            engine, contents: { self.context },
            settings: { self.configuration.settings.suggestions })
        return SearchProvider(environment: environment, finder) { [logger] event in
            switch event {
            case .ready: logger.log(.searchReady)
            case .nameTaken(let process):
                logger.log(.searchNameTaken, ["process.pid": process.map { .number(Int64($0)) }])
            case .failed(let error):
                logger.log(
                    .searchNotAnswered,
                    ["error.code": .text(error.code.code), "error.message": .text(error.message)])
            }
        }
    }

    /// Changes with every configuration: a cheap look.
    var configurationVersion: Int { version.load(ordering: .acquiring) }

    /// The settings, and of which version they are.
    var settings: (version: Int, settings: Settings) {
        let version = configurationVersion
        return (version, configuration.settings)
    }

    /// - Parameter waits: whether windows that have no session yet are given to scenes before this returns.
    private func replace(_ new: LoadedConfiguration, waits: Bool) throws(StoreError) {
        try engine.replaceConfiguration(new.configuration, missingPrograms: new.missingPrograms)
        loaded.withLock { $0 = new }
        version.add(1, ordering: .acquiringAndReleasing)
        pageRules.replace(with: new.settings)
        decisionLog.replace(with: new.settings)
        desktop.browsers?.readPages(new.settings.pages.pages != .none)
        features.settingsChanged()
        windows.configurationChanged(waits: waits)
    }

    var hello: ControlHello {
        ControlHello(
            version: UsherVersion.text, pid: getpid(), configuration: plan.configuration,
            digest: configuration.configuration.digest, state: plan.state, isOnDemand: residence.isOnDemand)
    }

    /// The windows are listed once, as none are watched here, and the work of a killed run goes first.
    func prepareToAct() {
        guard residence.preparesAtFirstAct else { return }
        hasPrepared.withLock { hasPrepared in
            guard !hasPrepared else { return }
            hasPrepared = true
            windows.look()
            recover()
        }
    }

    /// What an engine on demand does when it is asked to yield.
    let yielding = Mutex<(@Sendable () -> Void)?>(nil)

    func yield() throws(ControlError) {
        guard let yielding = yielding.withLock({ $0 }) else {
            throw ControlError(.daemonRunning, "this usherd is resident, and stays", help: "end it first")
        }
        yielding()
    }

    func cancel(_ cancellation: Cancellation) { engine.cancel(cancellation) }

    var hasDeliveries: Bool { engine.hasWork }

    func waitForDeliveries() {
        engine.drainIntake()
        engine.waitForLanes()
    }

    /// Resumes the work of a killed run.
    func recover() {
        do throws(StoreError) {
            _ = try engine.recover()
        } catch {
            logger.log(.recoveryFailed, ["error.message": .text(error.message)])
        }
    }

    /// The folders that are watched.
    var watchedFolders: Set<String> {
        let loaded = configuration
        var folders: Set<String> = [loaded.folder, loaded.folder + "/apps", loaded.folder + "/hooks"]
        for file in loaded.files {
            let path = file.hasPrefix("/") ? file : loaded.folder + "/" + file
            folders.insert(String(path.prefix(upTo: path.lastIndex(of: "/") ?? path.startIndex)))
        }
        return folders.filter { !$0.isEmpty }
    }

    var followedSystems: [String] { windows.followed }

    var status: StatusAnswer {
        var status = StatusAnswer()
        (status.version, status.pid, status.started) = (UsherVersion.text, Int(getpid()), started)
        (status.state, status.configuration) = (plan.state, configuration.configuration.digest)
        status.isStopping = isStopping
        status.deliveries = .init(engine.statistics)
        status.rejected = rejection.withLock { $0 }
        return status
    }

    /// The addresses that the daemon listens on, by the settings, an option or systemd.
    var addresses: [ListenAddress] { bound.withLock { $0 } }

    /// To be called before anything is served.
    func listens(on addresses: [ListenAddress]) { bound.withLock { $0 = addresses } }

    /// What keeps these settings from being used: a listener that would be open to other machines, tokens that cannot be read.
    /// nil where nothing does.
    ///
    /// TLS is what the daemon was started with. A hook whose secret cannot be read refuses all
    /// requests, which is logged; the other hooks work.
    func obstacle(in settings: Settings) -> String? {
        let hasTokens = settings.server.tokens != nil
        if let open = Exposure.obstacle(to: addresses, hasTLS: plan.tls != nil, hasTokens: hasTokens) { return open }
        for hook in settings.hooks {
            do throws(SecretFiles.Failure) {
                _ = try secrets.secrets(of: hook.signature)
            } catch {
                logger.log(
                    .hookSecretMissing,
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
        return engine.statistics.isRefusing ? .failing : .ok
    }

    private var isStopping: Bool { stopping.load(ordering: .relaxed) }

    func beginStopping() { stopping.store(true, ordering: .relaxed) }

    /// Deletes old deliveries, and at every 32nd call on average all other old rows, which reads every session.
    func tidyAfterUse() {
        if Instant.now.microseconds % 32 == 0 { return tidy() }
        do {
            try store.pruneDeliveries(keeping: Store.Retention(configuration.settings))
        } catch {
            logger.log(.storeNotPruned, ["error.message": .text(error.message)])
        }
    }

    /// Warns of a certificate that has expired or will within two weeks, and of a key that others can read.
    private func judgeCertificate() {
        guard let files = plan.tls else { return }
        if let days = files.daysLeft, days < 14 {
            logger.log(
                .certificateExpires, ["certificate": .text(files.certificate), "days.left": .number(Int64(days))])
        }
        if files.isKeyExposed { logger.log(.keyExposed, ["key": .text(files.key)]) }
    }

    /// Called at the start, and about once a day.
    func judgeCertificateDaily() {
        let now = MonotonicClock.now
        let isDue = nextCertificateLook.withLock { next in
            if let due = next, now < due { return false }
            next = now + .seconds(86_400)
            return true
        }
        if isDue { judgeCertificate() }
    }

    /// Deletes old rows.
    func tidy() {
        judgeCertificateDaily()
        let settings = configuration.settings
        let retention = Store.Retention(settings)
        store.keepWithin(retention)
        do {
            try store.prune(keeping: retention)
        } catch {
            logger.log(.storeNotPruned, ["error.message": .text(error.message)])
        }
        activator.payloadFiles?.prune(olderThan: max(settings.disconnectedDays, 1) * 86_400)
    }
}

// MARK: - Reload

extension Daemon {
    func reload() throws(ControlError) -> ReloadAnswer { try reload(because: "control") }

    /// Reads the configuration aside and puts it in the place of the old one, or keeps that where there is an error.
    ///
    /// - Parameter cause: for the log.
    @discardableResult
    func reload(because cause: String) throws(ControlError) -> ReloadAnswer {
        try reloads.withLock { (_) throws(ControlError) in
            let old = configuration
            let new = ConfigurationLoader.load(path: plan.configuration).withNotes()
            guard !new.hasErrors else { throw refused(new, cause) }
            if let obstacle = obstacle(in: new.settings) {
                logger.log(
                    .configurationRefused,
                    ["cause": .text(cause), "error.message": .text(obstacle)])
                throw reject(ControlError(.daemonReload, "\(obstacle): the old configuration stays"))
            }
            do throws(StoreError) {
                try store.use(new.settings)
                // Programs may have been installed meanwhile, though no file has changed.
                // A window system that hangs holds up `usher reload`, and not the thread that handles signals.
                try replace(new, waits: cause == "control")
            } catch {
                try? store.use(old.settings)
                throw reject(ControlError(error))
            }
            rejection.withLock { $0 = nil }
            let difference = ConfigurationDifference(from: old, to: new)
            metrics.countReload(difference.isEmpty ? .unchanged : .changed)
            if difference.isEmpty {
                logger.log(.configurationUnchanged, ["cause": .text(cause)])
            } else {
                logger.log(
                    .configurationChanged,
                    [
                        "cause": .text(cause), "config.old": .text(old.configuration.digest),
                        "config.new": .text(new.configuration.digest), "files": list(difference.files),
                        "apps.added": list(difference.added), "apps.removed": list(difference.removed),
                        "apps.changed": list(difference.changed),
                    ])
                for diagnostic in ShownWarnings(in: plan.state).news(of: new) {
                    logger.log(
                        .configurationWarning,
                        ["error.code": .text(diagnostic.code.code), "error.message": .text(Daemon.place(diagnostic))])
                }
            }
            let keys = new.settings.keysThatNeedRestart(since: old.settings)
            if !keys.isEmpty { logger.log(.restartNeeded, ["settings": list(keys)]) }
            var answer = ReloadAnswer()
            answer.result = difference.isEmpty ? .unchanged : .changed
            answer.configuration = new.configuration.digest
            (answer.difference.files, answer.difference.added) = (difference.files, difference.added)
            (answer.difference.removed, answer.difference.changed) = (difference.removed, difference.changed)
            return answer
        }
    }

    private func refused(_ loaded: LoadedConfiguration, _ cause: String) -> ControlError {
        let errors = loaded.diagnostics.filter { $0.severity == .error }
        for diagnostic in errors.prefix(20) {
            logger.log(
                .configurationError,
                ["error.code": .text(diagnostic.code.code), "error.message": .text(Daemon.place(diagnostic))])
        }
        logger.log(
            .configurationRefused,
            [
                "cause": .text(cause), "errors": .number(Int64(errors.count)),
                "error.code": errors.first.map { LogValue.text($0.code.code) },
                "error.message": errors.first.map { LogValue.text(Daemon.place($0)) },
            ])
        return reject(
            ControlError(
                .daemonReload,
                "\(errors.count == 1 ? "one error" : "\(errors.count) errors") in the configuration: the old one stays",
                help: errors.count > Daemon.shownErrors ? "usher check shows all of them" : nil,
                excerpt: errors.prefix(Daemon.shownErrors).flatMap {
                    $0.description.split(separator: "\n").map(String.init)
                },
                problems: errors.prefix(100).enumerated().map { index, diagnostic in
                    .init(index: index, ControlError(diagnostic.code, Daemon.place(diagnostic), help: diagnostic.help))
                }, problemCount: errors.count))
    }

    /// Keeps the reason for `status`, until a configuration is accepted.
    private func reject(_ error: ControlError) -> ControlError {
        metrics.countReload(.failed)
        rejection.withLock { $0 = .init(error, at: .now) }
        return error
    }

    /// How many errors the log shows; a client gets a hundred.
    private static let shownErrors = 5

    /// The place and the message, on one line.
    private static func place(_ diagnostic: ConfigurationDiagnostic) -> String {
        "\(diagnostic.location?.description ?? diagnostic.path): \(diagnostic.message)"
    }

    private func list(_ words: [String]) -> LogValue? { words.isEmpty ? nil : .text(words.joined(separator: ", ")) }
}

// MARK: - Pages

/// `[browser] pages` and `deny`, and `[suggestions]`, which a reload replaces.
private final class PageRulesInUse: Sendable {
    private let current: Mutex<(rules: PageRules, suggestions: SuggestionSettings)>

    init(_ settings: Settings) { current = Mutex((settings.pages, settings.suggestions)) }

    var rules: PageRules { current.withLock { $0.rules } }
    var suggestions: SuggestionSettings { current.withLock { $0.suggestions } }

    func replace(with settings: Settings) { current.withLock { $0 = (settings.pages, settings.suggestions) } }
}

extension DecisionRecord {
    /// Whether content was shown to the user.
    fileprivate var hasOpened: Bool {
        switch action {
        case .focus, .launch, .openWeb: error == nil
        case .notify, .background, .none: false
        }
    }

    /// Whether the window of its session was brought forward.
    fileprivate var hasFocused: Bool { hasOpened && action != .openWeb }
}
