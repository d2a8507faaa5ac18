internal import Glibc
internal import UsherActivation
internal import UsherConfiguration
internal import UsherControl
internal import UsherEngine
internal import UsherLog
internal import UsherOperation
internal import UsherScene
internal import UsherSystem
internal import UsherText

/// The daemon that runs for this state folder: each command that changes anything goes through it.
struct RunningDaemon {
    let client: ControlClient
    let hello: ControlHello
    let rows: ListedRows
    /// By this command.
    var isStarted = false

    /// Waits until an engine on demand has nothing to do, for a command that brought nothing of its own: what a killed run
    /// left behind, and retries. The command that started the engine waits for the engine's end instead; what is called by a
    /// delivery would wait for itself.
    func waitForOthers(_ context: Context) throws(CommandFailure) {
        guard !isStarted, hello.isOnDemand, context.environment["USHER_DELIVERY"] == nil else { return }
        _ = try call(DeliveriesWait())
    }

    /// Asks and waits for the answer.
    func answer<C: Call>(_ request: C) -> Result<C.Answer, ControlError> {
        Result { () throws(ControlError) in try client.answer(request) }
    }
}

extension Context {
    /// The engine that acts: the one that runs, else one that is started for this command, with its environment, its
    /// configuration and its working folder.
    ///
    /// - Parameter needsConfiguration: whether it is an error that there is none.
    func engine(needsConfiguration: Bool = true) throws(CommandFailure) -> RunningDaemon {
        // Between a look and a start another command may start one, or the one that was found may end.
        for _ in 0..<20 {
            if let daemon = try daemon() { return daemon }
            // A configuration that is missing is an error before anything is made.
            if needsConfiguration, unsafe access(try configurationPath(), F_OK) != 0 { _ = try loadConfiguration() }
            if let engine = try start(needsConfiguration: needsConfiguration) { return engine }
        }
        throw CommandFailure(
            ControlError(.controlUnreachable, "engines for \(try stateFolder()) end as soon as they are there"))
    }

    /// nil where another one was faster.
    private func start(needsConfiguration: Bool) throws(CommandFailure) -> RunningDaemon? {
        var arguments = ["usherd", "--on-demand", logForm, "--state", try stateFolder()]
        do throws(CommandFailure) {
            arguments += ["--config", try configurationPath()]
        } catch {
            if needsConfiguration { throw error }
        }
        if let level = givenLogLevel {
            arguments += ["--log-level", level]
        } else if isQuiet {
            arguments.append("--quiet")
        }
        if let format = givenLogFormat { arguments += ["--log-format", format] }
        // On a terminal, such lines would stand among what the command shows.
        if ProcessEnvironment.isTerminal(2) { arguments.append("--no-decisions") }
        guard let program = usherd else {
            throw CommandFailure(
                .finding, "usherd, which carries out what usher is asked for, is not there",
                help: "make install puts both programs in one folder")
        }
        let variables = environment.sorted { $0.key < $1.key }.map { EnvironmentVariable($0.key, $0.value) }
        let errors = errors
        let shown = shownDiagnostics
        do throws(ControlError) {
            let answer = try EngineStart.run(program) { connection in
                Spawner.startServer(program, arguments: arguments, environment: variables, connection: connection)
            } log: { line, isBeforeHello in
                let text = String(decoding: line, as: UTF8.self)
                // A command that reads the configuration itself shows what is wrong with it once.
                if !isBeforeHello || shown.isNew(text) { errors.write(text) }
            }
            guard case .serves(let client, let hello) = answer else { return nil }
            guard hello.version == UsherVersion.text else {
                throw ControlError(
                    .controlProtocol, "\(program) has version \(hello.version), and this is \(UsherVersion.text)",
                    help: "make install puts both programs in one folder")
            }
            startedEngine.set(client)
            return RunningDaemon(client: client, hello: hello, rows: rows, isStarted: true)
        } catch {
            throw CommandFailure(error)
        }
    }

    /// The form of an engine's log where nothing names one: as this command's own would be.
    private var logForm: String {
        switch logger.format {
        case .json: "json"
        case .journal: "journal"
        case .text: errors.style.isColoured ? "coloured" : "text"
        }
    }

    /// The program beside this one, else that in the PATH; nil where there is none.
    var usherd: String? {
        let program = OwnProgram.sibling("usherd")
        return program.utf8.contains(UInt8(ascii: "/"))
            ? program : ProgramLocator(path: environment["PATH"]).locate(program)
    }
}

extension Context {
    /// The daemon, while one runs; nil means the store. A configuration that the line names must be the daemon's.
    ///
    /// - Parameter ofAnyConfiguration: takes it whatever it was started with.
    func daemon(ofAnyConfiguration: Bool = false) throws(CommandFailure) -> RunningDaemon? {
        let folder = FilePath.absolute(try stateFolder())
        var named: (path: String, name: String)?
        // An engine of another command that has another configuration may be just about to end: it is waited for.
        for _ in 0..<500 {
            let reached = try CommandFailure.attempt { () throws(ControlError) in
                try ControlClient.reach(state: folder)
            }
            guard let found = reached else { return nil }
            let daemon = RunningDaemon(client: found.client, hello: found.hello, rows: rows)
            if ofAnyConfiguration { return daemon }
            named = namedConfiguration(besides: daemon.hello.configuration)
            guard let named else { return daemon }
            if try loadConfiguration(at: named.path).configuration.digest == daemon.hello.digest { return daemon }
            guard daemon.hello.isOnDemand else { throw otherConfiguration(daemon.hello, named) }
            usleep(10_000)
        }
        throw otherConfiguration(nil, named)
    }

    /// Says that what waits for its time waits for a daemon, if none goes on running.
    func noteUnlessServed() {
        if let daemon = try? daemon(ofAnyConfiguration: true), !daemon.hello.isOnDemand { return }
        output.flush()
        errors.note("usherd does not run: it comes once usherd does (usher serve starts it)")
    }

    private func otherConfiguration(_ hello: ControlHello?, _ named: (path: String, name: String)?) -> CommandFailure {
        let (path, name) = named ?? ("", "--config")
        let engine = hello.map { "usherd (process \($0.pid)) uses \($0.configuration)" } ?? "usherd uses another one"
        return CommandFailure(
            ControlError(
                .daemonConfiguration, "\(engine), and \(name) names another configuration: \(path)",
                help: "leave out \(name), or say usher reload, or name another state folder with --state"))
    }

    /// The configuration that the user named, and where. The variable goes for the daemon's own as it stands: programs that
    /// the daemon starts have it, while its files are being changed, too.
    private func namedConfiguration(besides daemons: String) -> (path: String, name: String)? {
        if let configurationOption { return (configurationOption, "--config") }
        guard let path = environment["USHER_CONFIG"], !path.isEmpty,
            !FilePath.absolute(path).utf8.elementsEqual(daemons.utf8)
        else { return nil }
        return (path, "$USHER_CONFIG")
    }

    /// The daemon's configuration, read again.
    func loadConfiguration(of daemon: RunningDaemon) throws(CommandFailure) -> LoadedConfiguration {
        try loadConfiguration(at: daemon.hello.configuration)
    }
}
