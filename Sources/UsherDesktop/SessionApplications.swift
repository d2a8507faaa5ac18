public import UsherActivation
public import UsherBus
internal import UsherScene
public import UsherSystem
internal import UsherText

/// The applications of the user's desktop session: by desktop entry, and by name on the session bus.
///
/// Entries are read when they are asked for: what is installed meanwhile is seen, and nothing is watched or kept.
public final class SessionApplications: DesktopApplications {
    private let bus: SessionBus?
    private let folders: EntryFolders
    private let programs: ProgramLocator
    private let environment: HandlerEnvironment
    /// The terminal of choice.
    private let terminal: String?
    private let languages: [String]
    private let desktops: [String]

    /// `bus` is nil where there is no session bus: entries are started by their command lines then.
    public init(environment: [String: String], bus: SessionBus?) {
        self.bus = bus
        folders = EntryFolders(environment: environment)
        programs = ProgramLocator(path: environment["PATH"])
        self.environment = HandlerEnvironment(environment)
        terminal = environment["TERMINAL"].flatMap { $0.isEmpty ? nil : $0 }
        languages = Languages.preferred(environment)
        desktops = (environment["XDG_CURRENT_DESKTOP"] ?? "").split(separator: ":").map(String.init)
    }

    public func call(_ call: ApplicationCall) throws(ActivationFailure) -> ApplicationStart {
        try sessionBus.call(call)
    }

    public func owner(of name: String) throws(ActivationFailure) -> Int32? { try sessionBus.owner(of: name) }

    public func isProvided(name: String) throws(ActivationFailure) -> Bool { try sessionBus.isProvided(name) }

    public func wait(for name: String, until deadline: Deadline) throws(ActivationFailure) -> Int32? {
        try sessionBus.wait(for: name, until: deadline)
    }

    public func isInstalled(entry: String) -> Bool {
        guard let file = try? self.file(entry) else { return false }
        return (try? checkInstalled(file)) != nil
    }

    public func entries(_ name: String?) throws(ActivationFailure) -> [DesktopEntry] {
        if let name { return [try file(name).entry] }
        var entries: [DesktopEntry] = []
        for (id, path) in folders.all {
            // A broken entry is left out of the list; an error is reported where it is named.
            guard let file = try? read(id, path), file.isShown, (try? checkInstalled(file)) != nil else { continue }
            entries.append(file.entry)
        }
        return entries
    }

    public func players() throws(ActivationFailure) -> [MediaPlayer] { try MediaPlayers(try sessionBus).all() }

    public func play(
        _ request: MediaRequest, on player: String, until deadline: Deadline
    ) throws(ActivationFailure) -> (player: MediaPlayer, plays: Bool) {
        try MediaPlayers(try sessionBus).play(request, on: player, until: deadline)
    }

    private var sessionBus: SessionBus {
        get throws(ActivationFailure) {
            guard let bus else {
                throw ActivationFailure(
                    .busAbsent, "there is no session bus here", help: "start Usher within the session")
            }
            return bus
        }
    }

    /// The entry of this name, unless it is hidden: then it counts as removed.
    private func file(_ name: String) throws(ActivationFailure) -> EntryFile {
        guard let (id, path) = folders.file(of: name) else {
            throw .noEntry(name, nearest: nearest(to: name), folders: folders.folders)
        }
        let file = try read(id, path)
        guard !file.isHidden else { throw .hiddenEntry(name, path) }
        return file
    }

    /// The entry that a mistyped name may mean, written as it is: with `.desktop` or without.
    private func nearest(to name: String) -> String? {
        let suffix = ".desktop"
        let hasSuffix = name.hasSuffix(suffix)
        let plain = hasSuffix ? String(name.dropLast(suffix.count)) : name
        let known = folders.all.lazy.map { String($0.id.dropLast(suffix.count)) }
        guard let nearest = Spelling.closest(to: plain, among: known), let (id, path) = folders.file(of: nearest),
            let file = try? read(id, path), !file.isHidden
        else { return nil }
        return hasSuffix ? nearest + suffix : nearest
    }

    private func checkInstalled(_ file: EntryFile) throws(ActivationFailure) {
        guard let program = file.tryExec, !programs.isInstalled(program) else { return }
        throw .noEntryProgram(file.path, key: "TryExec", program, path: programs.path)
    }

    private func read(_ id: String, _ path: String) throws(ActivationFailure) -> EntryFile {
        try EntryFile(id: id, path: path, languages: languages, desktops: desktops)
    }
}

/// The languages of the user, the best one first.
private enum Languages {
    static func preferred(_ environment: [String: String]) -> [String] {
        func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        let locale = value("LC_ALL") ?? value("LC_MESSAGES") ?? value("LANG") ?? "C"
        if isPlain(locale) { return [] }
        // A list goes before, unless there is no language at all (gettext).
        let list = (value("LANGUAGE") ?? "").split(separator: ":").map(String.init)
        return (list + [locale]).prefix { !isPlain($0) }.filter { !$0.utf8.contains(0) }
    }

    private static func isPlain(_ locale: String) -> Bool {
        let language = locale.prefix { $0 != "." && $0 != "@" }
        return language == "C" || language == "POSIX"
    }
}

// MARK: - Launch

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
        let commands = try Result { () throws(ExecProblem) in try line.commands(filling) }
            .mapError { file.failure($0, launch.action) }.get()
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

/// How terminals take a command; all take it as separate words.
private enum TerminalOptions {
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
