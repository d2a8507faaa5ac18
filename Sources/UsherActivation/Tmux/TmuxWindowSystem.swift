import Glibc
internal import Synchronization
import UsherScene
public import UsherSystem
internal import UsherText

/// tmux 3.2 or later: windows by `@id`, panes by `%id`, groups that are sessions.
///
/// Every call runs the `tmux` program, with as many commands in one run as it can; the server is that of `$TMUX`, else the
/// default one. Payload text reaches tmux only in places that it neither expands nor parses: arguments of the program in a
/// new window, values of its environment, and the text of `send-keys -l`.
public struct TmuxWindowSystem: WindowSystem {
    public let name = "tmux"
    let client: TmuxClient

    /// `environment` is Usher's own: of it, tmux gets what handlers get. `options` stand before each command (`-L`, `-f`);
    /// `timeLimit` in milliseconds bounds one run of tmux.
    public init(environment: [String: String], options: [String] = [], timeLimit: Int = 5000) {
        let base = HandlerEnvironment(environment)
        client = TmuxClient(
            locator: ProgramLocator(path: base.path), environment: base.base, options: options, timeLimit: timeLimit)
    }

    public var isAvailable: Bool { client.isInstalled }

    public var support: WindowSupport {
        guard isAvailable else {
            return WindowSupport(name, nothing: "the program tmux is not installed")
        }
        return WindowSupport(name, allBut: [.token: "windows of tmux need none"])
    }

    public func recognizes(handle: String) -> Bool { TmuxHandle(handle) != nil }

    public func plan(_ step: WindowStep) -> String { TmuxPlan.text(step) }

    public func windows() throws(ActivationFailure) -> WindowList { list(of: try look()) }

    /// - Parameter questions: further commands that only ask; see `TmuxSnapshot.other`.
    private func look(_ questions: [[String]] = []) throws(ActivationFailure) -> TmuxSnapshot {
        try ask(
            questions + [
                TmuxSnapshot.askServer, TmuxSnapshot.askClients, TmuxSnapshot.askSessions, TmuxSnapshot.askPanes(),
            ])
    }

    private func list(of snapshot: TmuxSnapshot) -> WindowList {
        let front = snapshot.mostRecentClient?.window
        let seen = Set(snapshot.views.map(\.window))
        let names = Dictionary(snapshot.sessions.map { ($0.id, $0.name) }, uniquingKeysWith: { first, _ in first })
        var places: [String: Int] = [:]
        var windows: [WindowList.Window] = []
        for pane in snapshot.panes where !pane.isDead {
            defer { if pane.isActive, let place = places[pane.window] { windows[place].shownPart = pane.id } }
            if let place = places[pane.window] {
                if !windows[place].parts.contains(pane.id) {
                    windows[place].parts.append(pane.id)
                    windows[place].processes += pane.process.map { [$0] } ?? []
                }
                continue
            }
            places[pane.window] = windows.count
            var window = WindowList.Window(
                handle: pane.window, title: pane.windowName, group: names[pane.session] ?? pane.session,
                parts: [pane.id])
            window.process = pane.process
            window.processes = pane.process.map { [$0] } ?? []
            window.activation =
                if pane.window == front {
                    .foregroundActive
                } else { seen.contains(pane.window) ? .foregroundInactive : .background }
            windows.append(window)
        }
        return WindowList(server: snapshot.server, windows: windows)
    }

    /// With the pane of a window that is active now: from then on the handle means that one.
    public func server(of handle: String) throws(ActivationFailure) -> String? {
        guard let handle = TmuxHandle(handle) else { return nil }
        let snapshot = try ask([TmuxSnapshot.askServer, TmuxSnapshot.askPanes(handle.filter)])
        return snapshot.server.map { handle.server($0, pane: snapshot.pane(of: handle)?.id) }
    }

    public func presence(of window: WindowReference) throws(ActivationFailure) -> WindowPresence {
        switch window {
        case .group(let name):
            let snapshot = try ask([TmuxSnapshot.askServer, TmuxSnapshot.askSessions])
            return session(named: name, in: snapshot) == nil ? .gone : .present
        case .handle(let handle, let server):
            guard let handle = TmuxHandle(handle, server: server) else { return .unknown }
            let snapshot = try ask([TmuxSnapshot.askServer, TmuxSnapshot.askPanes(handle.filter)])
            return isPresent(server, in: snapshot) ? .present : .gone
        }
    }

