public import UsherJSON
internal import UsherPredicate
internal import UsherResolution
internal import UsherScene

/// A worked case of the resolution: open sessions and an event, in the shape of `Tests/Fixtures/resolution.jsonl`.
///
/// A case assumes one installed app with one configuration that has no `opens`, so it can be written without a manifest:
/// `usher explain --cases`.
public struct ResolutionCase: Sendable {
    public var id: JSONValue
    private var snapshot: Snapshot
    private var request: ActivationRequest

    public struct Invalid: Error {
        public var message: String

        public init(message: String) { self.message = message }
    }

    /// - Throws: `Invalid` with the member that cannot be understood.
    public init(_ value: JSONValue) throws(Invalid) {
        guard value.members != nil else { throw Invalid(message: "a case is a JSON object") }
        id = value["id"] ?? .null
        let location = SourceLocation(path: "case", line: 1, column: 1)
        var app = App(id: "case", name: "case", location: location)
        app.scenes = [SceneConfiguration(name: "scene", location: location)]
        app.multipleScenes = value["multi"]?.boolean ?? true
        if let limit = value["limit"]?.int64 { app.scenesLimit = Located(Int(clamping: limit), at: location) }
        var roles: Set<String> = []
        var sessions: [SceneSession] = []
        for session in value["sessions"]?.elements ?? [] {
            let read = try ResolutionCase.session(session)
            roles.insert(read.role.rawValue)
            sessions.append(read)
        }
        let event = value["event"] ?? .null
        request = ActivationRequest(
            target: event["target"]?.string.map(TargetContentIdentifier.init), url: event["url"]?.string)
        request.session = event["session"]?.string
        request.isSceneRequest = event["request"]?.boolean ?? false
        if let role = event["role"]?.string { request.role = SceneRole(rawValue: role) }
        for role in roles.union([request.role.rawValue]).sorted() where role != SceneRole.windowApplication.rawValue {
            var scene = SceneConfiguration(name: role, location: location)
            scene.role = SceneRole(rawValue: role)
            app.scenes.append(scene)
        }
        snapshot = Snapshot(
            configuration: Configuration(apps: [app]), sessions: SessionTable(sessions))
    }

    private static func session(_ value: JSONValue) throws(Invalid) -> SceneSession {
        guard let id = value["id"]?.string else { throw Invalid(message: "a session has no id") }
        var conditions = ActivationConditions()
        if let can = try predicate(value, "can", of: id) { conditions.canActivate = .init(can, origin: .session) }
        if let prefers = try predicate(value, "prefers", of: id) {
            conditions.prefersToActivate = .init(prefers, origin: .session)
        }
        var state = SceneSession.State.connected
        if let name = value["state"]?.string {
            guard let known = SceneSession.State(rawValue: name) else {
                throw Invalid(message: "session \(id): there is no state \(name)")
            }
            state = known
        }
        if value["closing"]?.boolean == true { state = .closing }
        return SceneSession(
            id: id, app: "case", scene: "scene",
            role: value["role"]?.string.map(SceneRole.init(rawValue:)) ?? .windowApplication, conditions: conditions,
            state: state, used: value["used"]?.int64, created: value["created"]?.int64 ?? 0)
    }

    private static func predicate(_ value: JSONValue, _ name: String, of session: String) throws(Invalid)
        -> ScenePredicate?
    {
        guard let text = value[name]?.string else { return nil }
        do {
            return try ScenePredicate(parsing: text)
        } catch {
            throw Invalid(message: "session \(session), \(name): \(error.message)")
        }
    }

    /// The decision in the words of the cases: `{"id", "activate"|"create"|"error", "because"}`.
    public func decide() -> JSONValue {
        let resolution = Resolver(snapshot).resolve(request)
        var answer: [JSONValue.Member] = [.init("id", id)]
        if let session = resolution.session {
            answer.append(.init("activate", .string(session)))
            answer.append(.init("because", .string(resolution.reason.rawValue)))
        } else if resolution.makesSession {
            let because =
                resolution.reason == .default || resolution.reason == .opens ? "none" : resolution.reason.rawValue
            answer.append(.init("create", true))
            answer.append(.init("because", .string(because)))
        } else {
            answer.append(.init("error", .string(resolution.reason.rawValue)))
        }
        return .object(answer)
    }
}
