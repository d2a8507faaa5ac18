public import UsherJSON

/// How a daemon introduces itself: the answer to `hello`.
public struct ControlHello: Sendable, Hashable {
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

    public func write(to json: inout JSONWriter) {
        json.beginObject()
        json.member("protocol", protocolVersion)
        json.member("version", version)
        json.member("pid", Int(pid))
        json.beginObject("config")
        json.member("path", configuration)
        json.member("digest", digest)
        json.endObject()
        json.member("state", state)
        if isOnDemand { json.member("on_demand", true) }
        json.endObject()
    }

    /// nil where it is none.
    public init?(reading value: JSONValue) {
        guard let number = value["protocol"]?.int64, let pid = value["pid"]?.int64,
            let path = value["config"]?["path"]?.string, let digest = value["config"]?["digest"]?.string,
            let state = value["state"]?.string
        else { return nil }
        self.init(
            protocolVersion: Int(clamping: number), version: value["version"]?.string ?? "",
            pid: Int32(clamping: pid), configuration: path, digest: digest, state: state,
            isOnDemand: value["on_demand"]?.boolean ?? false)
    }
}
