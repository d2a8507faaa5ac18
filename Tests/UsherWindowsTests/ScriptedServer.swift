import Foundation
import Synchronization
import TestSupport
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
        descriptor = try LocalListener.listen(at: path)
        LocalListener.accept(descriptor) { [weak self] connection in
            self?.clients.withLock { _ = $0.insert(connection) }
            serve(Client(descriptor: connection))
            self?.clients.withLock { _ = $0.remove(connection) }
        }
    }

    /// Answers each client with the same bytes, whatever is asked, and ends the connection.
    convenience init(answer: [UInt8]) throws {
        try self.init { client in
            _ = client.receive()
            client.send(answer)
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
