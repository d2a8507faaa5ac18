public import UsherConfiguration
internal import UsherCrypto
internal import UsherEngine
public import UsherHTTP
internal import UsherHook
internal import UsherScene
public import UsherSystem
public import UsherText

/// Checks whether a client may send a request: by settings, secrets, tokens, rates and clocks.
///
/// A new one is made for new settings; it keeps the limiter and the secrets.
public final class WebhookAccess: Sendable {
    public let settings: Settings
    public let policy: OriginPolicy
    public let limiter: RateLimiter
    /// For failed checks of tokens and signatures: a bucket for each client at each hook, and one for each at the tokens.
    public let failures: RateLimiter
    public let secrets: SecretFiles
    public let log: RequestLog
    public let listeners: HookListeners
    /// Seconds since 1970.
    public let wallClock: @Sendable () -> Int64
    /// How long `?wait=1` waits.
    let waitLimit: WaitLimit

    /// - Parameters:
    ///   - addresses: where the daemon listens on TCP; nil for where the settings say.
    ///   - waitLimit: how long `?wait=1` waits, in milliseconds.
    public init(
        _ settings: Settings, addresses: [ListenAddress]? = nil, limiter: RateLimiter,
        failures: RateLimiter = .ofFailures(), secrets: SecretFiles, log: RequestLog,
        listeners: HookListeners = HookListeners(), waitLimit: Int = 30_000,
        wallClock: @escaping @Sendable () -> Int64 = { Instant.now.microseconds / 1_000_000 }
    ) {
        self.settings = settings
        self.policy = OriginPolicy(settings.server, addresses: addresses ?? settings.server.listen)
        self.limiter = limiter
        self.failures = failures
        self.secrets = secrets
        self.log = log
        self.listeners = listeners
        self.waitLimit = WaitLimit(milliseconds: waitLimit)
        self.wallClock = wallClock
    }
}

// MARK: - Senders

extension WebhookAccess {
    /// The address of a client, or its user. Of a request without its proxy (`OriginPolicy.withoutProxy`).
    public func client(of request: HTTPRequest) -> String {
        switch request.peer.address {
        case .internet(let host, _): host
        case .local(let user, _, _): "user:\(user)"
        }
    }

    /// The sender of a request that needs no signature: every client of the Unix socket; on TCP a client with a token, and
    /// every client if the daemon has no tokens. Judged by the head alone.
    ///
    /// - Parameters:
    ///   - scope: what the token has to permit.
    ///   - isRequired: on TCP only with a token, also where there are none.
    public func sender(
        of request: HTTPRequest, scope: TokenScope, tokenIsRequired isRequired: Bool = false
    ) throws(Refusal) -> Sender {
        let peer = policy.peer(of: request)
        if case .user = peer { return peer }
        guard settings.server.tokens != nil else {
            guard isRequired else { return peer }
            throw Refusal(
                403, .webhookTokenMissing, "this endpoint needs a bearer token on TCP",
                help: "use the Unix socket, or set `token-file`")
        }
        let token = try charging(peer, at: "tokens") { () throws(Refusal) -> AccessToken in try accessToken(of: request)
        }
        guard token.permits(scope) else {
            throw Refusal(
                403, .webhookTokenScope, "this token does not permit this: it needs the scope `\(scope.rawValue)`",
                help: "add `\(scope.rawValue)` behind the token in the daemon's token file, or use another token"
            ).with("WWW-Authenticate", "Bearer error=\"insufficient_scope\", scope=\"\(scope.rawValue)\"")
        }
        return .token(WebhookAccess.digest(of: token.text))
    }

    /// Whether the sender of an admitted request is authenticated: by the Unix socket, or by a token. Where there are tokens, `sender(of:)`
    /// admits no request without one.
    func isAuthenticated(_ request: HTTPRequest) -> Bool {
        if case .user = policy.peer(of: request) { true } else { settings.server.tokens != nil }
    }

    /// The token of a request, with the scopes of all lines that have it.
    private func accessToken(of request: HTTPRequest) throws(Refusal) -> AccessToken {
        guard let source = settings.server.tokens, request.fields["Authorization"] != nil else {
            throw Refusal(
                401, .webhookTokenMissing, "there is no bearer token", help: "send Authorization: Bearer TOKEN"
            ).with("WWW-Authenticate", "Bearer")
        }
        let text = Array(try SignatureCheck.bearerToken(of: request).utf8)
        let known = try reading(for: "the tokens of this daemon") { () throws(SecretFiles.Failure) in
            try secrets.tokens(of: source)
        }
        // Every line is compared, whichever is right.
        let found = known.filter { ConstantTime.areEqual($0.text, text) }
        guard var token = found.first else {
            throw Refusal(401, .webhookTokenMismatch, "this token is not known", help: "compare it with the daemon's")
                .with("WWW-Authenticate", "Bearer error=\"invalid_token\"")
        }
        for other in found.dropFirst() { token.scopes.formUnion(other.scopes) }
        return token
    }