    public func isOnItsWay(nonce: String) -> Bool {
        if !ProcessTable.processes(withVariable: EnvironmentVariable(UsherVariables.carries, nonce)).isEmpty {
            return true
        }
        // Until it executes the program, the process of a new window is a copy of the server, without the nonce.
        let panes = (try? ask([TmuxSnapshot.askPanes()]))?.panes ?? []
        return panes.contains { pane in pane.process.map(ProcessTable.isTmuxServer) ?? false }
    }

    public func find(processes: [Int32]) throws(ActivationFailure) -> WindowSighting? {
        let snapshot = try ask([TmuxSnapshot.askServer, TmuxSnapshot.askClients, TmuxSnapshot.askPanes()])
        guard let server = snapshot.server else { return nil }
        for process in processes {
            guard let pane = snapshot.panes.first(where: { $0.process == process && !$0.isDead }) else { continue }
            return WindowSighting(
                handle: pane.window, server: pane.server(server), title: pane.windowName, process: process,
                view: view(of: .window(pane.window), client: snapshot.mostRecentClient, in: snapshot))
        }
        return nil
    }

    // MARK: - What the other parts share

    /// Answers of queries; an empty one where no server runs, or one without sessions.
    private func ask(_ commands: [[String]]) throws(ActivationFailure) -> TmuxSnapshot {
        switch try client.run(commands) {
        case .lines(let lines): return TmuxSnapshot(lines: lines)
        case .noServer: return TmuxSnapshot(lines: [])
        case .error(let problem, let lines):
            if problem.utf8.starts(with: "no current".utf8) || problem.utf8.starts(with: "no sessions".utf8) {
                return TmuxSnapshot(lines: lines)
            }
            throw .windowSystem(name, problem)
        }
    }

    private func session(named name: String, in snapshot: TmuxSnapshot) -> TmuxSnapshot.Session? {
        let wanted = TmuxQuoting.sessionName(name)
        return snapshot.sessions.first { $0.name.hasSameBytes(as: wanted) }
    }

    /// The server was asked for the panes of one handle only.
    private func isPresent(_ server: String?, in snapshot: TmuxSnapshot) -> Bool {
        guard let running = snapshot.server else { return false }
        if let server, !WindowServer.isSameLife(server, running) { return false }
        return snapshot.panes.contains { !$0.isDead }
    }

    fileprivate enum Item {
        case window(String)
        case pane(String)
        case session(String)
    }

    /// What the user sees: on the client that was used last, or, where none is attached, what one would show first.
    private func view(of place: Item, client: TmuxSnapshot.Client?, in snapshot: TmuxSnapshot) -> WindowSighting.View {
        if let client {
            let isShown =
                switch place {
                case .window(let id): client.window == id
                case .pane(let id): client.pane == id
                case .session(let id): client.session == id
                }
            if isShown { return .shown }
            return .hidden(seen: client.words)
        }
        let isFirst =
            switch place {
            case .window(let id): snapshot.panes.contains { $0.window == id && $0.isCurrentWindow }
            case .pane(let id): snapshot.panes.contains { $0.id == id && $0.isCurrentWindow && $0.isActive }
            case .session: true
            }
        return isFirst ? .nobodyLooks : .hidden(seen: "no client is attached, and another window is the current one")
    }
}

// MARK: - Focus

extension TmuxWindowSystem {
    /// What a terminal is to show.
    private struct Choice {
        /// As it was asked for; nil of a session.
        var handle: TmuxHandle?
        var server: String
        var pane: TmuxSnapshot.Pane
        var snapshot: TmuxSnapshot
        var spares = false
    }

    private enum Step {
        /// It is as far forward as the policy says.
        case over(WindowSighting)
        case show(Choice)
    }

    public func focus(_ request: FocusRequest) throws(ActivationFailure) -> WindowSighting {
        try focus(request, on: nil)
    }

    /// Brings a window or a pane forward in a client that shows it, and the terminal of that client; see `TerminalFocus`.
    ///
    /// - Parameter desktop: where terminals have windows; nil where there is none.
    func focus(
        _ request: FocusRequest, on desktop: (any WindowSystem)?
    ) throws(ActivationFailure) -> WindowSighting {
        try TerminalFocus.turn.withLock { (_) throws(ActivationFailure) in try focusInTurn(request, on: desktop) }
    }

    private func focusInTurn(
        _ request: FocusRequest, on desktop: (any WindowSystem)?
    ) throws(ActivationFailure) -> WindowSighting {
        switch try turn(to: request) {
        case .over(let sighting): return sighting
        case .show(let choice): return try show(choice, request, on: desktop)
        }
    }

