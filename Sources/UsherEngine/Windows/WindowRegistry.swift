internal import Dispatch
internal import Synchronization
public import UsherActivation
public import UsherLog
internal import UsherPredicate
public import UsherScene
public import UsherStore
internal import UsherSystem
internal import UsherText

/// Updates the sessions from the reports of the window systems. If a window was closed, its session ends. If a window
/// server is gone, its sessions are disconnected. The session of the window that gets the keyboard focus becomes the
/// most recently used one. A window that no app has connected becomes a session of the scene whose rule describes it.
///
/// In the daemon, the registry follows every window system that reports its changes. Without a daemon, it queries the
/// window systems once before a decision.
public final class WindowRegistry: Sendable {
    private let systems: [any WindowSystem]
    private let changes: any SessionChanges
    private let logger: Logger
    /// The sessions of this moment, and what apps say about their windows.
    let sessions: @Sendable () throws(StoreError) -> [SceneSession]
    let configuration: @Sendable () -> Configuration
    /// The home folder of the user whose windows these are.
    private let home: String?
    private let openings: WindowOpenings
    /// Whose a window is that no session has, as launches know it.
    private let owner: @Sendable (WindowList.Window) -> WindowOwner
    /// Called when a desktop has a window that it had not before.
    private let windowOpened: (@Sendable () -> Void)?
    private let state = Mutex(State())
    /// Lists are followed one after the other.
    private let queue = DispatchQueue(label: "usher.windows")
    private let watches = Mutex<[any WindowWatch]>([])

    fileprivate struct State: Sendable {
        /// What each system said last, by its name.
        var lists: [String: WindowList] = [:]
        /// Where windows stand in these lists, by their handles and those of their parts.
        var places: [String: [String: Int]] = [:]
        /// What it said meanwhile.
        var pending: [String: WindowList] = [:]
        /// By the id of the session.
        var activations: [String: ActivationState] = [:]
        /// Windows that several scenes describe; each of them is logged only once.
        var ambiguous: Set<String> = []
        /// When the title of a session was written last.
        var titles: [String: MonotonicInstant] = [:]
        var awaitsTitles = false
        var awaitsLaunch = false
        /// What was in front, the last one first.
        var fronts: [WindowList.Window] = []
        /// The handles of the windows in front, by the names of their systems.
        var front: [String: String] = [:]
        /// What desktops had in front last, by their names: see `comesForward`.
        var shown: [String: Shown] = [:]
        /// Whether changes of the window systems are followed. If so, a query without a clear result is repeated later.
        var isFollowing = false
        /// How many times in a row a window system could not determine whether a window exists, by the name of the
        /// system.
        var doubts: [String: Int] = [:]
        var awaitsDoubts: Set<String> = []
    }

    public init(
        _ windowSystem: any WindowSystem, _ changes: any SessionChanges, logger: Logger,
        sessions: @escaping @Sendable () throws(StoreError) -> [SceneSession],
        configuration: @escaping @Sendable () -> Configuration, home: String? = nil,
        openings: WindowOpenings = WindowOpenings(),
        owner: @escaping @Sendable (WindowList.Window) -> WindowOwner = { _ in .noLaunch },
        windowOpened: (@Sendable () -> Void)? = nil
    ) {
        self.openings = openings
        self.owner = owner
        self.home = home
        self.windowOpened = windowOpened
        systems = (windowSystem as? WindowSystems)?.systems ?? [windowSystem]
        self.changes = changes
        self.logger = logger
        self.sessions = sessions
        self.configuration = configuration
    }

    /// Queries the window systems once, and follows every one that reports its changes.
    ///
    /// When it returns, a request finds the windows as they are: handles of an earlier connection are replaced.
    public func start() {
        state.withLock { $0.isFollowing = true }
        look()
        for system in systems where system.isAvailable {
            let watch = system.watch { [self] list in receive(list, of: system) }
            if let watch { watches.withLock { $0.append(watch) } }
        }
    }

    /// Returns when nothing is followed any more.
    public func stop() {
        let watches = watches.withLock { watches in
            defer { watches = [] }
            return watches
        }
        state.withLock { $0.isFollowing = false }
        for watch in watches { watch.stop() }
        queue.sync {}
    }

