internal import CLinux
internal import Glibc
internal import UsherActivation

/// A TCP connection on loopback; closed by `deinit`. Every wait is bounded.
struct DevToolsSocket: ~Copyable {
    private let descriptor: Int32
    /// What was received and is not yet used, from `start` on.
    private var buffer: [UInt8] = []
    private var start = 0

    init(_ address: DevToolsAddress, until deadline: Deadline) throws(DevToolsProblem) {
        let options = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        descriptor = socket(address.isVersion6 ? AF_INET6 : AF_INET, options, 0)
        guard descriptor >= 0 else { throw .unreachable(errno) }
        let result = address.isVersion6 ? connectVersion6(address) : connectVersion4(address)
        if result == 0 { return }
        guard errno == EINPROGRESS else { throw .unreachable(errno) }
        try pause(for: Int16(POLLOUT), until: deadline)
        var problem: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        guard unsafe getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &problem, &size) == 0, problem == 0 else {
            throw .unreachable(problem)
        }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    private func connectVersion4(_ place: DevToolsAddress) -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = place.port.bigEndian
        _ = unsafe inet_pton(AF_INET, place.host, &address.sin_addr)
        return unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                unsafe connect(descriptor, generic, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    private func connectVersion6(_ place: DevToolsAddress) -> Int32 {
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = place.port.bigEndian
        _ = unsafe inet_pton(AF_INET6, place.host, &address.sin6_addr)
        return unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                unsafe connect(descriptor, generic, socklen_t(MemoryLayout<sockaddr_in6>.size))
            }
        }
    }

    // MARK: - Bytes

    /// What was received and not yet taken.
    var received: ArraySlice<UInt8> { buffer[start...] }

    mutating func take(_ count: Int) {
        start += count
        guard start == buffer.count else { return }
        buffer.removeAll(keepingCapacity: true)
        start = 0
    }

    func send(_ bytes: [UInt8], until deadline: Deadline) throws(DevToolsProblem) {
        var offset = 0
        while offset < bytes.count {
            let sent = unsafe bytes.withUnsafeBytes { raw in
                unsafe usher_send(descriptor, raw.baseAddress.map { unsafe $0 + offset }, UInt(raw.count - offset))
            }
            if sent > 0 {
                offset += sent
            } else if errno == EAGAIN {
                try pause(for: Int16(POLLOUT), until: deadline)
            } else {
                throw .ended
            }
        }
    }

    /// Receives more; false at the deadline, or when `end` can be read.
    mutating func receive(until deadline: Deadline?, or end: Int32 = -1) throws(DevToolsProblem) -> Bool {
        while true {
            if try fill() { return true }
            var polled = [
                pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: end, events: Int16(POLLIN), revents: 0),
            ]
            let count = unsafe poll(&polled, nfds_t(polled.count), deadline?.remainingMilliseconds ?? -1)
            if count < 0, errno != EINTR { throw .ended }
            if polled[1].revents != 0 { return false }
            if count <= 0, let deadline, deadline.isOver { return false }
        }
    }

    private mutating func fill() throws(DevToolsProblem) -> Bool {
        if start > 0 {
            buffer.removeFirst(start)
            start = 0
        }
        let room = 64 * 1024
        let old = buffer.count
        buffer.append(contentsOf: repeatElement(0, count: room))
        let count = unsafe buffer.withUnsafeMutableBytes { raw in
            unsafe usher_receive(descriptor, raw.baseAddress.map { unsafe $0 + old }, UInt(room))
        }
        let problem = errno
        buffer.removeLast(room - max(0, count))
        if count > 0 { return true }
        if count < 0, problem == EAGAIN { return false }
        throw .ended
    }

    private func pause(for events: Int16, until deadline: Deadline) throws(DevToolsProblem) {
        var polled = pollfd(fd: descriptor, events: events, revents: 0)
        while true {
            let count = unsafe poll(&polled, 1, deadline.remainingMilliseconds)
            if count > 0 { return }
            if count == 0 { throw .silent }
            if errno != EINTR { throw .ended }
        }
    }
}
