/// What happens in a server that an operator wants to read about.
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
