public import UsherConfiguration
internal import UsherCrypto
public import UsherHTTP
internal import UsherHook
public import UsherLog
internal import UsherScene
public import UsherSystem
public import UsherText

/// What every webhook needs to judge a request: settings, secrets, rates and clocks.
///
/// Made anew for new settings; the limiter and the secrets go on.
public final class WebhookDoor: Sendable {
    public let settings: Settings
    public let policy: DoorPolicy
    public let limiter: RateLimiter
    /// For those who fail to prove who they are: a bucket for each address at each hook, and one for each at the tokens.
    public let failures: RateLimiter
    public let secrets: SecretFiles
    public let logger: Logger
    /// Seconds since 1970.
    public let wallClock: @Sendable () -> Int64
    /// How long `?wait=1` waits, in milliseconds.
    public let waitLimit: Int

    /// - Parameter addresses: where the daemon listens on TCP; nil for where the settings say.
    public init(
        _ settings: Settings, addresses: [ListenAddress]? = nil, limiter: RateLimiter,
        failures: RateLimiter = .ofFailures(), secrets: SecretFiles, logger: Logger, waitLimit: Int = 30_000,
        wallClock: @escaping @Sendable () -> Int64 = { Instant.now.microseconds / 1_000_000 }
    ) {
        self.settings = settings
        self.policy = DoorPolicy(settings.server, addresses: addresses ?? settings.server.listen)
        self.limiter = limiter
        self.failures = failures
        self.secrets = secrets
        self.logger = logger
        self.waitLimit = waitLimit
        self.wallClock = wallClock
    }
}

extension WebhookDoor {
    /// Who may send without a signature: anybody on the Unix socket; on TCP whoever has a token, and anybody where there
    /// are none.
    ///
    /// - Parameter isRequired: on TCP only with a token, also where there are none.
    public func sender(of request: HTTPRequest, tokenIsRequired isRequired: Bool = false) throws(Refusal) -> Sender {
        let peer = policy.peer(of: request)
        if case .user = peer { return peer }
        guard let source = settings.server.tokens else {
            guard isRequired else { return peer }
            throw Refusal(
                403, .webhookTokenMissing, "this is not done over TCP without a token",
                help: "use the Unix socket, or set `token-file`")
        }
        return try charging(peer, at: "tokens") { () throws(Refusal) in
            guard request.fields["Authorization"] != nil else {
                var refusal = Refusal(
                    401, .webhookTokenMissing, "there is no bearer token", help: "send Authorization: Bearer TOKEN")
                refusal.fields.append("WWW-Authenticate", "Bearer")
                throw refusal
            }
            let token = Array(try SignatureCheck.bearerToken(of: request).utf8)
            let known = try reading(for: "the tokens of this daemon") { () throws(SecretFiles.Failure) in
                try secrets.tokens(of: source)
            }
            guard ConstantTime.isAmong(known, token) else {
                var refusal = Refusal(
                    401, .webhookTokenMismatch, "this token is not known", help: "compare it with the daemon's")
                refusal.fields.append("WWW-Authenticate", "Bearer error=\"invalid_token\"")
                throw refusal
            }
            return .token(WebhookDoor.digest(of: token))
        }
    }

    /// Refuses a sender whose bucket is empty.
    public func take(_ sender: Sender) throws(Refusal) {
        guard let wait = limiter.take(sender.key) else { return }
        throw Refusal.tooMany(.rateLimited, "this sender sends too fast", after: wait)
    }

    /// Who fails to prove who it is pays for it, so that secrets cannot be guessed at full speed; whatever `[server.rate]`
    /// says.
    ///
    /// Who has failed too often is not looked at, so that neither a right guess nor the work of judging comes through. The
    /// bucket is of an address at one `place`, the tokens or a hook: guesses there close nothing else. Who brings no proof
    /// at all guesses nothing, and pays nothing.
    func charging<Value>(
        _ peer: Sender, at place: String, _ body: () throws(Refusal) -> Value
    ) throws(Refusal) -> Value {
        let key = "\(peer.key) \(place)"
        if let wait = failures.wait(of: key) {
            throw Refusal.tooMany(.rateLimited, "this sender fails too often to prove who it is", after: wait)
        }
        do throws(Refusal) {
            return try body()
        } catch {
            let brings = error.problem.code != .webhookTokenMissing && error.problem.code != .signatureMissing
            if brings, [401, 403].contains(error.status) { _ = failures.take(key) }
            throw error
        }
    }

    /// The secrets or keys of a signature; where they cannot be read, the log says why and the sender only that.
    func secrets(of signature: HookSignature, for owner: String) throws(Refusal) -> [[UInt8]] {
        try reading(for: owner) { () throws(SecretFiles.Failure) in try secrets.secrets(of: signature) }
    }

    private func reading(
        for owner: String, _ body: () throws(SecretFiles.Failure) -> [[UInt8]]
    ) throws(Refusal) -> [[UInt8]] {
        do throws(SecretFiles.Failure) {
            return try body()
        } catch {
            logger.log(
                .secretsUnreadable,
                [
                    "secret.owner": .text(owner), "secret.source": .text(error.source.description),
                    "error": .text(error.reason),
                ])
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

    /// Says in the log what was refused.
    func note(_ refusal: Refusal, of request: HTTPRequest) {
        logger.log(
            .requestRefused,
            [
                "http.path": .text(Refusal.printable(request.path)), "http.status": .number(Int64(refusal.status)),
                "error.name": .text(refusal.problem.code.name), "error": .text(refusal.problem.message),
                "http.peer": .text(policy.peer(of: request).key),
            ])
    }

    /// Whether a body is read at all, judged by the head alone.
    func admit(_ request: HTTPRequest) -> HTTPAdmission {
        do throws(Refusal) {
            if policy.preflight(request) != nil { return .accept(bodyLimit: 0) }
            try policy.judge(request)
            guard request.method == "POST" else { throw Refusal.method(request.method, allowed: "POST") }
            _ = try MediaType(of: request)
            return .accept(bodyLimit: settings.server.bodyLimit)
        } catch {
            note(error, of: request)
            return .refuse(error.response())
        }
    }

    /// Answers a request: a browser's question before it, what the route makes of it, or why it is refused.
    func answer(
        _ request: HTTPRequest, _ responder: any HTTPResponder,
        with route: (any HTTPResponder) throws(Refusal) -> Void
    ) {
        if let answer = policy.preflight(request) { return responder.respond(answer) }
        let responder = self.responder(for: request, responder)
        do throws(Refusal) {
            try route(responder)
        } catch {
            note(error, of: request)
            responder.respond(error.response())
        }
    }

    /// The responder for a request, which tells an allowed web page that it may read the answer.
    private func responder(for request: HTTPRequest, _ responder: any HTTPResponder) -> any HTTPResponder {
        guard let origin = policy.allowedOrigin(of: request) else { return responder }
        return OriginResponder(origin: origin, next: responder)
    }
}

/// Adds what a browser wants to see before it shows an answer to a page (CORS).
private struct OriginResponder: HTTPResponder {
    let origin: String
    let next: any HTTPResponder

    func respond(_ response: HTTPResponse) { next.respond(marked(response)) }

    func stream(_ response: HTTPResponse) -> any HTTPStream { next.stream(marked(response)) }

    private func marked(_ response: HTTPResponse) -> HTTPResponse {
        var response = response
        if response.fields["Access-Control-Allow-Origin"] == nil {
            response.fields.append("Access-Control-Allow-Origin", origin)
            response.fields.append("Vary", "Origin")
        }
        return response
    }
}
