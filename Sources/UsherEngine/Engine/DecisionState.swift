internal import UsherActivation
internal import UsherLog
internal import UsherResolution
internal import UsherScene
internal import UsherStore
internal import UsherSystem
internal import UsherText

/// What decisions are based on: configuration, sessions and redirects, as the store has them.
///
/// It follows the store step by step: every change of a transaction is made here at once, so that the next request of the
/// same transaction is decided on it. `rollBack` takes back what was made since `begin`.
struct DecisionState: Sendable {
    private(set) var resolver: Resolver
    /// Of the sessions, as the store counts them; after a step that may change a session, the journal sets it.
    var generation: Int64
    var redirections: RedirectionCache
    var newWindows = NewWindows()
    /// As the store counts them, and the version that they have there.
    private var shortcuts: [DynamicShortcut] = []
    private var shortcutVersion: Int64 = 0
    private var undo: [Undo] = []
    private var generationBefore: Int64
    private var newWindowsBefore = NewWindows()

    private enum Undo: Sendable {
        case restore(SceneSession)
        case remove(id: String, app: String)
        case missingPrograms(Set<SceneName>)
    }

    init(_ configuration: Configuration, _ sessions: Store.Sessions, missingPrograms: Set<SceneName>) {
        resolver = Resolver(
            Snapshot(
                configuration: configuration, sessions: SessionTable(sessions.sessions),
                missingPrograms: missingPrograms))
        generation = sessions.generation
        generationBefore = sessions.generation
        redirections = RedirectionCache(version: sessions.redirects)
    }

    var configuration: Configuration { resolver.snapshot.configuration }

    func session(_ id: String, app: String) -> SceneSession? {
        resolver.snapshot.sessions.session(id: id, app: app)
    }

    mutating func replaceConfiguration(_ configuration: Configuration, missingPrograms: Set<SceneName>) {
        var snapshot = resolver.snapshot
        snapshot.configuration = configuration
        snapshot.configuration.replaceDynamicShortcuts(shortcuts)
        snapshot.missingPrograms = missingPrograms
        resolver = Resolver(snapshot)
    }

    mutating func replaceMissingPrograms(_ missing: Set<SceneName>) {
        undo.append(.missingPrograms(resolver.snapshot.missingPrograms))
        resolver.replaceMissingPrograms(missing)
    }

    // MARK: Transactions

    /// A transaction begins: reads sessions, redirects and dynamic shortcut items again where another one changed them.
    mutating func begin(_ state: inout StoreState) throws(StoreError) {
        undo.removeAll(keepingCapacity: true)
        let (found, redirects, shortcuts) = try state.versions()
        if redirects != redirections.version {
            redirections = RedirectionCache(version: redirects)
        }
        if shortcuts != shortcutVersion {
            self.shortcuts = try state.dynamicShortcuts()
            resolver.replaceDynamicShortcuts(self.shortcuts)
            shortcutVersion = shortcuts
        }
        if generation != found { replaceSessions(try state.sessions()) }
        newWindowsBefore = newWindows
        generationBefore = generation
    }

    /// Others were written, outside of a transaction of its own.
    mutating func replaceSessions(_ sessions: Store.Sessions) {
        resolver.replaceSessions(SessionTable(sessions.sessions))
        generation = sessions.generation
    }

    /// The transaction is in the store: nothing of it is taken back any more, not even where the next one does not begin.
    mutating func settle() {
        undo.removeAll(keepingCapacity: true)
        generationBefore = generation
    }

    /// A session as a step of the transaction left it.
    mutating func update(_ session: SceneSession) {
        if let before = self.session(session.id, app: session.app) {
            undo.append(.restore(before))
        } else {
            undo.append(.remove(id: session.id, app: session.app))
        }
        resolver.update(session)
    }

    /// Many sessions at once.
    mutating func update(_ sessions: [SceneSession]) {
        guard sessions.count > 16 else {
            for session in sessions { update(session) }
            return
        }
        for session in sessions {
            undo.append(
                self.session(session.id, app: session.app).map { .restore($0) }
                    ?? .remove(id: session.id, app: session.app))
        }
        resolver.update(sessions)
    }

    /// A step of the transaction ended a session.
    mutating func remove(of id: String, app: String) {
        guard let before = session(id, app: app) else { return }
        undo.append(.restore(before))
        resolver.remove(session: id, app: app)
    }

    /// Takes back everything since `begin`, the last first.
    mutating func rollBack() {
        for step in undo.reversed() {
            switch step {
            case .restore(let session): resolver.update(session)
            case .remove(let id, let app): resolver.remove(session: id, app: app)
            case .missingPrograms(let missing): resolver.replaceMissingPrograms(missing)
            }
        }
        undo.removeAll()
        generation = generationBefore
        newWindows = newWindowsBefore
        // Redirects that the transaction looked up may have been its own, and so may shortcut items.
        redirections = RedirectionCache(version: -1)
        if shortcutVersion != 0 { shortcutVersion = -1 }
    }
}

extension DecisionState {
    /// Whether a decision rests on programs that came or went since they were looked for; then it is to be made again. Looks
    /// only where a program is to be launched, or one of the app's was missing.
    mutating func isOutdated(_ decision: Decision, by programs: ProgramLocator) -> Bool {
        guard resolver.restsOnPrograms(decision),
            let missing = resolver.missingPrograms(afterLookingFor: decision, by: programs)
        else { return false }
        replaceMissingPrograms(missing)
        return true
    }
}
