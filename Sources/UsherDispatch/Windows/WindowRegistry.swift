internal import Dispatch
internal import Synchronization
public import UsherActivation
public import UsherLog
public import UsherScene
public import UsherStore

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
        /// What it said meanwhile.
        var pending: [String: WindowList] = [:]
        /// By the id of the session.
        var activations: [String: ActivationState] = [:]
        /// Windows that several scenes describe, told once.
        var ambiguous: Set<String> = []
        /// When the title of a session was written last, by the monotonic clock in microseconds.
        var titles: [String: Int64] = [:]
        var awaitsTitles = false
        /// How often a system was looked at again since it last said something.
        var glances: [String: Int] = [:]
        /// Those that will be.
        var glancing: Set<String> = []
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
        for watch in watches { watch.stop() }
        queue.sync {}
    }

    /// Looks once, at the systems whose windows matter now: those of sessions, and those that a scene describes.
    public func look() {
        guard let sessions = try? sessions() else { return }
        let handles = sessions.filter(\.state.isOpen).compactMap(\.handle)
        let hasRules = configuration().apps.contains { $0.scenes.contains { $0.focus?.rule != nil } }
        for system in systems where system.isAvailable {
            guard handles.contains(where: system.recognizes) || (hasRules && system.isDesktop) else { continue }
            if let list = try? system.windows() { follow(list, of: system) }
        }
    }

    /// How a session's window is seen, as far as a window system said so.
    public func activation(of session: SceneSession) -> ActivationState? {
        guard session.state.isOpen else { return .unattached }
        return state.withLock { state in
            // The window may have been told of before it was the session's.
            if let handle = session.handle.map(WindowRegistry.plain) {
                for list in state.lists.values {
                    for window in list.windows where window.handle == handle || window.parts.contains(handle) {
                        return window.activation
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
            state.glances[system.name] = nil
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

    /// A window of which nobody can tell for now is looked at again, each time later, and at last no more.
    func lookAgainLater(at system: any WindowSystem) {
        let glances = state.withLock { state -> Int? in
            guard state.glancing.insert(system.name).inserted else { return nil }
            state.glances[system.name, default: 0] += 1
            return state.glances[system.name]
        }
        guard let glances else { return }
        guard glances <= WindowRegistry.mostGlances else {
            state.withLock { _ = $0.glancing.remove(system.name) }
            return
        }
        queue.asyncAfter(deadline: .now() + .milliseconds(125 << glances)) { [self] in
            let list = state.withLock { state in
                state.glancing.remove(system.name)
                return state.lists[system.name]
            }
            if let list { follow(list, of: system) }
        }
    }

    static let titlePause = 1000
    private static let mostGlances = 6
}
