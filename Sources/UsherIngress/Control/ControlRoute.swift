internal import UsherHTTP
internal import UsherJSON
internal import UsherOperation
internal import UsherScene
internal import UsherText

/// What a path of the control door stands for.
enum ControlRoute: Equatable {
    case sessions
    case session(String)
    case sessionVerb(String, Verb)
    case deliveries
    case delivery(String)
    case retry(String)
    case explain
    case targets(String)
    case records
    case reload
    case status
    case content(ContentRoute)

    enum Verb: String { case activate, disconnect, close }

    /// - Parameter path: decoded segments, `v1` first.
    init?(_ path: [String]) {
        guard path.first == "v1", path.count > 1, !path.contains("") else { return nil }
        if let route = ContentRoute(path) {
            self = .content(route)
            return
        }
        switch (path[1], path.count) {
        case ("scenes", 2): self = .sessions
        case ("scenes", 3): self = .session(path[2])
        case ("scenes", 4):
            guard let verb = Verb(rawValue: path[3]) else { return nil }
            self = .sessionVerb(path[2], verb)
        case ("deliveries", 2): self = .deliveries
        case ("deliveries", 3): self = .delivery(path[2])
        case ("deliveries", 4):
            guard path[3] == "retry" else { return nil }
            self = .retry(path[2])
        case ("explain", 2): self = .explain
        case ("targets", 3):
            guard ["build", "match", "lint"].contains(path[2]) else { return nil }
            self = .targets(path[2])
        case ("records", 2): self = .records
        case ("reload", 2): self = .reload
        case ("status", 2): self = .status
        default: return nil
        }
    }

    var methods: [String] {
        switch self {
        case .sessions: ["GET", "POST"]
        case .session: ["GET", "PATCH", "DELETE"]
        case .deliveries, .records, .status: ["GET"]
        case .delivery: ["GET", "DELETE"]
        case .sessionVerb, .retry, .explain, .targets, .reload: ["POST"]
        case .content(let route): route.methods
        }
    }

    /// The parameters of the query.
    func parameters(for method: String) -> [String] {
        switch (self, method) {
        case (.sessions, "GET"): ["app"]
        case (.deliveries, _): ["state", "limit", "before"]
        case (.explain, _): ["target", "app", "all"]
        case (.records, _): ["since"]
        case (.content(let route), _): route.parameters(for: method)
        default: []
        }
    }

    /// Whether the body is read; what has none is not asked for its media type.
    func takesBody(_ method: String) -> Bool {
        switch self {
        case .sessions, .session: method == "POST" || method == "PATCH"
        case .sessionVerb(_, let verb): verb != .close
        case .explain: true
        case .content(let route): route.takesBody(method)
        default: false
        }
    }

    /// The command that a request asks for.
    func command(_ request: HTTPRequest, _ target: RequestTarget) throws(ControlError) -> ControlCommand {
        switch (self, request.method) {
        case (.sessions, "GET"): return .sessions(app: try target.value("app"))
        case (.sessions, _): return .connect(try ControlBody.sessionRequests(request), checks: false)
        case (.session(let id), "GET"): return .session(id: id)
        case (.session(let id), "PATCH"): return .update(session: id, try ControlBody.update(request))
        case (.session(let id), _): return .close(session: id)
        case (.sessionVerb(let id, .activate), _): return .activate(session: id, try ControlBody.update(request))
        case (.sessionVerb(let id, .disconnect), _): return .disconnect(session: id, try ControlBody.update(request))
        case (.sessionVerb(let id, .close), _): return .close(session: id)
        case (.deliveries, _): return .deliveries(try ControlRoute.query(target))
        case (.delivery(let id), "GET"): return .delivery(id: id)
        case (.delivery(let id), _): return .drop(DeliverySelection(ids: [id]))
        case (.retry(let id), _): return .retry(DeliverySelection(ids: [id]))
        case (.explain, _):
            let app = try target.value("app")
            let all = try target.flag("all")
            if let asked = try target.value("target") {
                return .explain(ExplainRequest(.target(asked), app: app, showsAll: all))
            }
            guard !request.body.isEmpty else {
                throw ControlError(
                    .controlArgument, "what is to be explained?", help: "give ?target=, or a payload as the body")
            }
            return .explain(ExplainRequest(.payload(request.body), app: app, showsAll: all))
        case (.reload, _): return .reload
        case (.status, _): return .status
        case (.targets, _), (.records, _), (.content, _):
            throw ControlError(.controlRoute, "there is nothing at \(request.path)")
        }
    }

    private static func query(_ target: RequestTarget) throws(ControlError) -> DeliveryQuery {
        var query = DeliveryQuery(before: try target.value("before"))
        for text in target.values("state").flatMap({ $0.split(separator: ",").map(String.init) }) {
            guard let state = DeliveryState(rawValue: text) else {
                throw .unknown(
                    .controlArgument, "state", text, among: DeliveryState.allCases.map(\.rawValue), at: "?state")
            }
            query.states.insert(state)
        }
        if let text = try target.value("limit") {
            guard let limit = Int(text), DeliveryQuery.limits.contains(limit) else {
                throw ControlError(
                    .controlArgument, "limit is \(QuotedText.text(text)), not a number from 1 to 10000", at: "?limit")
            }
            query.limit = limit
        }
        return query
    }
}
