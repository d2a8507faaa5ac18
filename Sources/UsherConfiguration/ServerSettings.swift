/// `[server]`: where the daemon listens, and whom it lets in.
public struct ServerSettings: Sendable, Hashable {
    /// TCP listeners; none unless asked for.
    public var listen: [ListenAddress] = []
    /// The Unix socket, an absolute path; nil is the usual place.
    public var socket: String?
    /// Bearer tokens, one a line; nil takes notifications on TCP from any process of this machine.
    public var tokens: SecretSource?
    /// PEM files, absolute paths, both or none: TLS on every TCP listener.
    public var certificate: String?
    public var key: String?
    /// Names under which the daemon may be addressed, besides the loopback ones and the listen addresses; in lower case.
    public var allowedHosts: [String] = []
    /// Origins of web pages that may send, as browsers write them; in lower case.
    public var allowedOrigins: [String] = []
    /// The longest body of a request, in bytes.
    public var bodyLimit = 1 << 20
    /// How long a stop waits for what is under way.
    public var drainSeconds = 10
    public var rate = RateSettings()

    public init() {}
}

/// `[server.rate]`: a token bucket for every sender.
public struct RateSettings: Sendable, Hashable {
    /// How many requests a sender may make in a second, in the long run; 0 sets no limit.
    public var perSecond = 0.0
    /// How many at once.
    public var burst = 400

    public init() {}
}

/// `[deliveries]`: what the journal keeps.
public struct DeliverySettings: Sendable, Hashable {
    /// How long an id of a sender is remembered.
    public var duplicateHours = 24
    public var keepDays = 30
    public var keepCount = 100_000
    public var keepMegabytes = 512
    /// Open deliveries beyond which requests are answered 429.
    public var queue = 10_000
    /// The same by what they take together, in MiB.
    public var queueMegabytes = 64

    public init() {}
}
