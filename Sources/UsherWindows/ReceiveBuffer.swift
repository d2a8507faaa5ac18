internal import CLinux
internal import Glibc

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
}
