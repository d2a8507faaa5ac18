internal import UsherDispatch
public import UsherHTTP
internal import UsherJSON
internal import UsherOperation
internal import UsherStore
internal import UsherText

/// The control door over HTTP: the same commands, answers and errors as on the socket.
///
/// Who may use it is decided before: by whoever calls `handle`.
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

    /// Whether a path (not decoded) belongs to this door.
    public static func owns(_ path: some StringProtocol) -> Bool {
        let segments = path.split(separator: "/", omittingEmptySubsequences: false)
        guard segments.count >= 3, segments[0].isEmpty, segments[1] == "v1" else { return false }
        return [
            "scenes", "deliveries", "explain", "targets", "records", "reload", "status", "activities", "notes", "links",
            "suggestions", "redirects",
        ].contains(segments[2])
    }

    /// Answers a request whose path is this door's; does not block.
    ///
    /// - Parameter knowsSenderIDs: whether one delivery is found by its sender's id, too. Those can be guessed, ours cannot.
    public func handle(_ request: HTTPRequest, _ responder: any HTTPResponder, knowsSenderIDs: Bool = true) {
        do throws(ControlError) {
            let target = try RequestTarget(request.target)
            guard let route = ControlRoute(target.path) else {
                throw ControlError(
                    .controlRoute, "there is nothing at \(request.path)", help: "/openapi.json lists it all")
            }
            guard route.methods.contains(request.method) else {
                let error = ControlError(
                    .controlRoute, "\(request.method) is not what \(request.path) takes",
                    help: "it takes \(route.methods.joined(separator: ", "))")
                return responder.respond(
                    error.response(status: 405, fields: [.init("Allow", route.methods.joined(separator: ", "))]))
            }
            if !knowsSenderIDs, case .delivery(let id) = route, !UUIDv7.isOne(id) { throw ControlError.noDelivery(id) }
            try answer(route, request, target, responder)
        } catch {
            responder.respond(error.response())
        }
    }

    private func answer(
        _ route: ControlRoute, _ request: HTTPRequest, _ target: RequestTarget, _ responder: any HTTPResponder
    ) throws(ControlError) {
        if case .targets(let verb) = route, let targets { return targets(verb, request, responder) }
        try target.check(route.parameters(for: request.method))
        if route == .records { return stream(request, responder, since: try target.value("since")) }
        if let refusal = ControlBody.refusal(of: request, on: route) { return responder.respond(refusal) }
        if case .content(let contents) = route {
            let asked = try contents.meaning(of: request, target)
            return service.execute(.content(asked.call)) { answer in
                switch answer {
                case .success(let json): responder.respond(ControlBody.Shape.content(asked.form).response(json))
                case .failure(let error): responder.respond(error.placed(in: target, asked.form).response())
                }
            }
        }
        let command = try route.command(request, target)
        let shape = ControlBody.Shape(of: command, in: request)
        service.execute(command) { answer in
            switch answer {
            case .success(let json): responder.respond(shape.response(json))
            case .failure(let error):
                // One session that was asked for by itself is not one of a list.
                let single = shape.isOneNew ? error.problems.first?.error : nil
                responder.respond((single ?? error).response())
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
        let stream = responder.stream(
            HTTPResponse(
                200,
                fields: HTTPFields([
                    .init("Content-Type", "text/event-stream"), .init("Cache-Control", "no-store"),
                ])))
        let last = request.fields["Last-Event-ID"] ?? parameter
        // The subscription ends when nothing can be sent any more.
        _ = service.subscribe(
            since: last.flatMap { $0.isEmpty ? nil : $0 },
            RecordBroadcast.Receiver(
                receive: { stream.send(ControlRoutes.event($0)) }, beat: { stream.send(Array(":\n\n".utf8)) },
                unsentBytes: { stream.unsentBytes }, end: { stream.close() })
        ) { error in
            // An event source would not come back after an error: it is told, and goes on with what is new.
            let comment = error.map { ControlRoutes.comment($0.message) } ?? ControlRoutes.comment("usherd")
            stream.send(comment)
        }
    }

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
