/// The first request of a connection: the version of the protocol that the client speaks.
public struct Hello: Call {
    public typealias Answer = ControlHello

    /// A daemon answers requests of its own version only.
    public static let version = 1

    public var protocolVersion = Hello.version

    public init() {}
    public init(protocolVersion: Int) { self.protocolVersion = protocolVersion }

    public static let name = "hello"
    public static let operation = Operation<Self>(
        "compares versions; the daemon's process and configuration", .read,
        [Field("protocol", \.protocolVersion, in: 1...1_000_000, "the version that the client speaks")])
}

/// Sent by a resident engine that starts: an engine on demand takes no more clients, asks the clients that it has to end,
/// and ends with them.
public struct Yield: Call {
    public typealias Answer = Nothing

    public init() {}

    public static let name = "yield"
    public static let operation = Operation<Self>("ends an engine that was started on demand", .act, [])
}
