package import UsherOperation
internal import UsherPredicate
public import UsherScene
public import UsherStore
internal import UsherTarget
internal import UsherText

extension OperationContext {
    /// The session of that id, or an error that names the closest.
    package func session(_ id: String) throws(ControlError) -> SceneSession {
        if let session = try storing(try sessions.session(id: id)) { return session }
        let known = try storing(try sessions.sessions(app: nil)).sessions.map(\.id)
        throw .unknown(.noSuchSession, "session", id, among: known, otherwise: "usher scene list shows them")
    }

    /// Changes the session of that id.
    ///
    /// - Returns: it, and what is to be said about it.
    func change(
        _ id: String, _ update: SessionUpdate, _ requested: Store.SessionChange
    ) throws(ControlError) -> (session: SceneSession, warnings: [String]) {
        let session = try session(id)
        var change = requested
        if let handle = update.handle {
            let server = update.handleServer ?? windowServer(handle)
            change.handle = .some(
                try SessionHandle.checked(handle, server: server, at: "/handle", presence: windowPresence))
            change.handleServer = .some(server)
        }
        if let title = update.title { change.title = .some(title) }
        var warnings: [String] = []
        if update.can != nil || update.prefers != nil {
            let app = givenConfiguration?.app(id: session.app)
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
        guard let changed = try storing(try sessions.change(session: session.id, wanted))
        else {
            throw ControlError(.noSuchSession, "the session \(QuotedText.text(id)) has ended meanwhile")
        }
        if update.handle != nil { try tie([changed]) }
        return (changed, warnings)
    }
}

/// Where sessions are kept and changed: the store by itself, or a dispatcher, whose caches are up to date at once.
public protocol SessionChanges: Sendable {
    /// The folder of the store.
    var stateFolder: String { get }

    /// All or none, in the same order.
    func connect(_ new: [Store.NewSession]) throws(StoreError) -> [SceneSession]

    /// nil when there is no such session, or it is not as the change expects it.
    func change(session id: String, _ change: Store.SessionChange) throws(StoreError) -> SceneSession?

    /// False when there is no such session, or it has another state or window than when it was seen.
    func end(session id: String, ifStill seen: SceneSession?) throws(StoreError) -> Bool

    func session(id: String) throws(StoreError) -> SceneSession?

    /// All, or those of one app.
    func sessions(app: String?) throws(StoreError) -> Store.Sessions
}

extension Store: SessionChanges {}

/// What the handles of sessions that are connected together are good for. Each window system is asked once.
public struct HandleServers {
    private let isOne: Bool
    /// By how the handles of a server begin.
    private var found: [String: String] = [:]

    /// - Parameter count: of sessions. Of one, its window's client is noted as well: that takes a question for each window.
    public init(count: Int) { isOne = count == 1 }

    /// - Parameter ask: gives what a handle is good for now, as `WindowSystem.server` does.
    public mutating func server<Failure>(
        of handle: String, ask: (String) throws(Failure) -> String?
    ) throws(Failure) -> String? {
        if isOne { return try ask(handle) }
        // `x11:0x1400007`, `tmux:@3`, `@3`; of browsers each has a server of its own: `browser:firefox/3`
        let browser = handle.firstIndex(of: "/").map { handle[..<$0] }
        let system = String(browser ?? handle.prefix { $0 != ":" && $0 != "@" && $0 != "%" })
        if let known = found[system] { return known }
        guard let server = try ask(handle).map(WindowServer.life) else { return nil }
        found[system] = server
        return server
    }
}

/// Reads conditions that were given as text, each text once.
struct ConditionTexts: Sendable {
    private struct Key: Hashable {
        var text: [UInt8]
        var variables: Set<String>
    }

    private var templates: [Key: ScenePredicateTemplate] = [:]

    /// The condition, with `$TARGET` and the parameters of the scene's template filled in as values.
    ///
    /// - Parameter name: `can` or `prefers`, for messages.
    /// - Returns: nil where it uses a variable that has no value.
    mutating func condition(
        _ text: String, name: String, _ values: [String: String], _ template: URITemplate?
    ) throws(ControlError) -> ScenePredicate? {
        let variables = Set((template?.variableNames ?? []).map(URITemplate.variableKey) + ["TARGET"])
        let key = Key(text: Array(text.utf8), variables: variables)
        if let known = templates[key] { return known.substituting(values) }
        do throws(PredicateError) {
            let parsed = try ScenePredicateTemplate(parsing: text, variables: variables)
            if templates.count < 10_000 { templates[key] = parsed }
            return parsed.substituting(values)
        } catch {
            throw .condition(error, in: text, name: name)
        }
    }

    /// What the variables of a condition stand for.
    static func values(target: TargetContentIdentifier?, template: URITemplate?) -> [String: String] {
        guard let target else { return [:] }
        var values: [String: String] = [:]
        for (name, value) in template?.match(target.text)?.variables ?? [:] {
            values[URITemplate.variableKey(name)] = value
        }
        values["TARGET"] = target.text
        return values
    }

    static func warning(unfilled name: String, scene: String, target: TargetContentIdentifier?) -> String {
        target == nil
            ? "\(name) of scene \(scene) uses the target, and none is given: it is FALSEPREDICATE now"
            : "\(name) of scene \(scene) uses a parameter that the target does not give: it is FALSEPREDICATE now"
    }
}
