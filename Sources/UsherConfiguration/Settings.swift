public import UsherHook
public import UsherScene
public import UsherTarget
public import UsherText

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
    /// `[log] decisions`: which decisions are logged; nil: all.
    public var loggedDecisions: LoggedDecisions?
    /// `[server]`: the listeners of the daemon and their limits.
    public var server = ServerSettings()
    /// `[deliveries]`: the journal's limits.
    public var deliveries = DeliverySettings()
    /// `[browser] pages` and `deny`: which pages in front are user activities.
    public var pages = PageRules()
    /// `[hooks.NAME]`, in the order of the files and of their text; no two have the same name.
    public var hooks: [HookDefinition] = []
    /// `[browser] open`: what opens a web page where an app names nothing.
    public var pageOpener: PageOpener?
    /// `quiet`: for all apps.
    public var quiet = QuietRule()
    /// `[terminal]`: how terminals of processes come forward.
    public var terminal = TerminalSettings()
    /// `[notifications]`: for all apps.
    public var notices = NoticeRule()
    /// `[agents]`: what sessions of coding agents notify of.
    public var agents = AgentSettings()
    /// `[addresses."HOST"]`: how addresses of web pages are compared, by host.
    public var addresses = AddressSettings()
    /// `[suggestions]`: what is taken in and offered.
    public var suggestions = SuggestionSettings()

    public enum LogLevel: String, Sendable, CaseIterable { case debug, info, notice, warning, error }
    public enum LogFormat: String, Sendable, CaseIterable { case text, json, journal }
    public enum LoggedDecisions: String, Sendable, CaseIterable { case all, failures, none }

    public init() {}

    /// The hooks that `/hooks/PATH` is for, in the order in which they are tried.
    public func hooks(at path: String) -> [HookDefinition] { hooks.filter { $0.path.hasSameBytes(as: path) } }

    /// The hooks of a path, else those of the path of the hook with this name; empty where there is neither.
    public func hooks(called name: String) -> [HookDefinition] {
        let found = hooks(at: name)
        return found.isEmpty ? hook(named: name).map { hooks(at: $0.path) } ?? [] : found
    }

    /// The hook of a name; nil where there is none.
    public func hook(named name: String) -> HookDefinition? {
        hooks.first { $0.name.hasSameBytes(as: name) }
    }
}

/// `[server]`: where the daemon listens, and which clients it accepts.
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
    /// What may say for which client it sends (`Forwarded`, `X-Forwarded-For`).
    public var trustedProxies = TrustedProxies()
    /// The scheme and authority under which senders know the daemon; nil where each request says that.
    public var publicURL: PublicURL?
    /// The longest body of a request, in bytes.
    public var bodyLimit = 1 << 20
    /// Memory, in MiB, for the bodies of requests whose token or signature is not checked yet.
    public var unprovenMegabytes = 8
    /// How long a stop waits for what is under way.
    public var drainSeconds = 10
    public var rate = RateSettings()

    public init() {}
}

/// `[server] trusted-proxies`: reverse proxies, by the addresses from which they connect.
public struct TrustedProxies: Sendable, Hashable {
    public var ranges: [AddressRange] = []
    /// Whether clients of the Unix socket may be proxies.
    public var includesUnixSocket = false

    public init() {}

    public func contains(_ address: InternetAddress) -> Bool { ranges.contains { $0.contains(address) } }
}

/// `[server] public-url`: scheme, host and perhaps a port.
public struct PublicURL: Sendable, Hashable {
    /// `https://hooks.example`, in lower case, without a slash at the end.
    public var origin: String
    /// The host without its port, as in the `Host` header.
    public var host: String

    /// Nil where the text has anything else than scheme, host and port, but for a slash at the end.
    public init?(_ text: String) {
        var origin = text.lowercased()
        if origin.hasSuffix("/") { origin.removeLast() }
        guard let scheme = ["https://", "http://"].first(where: { origin.hasPrefix($0) }) else { return nil }
        let authority = origin.dropFirst(scheme.count)
        var host = authority[...]
        if let colon = authority.lastIndex(of: ":"), !authority.hasSuffix("]") {
            let digits = authority[authority.index(after: colon)...]
            guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(digits), port > 0 else {
                return nil
            }
            host = authority[..<colon]
        }
        let isAddress =
            host.hasPrefix("[") && host.hasSuffix("]") && InternetAddress(host.dropFirst().dropLast()) != nil
        let isName = host.utf8.allSatisfy { $0.isASCIILetterOrDigit || "-._".utf8.contains($0) }
        guard !host.isEmpty, isAddress || isName else { return nil }
        self.origin = origin
        self.host = String(host)
    }
}

/// `[browser] pages` and `deny`: which pages in front of a browser's windows become user activities.
public struct PageRules: Sendable, Hashable {
    public enum Selection: Sendable, Hashable {
        case none, all
        /// Addresses, with `*` and `?`.
        case matching([WindowRule.Pattern])
    }

    public var pages = Selection.none
    /// Addresses that never are, whatever `pages` says.
    public var deny: [WindowRule.Pattern] = []

    public init() {}

    /// Only pages of http and https are.
    public func includes(_ address: String) -> Bool {
        guard TargetContentIdentifier(address).isWebAddress, !deny.contains(where: { $0.matches(address) }) else {
            return false
        }
        return switch pages {
        case .none: false
        case .all: true
        case .matching(let patterns): patterns.contains { $0.matches(address) }
        }
    }
}

/// `[server.rate]`: a token bucket for every sender.
public struct RateSettings: Sendable, Hashable {
    /// How many requests a sender may make in a second, in the long run; 0 sets no limit.
    public var perSecond = 0.0
    /// How many at once.
    public var burst = 400
    /// How many new windows of one app requests over TCP without a token may open in a minute; 0 sets no limit.
    public var newWindows = 20

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
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        if host == "localhost" { host = "127.0.0.1" }
        if isBracketed { host = String(host.dropFirst().dropLast()) }
        guard InternetAddress(host) != nil, host.utf8.contains(UInt8(ascii: ":")) == isBracketed else { return nil }
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
}
