internal import CXcb
internal import Glibc
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
            if !end.wait(until: deadline) { _ = shutdown(duplicate, Int32(SHUT_RDWR)) }
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
        guard Poll.wait(for: descriptor, toWrite: true, until: deadline) == .ready else { return false }
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

/// Which server and which screen is meant: `:0`, `unix:0`, `localhost:10.0` (X(7), DISPLAY).
struct X11Display: Sendable, Hashable {
    /// Where the sockets of local servers are.
    private static let folder = "/tmp/.X11-unix"

    /// Empty for a server on this machine.
    var host: String
    var number: Int32
    var screen: Int32

    init?(_ text: String) {
        // The library takes an empty name for the one in the process's own environment.
        guard !text.isEmpty, !text.utf8.contains(0) else { return nil }
        var host: UnsafeMutablePointer<CChar>?
        var number: Int32 = 0
        var screen: Int32 = 0
        guard unsafe xcb_parse_display(text, &host, &number, &screen) != 0 else { return nil }
        defer { unsafe free(host) }
        // Longer numbers are cut by the library, and no server has one.
        guard (0...65535).contains(number), screen >= 0 else { return nil }
        let name = unsafe host.map { unsafe String(cString: $0) } ?? ""
        self.host = name == "unix" ? "" : name
        self.number = number
        self.screen = screen
    }

    /// The same for each way to write it: `:0`, `remote:10.1`.
    var text: String { "\(host):\(number)\(screen == 0 ? "" : ".\(screen)")" }

    var isLocal: Bool { host.isEmpty }

    /// The socket of a local server.
    var path: String { "\(Self.folder)/X\(number)" }
}

/// What proves to an X server that its client may use it: one entry of an authority file (Xau(3), `xauth list`).
struct X11Authority {
    static let method = "MIT-MAGIC-COOKIE-1"

    private static let local: UInt16 = 256
    private static let wild: UInt16 = 65535
    /// A larger file is none.
    private static let longestFile = 1 << 20

    var cookie: [UInt8]

    /// From the file that the environment names: XAUTHORITY, else `.Xauthority` at home. nil where it has no entry for this
    /// server; a server may let its user in without.
    init?(environment: [String: String], for display: X11Display, peer: [UInt8]) {
        guard let path = environment["XAUTHORITY"] ?? environment["HOME"].map({ $0 + "/.Xauthority" }),
            !path.utf8.contains(0), let bytes = try? FileSystem.read(path, limit: Self.longestFile),
            let cookie = Self.cookie(in: bytes, for: display, peer: peer)
        else { return nil }
        self.cookie = cookie
    }

    /// `peer` is the address of a server that is reached by TCP; by loopback it has the entry of a local one.
    static func cookie(in bytes: [UInt8], for display: X11Display, peer: [UInt8]) -> [UInt8]? {
        let host = hostName()
        let isHere = display.isLocal || peer.first == 127 || peer == [UInt8](repeating: 0, count: 15) + [1]
        var rest = bytes[...]
        while let family = number(&rest), let address = field(&rest), let server = field(&rest),
            let name = field(&rest), let cookie = field(&rest)
        {
            guard server.isEmpty || server.elementsEqual(String(display.number).utf8), name.elementsEqual(method.utf8)
            else { continue }
            let fits =
                family == wild
                || (isHere ? family == local && address.elementsEqual(host) : address.elementsEqual(peer))
            if fits { return Array(cookie) }
        }
        return nil
    }

    private static func number(_ rest: inout ArraySlice<UInt8>) -> UInt16? {
        guard rest.count >= 2, let high = rest.popFirst(), let low = rest.popFirst() else { return nil }
        return UInt16(high) << 8 | UInt16(low)
    }

    private static func field(_ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard let count = number(&rest), rest.count >= Int(count) else { return nil }
        defer { rest = rest.dropFirst(Int(count)) }
        return rest.prefix(Int(count))
    }

    private static func hostName() -> [UInt8] {
        var name = [CChar](repeating: 0, count: 256)
        guard unsafe gethostname(&name, name.count - 1) == 0 else { return [] }
        return name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    }
}
