import Foundation
import Glibc
import Synchronization

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
            Glibc.close(descriptor)
        }
    }

    let path: String
    private let listener: Int32

    /// - Parameter receive: called with every line, on its connection's thread.
    init(_ path: String, _ receive: @escaping @Sendable (Connection, [UInt8]) -> Void) throws {
        self.path = path
        unlink(path)
        let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
        let bound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard bound == 0, listen(listener, 64) == 0 else { throw CocoaError(.fileWriteUnknown) }
        self.listener = listener
        Thread.detachNewThread {
            while true {
                let descriptor = accept(listener, nil, nil)
                guard descriptor >= 0 else { return }
                Thread.detachNewThread { Connection(descriptor).run(receive) }
            }
        }
    }

    func stop() {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
        unlink(path)
    }
}
