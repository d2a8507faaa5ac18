internal import CLinux
internal import Glibc
internal import UsherActivation
internal import UsherSystem

/// A connection to sway's IPC socket; closed by `deinit`. Every wait is bounded.
struct SwayConnection: ~Copyable {
    /// How long sway may take for an answer.
    static let patience = 2000

    let descriptor: Int32
    /// Which life of which compositor this is.
    let server: String
    /// What was received and is not yet used, from `start` on.
    private var buffer: [UInt8] = []
    private var start = 0
    /// Events that came while a reply was awaited.
    var events: [SwayMessage] = []
    var isSubscribed = false

    init(path: String) throws(SwayProblem) {
        do throws(SystemError) {
            // Its queue has three places, which several launches at once fill; that of a compositor that hangs stays full.
            descriptor = try LocalSocket.connect(to: path, waits: false, patience: SwayConnection.patience)
        } catch {
            throw .unreachable(error.number)
        }
        // The process that listens; its number may be given again, with another beginning.
        let process = usher_peer_process(descriptor)
        server = "\(path):\(process):\(ProcessTable.startTime(of: process) ?? 0)"
    }

    deinit { close(descriptor) }

    /// Sends messages in one go.
    func send(_ bytes: [UInt8], until deadline: Deadline) throws(SwayProblem) {
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

    /// The next message of any kind; nil at the deadline, or when `end` can be read.
    mutating func receive(until deadline: Deadline?, or end: Int32 = -1) throws(SwayProblem) -> SwayMessage? {
        while true {
            if let message = try take() { return message }
            if try fill() { continue }
            var polled = [
                pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: end, events: Int16(POLLIN), revents: 0),
            ]
            let count = unsafe poll(&polled, nfds_t(polled.count), deadline?.remainingMilliseconds ?? -1)
            if count < 0, errno != EINTR { throw .ended }
            if polled[1].revents != 0 { return nil }
            if count == 0, let deadline, deadline.isOver { return nil }
        }
    }

    /// The answer to a request that was sent; what else comes meanwhile are events.
    mutating func reply(to kind: SwayMessage.Kind, until deadline: Deadline) throws(SwayProblem) -> [UInt8] {
        while let message = try receive(until: deadline) {
            if message.type == kind.rawValue { return message.body }
            guard message.isEvent else { throw .garbled("an answer that nobody asked for") }
            events.append(message)
        }
        throw .silent
    }

    /// A whole message out of what was received.
    private mutating func take() throws(SwayProblem) -> SwayMessage? {
        let header = SwayMessage.headerLength
        guard buffer.count - start >= header else { return nil }
        guard buffer[start...].starts(with: SwayMessage.magic) else { throw .garbled("no message of the i3 protocol") }
        let (length, type) = (Int(number(at: start + 6)), number(at: start + 10))
        guard length <= SwayMessage.longest else { throw .garbled("a message of \(length) bytes") }
        let end = start + header + length
        guard buffer.count >= end else { return nil }
        let message = SwayMessage(type: type, body: Array(buffer[(start + header)..<end]))
        start = end
        if start == buffer.count {
            buffer.removeAll(keepingCapacity: true)
            start = 0
        }
        return message
    }

    private func number(at place: Int) -> UInt32 {
        unsafe buffer.withUnsafeBytes { unsafe $0.loadUnaligned(fromByteOffset: place, as: UInt32.self) }
    }

    /// Reads what is there; false where nothing is.
    private mutating func fill() throws(SwayProblem) -> Bool {
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

    private func pause(for events: Int16, until deadline: Deadline) throws(SwayProblem) {
        var polled = pollfd(fd: descriptor, events: events, revents: 0)
        if unsafe poll(&polled, 1, deadline.remainingMilliseconds) == 0 { throw .silent }
    }
}
