internal import Glibc
internal import UsherScene

/// One end of a connection over a Unix socket; closes itself.
struct UnixSocket: ~Copyable, Sendable {
    let descriptor: Int32

    /// Takes over a connection.
    init(owning descriptor: Int32) { self.descriptor = descriptor }

    /// Connects at once, or throws `control.unreachable`. A path that does not fit into an address is reached from its folder.
    init(connectingTo path: String) throws(ControlError) {
        if path.utf8.count > 107, let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) {
            let folder = unsafe open(String(path[..<slash]), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            guard folder >= 0 else { throw .unreachable(path, errno) }
            defer { close(folder) }
            self = try UnixSocket(atAddress: "/proc/self/fd/\(folder)\(path[slash...])")
        } else {
            self = try UnixSocket(atAddress: path)
        }
    }

    private init(atAddress path: String) throws(ControlError) {
        let bytes = Array(path.utf8)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let capacity = MemoryLayout.size(ofValue: address.sun_path)
        guard !bytes.isEmpty, bytes.count < capacity, !bytes.contains(0) else {
            throw ControlError(
                .controlUnreachable, "\(QuotedText.text(path)) cannot be the path of a socket",
                help: "such a path has at most \(capacity - 1) bytes")
        }
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { room in unsafe room.copyBytes(from: bytes) }
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw .unreachable(path, errno) }
        let result = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                unsafe connect(descriptor, generic, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard result == 0 else {
            let failure = errno
            close(descriptor)
            throw .unreachable(path, failure)
        }
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// Sends everything; nil, or the errno. A peer that is gone is an error and no signal.
    func send(_ bytes: [UInt8]) -> Int32? {
        var offset = 0
        while offset < bytes.count {
            let sent = unsafe bytes.withUnsafeBytes { buffer in
                unsafe Glibc.send(
                    descriptor, buffer.baseAddress.map { unsafe $0 + offset }, buffer.count - offset,
                    Int32(MSG_NOSIGNAL))
            }
            if sent < 0 {
                if errno == EINTR { continue }
                return errno
            }
            offset += sent
        }
        return nil
    }

    /// The next bytes into `buffer`: how many; 0 at the end; nil with errno.
    func receive(_ buffer: inout [UInt8]) -> Int? {
        while true {
            let count = unsafe buffer.withUnsafeMutableBytes { unsafe recv(descriptor, $0.baseAddress, $0.count, 0) }
            if count >= 0 { return count }
            if errno != EINTR { return nil }
        }
    }

    /// Sends no more; what is on its way is still answered.
    func endSending() { _ = shutdown(descriptor, Int32(SHUT_WR)) }

    /// Ends both ways, whoever waits.
    func end() { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }
}

extension ControlError {
    static func unreachable(_ path: String, _ error: Int32) -> ControlError {
        ControlError(
            .controlUnreachable, "usherd does not answer on \(path): \(SystemText.of(error))",
            help: "it may be starting or stopping: try again")
    }

    static func ended(_ path: String) -> ControlError {
        ControlError(
            .controlUnreachable, "usherd closed the connection on \(path)",
            help: "it was stopped: what it had accepted it finishes when it starts again")
    }
}
