internal import Synchronization
internal import UsherResolution
internal import UsherScene
internal import UsherStore

/// What is decided on, and which state of the store it is.
struct World: Sendable {
    var resolver: Resolver {
        didSet { explanation = nil }
    }
    /// The last that was asked for, of this very resolver.
    var explanation: KeptExplanation?
    var generation: Int64
    var redirections: RedirectionCache
    /// See `StoreState.rollbacks`: what was taken back may have been noted here already.
    var rollbacks = 0

    init(_ configuration: Configuration, _ sessions: Store.Sessions, missingPrograms: Set<SceneName>) {
        resolver = Resolver(
            Snapshot(
                configuration: configuration, sessions: SessionTable(sessions.sessions),
                missingPrograms: missingPrograms))
        generation = sessions.generation
        redirections = RedirectionCache(version: sessions.redirects)
    }

    var configuration: Configuration { resolver.snapshot.configuration }

    mutating func replaceConfiguration(_ configuration: Configuration, missingPrograms: Set<SceneName>) {
        var snapshot = resolver.snapshot
        snapshot.configuration = configuration
        snapshot.missingPrograms = missingPrograms
        resolver = Resolver(snapshot)
    }

    /// Reads the sessions again where another process changed them, or what was noted here was taken back.
    mutating func refresh(from state: inout StoreState) throws(StoreError) {
        let (found, redirects) = try state.versions()
        if redirects != redirections.version || rollbacks != state.rollbacks {
            redirections = RedirectionCache(version: redirects)
            explanation = nil
        }
        if generation == found, rollbacks == state.rollbacks { return }
        let sessions = try state.sessions()
        resolver.replaceSessions(SessionTable(sessions.sessions))
        generation = sessions.generation
        rollbacks = state.rollbacks
    }
}

/// Sessions that a transaction changed.
struct TrackedChanges: Sendable {
    var changed: [SceneSession] = []
    var ended: [(id: String, app: String)] = []
}

extension World {
    mutating func apply(_ changes: TrackedChanges, at generation: Int64) {
        resolver.update(changes.changed)
        for session in changes.ended { resolver.remove(session: session.id, app: session.app) }
        self.generation = generation
    }

    /// Runs changes of sessions in a transaction and follows them, where this was the state of the store before.
    mutating func follow<Result>(
        _ state: inout StoreState, _ body: (inout StoreState, inout TrackedChanges) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        let isCurrent = try state.generation() == generation && state.rollbacks == rollbacks
        var changes = TrackedChanges()
        let result = try body(&state, &changes)
        if isCurrent { apply(changes, at: try state.generation()) }
        return result
    }
}
