internal import UsherConfiguration
public import UsherEngine
public import UsherHTTP
internal import UsherHook
internal import UsherJSON
internal import UsherPayload
internal import UsherScene
internal import UsherStore
internal import UsherSystem
internal import UsherText

/// `/hooks/PATH`: what a sender posts becomes a notification, as the hooks of that path say.
///
/// The signature is judged first, on the bytes as they came; then answers to challenges, conditions, and the mapping.
public struct HookRoute: Sendable {
    private let access: WebhookAccess

    public init(_ access: WebhookAccess) { self.access = access }

    /// Judges a request by its head: whether there is such a path, the method, and the sender where the scheme needs no
    /// body.
    public func admit(_ request: HTTPRequest) -> HTTPAdmission {
        let hooks = hooks(of: request)
        let admission = access.admit(request, hook: hooks.first?.name) { () throws(Refusal) in
            guard !hooks.isEmpty else { throw unknown(request) }
            if access.policy.preflight(request) != nil { return nil }
            let methods = HookDefinition.methods(of: hooks)
            guard methods.contains(request.method) else {
                throw Refusal.method(request.method, allowed: methods.joined(separator: ", "))
            }
            let signature = hooks[0].signature
            guard signature.scheme.isInHead else { return nil }
            _ = try authenticate(HookRequest(request, origin: access.policy.origin(of: request)), request, hooks[0])
            if signature.secret == nil { return try access.sender(of: request, scope: .send) }
            return .hook(hooks[0].name)
        }
        // Its body is never read, and it comes no further.
        if case .refuse = admission { sendToListeners(of: hooks, request) }
        return admission
    }

    /// Shows a request to the commands that listen.
    private func sendToListeners(of hooks: [HookDefinition], _ request: HTTPRequest) {
        guard !hooks.isEmpty else { return }
        access.listeners.send(requestTo: hooks) { HookRequest(request, origin: "") }
    }

    /// Answers a request that was admitted.
    public func handle(_ request: HTTPRequest, _ responder: any HTTPResponder, _ intake: any Intake) {
        let hooks = hooks(of: request)
        sendToListeners(of: hooks, request)
        access.answer(request, responder, hook: hooks.first?.name) { (responder) throws(Refusal) in
            try answer(hooks, request, responder, intake)
        }
    }

    private func answer(
        _ hooks: [HookDefinition], _ request: HTTPRequest, _ responder: any HTTPResponder, _ intake: any Intake
    ) throws(Refusal) {
        let started = MonotonicClock.now
        guard !hooks.isEmpty else { throw unknown(request) }
        let client = access.client(of: request)
        var hookRequest = HookRequest(request, origin: access.policy.origin(of: request))
        let proof = try authenticate(hookRequest, request, hooks[0])
        hookRequest.isAuthenticated = proof.isAuthenticated
        try access.limitRate(of: .hook(hooks[0].name))
        let waits = try QueryString(of: request).waits()
        let outcome: HookOutcome
        do throws(HookRefusal) {
            outcome = try HookEvaluation(
                hooks, hookRequest, now: access.wallClock(), code: { [access] in access.code(of: $0, for: hooks[0]) }
            ).outcome(keepsRefused: true)
        } catch {
            guard proof.isAuthenticated, !error.isAboutChallenge else { throw Refusal(error) }
            return try refuse(error, hookRequest, hooks, request, responder, intake, started)
        }
        switch outcome {
        case .answered(let reply, let hook):
            access.log.log(
                .answered, hook: hook.name, path: hookRequest.path, client: client, status: reply.status)
            responder.respond(HTTPResponse(reply))
        case .ignored(let misses):
            try ignore(misses, hooks[0], path: hookRequest.path, client, responder)
        case .accepted(let elements, let hook):
            let ignored = HookRoute.ignored(elements)
            guard elements.count - ignored.count <= intake.capacity else {
                throw Refusal.batch(limit: intake.capacity, of: "elements", help: "[deliveries] queue allows no more")
            }
            let refusal = HookElement.refusal(of: elements)
            if let refusal, !proof.isAuthenticated { throw Refusal(refusal) }
            var refuse: (@Sendable ([String]) -> HTTPResponse)?
            if let refusal {
                refuse = { [access] in access.refuse(Refusal(refusal), request, hook: hook.name, deliveries: $0) }
            }
            let misses = ignored.sorted { $0.key < $1.key }.map(\.value)
            let problems = elements.map { element -> Diagnostic? in
                if case .failed(let refusal, _, _) = element { refusal.problem } else { nil }
            }
            let failures = Array(problems.lazy.compactMap { $0 }.prefix(RequestLog.reasonLimit))
            let answer = PendingAnswer(
                problems, ignored: ignored, isList: hook.each != nil,
                waits: waits && refusal == nil, reply: hook.accepted, responder,
                refusal: refuse,
                whenAccepted: { [log = access.log, path = hookRequest.path] isRepeated, deliveries in
                    log.log(
                        isRepeated ? .duplicate : .accepted, hook: hook.name, path: path, client: client,
                        status: hook.accepted.status, misses: misses, failures: failures, deliveries: deliveries)
                })
            let limit = proof.isAuthenticated ? nil : access.settings.server.rate.newWindows
            guard intake.submit(HookRoute.arrivals(elements, hook, proof, answer, started, windowLimit: limit)) else {
                answer.abandon()
                throw refusal.map { Refusal($0) } ?? Refusal.queueFull
            }
            access.waitLimit.watch(answer)
        }
    }

