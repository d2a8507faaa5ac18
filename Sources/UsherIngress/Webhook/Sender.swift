/// The sender of a request, as far as it is known; each has a rate of its own.
public enum Sender: Sendable, Hashable {
    /// A user of this machine, on the Unix socket.
    case user(UInt32)
    /// A client with a bearer token, by the token's digest.
    case token(String)
    /// A named hook, once its signature held.
    case hook(String)
    case address(String)

    /// Whether the sender is authenticated: by the Unix socket, a token or a signature.
    var isAuthenticated: Bool {
        if case .address = self { false } else { true }
    }

    /// The name of the sender's bucket.
    public var key: String {
        switch self {
        case .user(let id): "user:\(id)"
        case .token(let digest): "token:\(digest)"
        case .hook(let name): "hook:\(name)"
        case .address(let host): "address:\(host)"
        }
    }
}