    /// Whether answers to the client may contain names of the configuration: it is on the Unix socket, or has a token.
    func maySeeNames(_ request: HTTPRequest) -> Bool {
        let peer = policy.peer(of: request)
        if case .user = peer { return true }
        // Otherwise the answer would tell a right guess from a wrong one as fast as they come.
        guard request.fields["Authorization"] != nil, failures.wait(of: WebhookAccess.key(peer, "tokens")) == nil else {
            return false
        }
        return (try? charging(peer, at: "tokens") { () throws(Refusal) -> AccessToken in try accessToken(of: request) })
            != nil
    }

    /// Refuses a sender whose bucket is empty.
    func limitRate(of sender: Sender) throws(Refusal) {
        guard let wait = limiter.consume(sender.key) else { return }
        throw Refusal.tooMany(.rateLimited, "this sender sends too fast", after: wait)
    }

    /// Counts failed checks of tokens and signatures, whatever `[server.rate]` says, so that secrets cannot be guessed at full
    /// speed.
    ///
    /// The bucket is of a client at one `place`: the tokens, or a hook. Once it is empty, a wrong proof is answered 429; a
    /// right one is always taken, so that a client is not refused because another one at its address fails. A request
    /// without a proof is no guess, and is not counted.
    func charging<Value>(
        _ peer: Sender, at place: String, _ body: () throws(Refusal) -> Value
    ) throws(Refusal) -> Value {
        do throws(Refusal) {
            return try body()
        } catch {
            let brings = error.problem.code != .webhookTokenMissing && error.problem.code != .signatureMissing
            guard brings, [401, 403].contains(error.status),
                let wait = failures.consume(WebhookAccess.key(peer, place))
            else { throw error }
            throw Refusal.tooMany(
                .rateLimited, "too many signature or token checks of this client have failed", after: wait)
        }
    }

    private static func key(_ peer: Sender, _ place: String) -> String { "\(peer.key) \(place)" }

    /// The secrets or keys of a signature; where they cannot be read, the log says why and the sender only that.
    func secrets(of signature: HookSignature, for owner: String) throws(Refusal) -> [[UInt8]] {
        try reading(for: owner) { () throws(SecretFiles.Failure) in try secrets.secrets(of: signature) }
    }

    private func reading<Value>(
        for owner: String, _ body: () throws(SecretFiles.Failure) -> Value
    ) throws(Refusal) -> Value {
        do throws(SecretFiles.Failure) {
            return try body()
        } catch {
            log.logUnreadable(error, of: owner)
            throw Refusal(
                503, .signatureSecret, "the secrets of \(owner) cannot be read",
                help: "the daemon's log says why; its owner has to correct that")
        }
    }

    /// Names a token without giving it away.
    private static func digest(of token: [UInt8]) -> String {
        let code = try? MessageAuthenticator.code(.sha256, key: Array("usher token".utf8), token)
        return Hexadecimal.encode(Array((code ?? []).prefix(6)))
    }
}

// MARK: - Answers

extension WebhookAccess {
    /// Whether the body of a request is read, judged by the head alone: where it comes from (`OriginPolicy.judge`), and what
    /// `judge` says.
    ///
    /// - Parameters:
    ///   - hook: the hook that it is for, in the log and the metrics.
    ///   - bodyLimit: nil for that of the settings.
    ///   - judge: gives the sender where the head proves it; nil where only the body can.
    public func admit(
        _ request: HTTPRequest, hook: String? = nil, bodyLimit: Int? = nil,
        _ judge: () throws(Refusal) -> Sender?
    ) -> HTTPAdmission {
        do throws(Refusal) {
            try policy.judge(request)
            let sender = try judge()
            return .accept(
                bodyLimit: bodyLimit ?? settings.server.bodyLimit, account: account(of: request, sender))
        } catch {
            return .refuse(marked(refuse(error, request, hook: hook), request))
        }
    }