    /// Journals what an authenticated sender sent and no hook can map, and then answers why.
    private func refuse(
        _ refusal: HookRefusal, _ hookRequest: HookRequest, _ hooks: [HookDefinition], _ request: HTTPRequest,
        _ responder: any HTTPResponder, _ intake: any Intake, _ started: MonotonicInstant
    ) throws(Refusal) {
        let hook = hooks.first { $0.name == refusal.hook } ?? hooks[0]
        var arrival = Arrival(
            .failure(PayloadError(refusal.problem)), input: hookRequest.body,
            source: DeliverySource.hookPrefix + hook.name, started: started)
        arrival.senderID = (try? HookSenderID.of(hookRequest, hook.defaultID)) ?? nil
        try access.journal(Refusal(refusal), of: arrival, request, hook: hook.name, responder, intake)
    }

    private static func ignored(_ elements: [HookElement]) -> [Int: HookMiss] {
        var ignored: [Int: HookMiss] = [:]
        for (index, element) in elements.enumerated() { if case .ignored(let miss) = element { ignored[index] = miss } }
        return ignored
    }

    private static func arrivals(
        _ elements: [HookElement], _ hook: HookDefinition, _ proof: HookProof, _ answer: PendingAnswer,
        _ started: MonotonicInstant, windowLimit: Int?
    ) -> [Arrival] {
        elements.enumerated().compactMap { index, element in
            let reading: Result<Payload, PayloadError>
            let input: [UInt8]
            var senderID: String?
            switch element {
            case .notification(let notification):
                (reading, input) = (.success(notification.payload), notification.input)
            case .failed(let refusal, let bytes, let id):
                (reading, input) = (.failure(PayloadError(refusal.problem)), bytes)
                senderID = id
            case .ignored: return nil
            }
            var arrival = Arrival(
                reading, input: input, source: DeliverySource.hookPrefix + hook.name, started: started,
                events: answer.events(of: index))
            (arrival.senderID, arrival.sequence) = (senderID, index + 1)
            guard case .notification(let notification) = element else { return arrival }
            arrival.app = notification.payload.app
            arrival.newWindowLimit = windowLimit
            arrival.senderID = notification.senderID
            if hook.signature.replays == .code, let code = proof.code {
                let element = hook.each == nil ? [] : Array(" \(index)".utf8)
                // Of the path: headers that choose one of its hooks are not signed.
                arrival.code = Store.SignedCode(
                    code + Array((" " + hook.path).utf8) + element, hasTime: proof.validSeconds != nil)
            }
            return arrival
        }
    }

