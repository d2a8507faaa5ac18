internal import Synchronization
internal import UsherActivation
internal import UsherLog
internal import UsherScene
internal import UsherStore

// Windows that no session has yet.

extension WindowRegistry {
    /// Gives windows to the sessions that wait for theirs, and makes sessions of those that exactly one scene describes.
    func match(_ windows: [WindowList.Window], _ open: [SceneSession]) throws(StoreError) {
        guard !windows.isEmpty else { return }
        var waiting = open.filter { $0.handle == nil }
        let rules = configuration().apps.flatMap { app in
            app.scenes.compactMap { scene in scene.focus?.rule.map { (app: app, scene: scene, rule: $0) } }
        }
        guard !rules.isEmpty || !waiting.isEmpty else { return }
        // A browser's window is one of the desktop as well; a session gets it as its scene speaks of it.
        let ofBrowsers = Set(rules.filter(\.rule.isOfBrowsers).map { Scene(app: $0.app.id, name: $0.scene.name) })
        for window in windows {
            if let place = waiting.firstIndex(where: {
                (window.browser != nil) == ofBrowsers.contains(Scene(app: $0.app, name: $0.scene))
                    && Activator.belongs(window, to: $0.id, in: changes.stateFolder)
            }) {
                try bind(window, to: waiting.remove(at: place))
                continue
            }
            let found = rules.filter { $0.rule.matches(window) }
            guard let only = found.first else { continue }
            guard found.count == 1 else {
                tellAmbiguous(window, found.map { "\($0.app.id) \($0.scene.name)" })
                continue
            }
            let own = waiting.filter { $0.app == only.app.id && $0.scene == only.scene.name }
            if own.count == 1, own[0].state == .connected {
                try bind(window, to: own[0])
                waiting.removeAll { $0.id == own[0].id }
            } else if own.isEmpty {
                try connect(window, only.app, only.scene)
            }
            // One that is being launched, or several that could have it: the launch says whose it is.
        }
    }

    private struct Scene: Hashable {
        var app: String
        var name: String
    }

    private func bind(_ window: WindowList.Window, to session: SceneSession) throws(StoreError) {
        // One that is being launched gets its window from its launch.
        guard session.state == .connected else { return }
        let found = Store.SessionChange(
            handle: .some(window.handle), handleServer: .some(window.server),
            title: window.title.isEmpty ? nil : .some(window.title), ifStill: session)
        guard try changes.change(session: session.id, found) != nil else { return }
        state.withLock { $0.activations[session.id] = window.activation }
        logger.info(
            "the window of a session was found",
            ["session.id": .text(session.id), "window.handle": .text(window.handle)])
    }

    private func connect(_ window: WindowList.Window, _ app: App, _ scene: SceneConfiguration) throws(StoreError) {
        // An app of one window has the one session, whatever became of it; while that has a window, another is nobody's.
        // Else one that lost its window, and was for no content in particular, gets the next: they would only pile up.
        let all = try sessions().filter { $0.app == app.id && $0.scene == scene.name }
        let known =
            app.multipleScenes
            ? all.filter { $0.state == .disconnected && $0.target == nil }.min(by: SceneSession.precedes) : all.first
        if let known, known.state.isOpen, known.handle.map(isFollowed) ?? true { return }
        let made = scene.conditions(for: nil, template: nil)
        var conditions = made.conditions
        if window.browser != nil, let prefers = WindowRegistry.condition(of: window.tabs) {
            conditions.prefersToActivate = .init(prefers, origin: .session)
        }
        let sessions = try changes.connect([
            Store.NewSession(
                id: known?.id, app: app.id, scene: scene.name, role: scene.role, conditions: conditions,
                handle: window.handle, handleServer: window.server, title: window.title.isEmpty ? nil : window.title,
                found: .init(generation: known?.generation))
        ])
        guard let session = sessions.first else { return }
        state.withLock { $0.activations[session.id] = window.activation }
        if window.activation == .foregroundActive { _ = try changes.change(session: session.id, .init(used: true)) }
        logger.info(
            "a window was matched to a scene",
            [
                "session.id": .text(session.id), "app": .text(app.id), "scene": .text(scene.name),
                "window.handle": .text(window.handle), "window.title": .text(window.title),
            ])
    }

    /// Whether a handle is a window of a system that is there: the end of others is told by nobody.
    private func isFollowed(_ handle: String) -> Bool {
        systems.contains { $0.isAvailable && $0.recognizes(handle: handle) }
    }

    private func tellAmbiguous(_ window: WindowList.Window, _ scenes: [String]) {
        guard state.withLock({ $0.ambiguous.insert(window.handle).inserted }) else { return }
        logger.notice(
            "several scenes describe a window, and none gets it",
            [
                "window.handle": .text(window.handle), "window.title": .text(window.title),
                "scenes": .text(scenes.joined(separator: ", ")),
            ])
    }
}
