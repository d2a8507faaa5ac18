internal import Synchronization
internal import UsherConfiguration
internal import UsherHTTP
internal import UsherIngress

/// What a path of the daemon leads to.
enum DaemonRoute {
    case notifications, hook, health, metrics, openAPI
    /// Sessions, deliveries, records and the like: private to this user.
    case control
    /// One delivery: its sender may ask for its state.
    case delivery
    /// Templates are listed, and identifiers built, matched and checked, for every backend.
    case targets
    case unknown

    init(_ given: Substring) {
        let path = HookRoute.plain(given)
        switch path {
        case "/v1/notifications": self = .notifications
        case "/healthz": self = .health
        case "/metrics": self = .metrics
        case "/openapi.json": self = .openAPI
        default:
            if path.utf8.starts(with: "/hooks/".utf8) {
                self = .hook
            } else if !ControlRoutes.owns(path) {
                self = .unknown
            } else if path == "/v1/targets" || path.hasPrefix("/v1/targets/") {
                self = .targets
            } else if path.hasPrefix("/v1/deliveries/"), !path.dropFirst(15).contains("/") {
                self = .delivery
            } else {
                self = .control
            }
        }
    }

    /// For metrics: never a path of the sender's choice.
    var pattern: String {
        switch self {
        case .notifications: "/v1/notifications"
        case .hook: "/hooks/{name}"
        case .health: "/healthz"
        case .metrics: "/metrics"
        case .openAPI: "/openapi.json"
        case .control: "/v1"
        case .delivery: "/v1/deliveries/{id}"
        case .targets: "/v1/targets"
        case .unknown: "other"
        }
    }

    /// Whether only GET and HEAD are its methods.
    var isReadOnly: Bool { self == .health || self == .metrics || self == .openAPI }

    /// Whether it is for this user alone: over TCP it takes a token.
    func isForControl(_ method: String) -> Bool {
        switch self {
        case .control, .metrics: true
        case .delivery: method != "GET" && method != "HEAD"
        case .notifications, .hook, .health, .openAPI, .targets, .unknown: false
        }
    }

    /// What a token has to permit; nil where none is asked for.
    func scope(_ method: String) -> TokenScope? {
        switch self {
        case .notifications, .hook: .send
        case .metrics: .metrics
        case .targets: .targets
        case .control, .delivery: method == "GET" || method == "HEAD" ? .read : .control
        case .health, .openAPI, .unknown: nil
        }
    }

    /// The longest body, in bytes.
    var bodyLimit: Int {
        switch self {
        // Sessions are connected in bulk.
        case .control: 16 << 20
        case .targets: TargetsRoute.bodyLimit
        // Read and dropped.
        case .notifications, .hook, .delivery, .health, .metrics, .openAPI, .unknown: 64 << 10
        }
    }

    static let paths = ["/v1/notifications", "/healthz", "/metrics", "/openapi.json"] + ControlRoutes.paths
}

/// Whether other machines may reach what is listened on.
enum Exposure {
    /// Why these listeners must not be opened: one that other machines reach needs TLS and tokens. nil if they may be.
    static func obstacle(to addresses: [ListenAddress], hasTLS: Bool, hasTokens: Bool) -> String? {
        guard !hasTLS || !hasTokens, let open = addresses.first(where: { !$0.isLoopback }) else { return nil }
        return "\(open) can be reached from other machines, and needs TLS and tokens"
    }

    static let help = "set certificate, key and token-file in [server], or listen on 127.0.0.1"
}

/// How many connections the server has; nil before there is one.
final class ConnectionCount: Sendable {
    private let server = Mutex<HTTPServer?>(nil)

    var current: Int? { server.withLock { $0?.connectionCount } }

    func follow(_ server: HTTPServer) { self.server.withLock { $0 = server } }
}
