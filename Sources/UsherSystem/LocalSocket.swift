internal import CLinux
internal import Glibc

/// Unix sockets.
package enum LocalSocket {
    /// The longest path of a socket, in bytes.
    package static var longestPath: Int { MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1 }

    /// Connects a stream socket, close-on-exec, to the one at a path; a NUL begins an abstract name.
    ///
    /// - Parameters:
    ///   - waits: false for a socket that does not block.
    ///   - patience: how long one that does not block waits for a place in the listener's queue of connections, in
    ///     milliseconds.
    /// - Throws: EINVAL and ENAMETOOLONG where this cannot be a path of a socket, EAGAIN where there was no place in time, else
    ///   what connect(2) says.
    package static func connect(to path: String, waits: Bool = true, patience: Int = 0) throws(SystemError) -> Int32 {
        let bytes = Array(path.utf8)
        guard !bytes.isEmpty, !bytes.dropFirst().contains(0) else { throw SystemError(EINVAL) }
        guard bytes.count <= longestPath else { throw SystemError(ENAMETOOLONG) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let length = MemoryLayout<sockaddr_un>.size - MemoryLayout.size(ofValue: address.sun_path) + bytes.count
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { room in unsafe room.copyBytes(from: bytes) }
        let waitsForPlace = !waits && patience > 0
        let descriptor = socket(AF_UNIX, streamType(waits: waits || waitsForPlace), 0)
        guard descriptor >= 0 else { throw .last }
        if waitsForPlace {
            // A connection is begun within this time, or fails with EAGAIN (unix(7) has no other way to wait).
            var limit = timeval(tv_sec: patience / 1000, tv_usec: patience % 1000 * 1000)
            _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        }
        let result = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                unsafe Glibc.connect(descriptor, generic, socklen_t(length))
            }
        }
        guard result == 0, !waitsForPlace || fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0 else {
            let failure = SystemError.last
            close(descriptor)
            throw failure
        }
        return descriptor
    }

    /// The type of a stream socket that is closed on exec.
    package static func streamType(waits: Bool) -> Int32 {
        Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | (waits ? 0 : Int32(SOCK_NONBLOCK.rawValue))
    }

    /// Two stream sockets that are connected with each other, close-on-exec.
    package static func pair() throws(SystemError) -> (Int32, Int32) {
        var ends: [Int32] = [-1, -1]
        guard unsafe socketpair(AF_UNIX, streamType(waits: true), 0, &ends) == 0 else { throw .last }
        return (ends[0], ends[1])
    }

    /// Whether a listening descriptor is a Unix socket.
    package static func isOne(_ descriptor: Int32) -> Bool {
        var address = sockaddr()
        var length = socklen_t(MemoryLayout<sockaddr>.size)
        guard unsafe getsockname(descriptor, &address, &length) == 0 else { return false }
        return address.sa_family == sa_family_t(AF_UNIX)
    }
}

/// A Unix datagram socket that sends to named sockets: how the journal and the service manager are spoken to.
package struct DatagramSocket: ~Copyable {
    private let descriptor: Int32

    /// - Parameter limit: how long sending may wait for the receiver, in milliseconds.
    /// - Returns: nil when there are no descriptors left.
    package init?(limit: Int32) {
        descriptor = usher_datagram_socket(limit)
        if descriptor < 0 { return nil }
    }

    deinit { close(descriptor) }

    /// Sends one datagram, and with it a descriptor where there is one.
    ///
    /// - Parameters:
    ///   - path: of the receiver; `@` begins an abstract name.
    ///   - waits: false to fail at once where the receiver's queue is full.
    /// - Returns: 0, or the error.
    package func send(
        _ bytes: [UInt8], to path: String, passing passed: Int32 = -1, waits: Bool = true
    ) -> Int32 {
        let status = unsafe bytes.withUnsafeBytes { buffer in
            unsafe usher_send_datagram(
                descriptor, path, buffer.baseAddress, UInt(buffer.count), passed, waits ? 1 : 0)
        }
        return status == 0 ? 0 : errno
    }

    /// Sends bytes as a sealed file in memory: for what no datagram holds. The receiver reads the file.
    package func sendFile(_ bytes: [UInt8], named name: String, to path: String, waits: Bool = true) -> Int32 {
        do throws(SystemError) {
            let file = try FileDescriptor.sealedMemory(bytes, named: name)
            return send([], to: path, passing: file.number, waits: waits)
        } catch {
            return error.number
        }
    }
}
