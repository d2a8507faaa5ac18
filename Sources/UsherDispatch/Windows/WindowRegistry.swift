internal import Dispatch
internal import Synchronization
public import UsherActivation
public import UsherLog
public import UsherScene
public import UsherStore
internal import UsherText

/// Keeps the sessions as the window systems say: a window that was closed ends its session, a server that went away
/// disconnects its sessions, the window that takes the keyboard was used last, and a window that nobody declared becomes a
/// session of the scene that describes it.
///
/// In the daemon it follows every system that tells of its changes; without one it looks once before a decision.
public final class WindowRegistry: Sendable {
    let systems: [any WindowSystem]
    let changes: any SessionChanges
    let logger: Logger
    /// The sessions of this moment, and what apps say about their windows.
    let sessions: @Sendable () throws(StoreError) -> [SceneSession]
    let configuration: @Sendable () -> Configuration
    let state = Mutex(State())
    /// Lists are followed one after the other.
    private let queue = DispatchQueue(label: "usher.windows")
    private let watches = Mutex<[any WindowWatch]>([])

    struct State: Sendable {
        /// What each system said last, by its name.
        var lists: [String: WindowList] = [:]
        /// Where windows stand in these lists, by their handles and those of their parts.
        var places: [String: [String: Int]] = [:]
        /// What it said meanwhile.
        var pending: [String: WindowList] = [:]
        /// By the id of the session.
        var activations: [String: ActivationState] = [:]
        /// Windows that several scenes describe, told once.
        var ambiguous: Set<String> = []
        /// When the title of a session was written last.
        var titles: [String: MonotonicInstant] = [:]
        var awaitsTitles = false
        /// Systems are listened to: what cannot be told yet is asked for again.
        var isFollowing = false
        /// How often in a row a system could not tell whether a window is there, by its name.
        var doubts: [String: Int] = [:]
        var awaitsDoubts: Set<String> = []
    }

    public init(
        _ windowSystem: any WindowSystem, _ changes: any SessionChanges, logger: Logger,
        sessions: @escaping @Sendable () throws(StoreError) -> [SceneSession],
        configuration: @escaping @Sendable () -> Configuration
    ) {
        systems = (windowSystem as? WindowSystems)?.systems ?? [windowSystem]
        self.changes = changes
        self.logger = logger
        self.sessions = sessions
        self.configuration = configuration
    }

    /// Follows every system that can be heard of, from now on.
    public func start() {
        state.withLock { $0.isFollowing = true }
        for system in systems where system.isAvailable {
            let watch = system.watch { [self] list in take(list, of: system) }
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

    /// Looks once, at the systems whose windows matter now: those of sessions, and those that a scene describes.
    public func look() {
        guard let sessions = try? sessions() else { return }
        let handles = sessions.filter(\.state.isOpen).compactMap(\.handle)
        let rules = configuration().apps.flatMap { $0.scenes.compactMap { $0.focus?.rule } }
        for system in systems where system.isAvailable {
            // Of what is no desktop, only browsers have windows that rules mean.
            let isMeant = system.name != "tmux" && rules.contains { system.isDesktop || $0.isOfBrowsers }
            guard isMeant || handles.contains(where: system.recognizes) else { continue }
            if let list = try? system.windows() { follow(list, of: system) }
        }
    }

    /// How a session's window is seen, as far as a window system said so.
    public func activation(of session: SceneSession) -> ActivationState? {
        guard session.state.isOpen else { return .unattached }
        return state.withLock { state in
            // The window may have been told of before it was the session's.
            if let handle = session.handle.map(WindowRegistry.plain) {
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

    /// What is followed: for people.
    public var followed: [String] { state.withLock { $0.lists.keys.sorted() } }

    /// Of several lists that come while one is followed, the last counts.
    private func take(_ list: WindowList, of system: any WindowSystem) {
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
    func lookAtTitlesLater() {
        let isFirst = state.withLock { state in
            defer { state.awaitsTitles = true }
            return !state.awaitsTitles
        }
        guard isFirst else { return }
        queue.asyncAfter(deadline: .now() + .milliseconds(WindowRegistry.titlePause)) { [self] in
            let lists = state.withLock { state in
                state.awaitsTitles = false
                return state.lists
            }
            for system in systems { if let list = lists[system.name] { follow(list, of: system) } }
        }
    }

    /// A browser hangs up before its process ends, others are slow, and nobody tells when that is over: its last list is followed again
    /// after a while, and less and less often.
    func lookAgain(at system: any WindowSystem) {
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

    static let titlePause = 1000
    /// In milliseconds, the first; the last is a minute.
    private static let doubtPause = 500
    private static let mostDoubts = 8
}
