internal import Synchronization
internal import UsherConfiguration
internal import UsherHTTP
internal import UsherIngress
internal import UsherLog

/// The listeners' labels, which are also the endpoints of the ready lines.
enum Door {
    /// The Unix socket: this user's, for everything.
    static let control = "control"
    /// TCP: for notifications and hooks, and with a token for everything.
    static let webhook = "webhook"
}

/// The way of every request: who answers it, and whether it may come in.
final class DaemonDoors: HTTPHandler {
    private let daemon: Daemon
    private let limiter: RateLimiter
    private let secrets: SecretFiles
    private let control: ControlService
    private let controlRoutes: ControlRoutes
    /// Made anew when the configuration is another.
    private let current: Mutex<Current>

    private struct Current: Sendable {
        var digest: String
        var door: WebhookDoor
    }

    /// What a path leads to.
    private enum Route {
        case notifications, hook, health, metrics, openAPI
        case control

        /// The pattern, for metrics and refusals: never a path that a sender made up.
        var pattern: String {
            switch self {
            case .notifications: "/v1/notifications"
            case .hook: "/hooks/{name}"
            case .health: "/healthz"
            case .metrics: "/metrics"
            case .openAPI: "/openapi.json"
            case .control: "/v1"
            }
        }
    }

    init(_ daemon: Daemon) {
        self.daemon = daemon
        let settings = daemon.configuration.settings
        limiter = RateLimiter(settings.server.rate)
        secrets = SecretFiles(logger: daemon.logger)
        let service = ControlService(daemon, records: daemon.records)
        control = service
        controlRoutes = ControlRoutes(service)
        current = Mutex(
            Current(
                digest: daemon.configuration.configuration.digest,
                door: DaemonDoors.door(daemon, settings, limiter, secrets)))
    }
}
