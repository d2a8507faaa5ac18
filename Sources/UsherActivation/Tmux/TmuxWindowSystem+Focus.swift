import UsherScene

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

    /// A session is not brought to another one, so its placement makes no difference; marked or raised is its current
    /// window.
    private func focus(session name: String, policy: FocusPolicy) throws(ActivationFailure) -> WindowSighting {
        let world = try ask([
            TmuxWorld.askServer, TmuxWorld.askClients, TmuxWorld.askSessions, TmuxWorld.askPanes(),
        ])
        guard let server = world.server, let session = session(named: name, in: world),
            let pane = world.panes.first(where: { $0.session == session.id && $0.isCurrentWindow }),
            let handle = TmuxHandle(pane.window)
        else { throw .windowGone("tmux session \(name)") }
        let (prominence, spares) = prominence(of: policy, for: .session(session.id), in: world)
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
    func focus(_ handle: TmuxHandle, server: String?) throws(ActivationFailure) -> WindowSighting {
        let select = "select-window -t \(handle.text)"
        let whole = if case .pane = handle { "\(select) ; select-pane -t \(handle.text)" } else { select }
        var world = try perform(
            [
                TmuxWorld.askServer, ["if-shell", "-F", "-t", handle.text, Self.condition(server), whole],
                TmuxWorld.askClients, TmuxWorld.askPanes(handle.filter),
            ], on: handle)
        guard isPresent(server, in: world), let running = world.server else { throw .windowGone(handle.text) }
        var sighting = try look(at: handle, server: running, client: world.mostRecentClient, in: world)
        guard case .hidden = sighting.view else { return sighting }

        let client = world.mostRecentClient
        // A window may be in several sessions: that of the client first.
        guard let pane = world.panes.first(where: { $0.session == client?.session }) ?? world.panes.first else {
            throw .windowGone(handle.text)
        }
        let target = "\(pane.session):\(pane.window)"
        var commands = [["select-window", "-t", target]]
        if case .pane = handle { commands.append(["select-pane", "-t", handle.text]) }
        if let client, client.session != pane.session {
            commands.append(["switch-client", "-c", client.name, "-t", target])
        }
        commands += [TmuxWorld.askServer, TmuxWorld.askClients, TmuxWorld.askPanes(handle.filter)]
        world = try perform(commands, on: handle)
        guard isPresent(running, in: world) else { throw .windowGone(handle.text) }
        sighting = try look(at: handle, server: running, client: same(client, in: world), in: world)
        return sighting
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

    private func perform(_ commands: [[String]], on handle: TmuxHandle) throws(ActivationFailure) -> TmuxWorld {
        switch try client.run(commands) {
        case .lines(let lines): return TmuxWorld(lines: lines)
        case .noServer: throw .windowGone(handle.text)
        case .error(let problem, _):
            if problem.utf8.starts(with: "can't find".utf8) { throw .windowGone(handle.text) }
            if try presence(of: .handle(handle.text, server: nil)) == .gone { throw .windowGone(handle.text) }
            throw .windowSystem(name, problem)
        }
    }

    private func look(
        at handle: TmuxHandle, server: String, client: TmuxWorld.Client?, in world: TmuxWorld
    ) throws(ActivationFailure) -> WindowSighting {
        guard let pane = world.panes.first else { throw .windowGone(handle.text) }
        let place: Place =
            switch handle {
            case .window: .window(pane.window)
            case .pane: .pane(pane.id)
            }
        var sighting = WindowSighting(
            handle: handle.text, server: server, title: pane.windowName, process: pane.process,
            view: view(of: place, client: client, in: world))
        sighting.client = client?.process
        return sighting
    }

    private func focus(session name: String) throws(ActivationFailure) -> WindowSighting {
        let before = try ask([TmuxWorld.askServer, TmuxWorld.askClients, TmuxWorld.askSessions])
        guard let server = before.server, let session = session(named: name, in: before) else {
            throw .windowGone("tmux session \(name)")
        }
        var after = before
        if let client = before.mostRecentClient, client.session != session.id {
            let commands = [
                ["switch-client", "-c", client.name, "-t", "\(session.id):"], TmuxWorld.askClients,
                TmuxWorld.askSessions,
            ]
            switch try self.client.run(commands) {
            case .lines(let lines): after = TmuxWorld(lines: lines)
            case .noServer: throw .windowGone("tmux session \(name)")
            case .error(let problem, _): throw .windowSystem(self.name, problem)
            }
        }
        let client = same(before.mostRecentClient, in: after)
        var sighting = WindowSighting(
            handle: nil, server: server, view: view(of: .session(session.id), client: client, in: after))
        sighting.client = client?.process
        return sighting
    }

    /// The same client as before, so that a second one that was touched meanwhile proves nothing.
    func same(_ client: TmuxWorld.Client?, in world: TmuxWorld) -> TmuxWorld.Client? {
        guard let client else { return world.mostRecentClient }
        return world.clients.first { $0.name.utf8.elementsEqual(client.name.utf8) } ?? world.mostRecentClient
    }
}
