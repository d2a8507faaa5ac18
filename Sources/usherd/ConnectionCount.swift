internal import Synchronization
internal import UsherHTTP

/// How many connections the server has; nil before there is one.
final class ConnectionCount: Sendable {
    private let server = Mutex<HTTPServer?>(nil)

    var current: Int? { server.withLock { $0?.connectionCount } }

    func follow(_ server: HTTPServer) { self.server.withLock { $0 = server } }
}
