internal import CLinux
internal import Glibc
internal import UsherOperation
internal import UsherSystem
internal import UsherText

/// One end of a connection over a Unix socket; closes itself.
struct UnixSocket: ~Copyable, Sendable {
    let descriptor: Int32

    /// Takes over a connection.
    init(owning descriptor: Int32) { self.descriptor = descriptor }

    /// Connects at once. A path that does not fit into an address is reached from its folder.
    ///
    /// The kernel says as which user the server began to listen (SO_PEERCRED, unix(7)): this user or root, else nothing is
    /// sent.
    ///
    /// - Throws: `control.unreachable`, `control.other-user`.
    init(connectingTo path: String) throws(ControlError) {
        let descriptor: Int32
        do throws(SystemError) {
            descriptor = try UnixSocket.connect(to: path)
        } catch {
            guard error.number == EINVAL || error.number == ENAMETOOLONG else { throw .unreachable(path, error.number) }
            throw ControlError(
                .controlUnreachable, "\(QuotedText.text(path)) cannot be the path of a socket",
                help: "such a path has at most \(LocalSocket.longestPath) bytes")
        }
        var user: UInt32 = 0
        let refusal: ControlError? =
            unsafe usher_peer_user(descriptor, &user) == 0
            ? UnixSocket.refusal(ofServerOf: user, client: geteuid(), path: path) : .unreachable(path, errno)
        if let refusal {
            close(descriptor)
            throw refusal
        }
        self.descriptor = descriptor
    }

    /// Why a client does not speak to a server of this user; nil where it does.
    static func refusal(ofServerOf user: UInt32, client: UInt32, path: String) -> ControlError? {
        guard user != client, user != 0 else { return nil }
        return ControlError(
            .controlOtherUser, "\(path) is served by user \(user), and this is user \(client): nothing was sent",
            help: "run this as user \(user), or name another folder with --state")
    }

    /// Connects to a path; one that does not fit into an address is reached from its folder.
    private static func connect(to path: String) throws(SystemError) -> Int32 {
        guard path.utf8.count > LocalSocket.longestPath, let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else {
            return try LocalSocket.connect(to: path)
        }
        let folder = unsafe open(String(path[..<slash]), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw SystemError(errno) }
        defer { close(folder) }
        return try LocalSocket.connect(to: "/proc/self/fd/\(folder)\(path[slash...])")
    }

    deinit { close(descriptor) }

    /// Sends everything; nil, or the errno. A peer that is gone is an error and no signal.
    func send(_ bytes: [UInt8]) -> Int32? {
        SocketOutput.send(bytes, to: descriptor, until: nil) == .failed ? errno : nil
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

    /// Shuts both directions down; a thread that waits for it wakes up.
    func end() { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }
}

extension ControlError {
    static func unreachable(_ path: String, _ error: Int32) -> ControlError {
        ControlError(
            .controlUnreachable, "usherd does not answer on \(path): \(SystemError.text(error))",
            help: "it may be starting or stopping: try again")
    }

    static func ended(_ path: String) -> ControlError {
        ControlError(
            .controlUnreachable, "usherd closed the connection on \(path)",
            help: "it was stopped: what it had accepted it finishes when it starts again")
    }
}