    private func turn(to request: FocusRequest) throws(ActivationFailure) -> Step {
        let policy = request.policy
        let isPlain = policy.prominence == .focus && policy.placement == .go && policy.whileTyping == nil
        switch request.window {
        case .group(let name): return try turn(toSession: name, isPlain ? nil : policy)
        case .handle(let text, let server):
            guard let asked = TmuxHandle(text), let handle = TmuxHandle(text, server: server) else {
                throw .windowSystem(name, "\(text) is not a window", help: "windows are @3, panes %5")
            }
            let step: Step =
                isPlain
                ? .show(try choose(handle, server: server)) : try turn(to: handle, server: server, policy: policy)
            switch step {
            case .show(var choice):
                choice.handle = asked
                return .show(choice)
            case .over(var sighting):
                sighting.handle = asked.text
                sighting.server = server ?? sighting.server
                return .over(sighting)
            }
        }
    }

    private func show(
        _ choice: Choice, _ request: FocusRequest, on desktop: (any WindowSystem)?
    ) throws(ActivationFailure) -> WindowSighting {
        guard let server = TmuxSnapshot.place(ofServer: choice.server) else {
            throw .windowSystem(name, "\(choice.server) is no server")
        }
        var focus = TerminalFocus(
            desktop: desktop, tmux: client, settings: request.terminal, policy: request.policy, token: request.token,
            tabs: request.tabs, open: request.open)
        let report = focus.run(.part(choice.pane.id, server: server.pid), known: choice.snapshot)
        if report.failure?.code == .terminalGone { throw .windowGone(choice.handle?.text ?? choice.pane.id) }
        if let failure = report.failure { throw failure }
        var sighting = WindowSighting(
            handle: choice.handle?.text,
            server: choice.handle?.server(choice.server, pane: choice.pane.id) ?? choice.server,
            title: choice.pane.windowName,
            process: choice.pane.process, view: .hidden(seen: report.seen ?? ""))
        switch report.outcome {
        case .verified: (sighting.view, sighting.front) = (.shown, report.front)
        case .done: sighting.view = .nobodyLooks
        case .unverified, .failed, .skipped: break
        }
        (sighting.evidence, sighting.doubt) = (report.evidence, report.warnings.first)
        sighting.sparedTyping = choice.spares || report.sparedTyping
        return sighting
    }

    /// What runs in it gets SIGHUP, and is asked nothing.
    public func close(_ window: WindowReference) throws(ActivationFailure) {
        guard case .handle(let text, let server) = window, let handle = TmuxHandle(text, server: server) else {
            throw .windowSystem(name, "\(window.text) is not a window", help: "windows are @3, panes %5")
        }
        // The server may end with its last window.
        if try presence(of: window) == .gone { throw .windowGone(text) }
        let kill = if case .pane = handle { "kill-pane" } else { "kill-window" }
        _ = try client.run([
            ["if-shell", "-F", "-t", handle.text, Self.condition(server), "\(kill) -t \(handle.text)"]
        ])
    }

    /// A session is not brought to another one, so its placement makes no difference; marked or raised is its current
    /// window.
    private func turn(toSession name: String, _ policy: FocusPolicy?) throws(ActivationFailure) -> Step {
        let snapshot = try ask([
            TmuxSnapshot.askServer, TmuxSnapshot.askClients, TmuxSnapshot.askSessions, TmuxSnapshot.askPanes(),
        ])
        guard let server = snapshot.server, let session = session(named: name, in: snapshot),
            let current = snapshot.panes.first(where: { $0.session == session.id && $0.isCurrentWindow }),
            let handle = TmuxHandle(current.window), let pane = snapshot.pane(of: handle)
        else { throw .windowGone("tmux session \(name)") }
        let (prominence, spares) =
            policy.map { self.prominence(of: $0, for: .session(session.id), in: snapshot) } ?? (.focus, false)
        if prominence == .focus { return .show(Choice(server: server, pane: pane, snapshot: snapshot)) }
        guard case .over(var sighting) = try turn(to: handle, server: server, policy: .init(prominence: prominence))
        else { throw .windowGone("tmux session \(name)") }
        sighting.handle = nil
        sighting.sparedTyping = spares
        return .over(sighting)
    }

