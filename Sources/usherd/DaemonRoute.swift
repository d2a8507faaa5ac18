internal import UsherIngress

/// What a path of the daemon leads to.
enum DaemonRoute {
    case notifications, hook, health, metrics, openAPI
    /// Sessions, deliveries, records and the like: this user's own business.
    case control
    case unknown

    init(_ path: Substring) {
        switch path {
        case "/v1/notifications": self = .notifications
        case "/healthz": self = .health
        case "/metrics": self = .metrics
        case "/openapi.json": self = .openAPI
        default:
            if path.hasPrefix("/hooks/") {
                self = .hook
            } else {
                self = ControlRoutes.owns(path) ? .control : .unknown
            }
        }
    }

    /// For metrics: never a path that a sender made up.
    var pattern: String {
        switch self {
        case .notifications: "/v1/notifications"
        case .hook: "/hooks/{name}"
        case .health: "/healthz"
        case .metrics: "/metrics"
        case .openAPI: "/openapi.json"
        case .control: "/v1"
        case .unknown: "other"
        }
    }

    /// Whether it is for this user alone: over TCP it takes a token.
    var isForControl: Bool { self == .control || self == .metrics }

    static let paths = [
        "/v1/notifications", "/healthz", "/metrics", "/openapi.json", "/v1/scenes", "/v1/deliveries", "/v1/records",
        "/v1/reload", "/v1/status", "/v1/explain",
    ]
}
