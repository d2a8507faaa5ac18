import Foundation
import Synchronization
import Testing

/// A Unix socket that answers by a script: what a compositor answers that cannot run here, by its documentation.
final class ScriptedServer: Sendable {
    /// A client, until it or the server closes the connection.
    struct Client: Sendable, Equatable {
        fileprivate let descriptor: Int32

        /// The next bytes; empty at the end.
        func receive() -> [UInt8] {
            var room = [UInt8](repeating: 0, count: 65536)
            let count = recv(descriptor, &room, room.count, 0)
            return Array(room.prefix(max(0, count)))
        }

        /// All up to the end of a line, without it.
        func line() -> String? {
            var text: [UInt8] = []
            while !text.contains(0x0A) {
                let more = receive()
                if more.isEmpty { return nil }
                text += more
            }
            return String(decoding: text.prefix { $0 != 0x0A }, as: UTF8.self)
        }

        func send(_ text: String) { send(Array(text.utf8)) }

        func send(_ bytes: [UInt8]) {
            _ = bytes.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        }
    }

    let path: String
    private let descriptor: Int32
    private let clients = Mutex<Set<Int32>>([])
    private let isStopped = Atomic(false)

    /// `serve` runs on a thread of its own for each client; the connection is closed when it returns.
    init(path: String = "/tmp/usher-scripted-\(UUID().uuidString)", _ serve: @escaping @Sendable (Client) -> Void)
        throws
    {
        self.path = path
        unlink(path)
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let listening = descriptor
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(listening, $0, size) }
        }
        try #require(result == 0 && listen(descriptor, 32) == 0)
        Thread.detachNewThread { [weak self] in
            while true {
                let connection = accept(listening, nil, nil)
                guard connection >= 0 else {
                    // Not before: another socket would get the number, and this thread would take its clients.
                    close(listening)
                    return
                }
                self?.clients.withLock { _ = $0.insert(connection) }
                Thread.detachNewThread { [weak self] in
                    serve(Client(descriptor: connection))
                    self?.clients.withLock { _ = $0.remove(connection) }
                    close(connection)
                }
            }
        }
    }

    /// The compositor ends. Once: afterwards, other sockets may have the numbers.
    func stop() {
        guard !isStopped.exchange(true, ordering: .relaxed) else { return }
        shutdown(descriptor, Int32(SHUT_RDWR))
        clients.withLock { for client in $0 { shutdown(client, Int32(SHUT_RDWR)) } }
        unlink(path)
    }

    deinit { stop() }
}
