import UsherScene
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
        return WindowSupport(
            name,
            [
                .list: .yes, .focus: .yes, .verify: .yes, .launch: .yes, .watch: .yes,
                .token: .no("windows of tmux need none"),
            ])
    }

    public func recognizes(handle: String) -> Bool { TmuxHandle(handle) != nil }

    public func plan(_ step: WindowStep) -> String { TmuxPlan.text(step) }

    public func windows() throws(ActivationFailure) -> WindowList { list(of: try look()) }

    /// - Parameter questions: further commands that only ask; see `TmuxWorld.other`.
    func look(_ questions: [[String]] = []) throws(ActivationFailure) -> TmuxWorld {
        try ask(
            questions + [TmuxWorld.askServer, TmuxWorld.askClients, TmuxWorld.askSessions, TmuxWorld.askPanes()])
    }

    func list(of world: TmuxWorld) -> WindowList {
        let front = world.mostRecentClient?.window
        let seen = Set(world.views.map(\.window))
        let names = Dictionary(world.sessions.map { ($0.id, $0.name) }, uniquingKeysWith: { first, _ in first })
        var places: [String: Int] = [:]
        var windows: [WindowList.Window] = []
        for pane in world.panes where !pane.isDead {
            if let place = places[pane.window] {
                if !windows[place].parts.contains(pane.id) { windows[place].parts.append(pane.id) }
                continue
            }
            places[pane.window] = windows.count
            var window = WindowList.Window(
                handle: pane.window, title: pane.windowName, group: names[pane.session] ?? pane.session,
                parts: [pane.id])
            window.process = pane.process
            window.activation =
                if pane.window == front {
                    .foregroundActive
                } else { seen.contains(pane.window) ? .foregroundInactive : .background }
            windows.append(window)
        }
        return WindowList(server: world.server, windows: windows)
    }

    public func presence(of window: WindowReference) throws(ActivationFailure) -> WindowPresence {
        switch window {
        case .group(let name):
            let world = try ask([TmuxWorld.askServer, TmuxWorld.askSessions])
            return session(named: name, in: world) == nil ? .gone : .present
        case .handle(let handle, let server):
            guard let handle = TmuxHandle(handle) else { return .unknown }
            let world = try ask([TmuxWorld.askServer, TmuxWorld.askPanes(handle.filter)])
            return isPresent(server, in: world) ? .present : .gone
        }
    }

    public func isOnItsWay(nonce: String) -> Bool {
        if !ProcessTable.processes(withVariable: EnvironmentVariable(UsherVariables.carries, nonce)).isEmpty {
            return true
        }
        // Until it executes the program, the process of a new window is a copy of the server, without the nonce.
        let panes = (try? ask([TmuxWorld.askPanes()]))?.panes ?? []
        return panes.contains { pane in pane.process.map(ProcessTable.isTmuxServer) ?? false }
    }

    public func find(processes: [Int32]) throws(ActivationFailure) -> WindowSighting? {
        let world = try ask([TmuxWorld.askServer, TmuxWorld.askClients, TmuxWorld.askPanes()])
        guard let server = world.server else { return nil }
        for process in processes {
            guard let pane = world.panes.first(where: { $0.process == process && !$0.isDead }) else { continue }
            return WindowSighting(
                handle: pane.window, server: server, title: pane.windowName, process: process,
                view: view(of: .window(pane.window), client: world.mostRecentClient, in: world))
        }
        return nil
    }

    // MARK: - What the other parts share

    /// Answers of queries; an empty world where no server runs, or one without sessions.
    func ask(_ commands: [[String]]) throws(ActivationFailure) -> TmuxWorld {
        switch try client.run(commands) {
        case .lines(let lines): return TmuxWorld(lines: lines)
        case .noServer: return TmuxWorld(lines: [])
        case .error(let problem, let lines):
            if problem.utf8.starts(with: "no current".utf8) || problem.utf8.starts(with: "no sessions".utf8) {
                return TmuxWorld(lines: lines)
            }
            throw .windowSystem(name, problem)
        }
    }

    func session(named name: String, in world: TmuxWorld) -> TmuxWorld.Session? {
        let wanted = TmuxQuoting.sessionName(name)
        return world.sessions.first { $0.name.utf8.elementsEqual(wanted.utf8) }
    }

    /// The world was asked for the panes of one handle only.
    func isPresent(_ server: String?, in world: TmuxWorld) -> Bool {
        guard let running = world.server else { return false }
        if let server, !server.utf8.elementsEqual(running.utf8) { return false }
        return world.panes.contains { !$0.isDead }
    }

    enum Place {
        case window(String)
        case pane(String)
        case session(String)
    }

    /// What the user sees: on the client that was used last, or, where nobody is attached, what they would see first.
    func view(of place: Place, client: TmuxWorld.Client?, in world: TmuxWorld) -> WindowSighting.View {
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
            case .window(let id): world.panes.contains { $0.window == id && $0.isCurrentWindow }
            case .pane(let id): world.panes.contains { $0.id == id && $0.isCurrentWindow && $0.isActive }
            case .session: true
            }
        return isFirst ? .nobodyLooks : .hidden(seen: "nobody is attached, and another window is the current one")
    }
}