    /// In one run of tmux: makes the window and the pane the current ones, unless the server is another one, and looks. A window
    /// of several sessions is left to the client that shows it: in another session it would change what others see.
    private func choose(_ handle: TmuxHandle, server: String?) throws(ActivationFailure) -> Choice {
        let select = "select-window -t \(handle.text)"
        let whole = if case .pane = handle { "\(select) ; select-pane -Z -t \(handle.text)" } else { select }
        let isOnlyPlace = "#{&&:#{==:#{window_linked},0},#{!=:#{session_grouped},1}}"
        let snapshot = try perform(
            [
                TmuxSnapshot.askServer,
                ["if-shell", "-F", "-t", handle.text, "#{&&:\(isOnlyPlace),\(Self.condition(server))}", whole],
                TmuxSnapshot.askClients, TmuxSnapshot.askPanes(),
            ], on: handle)
        guard let running = snapshot.server, let pane = snapshot.pane(of: handle),
            server.map({ WindowServer.isSameLife($0, running) }) ?? true
        else { throw .windowGone(handle.text) }
        return Choice(handle: handle, server: running, pane: pane, snapshot: snapshot)
    }

    /// Whether the server that a session's window was of may still run, at whatever socket.
    public static func mayRun(server: String) -> Bool {
        guard let pid = TmuxSnapshot.place(ofServer: server)?.pid else { return true }
        return ProcessTable.isTmuxServer(pid)
    }

    /// True on the server that the handle belongs to, for a window whose program has not ended.
    private static func condition(_ server: String?) -> String {
        let isAlive = "#{!=:#{pane_dead},1}"
        guard let server else { return isAlive }
        let numbers = WindowServer.life(of: server).utf8.split(separator: UInt8(ascii: ":")).suffix(2)
        guard numbers.count == 2, numbers.allSatisfy({ $0.allSatisfy { $0 >= 0x30 && $0 <= 0x39 } }) else { return "0" }
        let identity = numbers.map { String(Substring($0)) }.joined(separator: "/")
        return "#{&&:#{==:#{pid}/#{start_time},\(identity)},\(isAlive)}"
    }

    private func perform(_ commands: [[String]], on handle: TmuxHandle) throws(ActivationFailure) -> TmuxSnapshot {
        switch try client.run(commands) {
        case .lines(let lines): return TmuxSnapshot(lines: lines)
        case .noServer: throw .windowGone(handle.text)
        case .error(let problem, _):
            if problem.utf8.starts(with: "can't find".utf8) { throw .windowGone(handle.text) }
            if try presence(of: .handle(handle.text, server: nil)) == .gone { throw .windowGone(handle.text) }
            throw .windowSystem(name, problem)
        }
    }
}

// MARK: - Keys

extension TmuxWindowSystem {
    /// Programs for which a typed line is a command.
    private static let shells: Set<String> = [
        "sh", "bash", "rbash", "dash", "ash", "zsh", "fish", "ksh", "ksh93", "mksh", "lksh", "pdksh", "yash", "tcsh",
        "csh", "bsd-csh", "busybox", "elvish", "nu", "xonsh", "pwsh", "rc", "es", "tmux", "screen",
    ]

    /// How long a program may take to stand in its new window, in milliseconds.
    private static let startPatience = 500

    public func type(_ keys: WindowKeys, into window: WindowReference) throws(ActivationFailure) {
        guard case .handle(let text, let server) = window, let handle = TmuxHandle(text, server: server) else {
            throw .noWindowToType
        }
        let patience = Deadline(inMilliseconds: Self.startPatience)
        var pane: TmuxSnapshot.Pane
        while true {
            let snapshot = try ask([TmuxSnapshot.askServer, TmuxSnapshot.askPanes(handle.filter)])
            guard isPresent(server, in: snapshot), let found = self.pane(for: keys.session, in: snapshot) else {
                throw .windowGone(text)
            }
            pane = found
            guard keys.holdsPayloadText else { break }
            if pane.isSynchronized { throw .synchronizedPanes }
            // In a pane that Usher made the program is the pane: when it ends, no shell is left behind it to type into.
            guard let shell = Self.shell(in: pane) else { break }
            // A window just made is a shell, or tmux itself, until its program is there.
            if patience.isOver { throw .shellPane(shell) }
            usleep(20_000)
        }
        var commands: [[String]] = []
        // Keys in copy mode are commands of tmux itself.
        if pane.isInMode { commands.append(["copy-mode", "-q", "-t", pane.id]) }
        for stroke in keys.strokes {
            switch stroke {
            case .text(let text): commands.append(["send-keys", "-t", pane.id, "-l", "--", text])
            case .key(let name): commands.append(["send-keys", "-t", pane.id, "--", name])
            }
        }
        guard !commands.isEmpty else { return }
        switch try client.run(commands) {
        case .lines: return
        case .noServer: throw .windowGone(text)
        case .error(let problem, _):
            if try presence(of: window) == .gone { throw .windowGone(text) }
            throw .windowSystem(name, problem)
        }
    }

