internal import UsherConfiguration
internal import UsherControl
internal import UsherDispatch
internal import UsherJSON
internal import UsherScene
internal import UsherSystem

/// The daemon that runs for this state folder: whoever changes anything goes through it.
struct Daemon {
    let client: ControlClient
    let hello: ControlHello

    /// Asks and waits for the answer.
    func call(_ command: ControlCommand) throws(CommandFailure) -> JSONValue {
        switch answer(command) {
        case .success(let value): return value
        case .failure(let error): throw CommandFailure(error)
        }
    }

    func answer(_ command: ControlCommand) -> Result<JSONValue, ControlError> {
        do throws(ControlError) {
            let text = try client.call(command)
            guard let value = try? JSONValue(parsing: text, maximumDepth: 1024) else {
                throw .protocolViolation("the daemon's answer is not JSON")
            }
            return .success(value)
        } catch {
            return .failure(error)
        }
    }
}

extension Context {
    /// The daemon, while one runs; nil means the store. A configuration that the line names must be the daemon's.
    ///
    /// - Parameter ofAnyConfiguration: takes it whatever it was started with.
    func daemon(ofAnyConfiguration: Bool = false) throws(CommandFailure) -> Daemon? {
        let folder = FilePath.absolute(try stateFolder())
        let found: (client: ControlClient, hello: ControlHello)?
        do throws(ControlError) {
            found = try ControlClient.reach(state: folder)
        } catch {
            throw CommandFailure(error)
        }
        guard let found else { return nil }
        let daemon = Daemon(client: found.client, hello: found.hello)
        guard !ofAnyConfiguration, let (path, name) = namedConfiguration(besides: daemon.hello.configuration) else {
            return daemon
        }
        guard try loadConfiguration(at: path).configuration.digest == daemon.hello.digest else {
            throw CommandFailure(
                ControlError(
                    .daemonConfiguration,
                    "usherd (process \(daemon.hello.pid)) uses \(daemon.hello.configuration),"
                        + " and \(name) names another configuration: \(path)",
                    help: "leave out \(name), or say usher reload, or name another state folder with --state"))
        }
        return daemon
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
    func loadConfiguration(of daemon: Daemon) throws(CommandFailure) -> LoadedConfiguration {
        try loadConfiguration(at: daemon.hello.configuration)
    }
}
