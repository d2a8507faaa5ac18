public import UsherHook

/// What `usher.toml` sets for all apps.
public struct Settings: Sendable, Hashable {
    /// `[limits] disconnected-sessions`: how many disconnected sessions an app keeps; older ones are pruned.
    public var disconnectedSessions = 100
    /// `[limits] disconnected-days`: how long a disconnected session is kept.
    public var disconnectedDays = 30
    /// `[log] level`; nil leaves it to the command line's own default.
    public var logLevel: LogLevel?
    /// `[log] format`; nil chooses by where the log goes.
    public var logFormat: LogFormat?
    /// `[server]`: the doors of the daemon.
    public var server = ServerSettings()
    /// `[deliveries]`: the journal's limits.
    public var deliveries = DeliverySettings()
    /// `[browser] devtools`: where browsers of kiosks let themselves be driven; on this machine, no two the same.
    public var devTools: [ListenAddress] = []
    /// `[hooks.NAME]`, in the order of the files and of their text; no two have the same name.
    public var hooks: [HookDefinition] = []

    public enum LogLevel: String, Sendable, CaseIterable { case debug, info, notice, warning, error }
    public enum LogFormat: String, Sendable, CaseIterable { case text, json, journal }

    public init() {}

    /// The hook that `POST /hooks/NAME` is for.
    public func hook(named name: String) -> HookDefinition? {
        hooks.first { $0.name.utf8.elementsEqual(name.utf8) }
    }
}

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

/// A numeric address and a port, such as `127.0.0.1:8484` and `[::1]:8484`.
public struct ListenAddress: Sendable, Hashable, CustomStringConvertible {
    /// Without brackets.
    public var host: String
    /// 0 lets the system pick one.
    public var port: UInt16

    /// Nil where the text is no address with a port; names of hosts are none, but for `localhost`.
    public init?(_ text: String) {
        guard let colon = text.utf8.lastIndex(of: UInt8(ascii: ":")) else { return nil }
        let digits = text[text.utf8.index(after: colon)...]
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(digits) else {
            return nil
        }
        var host = String(text[..<colon])
        if host == "localhost" {
            host = "127.0.0.1"
        } else if host.hasPrefix("["), host.hasSuffix("]") {
            host = String(host.dropFirst().dropLast())
            guard ListenAddress.isVersion6(host) else { return nil }
        } else if !ListenAddress.isVersion4(host) {
            return nil
        }
        self.host = host
        self.port = port
    }

    /// An address as the system tells it.
    ///
    /// - Parameter host: numeric, without brackets.
    public init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    /// Whether only this machine can reach it.
    public var isLoopback: Bool { host.hasPrefix("127.") || host == "::1" }

    public var description: String { host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(port)" : "\(host):\(port)" }

    private static func isVersion4(_ text: String) -> Bool {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4
            && parts.allSatisfy { part in
                part.utf8.allSatisfy { (0x30...0x39).contains($0) } && UInt8(part) != nil
                    && (part.utf8.count == 1 || part.utf8.first != UInt8(ascii: "0"))
            }
    }

    /// Whether it may be one; the system judges it in full when it is opened.
    private static func isVersion6(_ text: String) -> Bool {
        text.utf8.count { $0 == UInt8(ascii: ":") } >= 2
            && text.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x46, 0x61...0x66, UInt8(ascii: ":"), UInt8(ascii: "."): true
                default: false
                }
            }
    }
}
