import Foundation
import Glibc
import Synchronization
import UsherHTTP

/// Connections of lines over a real Unix socket, a thread each, until the server's own loop is there.
final class ControlLineServer: Sendable {
    private let listener: Int32
    private let path: String

    init(_ path: String, open: @escaping @Sendable (any LineConnection) -> any LineReceiver) throws {
        self.path = path
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
                let descriptor = accept4(listener)
                guard descriptor >= 0 else { return }
                let connection = SocketConnection(descriptor)
                let receiver = open(connection)
                Thread.detachNewThread { connection.run(receiver) }
            }
        }
    }

    func stop() {
        shutdown(listener, Int32(SHUT_RDWR))
        Glibc.close(listener)
        unlink(path)
    }
}

/// A connection that no child inherits.
private func accept4(_ listener: Int32) -> Int32 {
    let descriptor = accept(listener, nil, nil)
    if descriptor >= 0 { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    return descriptor
}

private final class SocketConnection: LineConnection {
    private let descriptor: Int32
    private let isGone = Mutex(false)
    private let reads = Mutex(true)

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { Glibc.close(descriptor) }

    func send(_ bytes: [UInt8]) -> Bool {
        isGone.withLock { isGone in
            var rest = bytes[...]
            while !rest.isEmpty, !isGone {
                let count = rest.withUnsafeBytes {
                    Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                if count <= 0 { isGone = true } else { rest = rest.dropFirst(count) }
            }
            return !isGone
        }
    }

    func setReading(_ isReading: Bool) { reads.withLock { $0 = isReading } }

    func close() {
        isGone.withLock { $0 = true }
        shutdown(descriptor, Int32(SHUT_RDWR))
    }

    func run(_ receiver: any LineReceiver) {
        var rest: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65536)
        while true {
            while !reads.withLock({ $0 }) { usleep(1000) }
            let count = chunk.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, $0.count, 0) }
            guard count > 0 else { break }
            rest.append(contentsOf: chunk[..<count])
            while let end = rest.firstIndex(of: 0x0A) {
                let line = Array(rest[..<end])
                rest.removeSubrange(...end)
                receiver.receive(line)
                // What is no line is received whole, as the real server hands it over in pieces.
                var awaited = receiver.awaitedBytes
                while awaited > 0 {
                    if rest.isEmpty {
                        let count = chunk.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, $0.count, 0) }
                        guard count > 0 else { return receiver.end() }
                        rest.append(contentsOf: chunk[..<count])
                    }
                    let some = Array(rest.prefix(awaited))
                    rest.removeSubrange(..<some.count)
                    receiver.receive(bytes: some)
                    awaited -= some.count
                }
            }
        }
        receiver.end()
    }
}
