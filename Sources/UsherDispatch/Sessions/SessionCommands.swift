public import UsherOperation
internal import UsherPredicate
public import UsherScene
internal import UsherStore
internal import UsherText

/// Changes existing sessions: `scene update|activate|disconnect|close`, for every interface (socket, HTTP, command
/// line).
public struct SessionCommands: Sendable {
    private let changes: any SessionChanges
    /// Without one, conditions know no parameters of templates.
    private let configuration: Configuration?
    private let windowServer: @Sendable (String) -> String?

    /// A session that was changed, and what is to be said about it.
    public struct Changed: Sendable {
        public var session: SceneSession
        public var warnings: [String]
    }

    public init(
        _ changes: any SessionChanges, configuration: Configuration?,
        windowServer: @escaping @Sendable (String) -> String?
    ) {
        self.changes = changes
        self.configuration = configuration
        self.windowServer = windowServer
    }

    /// The session of that id, or an error that names the closest.
    public func session(_ id: String) throws(ControlError) -> SceneSession {
        if let session = try storing({ () throws(StoreError) in try changes.session(id: id) }) { return session }
        let known = try storing { () throws(StoreError) in try changes.sessions(app: nil) }.sessions.map(\.id)
        throw .unknown(.noSuchSession, "session", id, among: known, otherwise: "usher scene list shows them")
    }

    public func update(_ id: String, _ update: SessionUpdate) throws(ControlError) -> Changed {
        try change(id, update, Store.SessionChange())
    }

    /// It came to the front.
    public func activate(_ id: String, _ update: SessionUpdate) throws(ControlError) -> Changed {
        try change(id, update, Store.SessionChange(state: .connected, used: true))
    }

    /// Its window is gone, but was not closed by the user.
    public func disconnect(_ id: String, _ update: SessionUpdate) throws(ControlError) -> Changed {
        try change(
            id, update,
            Store.SessionChange(state: .disconnected, handle: .some(nil), handleServer: .some(nil)))
    }

    /// The user closed it: the session as it was.
    public func close(_ id: String) throws(ControlError) -> SceneSession {
        let session = try session(id)
        _ = try storing { () throws(StoreError) in try changes.end(session: session.id, ifStill: nil) }
        return session
    }

    private func change(_ id: String, _ update: SessionUpdate, _ wish: Store.SessionChange) throws(ControlError)
        -> Changed
    {
        let session = try session(id)
        var change = wish
        if let handle = update.handle {
            change.handle = .some(handle)
            change.handleServer = .some(update.handleServer ?? windowServer(handle))
        }
        if let title = update.title { change.title = .some(title) }
        var warnings: [String] = []
        if update.can != nil || update.prefers != nil {
            let app = configuration?.app(id: session.app)
            let scene = app?.scene(named: session.scene)
            let template = app?.targets.first { $0.name == scene?.target }?.template
            let values = ConditionTexts.values(target: session.target, template: template)
            var texts = ConditionTexts()
            func condition(_ text: String?, _ name: String) throws(ControlError) -> ActivationConditions.Condition? {
                guard let text else { return nil }
                let predicate = try texts.condition(text, name: name, values, template)
                if predicate == nil {
                    warnings.append(
                        ConditionTexts.warning(unfilled: name, scene: session.scene, target: session.target))
                }
                return .init(predicate ?? .never, origin: .session)
            }
            change.canActivate = try condition(update.can, "can")
            change.prefersToActivate = try condition(update.prefers, "prefers")
        }
        let wanted = change
        guard let changed = try storing({ () throws(StoreError) in try changes.change(session: session.id, wanted) })
        else {
            throw ControlError(.noSuchSession, "the session \(QuotedText.text(id)) has ended meanwhile")
        }
        return Changed(session: changed, warnings: warnings)
    }

    private func storing<Result>(_ body: () throws(StoreError) -> Result) throws(ControlError) -> Result {
        do throws(StoreError) {
            return try body()
        } catch {
            throw ControlError(error)
        }
    }
}
