/// A request with its complete body.
public struct HTTPRequest: Sendable {
    public var method: String
    /// The request target as it was sent: path and query, not decoded.
    public var target: String
    public var fields: HTTPFields
    /// The bytes of the body, transfer coding removed, nothing else done to them.
    public var body: [UInt8]
    public var peer: HTTPPeer

    public init(method: String, target: String, fields: HTTPFields, body: [UInt8] = [], peer: HTTPPeer) {
        self.method = method
        self.target = target
        self.fields = fields
        self.body = body
        self.peer = peer
    }

    /// The target without its query, not decoded.
    public var path: Substring { target[..<(mark ?? target.endIndex)] }

    /// What follows the first `?`; nil where there is none.
    public var query: Substring? { mark.map { target[target.utf8.index(after: $0)...] } }

    private var mark: String.Index? {
        let bytes = target.utf8Span.span
        // Looked for as bytes first: most targets have no query, and a walk by index is slow.
        guard bytes.indices.contains(where: { bytes[$0] == 0x3F }) else { return nil }
        return target.utf8.firstIndex(of: 0x3F)
    }
}

/// The client that sent a request, and the listener that took its connection.
public struct HTTPPeer: Sendable, Hashable {
    public enum Address: Sendable, Hashable {
        /// A numeric address, without brackets, and the port.
        case internet(host: String, port: UInt16)
        /// A process on this machine, by `SO_PEERCRED`.
        case local(user: UInt32, group: UInt32, process: Int32)
    }

    public var address: Address
    /// The label of the listener that took the connection.
    public var listener: String
    public var isEncrypted: Bool
    /// The host and port by which the client of a trusted proxy reaches this server; nil where no proxy names them.
    public var forwardedHost: String?

    public init(address: Address, listener: String, isEncrypted: Bool = false) {
        self.address = address
        self.listener = listener
        self.isEncrypted = isEncrypted
    }
}
