import Foundation
import Testing

/// Answers each connection with the same bytes, whatever is asked, and ends it.
final class DeafServer {
    let path: String
    private let descriptor: Int32

    init(answer: [UInt8]) throws {
        path = "/tmp/usher-deaf-\(UUID().uuidString)"
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) }
        }
        try #require(result == 0 && listen(descriptor, 8) == 0)
        let listening = descriptor
        Thread.detachNewThread {
            while true {
                let connection = accept(listening, nil, nil)
                guard connection >= 0 else {
                    // Not before: another socket would get the number, and this thread would take its clients.
                    close(listening)
                    return
                }
                var request = [UInt8](repeating: 0, count: 1024)
                _ = recv(connection, &request, request.count, 0)
                var sent = 0
                while sent < answer.count {
                    let count = answer.withUnsafeBytes {
                        send(connection, $0.baseAddress! + sent, $0.count - sent, Int32(MSG_NOSIGNAL))
                    }
                    guard count > 0 else { break }
                    sent += count
                }
                close(connection)
            }
        }
    }

    deinit {
        shutdown(descriptor, Int32(SHUT_RDWR))
        unlink(path)
    }
}