    /// Returns when every list that has come is followed.
    func flush() { queue.sync {} }

    /// Windows that no session has yet go to the scenes that describe them now; does nothing where no window system is followed.
    ///
    /// - Parameter waits: whether it returns only when they have them.
    public func configurationChanged(waits: Bool) {
        guard state.withLock({ $0.isFollowing }) else { return }
        if waits { queue.sync { giveWindows() } } else { queue.async { [self] in giveWindows() } }
    }

    /// A launch has ended, and its session has the window that it was granted. What became of that window meanwhile was
    /// reported before any session had it, and no event repeats it: the last lists are applied again.
    public func launchEnded() {
        let isFirst = state.withLock { state in
            guard state.isFollowing else { return false }
            defer { state.awaitsLaunch = true }
            return !state.awaitsLaunch
        }
        guard isFirst else { return }
        queue.async { [self] in
            state.withLock { $0.awaitsLaunch = false }
            followLastLists()
        }
    }

    private func giveWindows() {
        look()
        // Browsers report their windows by themselves.
        let lists = state.withLock { $0.lists }
        for system in systems where system.isOfBrowsers {
            if let list = lists[system.name] { follow(list, of: system) }
        }
    }

    /// Queries once the window systems that are relevant now: those that have windows of sessions, and those that may
    /// have windows that a scene describes.
    public func look() {
        guard let sessions = try? sessions() else { return }
        let handles = sessions.filter(\.state.isOpen).compactMap(\.handle)
        let scenes = configuration().apps.flatMap(\.scenes)
        let hasRules = scenes.contains { $0.focus?.rule != nil }
        for system in systems where system.isAvailable {
            let isMeant = system.name == "tmux" ? scenes.contains(where: \.readsTmux) : system.isDesktop && hasRules
            guard isMeant || handles.contains(where: system.recognizes) else { continue }
            if let list = try? system.windows() { follow(list, of: system) }
        }
    }

    /// How a session's window is seen, as far as a window system said so.
    public func activation(of session: SceneSession) -> ActivationState? {
        guard session.state.isOpen else { return .unattached }
        return state.withLock { state in
            // The window may have been reported before it was assigned to the session.
            if let handle = WindowRegistry.key(of: session) {
                for (name, places) in state.places {
                    if let place = places[handle], let list = state.lists[name],
                        list.windows[place].isOf(server: session.handleServer)
                    {
                        return list.windows[place].activation
                    }
                }
            }
            return state.activations[session.id]
        }
    }

    /// The windows of desktops and tmux that were in front, the last one first.
    public var fronts: [WindowList.Window] { state.withLock { $0.fronts } }

    /// Notes what a list has in front, where that is another window than before.
    private static func noteFront(_ list: WindowList, of system: any WindowSystem, in state: inout State) {
        guard system.isDesktop || system.name == "tmux",
            let front = list.windows.first(where: { $0.activation == .foregroundActive }),
            state.front.updateValue(front.handle, forKey: system.name) != front.handle
        else { return }
        state.fronts.removeAll { $0.handle == front.handle }
        state.fronts.insert(front, at: 0)
        if state.fronts.count > WindowRegistry.mostFronts { state.fronts.removeLast() }
    }

    /// What a desktop has in front.
    fileprivate struct Shown: Hashable, Sendable {
        var handle: String
        /// Its title without the signs by which programs show that they are at work, some of them ten times a second.
        var words: String
    }

    /// What is followed: for people.
    public var followed: [String] { state.withLock { $0.lists.keys.sorted() } }

    /// Of several lists that come while one is followed, the last counts.
    private func receive(_ list: WindowList, of system: any WindowSystem) {
        let isFirst = state.withLock { state in
            state.doubts[system.name] = nil
            return state.pending.updateValue(list, forKey: system.name) == nil
        }
        guard isFirst else { return }
        queue.async { [self] in
            let list = state.withLock { $0.pending.removeValue(forKey: system.name) }
            if let list { follow(list, of: system) }
        }
    }

