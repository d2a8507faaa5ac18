import Foundation
import Glibc
import Testing
import UsherLog

/// What journald does at its socket: takes datagrams, and files that come with empty ones, and reads the native protocol.
final class JournalReceiver {
    struct Entry {
        var fields: [(name: String, value: [UInt8])]
        /// Whether it came as a sealed file.
        var wasFile: Bool

        subscript(_ name: String) -> String? {
            fields.first { $0.name == name }.map { String(decoding: $0.value, as: UTF8.self) }
        }
    }

    let path: String
    private let descriptor: Int32

    init() throws {
        path = NSTemporaryDirectory() + "/usher-journal-\(UUID().uuidString.prefix(8))"
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        try #require(bytes.count < MemoryLayout.size(ofValue: address.sun_path))
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let bound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(bound == 0)
        // Generous: a loaded machine is slow, not wrong.
        var limit = timeval(tv_sec: 30, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit {
        close(descriptor)
        unlink(path)
    }

    /// The next entry.
    func entry() throws -> Entry {
        let (datagram, file) = try receive()
        guard let file else { return Entry(fields: try JournalReceiver.parse(datagram), wasFile: false) }
        defer { close(file) }
        try #require(datagram.isEmpty)
        let seals = fcntl(file, 1024 + 10)  // F_GET_SEALS
        try #require(seals == 0xF, "journald takes files that are sealed against every change only: \(seals)")
        var status = stat()
        try #require(fstat(file, &status) == 0)
        var content = [UInt8](repeating: 0, count: Int(status.st_size))
        try #require(pread(file, &content, content.count, 0) == content.count)
        return Entry(fields: try JournalReceiver.parse(content), wasFile: true)
    }

    private func receive() throws -> ([UInt8], Int32?) {
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        var control = [UInt8](repeating: 0, count: 64)
        var message = msghdr()
        let (count, controlLength) = bytes.withUnsafeMutableBytes { bytes in
            control.withUnsafeMutableBytes { control in
                var part = iovec(iov_base: bytes.baseAddress, iov_len: bytes.count)
                return withUnsafeMutablePointer(to: &part) { part in
                    message.msg_iov = part
                    message.msg_iovlen = 1
                    message.msg_control = control.baseAddress
                    message.msg_controllen = control.count
                    let count = recvmsg(descriptor, &message, 0)
                    return (count, message.msg_controllen)
                }
            }
        }
        try #require(count >= 0, "nothing came: \(errno)")
        // cmsghdr: a length of 8 bytes, level, type, then the descriptor.
        let file =
            controlLength < 20 ? nil : control.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 16, as: Int32.self) }
        return (Array(bytes[..<count]), file)
    }

    static func parse(_ bytes: [UInt8]) throws -> [(name: String, value: [UInt8])] {
        var fields: [(name: String, value: [UInt8])] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            let line = try #require(rest.firstIndex(of: 0x0A))
            if let sign = rest[..<line].firstIndex(of: UInt8(ascii: "=")) {
                fields.append((String(decoding: rest[..<sign], as: UTF8.self), Array(rest[(sign + 1)..<line])))
                rest = rest[(line + 1)...]
            } else {
                let name = String(decoding: rest[..<line], as: UTF8.self)
                let start = line + 9
                try #require(start <= rest.endIndex)
                let length = rest[(line + 1)..<start].reversed().reduce(0) { $0 << 8 | Int($1) }
                try #require(start + length < rest.endIndex && rest[start + length] == 0x0A)
                fields.append((name, Array(rest[start..<(start + length)])))
                rest = rest[(start + length + 1)...]
            }
        }
        return fields
    }
}

extension LogEvent {
    static let failed = LogEvent(
        "delivery-failed", .error, "a request could not be carried out", id: "e55ca5cb3a8c4e6a8de47b51fd30824f")
    static let sample = LogEvent("sample", .info, "a test", id: "00000000000000000000000000000001")
    static let next = LogEvent("next", .notice, "the next", id: "00000000000000000000000000000002")
    static let careful = LogEvent("careful", .warning, "careful", id: "00000000000000000000000000000003")
}
