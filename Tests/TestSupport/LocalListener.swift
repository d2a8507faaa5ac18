import Foundation
import Glibc

/// Unix sockets that tests listen at.
package enum LocalListener {
    /// A listening socket of streams at a path, whose queue holds so many clients.
    package static func listen(at path: String, queue: Int32 = 64) throws -> Int32 {
        let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let bound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard bound == 0, Glibc.listen(listener, queue) == 0 else { throw CocoaError(.fileWriteUnknown) }
        return listener
    }

    /// Calls `serve` for each client, on a thread of the client's own, and closes the connection when it returns. To end it,
    /// shut the listener down.
    package static func accept(_ listener: Int32, _ serve: @escaping @Sendable (_ connection: Int32) -> Void) {
        Thread.detachNewThread {
            while true {
                let connection = Glibc.accept(listener, nil, nil)
                guard connection >= 0 else {
                    // Not before: another socket would get the number, and this thread would take its clients.
                    close(listener)
                    return
                }
                Thread.detachNewThread {
                    serve(connection)
                    close(connection)
                }
            }
        }
    }
}