    /// In a window that the user has split: the pane in which the session's program was started, else the active one.
    private func pane(for session: String?, in snapshot: TmuxSnapshot) -> TmuxSnapshot.Pane? {
        let panes = snapshot.panes.filter { !$0.isDead }
        guard let first = panes.first, panes.contains(where: { $0.id != first.id }) else { return panes.first }
        if let session {
            let variable = EnvironmentVariable(UsherVariables.session, session)
            let own = panes.first { pane in
                pane.process.map { ProcessTable.process($0, holds: variable) } ?? false
            }
            if let own { return own }
        }
        return panes.first { $0.isActive } ?? first
    }

    private static func shell(in pane: TmuxSnapshot.Pane) -> String? {
        var names = [pane.command]
        // A program may set any name; the file that it runs is reliable.
        if let process = pane.process, let program = ProcessTable.foregroundProgram(of: process) {
            names.append(program)
        }
        for name in names {
            let bare = name.utf8.first == UInt8(ascii: "-") ? String(name.unicodeScalars.dropFirst()) : name
            if shells.contains(bare) { return bare }
        }
        return nil
    }
}

// MARK: - Launch

extension TmuxWindowSystem {
    /// The session that windows are made in where no client is attached and the manifest names none.
    private static let defaultSession = "usher"

    public func launch(_ launch: WindowLaunch) throws(ActivationFailure) -> WindowSighting {
        try self.launch(launch, on: nil)
    }

    /// The window comes forward as `focus` brings it.
    func launch(
        _ launch: WindowLaunch, on desktop: (any WindowSystem)?
    ) throws(ActivationFailure) -> WindowSighting {
        // The next one comes to the front, too.
        try TerminalFocus.turn.withLock { (_) throws(ActivationFailure) in try launchInTurn(launch, on: desktop) }
    }

    private func launchInTurn(
        _ launch: WindowLaunch, on desktop: (any WindowSystem)?
    ) throws(ActivationFailure) -> WindowSighting {
        var sighting = try make(launch)
        guard launch.focus.policy.prominence == .focus, let handle = sighting.handle else { return sighting }
        var request = launch.focus
        (request.window, request.policy.placement) = (.handle(handle, server: sighting.server), .go)
        let process = sighting.process
        do throws(ActivationFailure) {
            sighting = try focusInTurn(request, on: desktop)
            sighting.process = process
        } catch {
            // The window was made all the same; a program that ended at once has taken it along.
            sighting.view = .hidden(seen: error.message)
        }
        return sighting
    }

    private func make(_ launch: WindowLaunch) throws(ActivationFailure) -> WindowSighting {
        // Another dispatcher may make or end the session between snapshot and launch; the second snapshot shows it.
        var attempts = 3
        while true {
            attempts -= 1
            do throws(ActivationFailure) {
                return try makeOnce(launch)
            } catch {
                if attempts == 0 || !Self.isRace(error.message) { throw error }
            }
        }
    }

    private static func isRace(_ message: String) -> Bool {
        ["tmux: duplicate session", "tmux: can't find session", "tmux: no server running", "tmux: error connecting"]
            .contains { message.utf8.starts(with: $0.utf8) }
    }

