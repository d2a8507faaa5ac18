internal import Synchronization
internal import UsherSystem

/// Serves HTTP on any number of listeners, with one thread.
///
/// The server listens when `init` returns and serves while `run` runs, which is the thread that calls the handler.
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
        /// Whether a client that does not begin with a TLS handshake is served without encryption. Meant for
        /// certificates that are used only for trying things out.
        public var isOptional: Bool

        public init(certificate: String, key: String, isOptional: Bool = false) {
            self.certificate = certificate
            self.key = key
            self.isOptional = isOptional
        }
    }

    /// A connection that the process was given when it was started.
    public struct InheritedConnection: Sendable {
        public var descriptor: Int32
        /// Given back as `HTTPPeer.listener`.
        public var label: String

        public init(descriptor: Int32, label: String) {
            self.descriptor = descriptor
            self.label = label
        }
    }

    /// Where each listener listens, in the order they were given: the port that was picked, what was inherited.
    public let addresses: [Endpoint]

    private let limits: Limits
    private let handler: any HTTPHandler
    private let events: @Sendable (HTTPServerEvent) -> Void
    private let mailbox: LoopMailbox
    /// What `run` takes and closes.
    private let bound: Mutex<[BoundListener]>
    private let inherited: InheritedConnection?

    /// Binds every listener, or none.
    ///
    /// - Parameters:
    ///   - inherited: a connection of this user, served as one of the first listener.
    ///   - events: called on the server's thread; must not block.
    public init(
        listeners: [Listener], inherited: InheritedConnection? = nil, limits: Limits = Limits(),
        handler: any HTTPHandler,
        events: @escaping @Sendable (HTTPServerEvent) -> Void = { _ in }
    ) throws(HTTPServerError) {
        guard let mailbox = LoopMailbox(streamBuffer: limits.streamBuffer) else {
            throw .noEventLoop(SystemError.last.number)
        }
        var bound: [BoundListener] = []
        do throws(HTTPServerError) {
            for listener in listeners { bound.append(try BoundListener(listener)) }
        } catch {
            for listener in bound { listener.close() }
            throw error
        }
        self.mailbox = mailbox
        self.inherited = inherited
        self.limits = limits
        self.handler = handler
        self.events = events
        addresses = bound.map(\.address)
        self.bound = Mutex(bound)
    }

    deinit {
        bound.withLock { for listener in $0 { listener.close() } }
    }

    /// Serves until `stop` was called and all connections are closed. A second call returns at once.
    public func run() throws(HTTPServerError) {
        let listeners = bound.withLock { bound in
            defer { bound = [] }
            return bound
        }
        guard !listeners.isEmpty else { return }
        guard
            let loop = EventLoop(
                listeners: listeners, limits: limits, handler: handler, mailbox: mailbox, events: events)
        else {
            let error = SystemError.last.number
            for listener in listeners { listener.close() }
            throw .noEventLoop(error)
        }
        if let inherited { loop.adopt(inherited) }
        loop.run()
    }

    /// Takes no more connections and serves those that there are. From any thread; returns at once.
    public func stopListening() { mailbox.post(.stopListening) }

    /// Stops if there is no connection, also none that waits to be accepted: then `run` returns at once, and no client was
    /// turned away after a first answer. Otherwise nothing happens, and `.noConnections` is reported when the last one is
    /// closed. From any thread; returns at once.
    public func stopIfUnused() { mailbox.post(.stopIfUnused) }

    /// Takes no more connections, closes idle ones, finishes requests in progress with `Connection: close`, ends streams
    /// and lines, and closes what is left after the deadline. From any thread; returns at once.
    public func stop(deadlineSeconds: Double = 10) { mailbox.post(.stop(seconds: deadlineSeconds)) }

    /// How many connections are open now. From any thread.
    public var connectionCount: Int { mailbox.openConnections.load(ordering: .relaxed) }
}

// MARK: - Limits

