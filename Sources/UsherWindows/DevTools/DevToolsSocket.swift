internal import CLinux
internal import Glibc
internal import UsherActivation
internal import UsherSystem

/// A TCP connection on loopback; closed by `deinit`. Every wait is bounded, or can be ended.
struct DevToolsSocket: ~Copyable {
    private let descriptor: Int32
    /// Every wait ends once this can be read (`stopped`); -1 for none.
    private let end: Int32
    /// What was received and is not yet used, from `start` on.
    private var buffer: [UInt8] = []
    private var start = 0

    init(_ address: DevToolsAddress, until deadline: Deadline, or end: Int32 = -1) throws(DevToolsProblem) {
        self.end = end
        descriptor = socket(address.isVersion6 ? AF_INET6 : AF_INET, LocalSocket.streamType(waits: false), 0)
        guard descriptor >= 0 else { throw .unreachable(errno) }
        let result = address.isVersion6 ? connectVersion6(address) : connectVersion4(address)
        if result == 0 { return }
        guard errno == EINPROGRESS else { throw .unreachable(errno) }
        guard try isReady(for: POLLOUT, until: deadline) else { throw .silent }
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

    /// One end of the connection, as `/proc/net/tcp` writes it: `0100007F:2406`.
    func address(isOurs: Bool) -> String? {
        var found = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = unsafe withUnsafeMutablePointer(to: &found) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                unsafe isOurs
                    ? getsockname(descriptor, generic, &size) : getpeername(descriptor, generic, &size)
            }
        }
        guard result == 0 else { return nil }
        let isVersion6 = Int32(found.ss_family) == AF_INET6
        return unsafe withUnsafeBytes(of: &found) { raw in
            let port = unsafe raw.loadUnaligned(fromByteOffset: 2, as: UInt16.self)
            let words = (isVersion6 ? [8, 12, 16, 20] : [4]).map { place in
                TableText.word(unsafe raw.loadUnaligned(fromByteOffset: place, as: UInt32.self))
            }
            return words.joined() + ":" + TableText.port(UInt16(bigEndian: port))
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
                guard try isReady(for: POLLOUT, until: deadline) else { throw .silent }
            } else if errno != EINTR {
                throw .ended
            }
        }
    }

    /// Receives more; false at the deadline.
    mutating func receive(until deadline: Deadline?) throws(DevToolsProblem) -> Bool {
        // `end` is checked before each read, so that a peer that sends without a pause cannot prevent the end of the
        // wait.
        while try isReady(for: POLLIN, until: deadline) { if try fill() { return true } }
        return false
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
        if count < 0, problem == EAGAIN || problem == EINTR { return false }
        throw .ended
    }

    /// Waits until something can be done; false at the deadline.
    private func isReady(for events: Int32, until deadline: Deadline?) throws(DevToolsProblem) -> Bool {
        while true {
            var polled = [
                pollfd(fd: descriptor, events: Int16(events), revents: 0),
                pollfd(fd: end, events: Int16(POLLIN), revents: 0),
            ]
            let count = unsafe poll(&polled, nfds_t(polled.count), deadline?.remainingMilliseconds ?? -1)
            if count < 0, errno != EINTR { throw .ended }
            if count > 0, polled[1].revents != 0 { throw .stopped }
            if count > 0 { return true }
            if let deadline, deadline.isOver { return false }
        }
    }
}
