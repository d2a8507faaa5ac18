internal import CXcb
internal import Glibc
internal import UsherActivation
internal import UsherSystem

/// The way to an X server, with an end to all waiting: a server that hangs takes connections and never answers.
enum X11Socket {
    /// A connection that has been let in.
    static func connection(
        to display: X11Display, environment: [String: String], until deadline: Deadline
    ) throws(X11Problem) -> OpaquePointer {
        let (socket, peer) = try open(display, until: deadline)
        // The library reads the greeting without a limit. Closing its socket under it ends that; the duplicate is for
        // that alone, because the library closes its own.
        let duplicate = fcntl(socket, F_DUPFD_CLOEXEC, 3)
        guard duplicate >= 0 else {
            close(socket)
            throw .silent
        }
        defer { close(duplicate) }
        let guardian = WatchThread(named: "greet X11") { end in
            var sign = pollfd(fd: end.descriptor, events: Int16(POLLIN), revents: 0)
            while unsafe poll(&sign, 1, deadline.remainingMilliseconds) < 1 {
                if deadline.isOver {
                    _ = shutdown(duplicate, Int32(SHUT_RDWR))
                    return
                }
            }
        }
        guard let guardian else {
            close(socket)
            throw .silent
        }
        defer { guardian.stop() }
        let greeted = unsafe greet(socket, X11Authority(environment: environment, for: display, peer: peer))
        guard let connection = unsafe greeted else { throw .absent }
        if unsafe xcb_connection_has_error(connection) == 0 { return unsafe connection }
        unsafe xcb_disconnect(connection)
        throw deadline.isOver ? .silent : .absent
    }

    private static func greet(_ socket: Int32, _ authority: X11Authority?) -> OpaquePointer? {
        guard let authority else { return unsafe xcb_connect_to_fd(socket, nil) }
        var name = Array(X11Authority.method.utf8CString)
        var cookie = authority.cookie.map { CChar(bitPattern: $0) }
        let (nameLength, cookieLength) = (Int32(name.count - 1), Int32(cookie.count))
        return unsafe name.withUnsafeMutableBufferPointer { name in
            unsafe cookie.withUnsafeMutableBufferPointer { cookie in
                var information = unsafe xcb_auth_info_t(
                    namelen: nameLength, name: name.baseAddress, datalen: cookieLength, data: cookie.baseAddress)
                return unsafe xcb_connect_to_fd(socket, &information)
            }
        }
    }

    /// A connected socket, and the address of the other end where that has one.
    private static func open(
        _ display: X11Display, until deadline: Deadline
    ) throws(X11Problem) -> (socket: Int32, peer: [UInt8]) {
        guard display.isLocal else {
            if let opened = openInternet(display, until: deadline) { return opened }
            throw deadline.isOver ? .silent : .absent
        }
        // Some servers listen under an abstract name only.
        for name in [display.path, "\0" + display.path] {
            do throws(SystemError) {
                return (try LocalSocket.connect(to: name, waits: false), [])
            } catch {
                // More wait already than a server lets wait that goes on.
                if error.number == EAGAIN { throw .silent }
            }
        }
        throw .absent
    }

    /// Display number 10 of a host is its port 6010, as ssh makes it for programs on another machine.
    private static func openInternet(
        _ display: X11Display, until deadline: Deadline
    ) -> (socket: Int32, peer: [UInt8])? {
        guard let port = UInt16(exactly: 6000 + Int(display.number)) else { return nil }
        var hints = unsafe addrinfo()
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        guard unsafe getaddrinfo(display.host, String(port), &hints, &found) == 0 else { return nil }
        defer { unsafe freeaddrinfo(found) }
        var next = unsafe found
        while let entry = unsafe next?.pointee {
            unsafe next = entry.ai_next
            let descriptor = socket(unsafe entry.ai_family, LocalSocket.streamType(waits: false), 0)
            guard descriptor >= 0 else { continue }
            let result = unsafe connect(descriptor, entry.ai_addr, entry.ai_addrlen)
            if result == 0 || (errno == EINPROGRESS && isConnected(descriptor, until: deadline)) {
                return (descriptor, unsafe Self.address(entry.ai_addr, entry.ai_family))
            }
            close(descriptor)
        }
        return nil
    }

    private static func isConnected(_ descriptor: Int32, until deadline: Deadline) -> Bool {
        var sign = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        guard unsafe poll(&sign, 1, deadline.remainingMilliseconds) > 0 else { return false }
        var (error, length): (Int32, socklen_t) = (0, socklen_t(MemoryLayout<Int32>.size))
        return unsafe getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &length) == 0 && error == 0
    }

    private static func address(_ address: UnsafeMutablePointer<sockaddr>?, _ family: Int32) -> [UInt8] {
        guard let address = unsafe address else { return [] }
        // Behind family, port and, in the longer form, flow label.
        let (start, count) = family == AF_INET6 ? (8, 16) : (4, 4)
        return unsafe Array(UnsafeRawBufferPointer(start: UnsafeRawPointer(address) + start, count: count))
    }
}
