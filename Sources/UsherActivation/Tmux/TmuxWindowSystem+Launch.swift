extension TmuxWindowSystem {
    /// The session that windows are made in where nobody is attached and the manifest names none.
    static let defaultSession = "usher"

    public func launch(_ launch: WindowLaunch) throws(ActivationFailure) -> WindowSighting {
        // Another dispatcher may make or end the session between the look and the act; the second look knows.
        var attempts = 3
        while true {
            attempts -= 1
            do throws(ActivationFailure) {
                return try launchOnce(launch)
            } catch {
                if attempts == 0 || !Self.isRace(error.message) { throw error }
            }
        }
    }

    private static func isRace(_ message: String) -> Bool {
        ["tmux: duplicate session", "tmux: can't find session", "tmux: no server running", "tmux: error connecting"]
            .contains { message.utf8.starts(with: $0.utf8) }
    }

    private func launchOnce(_ launch: WindowLaunch) throws(ActivationFailure) -> WindowSighting {
        let before = try ask([TmuxWorld.askServer, TmuxWorld.askClients, TmuxWorld.askSessions])
        let client = before.mostRecentClient
        let existing: String? =
            if let group = launch.group {
                session(named: group, in: before)?.id
            } else { client?.session ?? session(named: Self.defaultSession, in: before)?.id }

        var look: [[String]] = []
        if let existing, let client, client.session != existing {
            look.append(["switch-client", "-c", client.name, "-t", "\(existing):"])
        }
        look += [TmuxWorld.askServer, TmuxWorld.askClients]

        var after: TmuxWorld
        if let existing {
            let make = ["new-window", "-P", "-F", TmuxWorld.madeFormat, "-t", "\(existing):"]
            after = try perform([make + options(launch)] + look, nonce: launch.nonce)
        } else {
            let name = launch.group ?? Self.defaultSession
            let make = ["new-session", "-d", "-P", "-F", TmuxWorld.madeFormat, "-s", TmuxQuoting.format(name)]
            after = try perform(
                [make + options(launch), TmuxWorld.askServer, TmuxWorld.askSessions], startsServer: true,
                nonce: launch.nonce)
            if let made = session(named: name, in: after) {
                let created = after.made
                // -e gave the variables to the session, and with it to every later window; they are this window's.
                var commands = launch.environment.map { ["set-environment", "-t", "\(made.id):", "-u", $0.name] }
                if let client { commands.append(["switch-client", "-c", client.name, "-t", "\(made.id):"]) }
                // A program that ended at once has taken its session along; the window was made all the same.
                if case .lines(let lines) = try? self.client.run(
                    commands + [TmuxWorld.askServer, TmuxWorld.askClients])
                {
                    after = TmuxWorld(lines: lines)
                }
                after.made = created
            }
        }
        guard let made = after.made else { throw .windowSystem(name, "it did not say which window it made") }
        guard let server = after.server ?? before.server else {
            throw .windowSystem(name, "it did not say which server made the window")
        }
        let looking = client == nil ? nil : same(client, in: after)
        let seen: WindowSighting.View =
            client == nil ? .nobodyLooks : view(of: .window(made.window), client: looking, in: after)
        var sighting = WindowSighting(
            handle: made.window, server: server, title: made.name, process: made.process, view: seen)
        sighting.client = looking?.process
        return sighting
    }

    /// Everything after the place: environment, directory and the program as at least two words, since tmux gives a single
    /// one to a shell.
    private func options(_ launch: WindowLaunch) throws(ActivationFailure) -> [String] {
        var options: [String] = []
        for variable in launch.environment { options += ["-e", variable.text] }
        if let directory = launch.workingDirectory { options += ["-c", TmuxQuoting.format(directory)] }
        options.append("--")
        guard launch.arguments.isEmpty else { return options + [launch.program] + launch.arguments }
        if launch.program.utf8.contains(UInt8(ascii: "=")) {
            throw .windowSystem(
                name, "\(launch.program) has a = in its path and no arguments",
                help: "give the command an argument, or the program another name")
        }
        return options + [client.locator.locate("env") ?? "env", launch.program]
    }

    private func perform(
        _ commands: [[String]], startsServer: Bool = false, nonce: String?
    ) throws(ActivationFailure) -> TmuxWorld {
        switch try client.run(commands, startsServer: startsServer, nonce: nonce) {
        case .lines(let lines): return TmuxWorld(lines: lines)
        case .noServer: throw .windowSystem(name, "no server running")
        case .error(let problem, let lines):
            // The window is there, only the look at it failed (its session ended with it).
            let world = TmuxWorld(lines: lines)
            if world.made != nil { return world }
            throw .windowSystem(name, problem)
        }
    }
}
