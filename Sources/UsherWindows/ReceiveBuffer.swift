internal import CLinux
internal import Glibc
internal import UsherSystem

/// The bytes that were received from a socket and not consumed yet.
struct ReceiveBuffer {
    private var buffer: [UInt8] = []
    private var start = 0

    private static let chunk = 64 * 1024

    /// In the order of arrival; the indices change with every call that changes the buffer.
    var bytes: ArraySlice<UInt8> { buffer[start...] }

    mutating func consume(_ count: Int) {
        start += count
        guard start == buffer.count else { return }
        buffer.removeAll(keepingCapacity: true)
        start = 0
    }

    /// Reads once. Returns false if nothing is there, or the read was interrupted; nil at the end of the stream and on
    /// errors.
    mutating func fill(from descriptor: Int32) -> Bool? {
        buffer.removeFirst(start)
        start = 0
        // No array of this size: it would be filled with zeros first.
        let (count, problem) = unsafe withUnsafeTemporaryAllocation(byteCount: Self.chunk, alignment: 1) { room in
            let count = unsafe usher_receive(descriptor, room.baseAddress, UInt(Self.chunk))
            let problem = errno
            unsafe buffer.append(contentsOf: room.prefix(max(0, count)))
            return (count, problem)
        }
        if count > 0 { return true }
        return count < 0 && (problem == EAGAIN || problem == EINTR) ? false : nil
    }

    /// Waits for bytes. Returns false at the deadline, and when `end` is readable; nil at the end of the stream and on errors.
    mutating func fill(from descriptor: Int32, until deadline: Deadline?, or end: Int32 = -1) -> Bool? {
        while true {
            guard let isFilled = fill(from: descriptor) else { return nil }
            if isFilled { return true }
            var polled = [
                pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: end, events: Int16(POLLIN), revents: 0),
            ]
            let count = unsafe poll(&polled, nfds_t(polled.count), deadline?.remainingMilliseconds ?? -1)
            if count < 0, errno != EINTR { return nil }
            if polled[1].revents != 0 { return false }
            if count == 0, let deadline, deadline.isOver { return false }
        }
    }
}
