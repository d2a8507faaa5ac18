public import UsherActivation
internal import UsherJSON
internal import UsherScene
internal import UsherSystem

extension SwayWindowSystem {
    /// How long a window may take to come forward.
    private static let limit = 700

    public func focus(_ request: FocusRequest) throws(ActivationFailure) -> WindowSighting {
        guard case .handle(let text, let server) = request.window, let handle = SwayHandle(text) else {
            throw .windowSystem(name, "\(request.window.text) is no window", help: "a window is named like sway:12")
        }
        return try connected { (connection) throws(SwayProblem) in
            guard Self.isSame(server, connection.server) else { throw .gone(text) }
            let policy = request.policy
            if policy.prominence == .focus, policy.placement == .go {
                if !self.isKnown(handle.container, of: connection.server) {
                    let tree = try self.look(&connection)
                    guard let place = tree.window(handle.container) else { throw .gone(text) }
                    if tree.nodes[place].isFocused {
                        return tree.sighting(of: place, server: connection.server, .shown)
                    }
                }
                if let sighting = try self.focusKnown(handle, &connection) { return sighting }
            }
            return try self.bring(handle, policy, &connection)
        }
    }

    /// In one round trip, without a look at all windows, which takes sway longer than all else: the command, the events that
    /// come of it, and where the keyboard is after it. nil where it is not there.
    private func focusKnown(
        _ handle: SwayHandle, _ connection: inout SwayConnection
    ) throws(SwayProblem) -> WindowSighting? {
        let deadline = Deadline(inMilliseconds: SwayConnection.patience)
        let messages =
            SwayMessage.encode(.subscribe, SwayEvent.names)
            + SwayMessage.encode(.runCommand, "[con_id=\(handle.container)] focus") + SwayMessage.encode(.seats)
        try connection.send(messages, until: deadline)
        _ = try connection.reply(to: .subscribe, until: deadline)
        let command = try SwayConnection.read(connection.reply(to: .runCommand, until: deadline))
        let seats = try SwayConnection.read(connection.reply(to: .seats, until: deadline))
        connection.isSubscribed = true
        let events = connection.events
        connection.events = []
        // A number that nobody has any more is the one reason why this fails; if not, the look that follows says so.
        guard SwayConnection.problem(in: command) == nil,
            SwayConnection.focused(in: seats) == handle.container
        else { return nil }
        // The event tells what the window is called now. Where it had the keyboard already there is none.
        for message in events.reversed() {
            guard let event = SwayEvent(message), event.change == .focus, event.container == handle.container else {
                continue
            }
            return WindowSighting(
                handle: handle.text, server: connection.server, title: event.title, process: event.process, view: .shown
            )
        }
        let tree = try look(&connection)
        guard let place = tree.window(handle.container) else { throw .gone(handle.text) }
        guard tree.nodes[place].isFocused else { return nil }
        return tree.sighting(of: place, server: connection.server, .shown)
    }

    /// Looks, acts, and looks again; at most twice, the second time after something happened.
    private func bring(
        _ handle: SwayHandle, _ policy: FocusPolicy, _ connection: inout SwayConnection
    ) throws(SwayProblem) -> WindowSighting {
        if !connection.isSubscribed { try connection.subscribe(to: SwayEvent.names) }
        connection.isSubscribed = true
        let deadline = Deadline(inMilliseconds: Self.limit)
        var step: SwayFocusStep?
        var left = 3
        while true {
            let tree = try look(&connection)
            guard let place = tree.window(handle.container) else { throw .gone(handle.text) }
            let current = step ?? SwayFocusStep(tree: tree, policy: policy)
            step = current
            func sighting(_ view: WindowSighting.View) -> WindowSighting {
                tree.sighting(of: place, server: connection.server, view)
            }
            if policy.prominence == .none { return sighting(.untouched) }
            if current.isDone(place, in: tree) { return sighting(.shown) }
            if left > 0 {
                left -= 1
                switch current.commands(for: place, in: tree) {
                case .run(let commands):
                    // What is refused shows in the next look.
                    do throws(SwayProblem) {
                        try connection.run(commands)
                    } catch {
                        guard case .refused = error else { throw error }
                    }
                    connection.events = []
                    continue
                case .impossible(let why): return sighting(.hidden(seen: "\(tree.seen), \(why)"))
                }
            }
            // A rule or another program may have been faster; then something happens yet.
            guard try connection.nextEvent(until: deadline) else { return sighting(.hidden(seen: tree.seen)) }
        }
    }
}

extension SwayTree {
    func sighting(of place: Int, server: String, _ view: WindowSighting.View) -> WindowSighting {
        WindowSighting(
            handle: SwayHandle(nodes[place].id).text, server: server, title: title(of: place),
            process: nodes[place].process, view: view)
    }
}
