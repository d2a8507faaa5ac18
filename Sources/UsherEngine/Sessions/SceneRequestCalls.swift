public import UsherLog
public import UsherOperation
internal import UsherPayload
internal import UsherResolution
internal import UsherScene
internal import UsherStore
internal import UsherSystem

/// Brings the window of a session forward, as a delivery.
public struct SceneFocus: PerformedCall {
    public var session = ""
    public var token: String?
    public var parent: String?
    /// Of the delivery; not in a request.
    package var source = DeliverySource.scene
    public var waits: Bool { true }

    public init() {}
    public init(_ session: String, token: String? = nil, parent: String? = nil) {
        (self.session, self.token, self.parent) = (session, token, parent)
    }

    public typealias Answer = DecisionRecord
    public static let name = "scene.focus"
    public static let operation = Operation<Self>(
        "brings the window of a session forward; answered by the decision record", .act,
        [
            Field("session", \.session, "the session's id"), .token(\.token),
            Field("parent", \.parent, "the delivery whose handler asks for this: it does not wait behind that one"),
        ], http: [HTTPForm(.post, "/v1/scenes/{session}/focus", hidden: ["token", "parent"])])

    public func perform(in context: OperationContext) throws(ControlError) -> DecisionRecord {
        try context.engine.prepareToAct()
        let found = try context.session(session)
        guard context.configuration.app(id: found.app) != nil else {
            throw .unknown(.noApp, "app", found.app, among: context.configuration.apps.map(\.id), at: "/session")
        }
        return try context.dispatch(.focus(session: found.id), source: source, token: token, parent: parent)
    }
}

/// Makes a new window, as a delivery.
public struct SceneNew: PerformedCall {
    public var app = ""
    public var scene: String?
    public var target: String?
    public var token: String?
    public var parent: String?
    public var waits: Bool { true }

    public init() {}
    public init(
        app: String, scene: String? = nil, target: String? = nil, token: String? = nil, parent: String? = nil
    ) {
        (self.app, self.scene, self.target, self.token, self.parent) = (app, scene, target, token, parent)
    }

    public typealias Answer = DecisionRecord
    public static let name = "scene.new"
    public static let operation = Operation<Self>(
        "makes a new window of an app; answered by the decision record", .act,
        [
            Field("app", \.app, "the app"),
            Field("scene", \.scene, "the scene's name in the app's manifest; else the one that opens for the target"),
            Field("target", \.target, "what it is to show: a target content identifier"), .token(\.token),
            Field("parent", \.parent, "the delivery whose handler asks for this: it does not wait behind that one"),
        ], http: [HTTPForm(.post, "/v1/scenes/new", refusals: [404, 409], hidden: ["token", "parent"])])

    public func perform(in context: OperationContext) throws(ControlError) -> DecisionRecord {
        if let target {
            _ = try TargetContentIdentifier(argument: target, "the target", code: .controlArgument, at: "/target")
        }
        try context.engine.prepareToAct()
        let configuration = context.configuration
        guard let app = configuration.app(id: app) ?? configuration.manifestApp(named: app) else {
            throw .unknown(.noApp, "app", app, among: configuration.manifestApps.map(\.id), at: "/app")
        }
        let request = SceneRequest.new(app: app.id, scene: scene, target: target)
        // What cannot be made is no delivery: it is refused by the lines that decide deliveries.
        let sessions = try context.storing(try context.sessions.sessions(app: app.id)).sessions
        let resolver = Resolver(Snapshot(configuration: configuration, sessions: SessionTable(sessions)))
        let asked = PayloadRequest.of(request.payload, in: configuration, source: DeliverySource.scene)
        if let failure = resolver.resolve(asked.request).failure,
            [.sceneUnknown, .sceneSingle, .sceneLimit].contains(failure.code)
        {
            throw ControlError(
                failure.code, failure.message, at: failure.code == .sceneUnknown ? "/scene" : "/app",
                help: failure.help)
        }
        return try context.dispatch(request, token: token, parent: parent)
    }
}

extension SceneRequest {
    fileprivate var source: String {
        if case .terminal = self { DeliverySource.terminal } else { DeliverySource.scene }
    }

    fileprivate var payload: Payload { Payload(carrier: .scene(self), format: .scene, raw: jsonText[...]) }
}

extension OperationContext {
    /// Dispatches a request, and returns when its record is on disk.
    func dispatch(
        _ request: SceneRequest, source: String? = nil, token: String?, parent: String?
    ) throws(ControlError) -> DecisionRecord {
        let reply = Reply<Result<DecisionRecord, ControlError>>()
        var events = Arrival.Events()
        events.refused = { reply.give(.failure(ControlError($0, status: .finding))) }
        events.left = { reply.give(.failure(.leftForLater)) }
        events.finished = { reply.give(.success($0)) }
        var arrival = Arrival(
            .success(request.payload), input: request.jsonText, source: source ?? request.source,
            started: MonotonicClock.now, events: events)
        arrival.token = token
        arrival.parent = parent
        guard try engine.intake.submit([arrival]) else {
            throw ControlError(
                .controlBusy, "too many deliveries wait already", help: "try again later", status: .finding)
        }
        guard let result = reply.wait() else { throw .leftForLater }
        return try result.get()
    }

    /// Hands a request over, and returns when it is on disk: its delivery; nil where it was refused.
    package func accept(_ arrival: Arrival) throws(ControlError) -> String? {
        let reply = Reply<String?>()
        var arrival = arrival
        arrival.events.accepted = { reply.give($0) }
        arrival.events.refused = { _ in reply.give(nil) }
        guard try engine.intake.submit([arrival]) else { return nil }
        return reply.wait() ?? nil
    }
}
