internal import Synchronization
internal import UsherConfiguration
internal import UsherEngine
internal import UsherHTTP
internal import UsherIngress
internal import UsherOperation
internal import UsherScene

/// The listeners' labels, which are also the endpoints of the ready lines.
enum ListenerLabel {
    /// The Unix socket: this user's, for everything.
    static let control = "control"
    /// TCP: for notifications and hooks, and with a token for everything.
    static let webhook = "webhook"
    /// The connection of the command that started this engine.
    static let starter = "starter"
}

/// For every request: whether it is admitted, and which route answers it.
final class DaemonEndpoints: HTTPHandler {
    private let daemon: Daemon
    private let limiter: RateLimiter
    private let failures = RateLimiter.ofFailures()
    private let requestLog: RequestLog
    private let secrets: SecretFiles
    private let control: ControlService
    private let controlRoutes: ControlRoutes
    /// Of an engine on demand.
    private let log: ClientLog?
    private let clients = Mutex<[any LineConnection]>([])
    /// Made anew when the configuration is another.
    private let current = Mutex<Current?>(nil)

    private struct Current: Sendable {
        var version: Int
        var access: WebhookAccess
    }

    init(_ daemon: Daemon, log: ClientLog? = nil) {
        self.daemon = daemon
        self.log = log
        limiter = RateLimiter(daemon.configuration.settings.server.rate)
        requestLog = RequestLog(daemon.logger, metrics: daemon.metrics, file: daemon.requests)
        secrets = daemon.secrets
        let service = ControlService(daemon, records: daemon.records)
        control = service
        let targets = TargetsRoute { TargetRequests(apps: daemon.configuration.configuration.manifestApps) }
        controlRoutes = ControlRoutes(service, targets: targets.handle)
    }

    /// By the current configuration.
    private var access: WebhookAccess {
        let version = daemon.configurationVersion
        return current.withLock { current in
            if let current, current.version == version { return current.access }
            let (version, settings) = daemon.settings
            limiter.update(settings.server.rate)
            let access = WebhookAccess(
                settings, addresses: daemon.addresses, limiter: limiter, failures: failures, secrets: secrets,
                log: requestLog, listeners: daemon.listeners)
            current = Current(version: version, access: access)
            return access
        }
    }

    // MARK: HTTPHandler

    func admit(_ request: HTTPRequest) -> HTTPAdmission {
        let access = access
        let request = access.policy.withoutProxy(request)
        let route = DaemonRoute(request.path)
        let admission = admission(of: request, to: route, access)
        if case .refuse(let response) = admission {
            daemon.metrics.countRequest(route: route.pattern, status: response.status)
        }
        return admission
    }

    private func admission(of request: HTTPRequest, to route: DaemonRoute, _ access: WebhookAccess) -> HTTPAdmission {
        switch route {
        case .notifications: NotificationsRoute(access).admit(request)
        case .hook: HookRoute(access).admit(request)
        case .health, .openAPI, .metrics, .control, .delivery, .targets, .unknown:
            access.admit(request, bodyLimit: route.bodyLimit) { () throws(Refusal) in
                if route == .unknown { throw access.unknown(request, among: DaemonRoute.paths) }
                if route.isReadOnly, request.method != "GET", request.method != "HEAD" {
                    throw Refusal.method(request.method, allowed: "GET, HEAD")
                }
                guard let scope = route.scope(request.method) else { return nil }
                return try access.sender(
                    of: request, scope: scope, tokenIsRequired: route.isForControl(request.method))
            }
        }
    }

    func handle(_ request: HTTPRequest, _ responder: any HTTPResponder) {
        let access = access
        let request = access.policy.withoutProxy(request)
        let route = DaemonRoute(request.path)
        let responder = CountedResponder(next: responder, metrics: daemon.metrics, route: route.pattern)
        switch route {
        case .notifications: NotificationsRoute(access).handle(request, responder, daemon.intake)
        case .hook: HookRoute(access).handle(request, responder, daemon.intake)
        case .delivery: controlRoutes.handle(request, responder, knowsSenderIDs: !isUnauthenticated(request, access))
        case .control, .targets: controlRoutes.handle(request, responder)
        case .health: responder.respond(OperationAnswers.health(daemon.health))
        case .metrics: responder.respond(OperationAnswers.metrics(daemon.metrics, for: request))
        case .openAPI: responder.respond(OperationAnswers.document())
        case .unknown: responder.respond(access.unknown(request, among: DaemonRoute.paths).response())
        }
    }

    /// Whether the client is on TCP and needed no token.
    private func isUnauthenticated(_ request: HTTPRequest, _ access: WebhookAccess) -> Bool {
        guard case .internet = request.peer.address else { return false }
        return access.settings.server.tokens == nil
    }

    func openLines(_ peer: HTTPPeer, _ connection: any LineConnection) -> any LineReceiver {
        if peer.listener == ListenerLabel.starter { log?.follow(connection) }
        if log != nil { clients.withLock { $0.append(connection) } }
        return ControlLines(control, connection, peer)
    }

    /// Asks all clients to end.
    func sendYield() {
        let line = ControlReply.yield.line
        for connection in clients.withLock({ $0 }) { connection.send(line) }
    }

    /// Waits until everything that was asked for has been begun.
    func drain() { control.drain() }
}

/// Counts the answer to a request.
private struct CountedResponder: HTTPResponder {
    let next: any HTTPResponder
    let metrics: DaemonMetrics
    let route: String

    func respond(_ response: HTTPResponse) {
        metrics.countRequest(route: route, status: response.status)
        next.respond(response)
    }

    func whenClientIsGone(_ body: @escaping @Sendable () -> Void) { next.whenClientIsGone(body) }

    func releaseBody() { next.releaseBody() }

    func stream(_ response: HTTPResponse) -> any HTTPStream {
        metrics.countRequest(route: route, status: response.status)
        return next.stream(response)
    }
}
