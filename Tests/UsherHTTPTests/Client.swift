import Foundation

/// A socket that sends given bytes, and reads answers.
final class Client {
    struct Failure: Error {
        var what: String
    }

    struct Answer: Equatable {
        var status: Int
        var head: String
        var body: String

        func field(_ name: String) -> String? {
            head.components(separatedBy: "\r\n").first { $0.lowercased().hasPrefix(name.lowercased() + ":") }
                .map { $0.dropFirst(name.count + 1).trimmingCharacters(in: .whitespaces) }
        }
    }

    let descriptor: Int32
    private var buffer: [UInt8] = []

    init(port: UInt16) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw Failure(what: "connect: \(errno)") }
        setTimeout(60)
    }

    init(path: String) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC, 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard result == 0 else { throw Failure(what: "connect: \(errno)") }
        setTimeout(60)
    }

    deinit { close(descriptor) }

    private func setTimeout(_ seconds: Int) {
        var time = timeval(tv_sec: seconds, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
    }

    /// False when the server no longer takes it.
    @discardableResult
    func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    func endSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Makes closing send a reset.
    func reset() {
        var value = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &value, socklen_t(MemoryLayout<linger>.size))
    }

    private func fill() throws -> Bool {
        var bytes = [UInt8](repeating: 0, count: 64 * 1024)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        if count < 0 { throw Failure(what: "recv: \(errno), after \(String(decoding: buffer, as: UTF8.self))") }
        buffer.append(contentsOf: bytes[..<count])
        return count > 0
    }

    /// The next answer; nil at the end of the connection.
    func answer(toHead: Bool = false) throws -> Answer? {
        let end = Array("\r\n\r\n".utf8)
        while true {
            if let range = Data(buffer).range(of: Data(end)) {
                let head = String(decoding: buffer[..<range.lowerBound], as: UTF8.self)
                buffer.removeSubrange(..<range.upperBound)
                var answer = Answer(
                    status: Int(head.split(separator: " ").dropFirst().first ?? "") ?? 0, head: head, body: "")
                let length = toHead ? 0 : answer.field("Content-Length").flatMap { Int($0) } ?? 0
                while buffer.count < length, try fill() {}
                guard buffer.count >= length else { throw Failure(what: "short body") }
                answer.body = String(decoding: buffer[..<length], as: UTF8.self)
                buffer.removeSubrange(..<length)
                return answer
            }
            guard try fill() else {
                guard buffer.isEmpty else {
                    throw Failure(what: "no answer: \(String(decoding: buffer, as: UTF8.self))")
                }
                return nil
            }
        }
    }

    func line() throws -> String? {
        while true {
            if let feed = buffer.firstIndex(of: 0x0A) {
                let line = String(decoding: buffer[..<feed], as: UTF8.self)
                buffer.removeSubrange(...feed)
                return line
            }
            guard try fill() else { return nil }
        }
    }

    /// Everything up to the end.
    func rest() throws -> String {
        while try fill() {}
        defer { buffer = [] }
        return String(decoding: buffer, as: UTF8.self)
    }

    /// Reads until the text has come.
    func read(until text: String) throws -> Bool {
        while !String(decoding: buffer, as: UTF8.self).contains(text) {
            guard try fill() else { return false }
        }
        return true
    }

    /// Reads and throws away so many bytes, and says how many came.
    func take(_ count: Int) throws -> Int {
        var taken = 0
        while true {
            taken += buffer.count
            buffer = []
            guard taken < count, try fill() else { return taken }
        }
    }

    /// Whether the server has closed (waits for it) without another byte.
    func isAtEnd() throws -> Bool { try buffer.isEmpty && !fill() }
}