    /// Titles that changed too soon after the last time are looked at again a little later.
    private func lookAtTitlesLater() {
        let isFirst = state.withLock { state in
            defer { state.awaitsTitles = true }
            return !state.awaitsTitles
        }
        guard isFirst else { return }
        queue.asyncAfter(deadline: .now() + .milliseconds(WindowRegistry.titlePause)) { [self] in
            state.withLock { $0.awaitsTitles = false }
            followLastLists()
        }
    }

    private func followLastLists() {
        let lists = state.withLock { $0.lists }
        for system in systems { if let list = lists[system.name] { follow(list, of: system) } }
    }

    /// Evaluates the last list of the system again after a delay, which grows with each repetition.
    ///
    /// A browser closes its connection before its process ends, and other systems may be slow. No event reports the end
    /// of such a state.
    private func lookAgain(at system: any WindowSystem) {
        let doubt = state.withLock { state -> Int? in
            let doubt = state.doubts[system.name, default: 0]
            guard state.isFollowing, doubt < WindowRegistry.mostDoubts,
                state.awaitsDoubts.insert(system.name).inserted
            else { return nil }
            state.doubts[system.name] = doubt + 1
            return doubt
        }
        guard let doubt else { return }
        queue.asyncAfter(deadline: .now() + .milliseconds(WindowRegistry.doubtPause << doubt)) { [self] in
            let list = state.withLock { state in
                state.awaitsDoubts.remove(system.name)
                return state.isFollowing ? state.lists[system.name] : nil
            }
            if let list { follow(list, of: system) }
        }
    }

    /// In milliseconds, between two changes of a session by the title of its window.
    private static let titlePause = 250
    /// In milliseconds, the first; the last is a minute.
    private static let doubtPause = 500
    private static let mostDoubts = 8
    private static let mostFronts = 8
}

// MARK: - Following

extension WindowRegistry {
    /// Makes the sessions what a list says.
    func follow(_ list: WindowList, of system: any WindowSystem) {
        do throws(StoreError) {
            // Sessions may be many, and windows too: each is looked up, not searched for.
            let places = WindowRegistry.places(in: list)
            let (before, earlier, isOther) = state.withLock { state in
                defer {
                    state.lists[system.name] = list
                    state.places[system.name] = places
                    WindowRegistry.noteFront(list, of: system, in: &state)
                }
                let isOther = system.isDesktop ? state.comesForward(list, of: system.name) : system.name == "tmux"
                return (state.lists[system.name], state.places[system.name] ?? [:], isOther)
            }
            if isOther { openings.frontChanged() }
            if let windowOpened, system.isDesktop, before != nil,
                list.windows.contains(where: { earlier[$0.handle] == nil })
            {
                windowOpened()
            }
            let all = try sessions()
            var open = all.filter(\.state.isOpen)
            let newest = all.reduce(Int64.min) { max($0, $1.used ?? .min) }
            let own = open.filter { $0.handle.map(system.recognizes) ?? false }
            var bound: Set<String> = []
            var taken: Set<String> = []
            for session in own {
                guard let key = WindowRegistry.key(of: session), let handle = session.handle.map(WindowRegistry.plain)
                else { continue }
                taken.insert(key)
                if let window = places[key].map({ list.windows[$0] }),
                    window.isOf(server: session.handleServer)
                {
                    bound.insert(window.handle)
                    if window.handle == handle { taken.insert(handle) }
                    let title = earlier[window.handle].flatMap { before?.windows[$0].title }
                    // What a tmux window is called says little until it changes.
                    let isNamed =
                        system.isDesktop || window.browser != nil || title.map { $0 != window.title } ?? false
                    let updated = try updateSession(
                        window, of: session, isPart: window.handle != handle, isNamed: isNamed, newest: newest)
                    openings.showsWindow(session, window)
                    if let updated {
                        openings.showsContent(updated, window.activation)
                        let isShown = window.handle == handle || window.parts.count == 1 || window.shownPart == handle
                        openings.standsInFront(updated, isShown && window.activation == .foregroundActive)
                    }
                } else {
                    let isOnly =
                        own.allSatisfy { $0.id == session.id || $0.app != session.app || $0.scene != session.scene }
                    let waiting = try lose(session, list, of: system, since: before, isOnly: isOnly)
                    if let waiting, let place = open.firstIndex(where: { $0.id == waiting.id }) {
                        open[place] = waiting
                    }
                }
            }
            try match(list.windows.filter { !bound.contains($0.handle) }, open)
            try matchContent(list.windows.filter(\.isOfTmux), except: taken, earlier)
        } catch {
            logger.log(.windowsNotFollowed, ["error.message": .text(error.message)])
        }
    }

