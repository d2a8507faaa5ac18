internal import Synchronization
internal import UsherActivation
internal import UsherLog
internal import UsherPredicate
internal import UsherScene
internal import UsherStore
internal import UsherSystem
internal import UsherText

extension WindowRegistry {
    /// Makes the sessions what a list says.
    func follow(_ list: WindowList, of system: any WindowSystem) {
        do throws(StoreError) {
            // Sessions may be many, and windows too: each is looked up, not searched for.
            let places = WindowRegistry.places(in: list)
            let (before, earlier) = state.withLock { state in
                defer {
                    state.lists[system.name] = list
                    state.places[system.name] = places
                }
                return (state.lists[system.name], state.places[system.name] ?? [:])
            }
            let all = try sessions()
            let open = all.filter(\.state.isOpen)
            let newest = all.reduce(Int64.min) { max($0, $1.used ?? .min) }
            let own = open.filter { $0.handle.map(system.recognizes) ?? false }
            var bound: Set<String> = []
            for session in own {
                guard let handle = session.handle.map(WindowRegistry.plain) else { continue }
                if let window = places[handle].map({ list.windows[$0] }),
                    window.isOf(server: session.handleServer)
                {
                    bound.insert(window.handle)
                    let title = earlier[window.handle].flatMap { before?.windows[$0].title }
                    // What a tmux window is called says little until it changes.
                    let isNamed =
                        system.isDesktop || window.browser != nil || title.map { $0 != window.title } ?? false
                    try note(
                        window, of: session, isPart: window.handle != handle, isNamed: isNamed, newest: newest)
                } else {
                    try lose(session, list, of: system, since: before)
                }
            }
            try match(list.windows.filter { !bound.contains($0.handle) }, open)
        } catch {
            logger.warning(
                "the windows could not be followed", ["error.message": .text(error.message)])
        }
    }

    /// Where windows stand in a list, by their handles and those of their parts.
    static func places(in list: WindowList) -> [String: Int] {
        var places: [String: Int] = [:]
        places.reserveCapacity(list.windows.count)
        for (place, window) in list.windows.enumerated() {
            for part in window.parts { places[part] = place }
        }
        // A window goes before what another one calls its part.
        for (place, window) in list.windows.enumerated() { places[window.handle] = place }
        return places
    }

    /// A handle as lists have it: `tmux:@3` is `@3`.
    static func plain(_ handle: String) -> String { handle.hasPrefix("tmux:") ? String(handle.dropFirst(5)) : handle }

    // MARK: A window that is there

    /// - Parameters:
    ///   - isPart: the session is a pane of the window.
    ///   - newest: when a session was used last.
    private func note(
        _ window: WindowList.Window, of session: SceneSession, isPart: Bool, isNamed: Bool, newest: Int64
    ) throws(StoreError) {
        var change = Store.SessionChange(ifStill: session)
        var isChanged = false
        if let activation = window.activation {
            let previous = state.withLock { $0.activations.updateValue(activation, forKey: session.id) }
            // Who was brought forward by Usher is the newest already.
            if activation == .foregroundActive, previous != .foregroundActive, !isPart,
                session.used.map({ $0 < newest }) ?? true
            {
                change.used = true
                isChanged = true
            }
        }
        if isNamed, !isPart, session.title != window.title, !window.title.isEmpty {
            if isDue(titleOf: session.id) {
                change.title = .some(window.title)
                isChanged = true
            } else {
                lookAtTitlesLater()
            }
        }
        if !isPart, let server = window.server,
            session.handleServer.map({ WindowServer.isLess($0, than: server) }) ?? true
        {
            // Noted without the client that made the window: from now on, another client's window is another one.
            change.handleServer = .some(window.server)
            isChanged = true
        }
        if window.browser != nil, let prefers = WindowRegistry.condition(of: window.tabs),
            prefers != session.conditions.prefersToActivate.predicate
        {
            change.prefersToActivate = .init(prefers, origin: .session)
            isChanged = true
        }
        if isChanged { _ = try changes.change(session: session.id, change) }
    }

    /// Some windows change their titles all the time.
    private func isDue(titleOf session: String) -> Bool {
        let now = MonotonicClock.now
        return state.withLock { state in
            let isDue = state.titles[session].map { now - $0 >= .milliseconds(WindowRegistry.titlePause) } ?? true
            if isDue { state.titles[session] = now }
            return isDue
        }
    }

    /// True for the address of each tab, as far as they fit into a predicate; the one that is shown first.
    static func condition(of tabs: [WindowList.Tab]) -> ScenePredicate? {
        var list = ""
        for tab in tabs.filter(\.isActive) + tabs.filter({ !$0.isActive }) where !tab.address.isEmpty {
            var quoted = "\""
            for scalar in tab.address.unicodeScalars {
                if scalar == "\"" || scalar == "\\" { quoted += "\\" }
                quoted.unicodeScalars.append(scalar)
            }
            quoted += "\""
            if list.utf8.count + quoted.utf8.count > 60_000 { break }
            list += (list.isEmpty ? "" : ", ") + quoted
        }
        return list.isEmpty ? .never : try? ScenePredicate(parsing: "SELF IN {\(list)}")
    }

    // MARK: A window that is not

    /// Nobody can tell now: it is asked again later.
    private func doubt(_ session: SceneSession, _ system: any WindowSystem) {
        state.withLock { $0.activations[session.id] = nil }
        lookAgain(at: system)
    }

    /// A window that is gone from a server that runs was closed; a server that is gone took its windows along.
    private func lose(
        _ session: SceneSession, _ list: WindowList, of system: any WindowSystem, since before: WindowList?
    ) throws(StoreError) {
        // One that is being launched is its launch's business.
        guard session.state == .connected, let handle = session.handle else { return }
        let running: String?
        do throws(ActivationFailure) {
            running = try system.server(of: handle)
        } catch {
            // Slow is not gone.
            return doubt(session, system)
        }
        // It may be there and only not be listed: put away by its program, or a browser's that speaks with nobody now.
        let presence = try? system.presence(of: .handle(handle, server: session.handleServer))
        // Without a server nobody has to be asked.
        if presence == .unknown || (presence == nil && running != nil) { return doubt(session, system) }
        let life = session.handleServer.map(WindowServer.life)
        if running == nil || (life != nil && life != running.map(WindowServer.life)) {
            // There may be several servers of terminals, and only one desktop.
            let wasThere =
                before?.windows.contains { $0.handle == handle && $0.server == session.handleServer } ?? false
            // One that was opened since that list was in no list yet.
            let wasOfServer = before?.server != nil && life == before?.server
            guard wasThere || wasOfServer || system.name != "tmux" else { return }
            let lost = Store.SessionChange(
                state: .disconnected, handle: .some(nil), handleServer: .some(nil), ifStill: session)
            // A launch may have begun for it meanwhile, or it has another window.
            guard try changes.change(session: session.id, lost) != nil else { return }
            logger.notice(
                "the server of a window is gone, and its session is disconnected",
                ["session.id": .text(session.id), "window.handle": .text(handle), "window.system": .text(system.name)])
        } else {
            guard presence == .gone else {
                state.withLock { $0.activations[session.id] = .background }
                return
            }
            guard try changes.end(session: session.id, ifStill: session) else { return }
            logger.info(
                "a window was closed, and its session has ended",
                ["session.id": .text(session.id), "window.handle": .text(handle), "window.system": .text(system.name)])
        }
        state.withLock { state in
            state.activations[session.id] = nil
            state.titles[session.id] = nil
        }
    }
}
