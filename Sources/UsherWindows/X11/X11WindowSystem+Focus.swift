internal import UsherActivation
internal import UsherScene
internal import UsherSystem

extension X11WindowSystem {
    /// Somebody who pressed a key so short a time ago is typing.
    private static let typingPause: Int64 = 1500

    /// In two round trips, where the window manager heeds it at once: one look before it is asked, and one at what is in front
    /// and has the keyboard after it says that it is done. `server` is what the handle is good for, where it is known; the
    /// window is watched.
    func focus(
        _ handle: X11Handle, _ server: String?, _ policy: FocusPolicy, _ connection: inout X11Connection
    ) -> Result<WindowSighting, ActivationFailure> {
        let deadline = Deadline(inMilliseconds: focusLimit)
        var effort: X11Effort?
        var isSpared = false
        while true {
            let end: Result<WindowSighting, ActivationFailure>? = turn.take { turn in
                connection.limit = Deadline(inMilliseconds: X11Connection.patience)
                var look = connection.look(
                    at: handle.window, effort?.prominence ?? policy.prominence, isFirst: effort == nil)
                guard let life = look.life, isAlive(server, life), Self.isSame(look.client, server) else {
                    return .failure(.windowGone(handle.text))
                }
                guard connection.manager != nil else { return .failure(failure(noManager, help: Self.noManagerHelp)) }
                guard look.isThere else { return .failure(.windowGone(handle.text)) }
                var current =
                    effort
                    ?? X11Effort(
                        handle.window, of: look.client, policy.prominence, policy.placement, until: deadline)
                if effort == nil, let less = policy.whileTyping, less < policy.prominence, look.front != handle.window,
                    let pause = connection.timeSinceKey(), pause < Self.typingPause
                {
                    current = X11Effort(handle.window, of: look.client, less, policy.placement, until: deadline)
                    isSpared = true
                    look = connection.look(at: handle.window, less, isFirst: false)
                }
                defer { effort = current }
                let view: WindowSighting.View
                if current.prominence == .none {
                    view = .untouched
                    current.facts = connection.facts(connection.askFacts(of: handle.window))
                } else {
                    switch connection.bring(&current, &look, until: turn) {
                    case .gone: return .failure(.windowGone(handle.text))
                    case .shown: view = .shown
                    case .hidden(let instead): view = .hidden(seen: instead)
                    case nil: return nil
                    }
                }
                let client = current.facts?.process
                // It was closed meanwhile, and another one has its number.
                guard current.isOf(client: client), Self.isSame(client, server) else {
                    return .failure(.windowGone(handle.text))
                }
                var sighting = WindowSighting(
                    handle: handle.text, server: WindowServer.text(self.server(life), client: client),
                    title: current.facts?.title, process: client, view: view)
                sighting.sparedTyping = isSpared
                return .success(sighting)
            }
            if let end { return end }
            // Others have their turn meanwhile.
            if let effort { connection.wait(until: .earlier(effort.deadline, effort.nextWish)) }
        }
    }
}
