/// How a daemon introduces itself: the answer to `hello`.
public struct ControlHello: AnswerRecord, Hashable {
    public var protocolVersion: Int
    /// Of the program.
    public var version: String
    public var pid: Int32
    /// The configuration's absolute path, and the digest of what is in use.
    public var configuration: String
    public var digest: String
    /// The folder of the store, absolute.
    public var state: String
    /// It was started by a command, and ends when no client is connected and nothing is in progress.
    public var isOnDemand: Bool

    public init(
        protocolVersion: Int = Hello.version, version: String, pid: Int32, configuration: String,
        digest: String, state: String, isOnDemand: Bool = false
    ) {
        self.protocolVersion = protocolVersion
        self.version = version
        self.pid = pid
        self.configuration = configuration
        self.digest = digest
        self.state = state
        self.isOnDemand = isOnDemand
    }

    public init() { self.init(version: "", pid: 0, configuration: "", digest: "", state: "") }

    public static let fields: [Field<Self>] = [
        Field(always: "protocol", \.protocolVersion), Field(always: "version", \.version),
        Field(always: "pid", \.number),
        Field(
            always: "config",
            members: [Field(always: "path", \.configuration), Field(always: "digest", \.digest)]),
        Field(always: "state", \.state), Field(ifAny: "on_demand", \.isOnDemand),
    ]

    private var number: Int {
        get { Int(pid) }
        set { pid = Int32(clamping: newValue) }
    }
}
