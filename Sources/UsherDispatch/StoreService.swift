internal import UsherJSON
public import UsherOperation
public import UsherScene
public import UsherStore

/// Carries out the operations that need a store and a configuration, and no running engine: sessions, deliveries, activities,
/// notes, links and redirects. Both `usherd` and a command without a daemon use it, so that their answers are the same.
///
/// One value serves one configuration; it is cheap to make. Every method may block, and may be called from any thread.
public struct StoreService: Sendable {
    private let store: Store
    private let sessions: any SessionChanges
    private let deliveries: any DeliveryChanges
    private let configuration: Configuration?
    private let contents: ContentService?
    private let windowServer: @Sendable (String) -> String?
    private let activation: @Sendable (SceneSession) -> ActivationState?
    /// Called when an app says that the window of a session has focus. Must not wait.
    public var tookFocus: (@Sendable (SceneSession) -> Void)?

    /// - Parameters:
    ///   - sessions: the store itself, or the engine, whose caches are then up to date at once; as `deliveries`.
    ///   - configuration: without one, conditions know no parameters of templates, and no session can be connected.
    ///   - contents: without one, no operation on contents is answered.
    ///   - windowServer: the server that a window's handle belongs to, for requests that do not name it.
    ///   - activation: how a session's window is seen now; nil if no window system has reported it.
    public init(
        _ store: Store, sessions: any SessionChanges, deliveries: any DeliveryChanges, configuration: Configuration?,
        contents: ContentService?, windowServer: @escaping @Sendable (String) -> String? = { _ in nil },
        activation: @escaping @Sendable (SceneSession) -> ActivationState? = { _ in nil }
    ) {
        self.store = store
        self.sessions = sessions
        self.deliveries = deliveries
        self.configuration = configuration
        self.contents = contents
        self.windowServer = windowServer
        self.activation = activation
    }

    /// Carries a call out; its answer as JSON text. What is in the answer is on disk.
    public func perform(_ call: any Call) throws(ControlError) -> [UInt8] {
        var json = JSONWriter(escaping: .minimal)
        switch try store.resolvingIdentifiers(in: call) {
        case let call as any ContentCall:
            guard let contents else { throw .protocolViolation("\(call.name) is not answered here") }
            json.value(try contents.perform(call))
        case let call as SceneConnect: try connect(call, &json)
        case let call as SceneUpdate: write(try commands.update(call.session, call.update), &json)
        case let call as SceneActivate:
            let changed = try commands.activate(call.session, call.update)
            tookFocus?(changed.session)
            write(changed, &json)
        case let call as SceneDisconnect: write(try commands.disconnect(call.session, call.update), &json)
        case let call as SceneClose:
            let session = try commands.close(call.session)
            json.beginObject()
            json.key("session")
            SessionAnswer.write(session, state: SessionAnswer.closed, to: &json)
            json.endObject()
        case let call as SceneList:
            let found = try storing { () throws(StoreError) in try sessions.sessions(app: call.app).sessions }
            json.beginArray()
            for session in found.sorted(by: SceneSession.precedes) {
                SessionAnswer.write(session, activation: activation(session), to: &json)
            }
            json.endArray()
        case let call as SceneShow:
            let session = try commands.session(call.session)
            SessionAnswer.write(session, activation: activation(session), to: &json)
        case let call as DeliveriesList:
            let found = try storing { () throws(StoreError) in
                try store.deliveries(limit: call.limit, states: call.states, before: call.before)
            }
            json.beginArray()
            let short = try storing { () throws(StoreError) in
                try store.shortIdentifiers(of: found.map(\.id), .delivery)
            }
            for (delivery, short) in zip(found, short) {
                DeliveryAnswer.writeSummary(of: delivery, short: short, to: &json)
            }
            json.endArray()
        case let call as DeliveriesShow:
            let (delivery, explanation) = try explained(call.delivery)
            let short = try storing { () throws(StoreError) in
                try store.shortIdentifiers(of: [delivery.id], .delivery)
            }
            DeliveryAnswer.write(
                delivery, short: short.first ?? delivery.id, explanation: explanation.json, to: &json)
        case let call as DeliveriesRetry:
            write(try DeliveryOperations(store, deliveries).retry(call.selection), &json)
        case let call as DeliveriesDrop:
            write(try DeliveryOperations(store, deliveries).drop(call.selection), &json)
        default: throw .protocolViolation("\(call.name) is not answered here")
        }
        return json.bytes
    }

    /// A delivery of the journal, by its id, the beginning of it, or its sender's id, and why it went where it went.
    public func explained(_ name: String) throws(ControlError) -> (Store.StoredDelivery, StoredExplanation) {
        let id = try store.identifier(name, .delivery, at: "/delivery")
        guard let delivery = try storing({ () throws(StoreError) in try store.delivery(id) }) else {
            throw .noDelivery(name)
        }
        let explanation = try storing { () throws(StoreError) in
            try StoredExplanation(of: delivery, in: store)
        }
        return (delivery, explanation)
    }

    private var commands: SessionOperations {
        SessionOperations(sessions, configuration: configuration, windowServer: windowServer)
    }

    private func connect(_ call: SceneConnect, _ json: inout JSONWriter) throws(ControlError) {
        guard let configuration else { throw .session("there is no configuration, and so no scene") }
        let plan = try SessionPlan(
            call.sessions, in: configuration, known: sessions, windowServer: windowServer)
        let made = call.checks ? [] : try plan.connect(in: sessions)
        json.beginObject()
        json.beginArray("sessions")
        for session in made { SessionAnswer.write(session, to: &json) }
        json.endArray()
        json.beginArray("warnings")
        for warning in plan.warnings.prefix(100) {
            json.beginObject()
            json.member("index", warning.index)
            json.member("message", warning.message)
            json.endObject()
        }
        json.endArray()
        json.endObject()
    }

    private func write(_ changed: SessionOperations.Changed, _ json: inout JSONWriter) {
        json.beginObject()
        json.key("session")
        SessionAnswer.write(changed.session, to: &json)
        json.member("warnings", changed.warnings)
        json.endObject()
    }

    private func storing<Result>(_ body: () throws(StoreError) -> Result) throws(ControlError) -> Result {
        do throws(StoreError) {
            return try body()
        } catch {
            throw ControlError(error)
        }
    }

    private func write(_ ids: [String], _ json: inout JSONWriter) {
        json.beginObject()
        json.member("deliveries", ids)
        json.endObject()
    }
}