extension HTTPServer {
    /// What a client may take of the server: bytes, and seconds from the beginning of each part to its end.
    public struct Limits: Sendable {
        /// Bytes of request line and fields.
        public var head = 16 * 1024
        var fieldCount = 100
        /// From the first byte of a head to its end.
        public var headSeconds = 10.0
        /// From the end of the head to the end of the body.
        public var bodySeconds = 30.0
        /// Of TLS.
        public var handshakeSeconds = 10.0
        /// Between requests.
        public var idleSeconds = 60.0
        /// A client that has something to read takes so many bytes within these seconds, or all there is.
        public var writeSeconds = 20.0
        public var writeBytes = 4096
        /// From a request to its answer; nil waits.
        public var answerSeconds: Double?
        /// How long, and for how many bytes, the rest of a refused body is read, so that the refusal is seen.
        var lingerSeconds = 2.0
        var lingerBytes = 16 << 20
        /// Connections at a time; nil derives them from the limit of descriptors, leaving a quarter to others, and at most
        /// 4096. Seven eighths are for TCP.
        public var connections: Int?
        /// Unsent bytes of a connection above which nothing more is read from it.
        public var highWater = 256 * 1024
        /// Unsent bytes of a stream above which its reader is dropped.
        var streamBuffer = 64 * 1024
        /// Bytes of request bodies in memory, of all connections together, by `HTTPBodyAccount`.
        public var localBodies = 16 << 20
        public var provenBodies = 32 << 20
        public var unprovenBodies = 8 << 20
        /// How long a body may take before it gives way to another one of the same client, if the account is full.
        public var bodyPatienceSeconds = 5.0
        /// Unsent bytes of all network connections whose last request was not proven. Beyond, the connection with most
        /// of them is closed.
        public var unprovenOutput = 16 << 20
        /// Bytes of one line of a connection of lines.
        public var line = 2 << 20
        /// Unsent bytes of a connection of lines above which it is dropped.
        public var lineBuffer = 8 << 20

        public init() {}
    }
}

/// Why a server cannot begin.
public struct HTTPServerError: Error, Sendable, Hashable, CustomStringConvertible {
    public var code: HTTPProblem.Code
    /// The label of the listener.
    public var listener: String
    public var message: String
    /// The errno, where there was one.
    public var systemError: Int32?

    public var description: String { "\(code.code) \(code.name): \(message)" }

    static func cannotListen(_ listener: HTTPServer.Listener, _ error: Int32) -> HTTPServerError {
        let place =
            switch listener.endpoint {
            case .internet(let host, let port): host.utf8.contains(0x3A) ? "[\(host)]:\(port)" : "\(host):\(port)"
            case .local(let path): path
            case .inherited(let descriptor): "descriptor \(descriptor)"
            }
        return HTTPServerError(
            code: .cannotListen, listener: listener.label,
            message: "cannot listen on \(place): \(SystemError.text(error))", systemError: error)
    }

    static func certificate(_ listener: HTTPServer.Listener, _ problem: TLSError) -> HTTPServerError {
        HTTPServerError(code: .certificate, listener: listener.label, message: problem.message)
    }

    static func noEventLoop(_ error: Int32) -> HTTPServerError {
        HTTPServerError(
            code: .cannotListen, listener: "", message: "cannot watch descriptors: \(SystemError.text(error))",
            systemError: error)
    }
}

/// Events of a server, for its operator.
public enum HTTPServerEvent: Sendable, Hashable {
    /// The files had changed, and new connections get what they hold now.
    case certificateReloaded(listener: String)
    /// The files have changed and cannot be used; the old certificate stays.
    case certificateFailed(listener: String, message: String)
    /// There are as many connections as there may be; new ones wait. At most once in ten seconds.
    case full(connections: Int)
    /// A connection could not be taken. At most once in ten seconds.
    case acceptFailed(listener: String, message: String)
    /// A connection to a Unix socket came from another user and was closed.
    case strangerRefused(listener: String, user: UInt32)
    /// The deadline of a stop passed with so many connections open; they were closed.
    case drainIncomplete(connections: Int)
    /// The connection that was inherited is closed, and there are others.
    case inheritedConnectionClosed
    /// The last connection was closed, and the server goes on.
    case noConnections
}