    /// The account that the memory of the body is charged to.
    private func account(of request: HTTPRequest, _ sender: Sender?) -> HTTPBodyAccount {
        switch sender {
        case .token, .hook: .proven
        case .user, .address, nil:
            switch policy.peer(of: request) {
            case .user: .local
            case let peer: .unproven(client: peer.key)
            }
        }
    }

    /// Answers a request whose head was admitted: a browser's question before it, what the route makes of it, or why it is
    /// refused.
    func answer(
        _ request: HTTPRequest, _ responder: any HTTPResponder, hook: String? = nil,
        with route: (any HTTPResponder) throws(Refusal) -> Void
    ) {
        if let answer = policy.preflight(request) { return responder.respond(answer) }
        let responder = self.responder(for: request, responder)
        do throws(Refusal) {
            try route(responder)
        } catch {
            responder.respond(refuse(error, request, hook: hook))
        }
    }

    /// Journals what an authenticated sender posted and what cannot be read or mapped, as a delivery that failed; then answers why.
    /// What cannot be journalled is answered without the delivery's id.
    func journal(
        _ refusal: Refusal, of given: Arrival, _ request: HTTPRequest, hook: String? = nil,
        _ responder: any HTTPResponder, _ intake: any Intake
    ) throws(Refusal) {
        guard refusal.status == 400 || refusal.status == 422 else { throw refusal }
        let answer = PendingAnswer(
            [refusal.problem], isList: false, waits: false, responder,
            refusal: { self.refuse(refusal, request, hook: hook, deliveries: $0) })
        var arrival = given
        arrival.events = answer.events(of: 0)
        if !intake.submit([arrival]) {
            answer.abandon()
            throw refusal
        }
    }

    /// The answer to a request that is refused, once that is logged and counted.
    ///
    /// - Parameter deliveries: our id of the delivery that it was journalled as.
    public func refuse(
        _ refusal: Refusal, _ request: HTTPRequest, hook: String? = nil, deliveries: [String] = []
    ) -> HTTPResponse {
        let client = client(of: request)
        let path = Refusal.printable(request.path)
        if let hook {
            log.log(
                .refused, hook: hook, path: path, client: client, status: refusal.status, problem: refusal.problem,
                deliveries: deliveries)
        } else if refusal.problem.code == .webhookUnknown || refusal.problem.code == .hookUnknown {
            log.logUnknown(path: path, client: client, status: refusal.status, refusal.problem)
        } else {
            log.logRefused(
                path: path, client: client, status: refusal.status, reason: refusal.problem.code.name,
                why: refusal.problem.message)
        }
        return refusal.response(delivery: deliveries.first)
    }

    /// The refusal of a path that is not served.
    ///
    /// - Parameter paths: those that are, one of which is suggested to a client that may see names.
    public func unknown(_ request: HTTPRequest, among paths: [String]) -> Refusal {
        let close = maySeeNames(request) ? Spelling.closest(to: String(request.path), among: paths) : nil
        return Refusal(
            404, .webhookUnknown, "nothing is served at \(Refusal.printable(request.path))",
            help: close.map { "did you mean \($0)?" } ?? "/openapi.json lists the paths")
    }

    /// The responder for a request, which tells an allowed web page that it may read the answer.
    private func responder(for request: HTTPRequest, _ responder: any HTTPResponder) -> any HTTPResponder {
        guard let origin = policy.allowedOrigin(of: request) else { return responder }
        return OriginResponder(origin: origin, next: responder)
    }

    private func marked(_ response: HTTPResponse, _ request: HTTPRequest) -> HTTPResponse {
        policy.allowedOrigin(of: request).map { OriginResponder.marked(response, $0) } ?? response
    }
}

/// Adds the headers without which a browser hides an answer from a page (CORS).
private struct OriginResponder: HTTPResponder {
    let origin: String
    let next: any HTTPResponder

    func respond(_ response: HTTPResponse) { next.respond(OriginResponder.marked(response, origin)) }

    func whenClientIsGone(_ body: @escaping @Sendable () -> Void) { next.whenClientIsGone(body) }

    func releaseBody() { next.releaseBody() }

    func stream(_ response: HTTPResponse) -> any HTTPStream { next.stream(OriginResponder.marked(response, origin)) }

    static func marked(_ response: HTTPResponse, _ origin: String) -> HTTPResponse {
        var response = response
        if response.fields["Access-Control-Allow-Origin"] == nil {
            response.fields.append("Access-Control-Allow-Origin", origin)
            response.fields.append("Vary", "Origin")
        }
        return response
    }
}