    private func makeOnce(_ launch: WindowLaunch) throws(ActivationFailure) -> WindowSighting {
        let before = try ask([TmuxSnapshot.askServer, TmuxSnapshot.askClients, TmuxSnapshot.askSessions])
        let client = before.mostRecentClient
        let existing: String? =
            if let group = launch.group {
                session(named: group, in: before)?.id
            } else { client?.session ?? session(named: Self.defaultSession, in: before)?.id }

        let look = [TmuxSnapshot.askServer, TmuxSnapshot.askClients]
        var after: TmuxSnapshot
        if let existing {
            let make = ["new-window", "-P", "-F", TmuxSnapshot.madeFormat, "-t", "\(existing):"]
            after = try perform([make + options(launch)] + look, nonce: launch.nonce)
        } else {
            let name = launch.group ?? Self.defaultSession
            let make = ["new-session", "-d", "-P", "-F", TmuxSnapshot.madeFormat, "-s", TmuxQuoting.format(name)]
            after = try perform(
                [make + options(launch), TmuxSnapshot.askServer, TmuxSnapshot.askSessions], startsServer: true,
                nonce: launch.nonce)
            if let made = session(named: name, in: after) {
                let created = after.made
                // -e gave the variables to the session, and with it to every later window; they are this window's.
                let commands = launch.environment.map { ["set-environment", "-t", "\(made.id):", "-u", $0.name] }
                // A program that ended at once has taken its session along; the window was made all the same.
                if case .lines(let lines) = try? self.client.run(
                    commands + [TmuxSnapshot.askServer, TmuxSnapshot.askClients])
                {
                    after = TmuxSnapshot(lines: lines)
                }
                after.made = created
            }
        }
        guard let made = after.made else { throw .windowSystem(name, "it did not say which window it made") }
        guard let server = after.server ?? before.server else {
            throw .windowSystem(name, "it did not say which server made the window")
        }
        let looking = same(as: client, in: after)
        let seen: WindowSighting.View =
            client == nil ? .nobodyLooks : view(of: .window(made.window), client: looking, in: after)
        return WindowSighting(
            handle: made.window, server: TmuxHandle(made.window)?.server(server, pane: made.pane) ?? server,
            title: made.name, process: made.process, view: seen)
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
    ) throws(ActivationFailure) -> TmuxSnapshot {
        switch try client.run(commands, startsServer: startsServer, nonce: nonce) {
        case .lines(let lines): return TmuxSnapshot(lines: lines)
        case .noServer: throw .windowSystem(name, "no server running")
        case .error(let problem, let lines):
            // The window was made, only the snapshot failed (its session ended with it).
            let snapshot = TmuxSnapshot(lines: lines)
            if snapshot.made != nil { return snapshot }
            throw .windowSystem(name, problem)
        }
    }
}

// MARK: - Policy

/// What is done where a window is not simply to come forward.
///
/// A client of tmux shows one window, and its keyboard goes there. So a window is raised where another client, or none,
/// is attached: it becomes the current one of its session, and the user's client stays where it is. Urgent is a bell in the
/// window, which its session marks until it is shown, and which terminals hand on. Summoned, a window is linked into the
/// session of the user as well (link-window): other sessions keep it.
extension TmuxWindowSystem {
    /// Between the last key in a client and the end of typing, in seconds: tmux has no finer times.
    private static let typingPause = 1
    /// A bell goes through the terminal of the window and is marked when the server gets to it.
    private static let bellLimit = 500

    /// The prominence to use now: less while the user types in another window.
    private func prominence(
        of policy: FocusPolicy, for place: Item, in snapshot: TmuxSnapshot
    ) -> (prominence: FocusPolicy.Prominence, spares: Bool) {
        guard let less = policy.whileTyping, policy.prominence == .focus || policy.prominence == .raise,
            let client = snapshot.mostRecentClient, client.isTerminal
        else { return (policy.prominence, false) }
        if case .shown = view(of: place, client: client, in: snapshot) { return (policy.prominence, false) }
        return Int(time(nil)) - client.activity <= Self.typingPause ? (less, true) : (policy.prominence, false)
    }

    /// The window or pane as far forward as the policy says, other than simply in front.
    private func turn(to handle: TmuxHandle, server: String?, policy: FocusPolicy) throws(ActivationFailure) -> Step {
        let snapshot = try lookPolicy(at: handle)
        guard isPresent(server, in: snapshot), let running = snapshot.server, let pane = snapshot.panes.first else {
            throw .windowGone(handle.text)
        }
        let place = handle.place(pane)
        let (prominence, spares) = prominence(of: policy, for: place, in: snapshot)
        var sighting: WindowSighting
        switch prominence {
        case .focus:
            if policy.placement == .summon { try summon(pane, in: snapshot) }
            var choice = try choose(handle, server: running)
            choice.spares = spares
            return .show(choice)
        case .raise: sighting = try raise(handle, policy.placement, server: running, in: snapshot)
        case .urgent: sighting = try ring(handle, server: running, in: snapshot)
        case .none:
            sighting = WindowSighting(
                handle: handle.text, server: running, title: pane.windowName, process: pane.process, view: .untouched)
        }
        sighting.sparedTyping = spares
        return .over(sighting)
    }

    private func lookPolicy(at handle: TmuxHandle) throws(ActivationFailure) -> TmuxSnapshot {
        let snapshot = try ask([
            TmuxSnapshot.askServer, TmuxSnapshot.askClients, TmuxSnapshot.askPanes(handle.filter),
            TmuxSnapshot.askMarks(handle.filter),
        ])
        guard snapshot.server != nil, snapshot.panes.contains(where: { !$0.isDead }) else {
            throw .windowGone(handle.text)
        }
        return snapshot
    }

