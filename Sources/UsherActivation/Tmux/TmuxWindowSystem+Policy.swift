import Glibc
import UsherScene
internal import UsherSystem

/// What is done where a window is not simply to come forward.
///
/// A client of tmux shows one window, and its keyboard goes there. So a window is raised where another client, or nobody,
/// looks: it becomes the current one of its session, and the user's client stays where it is. Urgent is a bell in the
/// window, which its session marks until somebody looks, and which terminals hand on. Summoned, a window is linked into the
/// session of the user as well (link-window): nobody else loses it.
extension TmuxWindowSystem {
    /// Between the last key in a client and the end of typing, in seconds: tmux tells no parts of them.
    private static let typingPause = 1
    /// A bell goes through the terminal of the window and is marked when the server gets to it.
    private static let bellLimit = 500

    /// The prominence that is right now: less while somebody types in another window.
    func prominence(
        of policy: FocusPolicy, for place: Place, in world: TmuxWorld
    ) -> (prominence: FocusPolicy.Prominence, spares: Bool) {
        guard let less = policy.whileTyping, policy.prominence == .focus || policy.prominence == .raise,
            let client = world.mostRecentClient, client.isTerminal
        else { return (policy.prominence, false) }
        if case .shown = view(of: place, client: client, in: world) { return (policy.prominence, false) }
        return Int(time(nil)) - client.activity <= Self.typingPause ? (less, true) : (policy.prominence, false)
    }

    /// The window or pane as far forward as the policy wants, other than simply in front.
    func focus(
        _ handle: TmuxHandle, server: String?, policy: FocusPolicy
    ) throws(ActivationFailure) -> WindowSighting {
        let world = try lookPolicy(at: handle)
        guard isPresent(server, in: world), let running = world.server, let pane = world.panes.first else {
            throw .windowGone(handle.text)
        }
        let place = handle.place(pane)
        let (prominence, spares) = prominence(of: policy, for: place, in: world)
        var sighting: WindowSighting
        switch prominence {
        case .focus:
            if policy.placement == .summon { try summon(pane, in: world) }
            sighting = try focus(handle, server: running)
        case .raise: sighting = try raise(handle, policy.placement, server: running, in: world)
        case .urgent: sighting = try ring(handle, server: running, in: world)
        case .none:
            sighting = WindowSighting(
                handle: handle.text, server: running, title: pane.windowName, process: pane.process, view: .untouched)
        }
        sighting.sparedTyping = spares
        return sighting
    }

    private func lookPolicy(at handle: TmuxHandle) throws(ActivationFailure) -> TmuxWorld {
        let world = try ask([
            TmuxWorld.askServer, TmuxWorld.askClients, TmuxWorld.askPanes(handle.filter),
            TmuxWorld.askMarks(handle.filter),
        ])
        guard world.server != nil, world.panes.contains(where: { !$0.isDead }) else { throw .windowGone(handle.text) }
        return world
    }

    /// Into the session of the user's client, unless it is there.
    private func summon(_ pane: TmuxWorld.Pane, in world: TmuxWorld) throws(ActivationFailure) {
        guard let client = world.mostRecentClient, !world.panes.contains(where: { $0.session == client.session }) else {
            return
        }
        let link = ["link-window", "-d", "-s", pane.window, "-t", "\(client.session):"]
        if case .error(let problem, _) = try self.client.run([link]) { throw .windowSystem(name, problem) }
    }

    private func raise(
        _ handle: TmuxHandle, _ placement: FocusPolicy.Placement, server: String, in before: TmuxWorld
    ) throws(ActivationFailure) -> WindowSighting {
        let user = before.mostRecentClient
        func sighting(_ world: TmuxWorld) throws(ActivationFailure) -> WindowSighting {
            guard let pane = world.panes.first else { throw .windowGone(handle.text) }
            let isSeen = world.views.contains { $0.window == pane.window }
            let view: WindowSighting.View =
                isSeen ? .shown : view(of: .window(pane.window), client: same(user, in: world), in: world)
            return WindowSighting(
                handle: handle.text, server: server, title: pane.windowName, process: pane.process, view: view)
        }
        let now = try sighting(before)
        if case .shown = now.view { return now }
        if placement == .summon, let pane = before.panes.first { try summon(pane, in: before) }
        let others = Set(before.views.map(\.session)).subtracting([user?.session].compactMap(\.self))
        // Where another client looks, else where nobody does; never where the user is, whose keyboard would follow.
        let elsewhere = before.panes.filter { $0.session != user?.session }
        guard let place = elsewhere.first(where: { others.contains($0.session) }) ?? elsewhere.first else { return now }
        let select = ["select-window", "-t", "\(place.session):\(place.window)"]
        guard case .lines = try client.run([select]) else { throw .windowGone(handle.text) }
        return try sighting(lookPolicy(at: handle))
    }

    private func ring(
        _ handle: TmuxHandle, server: String, in before: TmuxWorld
    ) throws(ActivationFailure) -> WindowSighting {
        let deadline = Deadline(inMilliseconds: Self.bellLimit)
        var world = before
        var hasRung = false
        while true {
            guard let pane = world.panes.first(where: { !$0.isDead }) else { throw .windowGone(handle.text) }
            var view: WindowSighting.View?
            // Whoever looks at it needs no mark, and gets none.
            if world.marks.contains(where: \.isRinging) || world.views.contains(where: { $0.window == pane.window }) {
                view = .shown
            } else if deadline.isOver {
                view = self.view(of: .window(pane.window), client: world.mostRecentClient, in: world)
            }
            if let view {
                return WindowSighting(
                    handle: handle.text, server: server, title: pane.windowName, process: pane.process, view: view)
            }
            if !hasRung, let terminal = world.marks.first?.terminal {
                hasRung = true
                Self.ring(terminal)
            } else {
                // tmux has no event for a mark.
                usleep(10_000)
            }
            world = try lookPolicy(at: handle)
        }
    }

    /// Writes a bell to the terminal of a pane, as any program in it might.
    private static func ring(_ terminal: String) {
        guard terminal.utf8.starts(with: "/dev/pts/".utf8) else { return }
        let descriptor = unsafe open(terminal, O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        _ = unsafe write(descriptor, [7] as [UInt8], 1)
        close(descriptor)
    }
}

extension TmuxHandle {
    func place(_ pane: TmuxWorld.Pane) -> TmuxWindowSystem.Place {
        switch self {
        case .window: .window(pane.window)
        case .pane: .pane(pane.id)
        }
    }
}