    private func ignore(
        _ misses: [HookMiss], _ hook: HookDefinition, path: String, _ client: String, _ responder: any HTTPResponder
    ) throws(Refusal) {
        let why = misses.first?.message
        switch hook.unmatched {
        case .error:
            throw Refusal(
                422, .hookNoMatch, why ?? "no hook of this path wants the event", at: misses.first?.at,
                help: "this is the condition at \(misses.first?.rule.description ?? "?"); nothing was done")
        case .status(let status):
            access.log.log(
                .ignored, hook: misses.first?.hook ?? hook.name, path: path, client: client, status: status,
                misses: misses)
            if status == 204 { return responder.respond(HTTPResponse(204)) }
            var json = JSONWriter()
            HookMiss.write(misses, to: &json)
            json.newline()
            responder.respond(HTTPResponse(status, type: "application/json", body: json.bytes))
        }
    }

    // MARK: The hooks of a path

    private func path(in request: HTTPRequest) -> String {
        String(Substring(HookRoute.plain(request.path).utf8.dropFirst("/hooks/".utf8.count)))
    }

    /// The path without triplets of bytes that need none, as it is compared (RFC 3986, 6.2.2.2).
    public static func plain(_ path: Substring) -> Substring {
        guard path.utf8.contains(UInt8(ascii: "%")) else { return path }
        let bytes = PercentEncoding.decode(path.utf8, where: PercentEncoding.isUnreserved)
        return Substring(String(decoding: bytes, as: UTF8.self))
    }

    private func hooks(of request: HTTPRequest) -> [HookDefinition] { access.settings.hooks(at: path(in: request)) }

    /// The refusal of a path without hooks; a similar one is suggested to a client that may see names.
    private func unknown(_ request: HTTPRequest) -> Refusal {
        let path = path(in: request)
        if path.utf8.last == UInt8(ascii: "/"), !access.settings.hooks(at: String(path.dropLast())).isEmpty {
            return Refusal(
                404, .hookUnknown, "there is no hook at /hooks/\(Refusal.printable(path))",
                help: "leave out the slash at its end")
        }
        let close =
            path.isEmpty || !access.maySeeNames(request)
            ? nil : Spelling.closest(to: path, among: access.settings.hooks.map(\.path))
        return Refusal(
            404, .hookUnknown, "there is no hook at /hooks/\(Refusal.printable(path))",
            help: close.map { "did you mean /hooks/\($0)?" } ?? "usher hook list tells which there are")
    }

    // MARK: Signature

    /// A hook without a signature is as open as its listener: on TCP the daemon's tokens are needed there, too.
    private func authenticate(
        _ hookRequest: HookRequest, _ request: HTTPRequest, _ hook: HookDefinition
    ) throws(Refusal) -> HookProof {
        guard hook.signature.secret != nil else {
            var proof = HookProof()
            proof.isAuthenticated = try access.sender(of: request, scope: .send).isAuthenticated
            return proof
        }
        return try access.charging(access.policy.peer(of: request), at: "hook:\(hook.path)") { () throws(Refusal) in
            let secrets = try access.secrets(of: hook.signature, for: "the hook \(hook.name)")
            return try SignatureCheck(hookRequest, secrets: secrets, now: access.wallClock()).judge(hook.signature)
        }
    }
}

extension HookSignature.Scheme {
    /// Whether it is judged by the head of a request alone.
    fileprivate var isInHead: Bool {
        switch self {
        case .basic, .bearer, .jwt, .none: true
        case .code, .standard: false
        }
    }
}

extension WebhookAccess {
    /// The code of a text under a hook's first secret, in hexadecimal; nil where there is none that can be used.
    fileprivate func code(of text: String, for hook: HookDefinition) -> String? {
        guard hook.signature.secret != nil, let secrets = try? secrets(of: hook.signature, for: "the hook \(hook.name)")
        else { return nil }
        let check = SignatureCheck(HookRequest(path: ""), secrets: secrets, now: 0)
        return try? check.hexadecimalCode(of: text, hook.signature)
    }
}

extension HTTPResponse {
    init(_ reply: HookReply) {
        if let type = reply.type {
            self.init(reply.status, type: type, body: reply.body ?? [])
        } else {
            self.init(reply.status, body: reply.body ?? [])
        }
    }
}