    /// Where windows stand in a list, by their handles and those of their parts.
    private static func places(in list: WindowList) -> [String: Int] {
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
    private static func plain(_ handle: String) -> String {
        handle.hasPrefix("tmux:") ? String(handle.dropFirst(5)) : handle
    }

    /// What a session's window is found by in lists: a window of tmux by the pane that is noted with it.
    private static func key(of session: SceneSession) -> String? {
        session.handle.map { TmuxHandle($0, server: session.handleServer)?.text ?? $0 }
    }

    // MARK: A window that is there

    /// The session as it is then; nil where it has ended.
    ///
    /// - Parameters:
    ///   - isPart: the session is a pane of the window.
    ///   - newest: when a session was used last.
    private func updateSession(
        _ window: WindowList.Window, of session: SceneSession, isPart: Bool, isNamed: Bool, newest: Int64
    ) throws(StoreError) -> SceneSession? {
        var change = Store.SessionChange(ifStill: session)
        var isChanged = false
        if let activation = window.activation {
            let previous = state.withLock { $0.activations.updateValue(activation, forKey: session.id) }
            if activation == .foregroundActive, previous != .foregroundActive, !isPart {
                openings.tookFocus(session.id, session.app)
            }
            // A session that Usher brought forward is already the most recently used one.
            if activation == .foregroundActive, previous != .foregroundActive, !isPart,
                session.used.map({ $0 < newest }) ?? true
            {
                change.used = true
                isChanged = true
            }
        }
        let isRenamed = isNamed && !isPart && session.title != window.title && !window.title.isEmpty
        let content = scene(thatReads: session)
        if isRenamed || content != nil {
            if isDue(titleOf: session.id) {
                if isRenamed {
                    change.title = .some(window.title)
                    isChanged = true
                }
                if let (app, scene) = content {
                    let part = WindowRegistry.part(of: window, session)
                    let target = WindowContent(part, home: home).target(by: scene, app: app.id)
                    if target != session.target {
                        if target == nil, window.isOfTmux {
                            // The program ended, and what runs there now is not the scene's.
                            _ = try changes.end(session: session.id, ifStill: session)
                            openings.ended(session.id)
                            return nil
                        }
                        WindowRegistry.read(target, of: session, app, scene, into: &change)
                        isChanged = true
                    }
                }
            } else {
                lookAtTitlesLater()
            }
        }
        if !isPart, let server = window.notedServer,
            session.handleServer.map({ WindowServer.isLess($0, than: server) }) ?? true
        {
            // Noted without the client that made the window: from now on, another client's window is another one. The same of
            // the only pane of a window of tmux.
            change.handleServer = .some(server)
            isChanged = true
        }
        if window.browser != nil, let prefers = WindowRegistry.condition(of: window.tabs),
            prefers != session.conditions.prefersToActivate.predicate
        {
            change.prefersToActivate = .init(prefers, origin: .session)
            isChanged = true
        }
        return isChanged ? try changes.change(session: session.id, change) : session
    }

    /// The scene that reads the content of a session's window; nil where nothing is read, or something else has told the
    /// session its target.
    private func scene(thatReads session: SceneSession) -> (App, SceneConfiguration)? {
        guard session.target == nil || session.isTargetRead, let app = configuration().app(id: session.app),
            let scene = app.scene(named: session.scene), !scene.content.isEmpty
        else { return nil }
        return (app, scene)
    }

    /// The pane that a session has, as a window; else the window.
    private static func part(of window: WindowList.Window, _ session: SceneSession) -> WindowList.Window {
        key(of: session).flatMap { window.pane($0) } ?? window
    }

    /// Makes the content of a window the target of its session, with the conditions for it; those that the session was
    /// given stay.
    static func read(
        _ target: TargetContentIdentifier?, of session: SceneSession, _ app: App, _ scene: SceneConfiguration,
        into change: inout Store.SessionChange
    ) {
        change.readTarget = .some(target)
        let conditions = scene.conditions(for: target, template: app.template(of: scene)).conditions
        if session.conditions.canActivate.origin != .session { change.canActivate = conditions.canActivate }
        if session.conditions.prefersToActivate.origin != .session {
            change.prefersToActivate = conditions.prefersToActivate
        }
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
    private static func condition(of tabs: [WindowList.Tab]) -> ScenePredicate? {
        var list = ""
        for tab in tabs.filter(\.isActive) + tabs.filter({ !$0.isActive }) where !tab.address.isEmpty {
            let quoted = ScenePredicate.quoted(tab.address)
            if list.utf8.count + quoted.utf8.count > 60_000 { break }
            list += (list.isEmpty ? "" : ", ") + quoted
        }
        return list.isEmpty ? .never : try? ScenePredicate(parsing: "SELF IN {\(list)}")
    }

    // MARK: Missing windows

    /// It is unknown now whether the window exists: the query is repeated later.
    private func doubt(_ session: SceneSession, _ system: any WindowSystem) {
        state.withLock { $0.activations[session.id] = nil }
        lookAgain(at: system)
    }

    /// A window that is gone from a server that runs was closed; a server that is gone took its windows along.
    ///
    /// - Parameter isOnly: no other session of its scene has a window of this system.
    /// - Returns: the session, where it stays connected and waits for its window to be identified.
    private func lose(
        _ session: SceneSession, _ list: WindowList, of system: any WindowSystem, since before: WindowList?,
        isOnly: Bool
    ) throws(StoreError) -> SceneSession? {
        // One that is being launched is its launch's business.
        guard session.state == .connected, let handle = session.handle else { return nil }
        let running: String?
        do throws(ActivationFailure) {
            running = try system.server(of: handle)
        } catch {
            // Slow is not gone.
            doubt(session, system)
            return nil
        }
        // The window may exist without being listed: its program has hidden it, or it belongs to a browser that has no
        // connection to the daemon now.
        let presence = try? system.presence(of: .handle(handle, server: session.handleServer))
        // If no server runs, a failed query is not repeated: the window is gone with its server.
        if presence == .unknown || (presence == nil && running != nil) {
            doubt(session, system)
            return nil
        }
        if presence == .forgotten, isOnly {
            // The window that `focus` describes can only be its own; see `match`.
            let forgotten = Store.SessionChange(handle: .some(nil), handleServer: .some(nil), ifStill: session)
            state.withLock { $0.activations[session.id] = nil }
            return try changes.change(session: session.id, forgotten)
        }
        let life = session.handleServer.map(WindowServer.life)
        if running == nil || (life != nil && life != running.map(WindowServer.life)) {
            // There may be several servers of terminals, and only one desktop.
            let wasThere =
                before?.has(handle, of: session.handleServer) ?? false
            // One that was opened since that list was in no list yet.
            let wasOfServer = before?.server != nil && life == before?.server
            if system.name == "tmux", !wasThere, !wasOfServer {
                // It may have begun and ended between two lists.
                guard let server = session.handleServer, !TmuxWindowSystem.mayRun(server: server) else { return nil }
            }
            // A launch may have begun for it meanwhile, or it has another window.
            guard try changes.change(session: session.id, .disconnected(ifStill: session)) != nil else { return nil }
            logger.log(
                .windowServerGone,
                ["session.id": .text(session.id), "window.handle": .text(handle), "window.system": .text(system.name)])
        } else {
            guard presence == .gone else {
                state.withLock { $0.activations[session.id] = .background }
                return nil
            }
            guard try changes.end(session: session.id, ifStill: session) else { return nil }
            logger.log(
                .windowClosed,
                ["session.id": .text(session.id), "window.handle": .text(handle), "window.system": .text(system.name)])
        }
        openings.ended(session.id)
        state.withLock { state in
            state.activations[session.id] = nil
            state.titles[session.id] = nil
        }
        return nil
    }
}

// MARK: - Matching

// Windows that no session has yet.

extension WindowRegistry {
    /// Assigns windows to the sessions that wait for a window, and creates sessions for the windows that exactly one
    /// scene describes.
    private func match(_ windows: [WindowList.Window], _ open: [SceneSession]) throws(StoreError) {
        guard !windows.isEmpty else { return }
        var waiting = open.filter { $0.handle == nil }
        let rules = configuration().apps.flatMap { app in
            app.scenes.compactMap { scene in scene.focus?.rule.map { (app: app, scene: scene, rule: $0) } }
        }
        guard !rules.isEmpty || !waiting.isEmpty else { return }
        // A browser's window is one of the desktop as well; a session gets it by the rule of its scene.
        let ofBrowsers = Set(rules.filter(\.rule.isOfBrowsers).map { Scene(app: $0.app.id, name: $0.scene.name) })
        for window in windows {
            let found = rules.filter { $0.rule.matches(window) }
            if found.isEmpty, waiting.isEmpty { continue }
            let owner = self.owner(window)
            // The launch assigns it.
            if owner == .pending { continue }
            if owner != .contested,
                let place = waiting.firstIndex(where: {
                    (window.browser != nil) == ofBrowsers.contains(Scene(app: $0.app, name: $0.scene))
                        && Activator.belongs(window, to: $0.id, in: changes.stateFolder)
                })
            {
                try bind(window, to: waiting.remove(at: place))
                continue
            }
            guard let only = found.first else { continue }
            guard found.count == 1 else {
                tellAmbiguous(window, found.map { "\($0.app.id) \($0.scene.name)" })
                continue
            }
            if case .late(let id) = owner, let session = try changes.session(id: id), session.handle == nil,
                session.app == only.app.id, session.scene == only.scene.name
            {
                try bind(window, to: session)
                waiting.removeAll { $0.id == id }
                continue
            }
            if owner == .contested {
                try connect(window, only.app, only.scene)
                continue
            }
            let own = waiting.filter { $0.app == only.app.id && $0.scene == only.scene.name }
            // Of several windows that look the same, nothing shows which one a session had.
            let isSure = window.process != nil || windows.filter { only.rule.matches($0) }.count == 1
            if own.count == 1, own[0].state == .connected, isSure {
                try bind(window, to: own[0])
                waiting.removeAll { $0.id == own[0].id }
            } else if own.isEmpty {
                try connect(window, only.app, only.scene)
            }
            // Otherwise a session is being launched, or several sessions could have the window: the launch assigns the
            // window.
        }
    }

    /// Makes sessions for the tmux windows whose content exactly one scene reads. A window with several panes has one for
    /// each pane with content.
    ///
    /// - Parameters:
    ///   - taken: the windows and panes of sessions.
    ///   - earlier: the handles of the list before.
    private func matchContent(
        _ windows: [WindowList.Window], except taken: Set<String>, _ earlier: [String: Int]
    ) throws(StoreError) {
        let scenes = configuration().apps.flatMap { app in
            app.scenes.filter(\.readsTmux).map { (app: app, scene: $0) }
        }
        guard !scenes.isEmpty else { return }
        for window in windows where !taken.contains(window.handle) {
            // What runs in a new pane may not have begun yet.
            if window.parts.contains(where: { earlier[$0] == nil }) { lookAtTitlesLater() }
            let panes =
                window.parts.count > 1 ? window.parts.compactMap { window.pane($0) } : [window]
            for pane in panes where !taken.contains(pane.handle) {
                let content = WindowContent(pane, home: home)
                var found: [(app: App, scene: SceneConfiguration, target: TargetContentIdentifier)] = []
                for (app, scene) in scenes {
                    if case .tmux(let session, _) = scene.focus?.method, session != window.group { continue }
                    if let target = content.target(by: scene, app: app.id) { found.append((app, scene, target)) }
                }
                guard let only = found.first else { continue }
                guard found.count == 1 else {
                    tellAmbiguous(pane, found.map { "\($0.app.id) \($0.scene.name)" })
                    continue
                }
                try connect(pane, only.app, only.scene)
            }
        }
    }

    private struct Scene: Hashable {
        var app: String
        var name: String
    }

    private func bind(_ window: WindowList.Window, to session: SceneSession) throws(StoreError) {
        // One that is being launched gets its window from its launch.
        guard session.state == .connected || session.state == .disconnected else { return }
        let found = Store.SessionChange(
            state: .connected, handle: .some(window.handle), handleServer: .some(window.notedServer),
            title: window.title.isEmpty ? nil : .some(window.title), ifStill: session)
        guard try changes.change(session: session.id, found) != nil else { return }
        state.withLock { $0.activations[session.id] = window.activation }
        if scene(thatReads: session) != nil { lookAtTitlesLater() }
        openings.showsWindow(session, window)
        logger.log(
            .windowFound,
            ["session.id": .text(session.id), "window.handle": .text(window.handle)])
    }

    private func connect(_ window: WindowList.Window, _ app: App, _ scene: SceneConfiguration) throws(StoreError) {
        // An app with a single window has one session, which is used again in any state. While it has a window, a
        // further window gets no session. In other apps, a disconnected session without a target, or with that of the
        // window, gets the new window: otherwise such sessions would accumulate.
        let target = WindowContent(window, home: home).target(by: scene, app: app.id)
        let all = try sessions().filter { $0.app == app.id && $0.scene == scene.name }
        let known =
            app.multipleScenes
            ? all.filter { $0.state == .disconnected && ($0.target == nil || $0.target == target) }
                .min(by: SceneSession.precedes) : all.first
        if let known, known.state.isOpen, known.handle.map(isFollowed) ?? true { return }
        let made = scene.conditions(for: target, template: app.template(of: scene))
        var conditions = made.conditions
        if window.browser != nil, let prefers = WindowRegistry.condition(of: window.tabs) {
            conditions.prefersToActivate = .init(prefers, origin: .session)
        }
        let sessions = try changes.connect([
            Store.NewSession(
                id: known?.id, app: app.id, scene: scene.name, role: scene.role, target: target,
                conditions: conditions, handle: window.handle, handleServer: window.notedServer,
                title: window.title.isEmpty ? nil : window.title, found: .init(generation: known?.generation),
                isTargetRead: target != nil)
        ])
        guard let session = sessions.first else { return }
        state.withLock { $0.activations[session.id] = window.activation }
        openings.showsWindow(session, window)
        openings.showsContent(session, window.activation)
        openings.standsInFront(session, window.activation == .foregroundActive)
        if window.activation == .foregroundActive {
            _ = try changes.change(session: session.id, .init(used: true))
            openings.tookFocus(session.id, session.app)
        }
        logger.log(
            .windowMatched,
            [
                "session.id": .text(session.id), "app": .text(app.id), "scene": .text(scene.name),
                "window.handle": .text(window.handle), "window.title": .text(window.title),
            ])
    }

    /// Whether a handle belongs to an available window system. No system reports the end of other windows.
    private func isFollowed(_ handle: String) -> Bool {
        systems.contains { $0.isAvailable && $0.recognizes(handle: handle) }
    }

    private func tellAmbiguous(_ window: WindowList.Window, _ scenes: [String]) {
        guard state.withLock({ $0.ambiguous.insert(window.handle).inserted }) else { return }
        logger.log(
            .windowAmbiguous,
            [
                "window.handle": .text(window.handle), "window.title": .text(window.title),
                "scenes": .text(scenes.joined(separator: ", ")),
            ])
    }
}

extension WindowRegistry.State {
    /// Whether a desktop has another window in front than before, or another tab of it, as its title tells.
    fileprivate mutating func comesForward(_ list: WindowList, of system: String) -> Bool {
        let front = list.windows.first { $0.activation == .foregroundActive }
        if let front, front.isProbed, shown[system]?.handle == front.handle { return false }
        let now = front.map { front in
            let words = front.title.unicodeScalars.filter {
                $0.properties.isAlphabetic || $0.properties.numericType != nil
            }
            return WindowRegistry.Shown(handle: front.handle, words: String(String.UnicodeScalarView(words)))
        }
        defer { shown[system] = now }
        return now != shown[system]
    }
}
