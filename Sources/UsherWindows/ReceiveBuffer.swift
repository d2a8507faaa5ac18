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
        let old = buffer.count
        buffer.append(contentsOf: repeatElement(0, count: Self.chunk))
        let count = unsafe buffer.withUnsafeMutableBytes { raw in
            unsafe usher_receive(descriptor, raw.baseAddress.map { unsafe $0 + old }, UInt(Self.chunk))
        }
        let problem = errno
        buffer.removeLast(Self.chunk - max(0, count))
        if count > 0 { return true }
        return count < 0 && (problem == EAGAIN || problem == EINTR) ? false : nil
    }
}
