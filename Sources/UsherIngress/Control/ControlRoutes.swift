internal import UsherEngine
public import UsherHTTP
internal import UsherOperation
internal import UsherText

/// The control operations over HTTP: the same commands, answers and errors as on the socket.
///
/// The caller of `handle` has checked that the client may use it.
public struct ControlRoutes: Sendable {
    /// Answers `POST /v1/targets/VERB`.
    public typealias TargetHandler =
        @Sendable (_ verb: String, _ request: HTTPRequest, _ responder: any HTTPResponder)
        -> Void

    let service: ControlService
    let targets: TargetHandler?

    /// - Parameter targets: answers `/v1/targets/build`, `match` and `lint`; without it there is no such resource.
    public init(_ service: ControlService, targets: TargetHandler? = nil) {
        self.service = service
        self.targets = targets
    }

    /// Addresses, for suggestions.
    public static let paths = OperationRoute.paths + verbs.map { "/v1/targets/\($0)" }

    private static let verbs = ["build", "match", "lint"]

    /// Whether a path (not decoded) is an operation's, or that of a request about targets.
    public static func owns(_ path: some StringProtocol) -> Bool {
        guard let path = try? RequestTarget(String(path)).path, path.first == "v1", !path.contains("") else {
            return false
        }
        return isAboutTargets(path) || OperationRoute(path) != nil
    }

    private static func isAboutTargets(_ path: [String]) -> Bool {
        path.count == 3 && path[0] == "v1" && path[1] == "targets" && verbs.contains(path[2])
    }

    /// Answers a request whose path is one of a control operation; does not block.
    ///
    /// - Parameter knowsSenderIDs: whether one delivery is found by its sender's id, too. Those can be guessed, ours cannot.
    public func handle(_ given: HTTPRequest, _ responder: any HTTPResponder, knowsSenderIDs: Bool = true) {
        var request = given
        // RFC 9110, 9.3.2: HEAD is answered as GET is; the server leaves the body out.
        if given.method == "HEAD" { request.method = "GET" }
        do throws(ControlError) {
            let target = try RequestTarget(request.target)
            let path = target.path
            if ControlRoutes.isAboutTargets(path) {
                if let refusal = ControlRoutes.refusal(of: request, among: ["POST"]) {
                    return responder.respond(refusal)
                }
                if let targets { return targets(path[2], request, responder) }
            }
            guard path.first == "v1", !path.contains(""), let route = OperationRoute(path) else {
                throw ControlError(
                    .controlRoute, "there is nothing at \(request.path)", help: "/openapi.json lists it all")
            }
            if !route.takes(request.method),
                let refusal = ControlRoutes.refusal(of: request, among: route.methods)
            {
                return responder.respond(refusal)
            }
            if !knowsSenderIDs, path.count == 3, path[1] == "deliveries", !UUIDv7.isOne(path[2]) {
                throw ControlError.noDelivery(path[2])
            }
            try answer(route, request, target, responder, isHead: given.method == "HEAD")
        } catch {
            responder.respond(error.response())
        }
    }

    private static func refusal(of request: HTTPRequest, among methods: [String]) -> HTTPResponse? {
        guard !methods.contains(request.method) else { return nil }
        let allowed = methods.joined(separator: ", ")
        let error = ControlError(
            .controlRoute, "\(request.method) is not what \(request.path) takes", help: "it takes \(allowed)")
        return error.response(status: 405, fields: [.init("Allow", allowed)])
    }

    private func answer(
        _ route: OperationRoute, _ request: HTTPRequest, _ target: RequestTarget, _ responder: any HTTPResponder,
        isHead: Bool
    ) throws(ControlError) {
        try target.check(route.parameters(for: request.method))
        if let refusal = route.refusal(of: request) { return responder.respond(refusal) }
        let meaning = try route.meaning(of: request, target)
        if let records = meaning.call as? Records {
            if isHead { return responder.respond(HTTPResponse(200, fields: ControlRoutes.streamFields)) }
            return stream(request, responder, since: records.since)
        }
        service.execute(meaning.call) { answer in
            switch answer {
            case .success(let json): responder.respond(meaning.response(json))
            case .failure(let error): responder.respond(meaning.response(error, in: target))
            }
        }
    }
}

// MARK: - Records

extension ControlRoutes {
    /// Decision records as Server-Sent Events (WHATWG HTML, 9.2): `event: record`, the delivery's id, the record.
    ///
    /// A client that comes back names the last id it saw (`Last-Event-ID`, or `since`) and is first given what followed.
    func stream(_ request: HTTPRequest, _ responder: any HTTPResponder, since parameter: String?) {
        let stream = responder.stream(HTTPResponse(200, fields: ControlRoutes.streamFields))
        let last = request.fields["Last-Event-ID"] ?? parameter
        // The subscription ends when nothing can be sent any more.
        _ = service.subscribe(
            since: last.flatMap { $0.isEmpty ? nil : $0 },
            RecordBroadcast.Receiver(
                receive: { stream.send(ControlRoutes.event($0)) }, beat: { stream.send(Array(":\n\n".utf8)) },
                unsentBytes: { stream.unsentBytes }, end: { stream.close() })
        ) { error in
            // An EventSource would not reconnect after an error: it gets a comment, then the new records.
            let comment = error.map { ControlRoutes.comment($0.message) } ?? ControlRoutes.comment("usherd")
            stream.send(comment)
        }
    }

    private static let streamFields = HTTPFields([
        .init("Content-Type", "text/event-stream"), .init("Cache-Control", "no-store"),
    ])

    static func event(_ event: RecordBroadcast.Event) -> [UInt8] {
        var bytes = Array("event: record\nid: \(event.id)\ndata: ".utf8)
        bytes += event.json
        bytes += [0x0A, 0x0A]
        return bytes
    }

    private static func comment(_ text: String) -> [UInt8] {
        let line = text.unicodeScalars.map { $0.value < 0x20 ? "\u{FFFD}" : String($0) }.joined()
        return Array(": \(line)\n\n".utf8)
    }
}
