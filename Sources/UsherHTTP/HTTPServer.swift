/// Serves HTTP on any number of listeners, with one thread.
public final class HTTPServer: Sendable {
    /// Where connections come from.
    public enum Endpoint: Sendable, Hashable {
        /// A numeric address and a port; port 0 picks one.
        case internet(host: String, port: UInt16)
        /// A Unix socket that only this user can use (mode 0600); a stale one is replaced.
        case local(path: String)
        /// A listening descriptor that was inherited (systemd socket activation).
        case inherited(descriptor: Int32)
    }

    public struct Listener: Sendable {
        public var endpoint: Endpoint
        /// Given back as `HTTPPeer.listener`.
        public var label: String
        public var tls: TLSFiles?
        /// Whether a connection that begins with `{` speaks JSON Lines.
        public var takesLines: Bool

        public init(_ endpoint: Endpoint, label: String, tls: TLSFiles? = nil, takesLines: Bool = false) {
            self.endpoint = endpoint
            self.label = label
            self.tls = tls
            self.takesLines = takesLines
        }
    }

    /// PEM files, read again when they change.
    public struct TLSFiles: Sendable, Hashable {
        /// The certificate with its chain.
        public var certificate: String
        public var key: String

        public init(certificate: String, key: String) {
            self.certificate = certificate
            self.key = key
        }
    }
}