    /// Into the session of the user's client, unless it is there.
    private func summon(_ pane: TmuxSnapshot.Pane, in snapshot: TmuxSnapshot) throws(ActivationFailure) {
        guard let client = snapshot.mostRecentClient, !snapshot.panes.contains(where: { $0.session == client.session })
        else {
            return
        }
        let link = ["link-window", "-d", "-s", pane.window, "-t", "\(client.session):"]
        if case .error(let problem, _) = try self.client.run([link]) { throw .windowSystem(name, problem) }
    }

    private func raise(
        _ handle: TmuxHandle, _ placement: FocusPolicy.Placement, server: String, in before: TmuxSnapshot
    ) throws(ActivationFailure) -> WindowSighting {
        let user = before.mostRecentClient
        func sighting(_ snapshot: TmuxSnapshot) throws(ActivationFailure) -> WindowSighting {
            guard let pane = snapshot.panes.first else { throw .windowGone(handle.text) }
            let isSeen = snapshot.views.contains { $0.window == pane.window }
            let view: WindowSighting.View =
                isSeen ? .shown : view(of: .window(pane.window), client: same(as: user, in: snapshot), in: snapshot)
            return WindowSighting(
                handle: handle.text, server: server, title: pane.windowName, process: pane.process, view: view)
        }
        let now = try sighting(before)
        if case .shown = now.view { return now }
        if placement == .summon, let pane = before.panes.first { try summon(pane, in: before) }
        let others = Set(before.views.map(\.session)).subtracting([user?.session].compactMap(\.self))
        // Where another client is attached, else where none is; never in the user's client: its keyboard would follow.
        let elsewhere = before.panes.filter { $0.session != user?.session }
        guard let place = elsewhere.first(where: { others.contains($0.session) }) ?? elsewhere.first else { return now }
        let select = ["select-window", "-t", "\(place.session):\(place.window)"]
        guard case .lines = try client.run([select]) else { throw .windowGone(handle.text) }
        return try sighting(lookPolicy(at: handle))
    }

    /// The same client as before, so that a second one that was touched meanwhile proves nothing.
    private func same(as client: TmuxSnapshot.Client?, in snapshot: TmuxSnapshot) -> TmuxSnapshot.Client? {
        snapshot.clients.first { $0.name.hasSameBytes(as: client?.name ?? "") } ?? snapshot.mostRecentClient
    }

    private func ring(
        _ handle: TmuxHandle, server: String, in before: TmuxSnapshot
    ) throws(ActivationFailure) -> WindowSighting {
        let deadline = Deadline(inMilliseconds: Self.bellLimit)
        var snapshot = before
        var hasRung = false
        while true {
            guard let pane = snapshot.panes.first(where: { !$0.isDead }) else { throw .windowGone(handle.text) }
            var view: WindowSighting.View?
            // A window that is shown gets no mark, and needs none.
            if snapshot.marks.contains(where: \.isRinging)
                || snapshot.views.contains(where: { $0.window == pane.window })
            {
                view = .shown
            } else if deadline.isOver {
                view = self.view(of: .window(pane.window), client: snapshot.mostRecentClient, in: snapshot)
            }
            if let view {
                return WindowSighting(
                    handle: handle.text, server: server, title: pane.windowName, process: pane.process, view: view)
            }
            if !hasRung, let terminal = snapshot.marks.first?.terminal {
                hasRung = true
                Self.ring(terminal)
            } else {
                // tmux has no event for a mark.
                usleep(10_000)
            }
            snapshot = try lookPolicy(at: handle)
        }
    }

    /// Writes a bell to the terminal of a pane, as any program in it might.
    private static func ring(_ terminal: String) {
        guard terminal.utf8.starts(with: "/dev/pts/".utf8) else { return }
        let descriptor = unsafe open(terminal, O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        _ = unsafe write(descriptor, [7] as [UInt8], 1)
        Glibc.close(descriptor)
    }
}

extension TmuxHandle {
    fileprivate func place(_ pane: TmuxSnapshot.Pane) -> TmuxWindowSystem.Item {
        switch self {
        case .window: .window(pane.window)
        case .pane: .pane(pane.id)
        }
    }
}

// MARK: - Front

extension TmuxWindowSystem {
    public func loss(
        of front: WindowSighting.Front, until deadline: Deadline
    ) throws(ActivationFailure) -> FrontLoss? { try loss(of: front, on: nil, until: deadline) }

