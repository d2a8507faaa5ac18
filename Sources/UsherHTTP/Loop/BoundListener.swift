internal import CLinux
internal import Glibc
internal import UsherSystem

/// A listening socket, with the certificate that its connections get.
struct BoundListener: Sendable {
    let descriptor: Int32
    let address: HTTPServer.Endpoint
    let label: String
    let takesLines: Bool
    /// Whether TLS is used only with clients that begin with a handshake.
    let isTLSOptional: Bool
    /// Whether connections come from this machine's processes, by a Unix socket.
    let isLocal: Bool
    /// Whether this process opened the socket itself, so that no other process continues to listen on it after this
    /// process stops.
    let isOurs: Bool
    /// The path of the socket that was made, with the device and inode that distinguish it from a later socket at the
    /// same path.
    private let made: (path: String, device: UInt, inode: UInt)?
    var certificate: ReloadingCertificate?

    init(_ listener: HTTPServer.Listener) throws(HTTPServerError) {
        var certificate: ReloadingCertificate?
        if let files = listener.tls {
            do throws(TLSError) {
                certificate = try ReloadingCertificate(files)
            } catch {
                throw .certificate(listener, error)
            }
        }
        let descriptor =
            switch listener.endpoint {
            case .internet(let host, let port): unsafe usher_listen_internet(host, port)
            case .local(let path): unsafe usher_listen_local(path)
            case .inherited(let inherited): usher_adopt_listener(inherited) == 0 ? inherited : -1
            }
        var place = usher_address()
        guard descriptor >= 0, unsafe usher_address_of(descriptor, &place) == 0 else {
            throw .cannotListen(listener, SystemError.last.number)
        }
        self.descriptor = descriptor
        self.certificate = certificate
        label = listener.label
        takesLines = listener.takesLines
        isTLSOptional = listener.tls?.isOptional ?? false
        isLocal = place.kind == 1
        address = isLocal ? .local(path: place.string) : .internet(host: place.string, port: place.port)
        if case .inherited = listener.endpoint { isOurs = false } else { isOurs = true }
        if case .local(let path) = listener.endpoint {
            made = BoundListener.identity(of: path).map { (path, $0.device, $0.inode) }
        } else {
            made = nil
        }
    }

    /// Stops listening, and removes the socket file if it is still the one that this listener made.
    func close() {
        if let made, let now = BoundListener.identity(of: made.path), now == (made.device, made.inode) {
            unsafe _ = unlink(made.path)
        }
        _ = Glibc.close(descriptor)
    }

    private static func identity(of path: String) -> (device: UInt, inode: UInt)? {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { return nil }
        return (UInt(status.st_dev), UInt(status.st_ino))
    }
}

extension usher_address {
    /// The address or path.
    fileprivate var string: String {
        let count = MemoryLayout.size(ofValue: text)
        return unsafe withUnsafeBytes(of: text) { bytes in
            unsafe String(decoding: bytes.prefix(count).prefix { $0 != 0 }, as: UTF8.self)
        }
    }

    /// This address as the peer of a connection.
    func peer(_ listener: BoundListener) -> HTTPPeer {
        let address: HTTPPeer.Address =
            kind == 1
            ? .local(user: user, group: group, process: process)
            : .internet(host: string, port: port)
        return HTTPPeer(address: address, listener: listener.label, isEncrypted: listener.certificate != nil)
    }
}
