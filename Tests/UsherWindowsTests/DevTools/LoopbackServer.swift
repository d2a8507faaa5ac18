import Foundation

/// A server on loopback of this test's own: each connection has a thread that gets the head of the request.
final class LoopbackServer: Sendable {
    let port: UInt16
    private let listener: Int32

    /// The connection is closed when `answer` returns.
    ///
    /// - Parameter isOfBoth: it listens on every address of both versions of IP.
    init(isOfBoth: Bool = false, _ answer: @escaping @Sendable (_ head: String, _ connection: Int32) -> Void) {
        signal(SIGPIPE, SIG_IGN)
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let listener = socket(isOfBoth ? AF_INET6 : AF_INET, type, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        if isOfBoth {
            // Without an address it gets one of its own, for all of the machine.
            _ = listen(listener, 64)
            var wide = sockaddr_in6()
            size = socklen_t(MemoryLayout<sockaddr_in6>.size)
            withUnsafeMutablePointer(to: &wide) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { _ = getsockname(listener, $0, &size) }
            }
            address.sin_port = wide.sin6_port
        } else {
            withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                    _ = bind(listener, generic, size)
                    _ = listen(listener, 64)
                    _ = getsockname(listener, generic, &size)
                }
            }
        }
        self.listener = listener
        port = UInt16(bigEndian: address.sin_port)
        Thread.detachNewThread {
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else {
                    // Not before: another socket would get the number, and this thread would take its clients.
                    close(listener)
                    return
                }
                Thread.detachNewThread {
                    answer(Self.head(of: connection), connection)
                    close(connection)
                }
            }
        }
    }

    deinit { shutdown(listener, Int32(SHUT_RDWR)) }

    private static func head(of connection: Int32) -> String {
        var text = ""
        var byte: UInt8 = 0
        while !text.hasSuffix("\r\n\r\n"), text.utf8.count < 16_384, read(connection, &byte, 1) == 1 {
            text.unicodeScalars.append(Unicode.Scalar(byte))
        }
        return text
    }

    static func say(_ bytes: [UInt8], to connection: Int32) {
        var offset = 0
        while offset < bytes.count {
            let count = bytes[offset...].withUnsafeBytes { write(connection, $0.baseAddress, $0.count) }
            guard count > 0 else { return }
            offset += count
        }
    }

    /// Until the other side ends.
    static func swallow(_ connection: Int32) {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while read(connection, &buffer, buffer.count) > 0 {}
    }
}
