public import UsherActivation
internal import UsherBus
internal import UsherScene
internal import UsherText

extension SessionApplications {
    /// How long a program that the bus starts has to answer, in milliseconds: as long as others wait.
    private static let patience = 25_000

    public func launch(_ launch: EntryLaunch) throws(ActivationFailure) -> ApplicationStart {
        let file = try file(launch.entry)
        if let action = launch.action, !file.entry.actions.contains(where: { $0.id == action }) {
            throw .noEntryAction(file.path, action, among: file.entry.actions.map(\.id))
        }
        try checkInstalled(file)
        guard file.entry.isActivatable, let call = activation(file, launch) else { return try start(file, launch) }
        let failure: ActivationFailure
        do throws(ActivationFailure) {
            return try self.call(call)
        } catch {
            failure = error
        }
        // What may have begun must not be begun twice.
        let untouched: [DiagnosticCode] = [
            .busAbsent, .busNoService, .busNotStarted, .busLeft, .busUnknownMethod, .busMessage,
        ]
        guard untouched.contains(failure.code),
            (launch.action.map { file.actionCommands[$0] } ?? file.entry.exec) != nil
        else { throw failure }
        var started = try start(file, launch)
        started.warnings.append(.notActivated(file.path, failure))
        return started
    }

    /// The call that stands for it; nil where its id is no name on the bus.
    private func activation(_ file: EntryFile, _ launch: EntryLaunch) -> ApplicationCall? {
        let name = String(file.entry.id.dropLast(".desktop".count))
        guard SessionBus.isApplicationName(name) else { return nil }
        let verb: ApplicationCall.Verb =
            if let action = launch.action { .action(action, parameter: nil) } else if launch.uris.isEmpty {
                .activate
            } else {
                .open(launch.uris)
            }
        return ApplicationCall(name: name, verb: verb, token: launch.token, timeLimit: Self.patience)
    }

    /// Starts its command line: in a session of its own, with nothing of ours but what it is given.
    private func start(_ file: EntryFile, _ launch: EntryLaunch) throws(ActivationFailure) -> ApplicationStart {
        let line = try file.command(launch.action)
        let filling = ExecFilling(
            subjects: launch.uris, icon: file.entry.icon, name: file.entry.name, path: file.path)
        let commands: [[String]]
        do throws(ExecProblem) {
            commands = try line.commands(filling)
        } catch {
            throw file.failure(error, launch.action)
        }
        var variables = launch.environment
        if let token = launch.token {
            // Programs look for the one or the other.
            for name in ["DESKTOP_STARTUP_ID", "XDG_ACTIVATION_TOKEN"] {
                variables.append(EnvironmentVariable(name, token))
            }
        }
        variables.append(EnvironmentVariable("GIO_LAUNCHED_DESKTOP_FILE", file.path))
        var first: Int32?
        for command in commands {
            guard let program = programs.locate(command[0]) else {
                throw .noEntryProgram(file.path, key: "Exec", command[0], path: programs.path)
            }
            let (executable, arguments) =
                file.entry.isTerminal ? try inTerminal([program] + command.dropFirst(), file) : (program, command)
            let child = try Spawner.start(
                SpawnRequest(
                    program: executable, arguments: arguments, environment: environment.complete(variables),
                    workingDirectory: launch.workingDirectory ?? file.workingDirectory))
            first = first ?? child.pid
        }
        return ApplicationStart(process: first, summary: ShellText.command(commands[0]))
    }

    /// The command in a window of a terminal.
    private func inTerminal(
        _ command: [String], _ file: EntryFile
    ) throws(ActivationFailure) -> (program: String, arguments: [String]) {
        for name in [terminal, "xdg-terminal-exec", "x-terminal-emulator", "foot", "xterm"] {
            guard let name, let program = programs.locate(name) else { continue }
            return (program, [name] + TerminalOptions.before(command: name) + command)
        }
        throw .noTerminal(file.path)
    }
}

/// How terminals are told a command; all take it as words.
enum TerminalOptions {
    static func before(command terminal: String) -> [String] {
        switch terminal.split(separator: "/").last.map(String.init) ?? "" {
        // The command is what follows the options, and begins with the path of a program.
        case "xdg-terminal-exec", "foot", "footclient", "kitty": []
        case "gnome-terminal", "ptyxis", "kgx", "mate-terminal", "tilix": ["--"]
        case "wezterm": ["start", "--"]
        case "xfce4-terminal", "terminator": ["-x"]
        default: ["-e"]
        }
    }
}
