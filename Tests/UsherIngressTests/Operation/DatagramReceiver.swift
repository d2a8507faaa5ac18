import Foundation
import Glibc
import Testing

/// What a service manager does at `NOTIFY_SOCKET`: takes datagrams.
final class DatagramReceiver {
    /// As the variable has it: a path, or `@` and an abstract name.
    let name: String
    private let descriptor: Int32

    init(isAbstract: Bool) throws {
        let unique = "usher-notify-\(UUID().uuidString.prefix(8))"
        name = isAbstract ? "@" + unique : NSTemporaryDirectory() + "/" + unique
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var bytes = Array(name.utf8)
        if isAbstract { bytes[0] = 0 }
        try #require(bytes.count < MemoryLayout.size(ofValue: address.sun_path))
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let length = MemoryLayout<sa_family_t>.size + bytes.count + (isAbstract ? 0 : 1)
        let bound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, socklen_t(length)) }
        }
        try #require(bound == 0)
        var limit = timeval(tv_sec: 30, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit {
        close(descriptor)
        if !name.hasPrefix("@") { unlink(name) }
    }

    func next() throws -> String {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        try #require(count >= 0, "nothing came: \(errno)")
        return String(decoding: bytes[..<count], as: UTF8.self)
    }
}
