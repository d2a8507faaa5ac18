import Foundation
import Glibc
import Synchronization
import TestSupport

/// A server on a Unix socket that hands lines to a test: real sockets, one thread a connection.
final class LineServer: Sendable {
    /// One connection, seen from the server.
    final class Connection: Sendable {
        private let descriptor: Int32
        private let lock = Mutex(())

        init(_ descriptor: Int32) { self.descriptor = descriptor }

        func send(_ text: String) {
            lock.withLock { _ in
                var bytes = Array(text.utf8)[...]
                while !bytes.isEmpty {
                    let count = bytes.withUnsafeBytes {
                        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                    }
                    guard count > 0 else { return }
                    bytes = bytes.dropFirst(count)
                }
            }
        }

        func close() { shutdown(descriptor, Int32(SHUT_RDWR)) }

        fileprivate func run(_ receive: (Connection, [UInt8]) -> Void) {
            var rest: [UInt8] = []
            var chunk = [UInt8](repeating: 0, count: 65536)
            while true {
                let count = chunk.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, $0.count, 0) }
                guard count > 0 else { break }
                rest.append(contentsOf: chunk[..<count])
                while let end = rest.firstIndex(of: 0x0A) {
                    let line = Array(rest[..<end])
                    rest.removeSubrange(...end)
                    receive(self, line)
                }
            }
        }
    }

    let path: String
    private let listener: Int32

    /// - Parameter receive: called with every line, on its connection's thread.
    init(_ path: String, _ receive: @escaping @Sendable (Connection, [UInt8]) -> Void) throws {
        self.path = path
        unlink(path)
        listener = try LocalListener.listen(at: path)
        LocalListener.accept(listener) { Connection($0).run(receive) }
    }

    func stop() {
        shutdown(listener, Int32(SHUT_RDWR))
        unlink(path)
    }
}
