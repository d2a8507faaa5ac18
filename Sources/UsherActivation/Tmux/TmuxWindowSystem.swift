import Glibc
import UsherScene
internal import UsherSystem
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

    public func presence(of window: WindowReference) throws(ActivationFailure) -> WindowPresence {
        switch window {
        case .group(let name):
            let snapshot = try ask([TmuxSnapshot.askServer, TmuxSnapshot.askSessions])
            return session(named: name, in: snapshot) == nil ? .gone : .present
        case .handle(let handle, let server):
            guard let handle = TmuxHandle(handle) else { return .unknown }
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
                handle: pane.window, server: server, title: pane.windowName, process: process,
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
        if let server, !server.hasSameBytes(as: running) { return false }
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
            return .hidden(seen: "the client \(Printable.text(client.name)) shows \(client.window)")
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
    public func focus(_ request: FocusRequest) throws(ActivationFailure) -> WindowSighting {
        let policy = request.policy
        let isPlain = policy.prominence == .focus && policy.placement == .go && policy.whileTyping == nil
        switch request.window {
        case .group(let name):
            if isPlain { return try focus(session: name) }
            return try focus(session: name, policy: policy)
        case .handle(let text, let server):
            guard let handle = TmuxHandle(text) else {
                throw .windowSystem(name, "\(text) is not a window", help: "windows are @3, panes %5")
            }
            if isPlain { return try focus(handle, server: server) }
            return try focus(handle, server: server, policy: policy)
        }
    }

    /// What runs in it gets SIGHUP, and is asked nothing.
    public func close(_ window: WindowReference) throws(ActivationFailure) {
        guard case .handle(let text, let server) = window, let handle = TmuxHandle(text) else {
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
    private func focus(session name: String, policy: FocusPolicy) throws(ActivationFailure) -> WindowSighting {
        let snapshot = try ask([
            TmuxSnapshot.askServer, TmuxSnapshot.askClients, TmuxSnapshot.askSessions, TmuxSnapshot.askPanes(),
        ])
        guard let server = snapshot.server, let session = session(named: name, in: snapshot),
            let pane = snapshot.panes.first(where: { $0.session == session.id && $0.isCurrentWindow }),
            let handle = TmuxHandle(pane.window)
        else { throw .windowGone("tmux session \(name)") }
        let (prominence, spares) = prominence(of: policy, for: .session(session.id), in: snapshot)
        var sighting =
            switch prominence {
            case .focus: try focus(session: name)
            case .raise, .urgent, .none:
                try focus(handle, server: server, policy: FocusPolicy(prominence: prominence))
            }
        sighting.handle = nil
        sighting.sparedTyping = spares
        return sighting
    }

    /// One run of tmux, where the client already is in the window's session: act, unless the server is another one, and
    /// look. A second one takes the client there.
    private func focus(_ handle: TmuxHandle, server: String?) throws(ActivationFailure) -> WindowSighting {
        let select = "select-window -t \(handle.text)"
        let whole = if case .pane = handle { "\(select) ; select-pane -t \(handle.text)" } else { select }
        var snapshot = try perform(
            [
                TmuxSnapshot.askServer, ["if-shell", "-F", "-t", handle.text, Self.condition(server), whole],
                TmuxSnapshot.askClients, TmuxSnapshot.askPanes(handle.filter),
            ], on: handle)
        guard isPresent(server, in: snapshot), let running = snapshot.server else { throw .windowGone(handle.text) }
        let client = snapshot.client(for: snapshot.panes)
        var sighting = try look(at: handle, server: running, client: client, in: snapshot)
        guard case .hidden = sighting.view else { return sighting }

        // A window may be in several sessions: that of the client first.
        guard let pane = snapshot.panes.first(where: { $0.session == client?.session }) ?? snapshot.panes.first else {
            throw .windowGone(handle.text)
        }
        let target = "\(pane.session):\(pane.window)"
        var commands = [["select-window", "-t", target]]
        if case .pane = handle { commands.append(["select-pane", "-t", handle.text]) }
        if let client, client.session != pane.session {
            commands.append(["switch-client", "-c", client.name, "-t", target])
        }
        commands += [TmuxSnapshot.askServer, TmuxSnapshot.askClients, TmuxSnapshot.askPanes(handle.filter)]
        snapshot = try perform(commands, on: handle)
        guard isPresent(running, in: snapshot) else { throw .windowGone(handle.text) }
        sighting = try look(at: handle, server: running, client: same(client, in: snapshot), in: snapshot)
        return sighting
    }

    /// Whether the server that a session's window was of may still run, at whatever socket.
    public static func mayRun(server: String) -> Bool {
        let numbers = server.utf8.split(separator: UInt8(ascii: ":")).suffix(2)
        guard let pid = numbers.first.flatMap({ Int32(String(decoding: $0, as: UTF8.self)) }) else { return true }
        return ProcessTable.isTmuxServer(pid)
    }

    /// True on the server that the handle belongs to, for a window whose program has not ended.
    private static func condition(_ server: String?) -> String {
        let isAlive = "#{!=:#{pane_dead},1}"
        guard let server else { return isAlive }
        let numbers = server.utf8.split(separator: UInt8(ascii: ":")).suffix(2)
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

    private func look(
        at handle: TmuxHandle, server: String, client: TmuxSnapshot.Client?, in snapshot: TmuxSnapshot
    ) throws(ActivationFailure) -> WindowSighting {
        guard let pane = snapshot.panes.first else { throw .windowGone(handle.text) }
        var sighting = WindowSighting(
            handle: handle.text, server: server, title: pane.windowName, process: pane.process,
            view: view(of: handle.place(pane), client: client, in: snapshot))
        sighting.client = client?.process
        return sighting
    }

    private func focus(session name: String) throws(ActivationFailure) -> WindowSighting {
        let before = try ask([TmuxSnapshot.askServer, TmuxSnapshot.askClients, TmuxSnapshot.askSessions])
        guard let server = before.server, let session = session(named: name, in: before) else {
            throw .windowGone("tmux session \(name)")
        }
        var after = before
        let chosen = before.client(ofSession: session.id)
        if let client = chosen, client.session != session.id {
            let commands = [
                ["switch-client", "-c", client.name, "-t", "\(session.id):"], TmuxSnapshot.askClients,
                TmuxSnapshot.askSessions,
            ]
            switch try self.client.run(commands) {
            case .lines(let lines): after = TmuxSnapshot(lines: lines)
            case .noServer: throw .windowGone("tmux session \(name)")
            case .error(let problem, _): throw .windowSystem(self.name, problem)
            }
        }
        let client = same(chosen, in: after)
        var sighting = WindowSighting(
            handle: nil, server: server, view: view(of: .session(session.id), client: client, in: after))
        sighting.client = client?.process
        return sighting
    }

    /// The same client as before, so that a second one that was touched meanwhile proves nothing.
    private func same(_ client: TmuxSnapshot.Client?, in snapshot: TmuxSnapshot) -> TmuxSnapshot.Client? {
        guard let client else { return snapshot.mostRecentClient }
        return snapshot.clients.first { $0.name.hasSameBytes(as: client.name) } ?? snapshot.mostRecentClient
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
        guard case .handle(let text, let server) = window, let handle = TmuxHandle(text) else {
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
        // Another dispatcher may make or end the session between snapshot and launch; the second snapshot shows it.
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
        let before = try ask([TmuxSnapshot.askServer, TmuxSnapshot.askClients, TmuxSnapshot.askSessions])
        let client = before.mostRecentClient
        let existing: String? =
            if let group = launch.group {
                session(named: group, in: before)?.id
            } else { client?.session ?? session(named: Self.defaultSession, in: before)?.id }

        var look: [[String]] = []
        if let existing, let client, client.session != existing {
            look.append(["switch-client", "-c", client.name, "-t", "\(existing):"])
        }
        look += [TmuxSnapshot.askServer, TmuxSnapshot.askClients]

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
                var commands = launch.environment.map { ["set-environment", "-t", "\(made.id):", "-u", $0.name] }
                if let client { commands.append(["switch-client", "-c", client.name, "-t", "\(made.id):"]) }
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
    private func focus(
        _ handle: TmuxHandle, server: String?, policy: FocusPolicy
    ) throws(ActivationFailure) -> WindowSighting {
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
            sighting = try focus(handle, server: running)
        case .raise: sighting = try raise(handle, policy.placement, server: running, in: snapshot)
        case .urgent: sighting = try ring(handle, server: running, in: snapshot)
        case .none:
            sighting = WindowSighting(
                handle: handle.text, server: running, title: pane.windowName, process: pane.process, view: .untouched)
        }
        sighting.sparedTyping = spares
        return sighting
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
                isSeen ? .shown : view(of: .window(pane.window), client: same(user, in: snapshot), in: snapshot)
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