    /// The desktop tells of its window by events; the client is looked at when the time is over.
    func loss(
        of front: WindowSighting.Front, on desktop: (any WindowSystem)?, until deadline: Deadline
    ) throws(ActivationFailure) -> FrontLoss? {
        guard let client = front.client, let place = TmuxSnapshot.place(ofServer: front.server) else { return nil }
        if let window = client.window, let loss = try desktop?.frontLoss(of: window, until: deadline) { return loss }
        if !deadline.isOver { _ = Poll.wait(for: -1, until: deadline) }
        let server = self.client.of(server: place.pid, socket: place.socket)
        guard let handle = TmuxHandle(front.handle),
            case .lines(let lines) = try server.run([TmuxSnapshot.askClients, TmuxSnapshot.askPanes(handle.filter)])
        else { return nil }
        let snapshot = TmuxSnapshot(lines: lines)
        // A pane that was closed is no loss, and a client that has detached shows nothing else.
        guard snapshot.pane(of: handle) != nil,
            let now = snapshot.clients.first(where: { $0.name.hasSameBytes(as: client.name) }),
            now.pane != front.handle
        else { return nil }
        return FrontLoss(seen: now.words, mayBeWanted: now.activity != client.activity)
    }
}

// MARK: - Watch

extension TmuxWindowSystem {
    /// By hooks that wake a client which waits, for as long as a server runs; by inotify where none does.
    ///
    /// tmux before 3.3 has no event for a change from one terminal to another.
    public func watch(_ changed: @escaping @Sendable (WindowList) -> Void) -> (any WindowWatch)? {
        guard isAvailable else { return nil }
        return WatchThread(named: "watch tmux") { end in
            var pace = WatchPace(changed)
            self.watch(until: end, &pace)
            _ = try? client.run(TmuxHooks().unset)
        }
    }

    /// From one life of the server to the next.
    private func watch(until end: WatchThread.End, _ pace: inout WatchPace) {
        guard var wait = SocketWait(path: client.socket) else { return }
        removeHooksThatWereLeft()
        // There is no event for the end of a server's hang.
        var pause: Int32 = 50
        var told: WindowList?
        while !end.hasCome {
            wait.begin()
            // The next usherd finds the client of one that was killed by these hooks.
            if told?.server == nil { _ = try? client.run(TmuxHooks().set) }
            // Before the snapshot, so that each later hook ends this client. A signal is not kept for the next one that waits: tmux
            // keeps the first, and the second deletes it.
            var waiting = (try? client.waitFor(TmuxHooks())) ?? nil
            let list = try? lookWithHooks()
            let isSlight = list?.differsInTitlesAlone(from: told) ?? false
            if let list {
                pace.tell(list, unless: end)
                told = list
            }
            if let list, list.server == nil {
                waiting?.stop()
                guard wait.wait(or: end.descriptor) else { return }
            } else if list != nil, awaitHook(&waiting, until: end) {
                pause = 50
                end.wait(until: pace.quiet(isSlight: isSlight))
            } else {
                waiting?.stop()
                end.wait(until: Deadline(inMilliseconds: Int(pause)))
                pause = min(pause * 2, 2000)
            }
        }
    }

    private func lookWithHooks() throws(ActivationFailure) -> WindowList {
        let hooks = TmuxHooks()
        var snapshot = try look([TmuxHooks.ask])
        if snapshot.server != nil, !hooks.areSet(snapshot.other) {
            _ = try client.run(hooks.set)
            snapshot = try look()
        }
        return list(of: snapshot)
    }

    /// Waits until a hook ends the client. False where no client waits, or it ended in another way.
    private func awaitHook(_ client: inout ChildProcess?, until end: WatchThread.End) -> Bool {
        guard let pidfd = client?.pidfd else { return false }
        if Poll.wait(for: pidfd, or: end.descriptor, until: nil) == .ended {
            _ = try? self.client.run([TmuxHooks().wake])
        }
        return client?.wait(until: Deadline(inMilliseconds: 1000)) == .exited(0)
    }

    /// Removes the hooks of processes that were killed, and ends the clients that wait for them: each by a signal of
    /// tmux, or by SIGTERM where tmux had one signal of a hook already, which the second deletes.
    private func removeHooksThatWereLeft() {
        guard let snapshot = try? ask([TmuxHooks.ask]) else { return }
        for hooks in TmuxHooks.left(snapshot.other) {
            _ = try? client.run(hooks.unset)
            for process in ProcessTable.processes(withVariable: hooks.mark) { kill(process, SIGTERM) }
        }
    }
}

extension WindowList {
    fileprivate func differsInTitlesAlone(from other: WindowList?) -> Bool {
        guard let other, self != other, windows.count == other.windows.count else { return false }
        var renamed = self
        for place in windows.indices { renamed.windows[place].title = other.windows[place].title }
        return renamed == other
    }
}
