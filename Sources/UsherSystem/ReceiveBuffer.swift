internal import Glibc

/// The bytes that were received from a socket and not consumed yet. No read blocks, whatever the socket's mode.
package struct ReceiveBuffer {
    private var buffer: [UInt8] = []
    private var start = 0
    /// How many of the bytes are known to have no end of a line.
    private var scanned = 0

    private static let chunk = 64 * 1024

    package init() {}

    /// In the order of arrival; the indices change with every call that changes the buffer.
    package var bytes: ArraySlice<UInt8> { buffer[start...] }

    package mutating func consume(_ count: Int) {
        start += count
        scanned = 0
        guard start == buffer.count else { return }
        buffer.removeAll(keepingCapacity: true)
        start = 0
    }

    /// Takes the first line, without its end; nil where it is not whole yet.
    package mutating func takeLine() -> [UInt8]? {
        guard let end = bytes.dropFirst(scanned).firstIndex(of: 0x0A) else {
            scanned = bytes.count
            return nil
        }
        let line = Array(bytes[..<end])
        consume(line.count + 1)
        return line
    }

    /// Reads once. Returns false if nothing is there, or the read was interrupted; nil at the end of the stream and on
    /// errors.
    package mutating func fill(from descriptor: Int32) -> Bool? {
        buffer.removeFirst(start)
        start = 0
        // No array of this size: it would be filled with zeros first.
        let (count, problem) = unsafe withUnsafeTemporaryAllocation(byteCount: Self.chunk, alignment: 1) { room in
            let count = unsafe recv(descriptor, room.baseAddress, Self.chunk, Int32(MSG_DONTWAIT))
            let problem = errno
            unsafe buffer.append(contentsOf: room.prefix(max(0, count)))
            return (count, problem)
        }
        if count > 0 { return true }
        return count < 0 && (problem == EAGAIN || problem == EINTR) ? false : nil
    }

    /// Waits for bytes. Returns false at the deadline, and when `end` is readable; nil at the end of the stream and on errors.
    package mutating func fill(from descriptor: Int32, until deadline: Deadline?, or end: Int32 = -1) -> Bool? {
        while true {
            guard let isFilled = fill(from: descriptor) else { return nil }
            if isFilled { return true }
            switch Poll.wait(for: descriptor, or: end, until: deadline) {
            case .ready: continue
            case .ended, .late: return false
            case .failed: return nil
            }
        }
    }
}

/// Sending whole buffers over sockets, whatever their mode.
package enum SocketOutput {
    /// Sends everything, and raises no SIGPIPE. Any outcome but `ready` may leave a part sent.
    package static func send(
        _ bytes: [UInt8], to descriptor: Int32, or end: Int32 = -1, until deadline: Deadline?
    ) -> Poll.Outcome {
        var offset = 0
        while offset < bytes.count {
            let sent = unsafe bytes.withUnsafeBytes { buffer in
                unsafe Glibc.send(
                    descriptor, buffer.baseAddress.map { unsafe $0 + offset }, buffer.count - offset,
                    Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
            }
            if sent >= 0 {
                offset += sent
            } else if errno == EAGAIN {
                let outcome = Poll.wait(for: descriptor, toWrite: true, or: end, until: deadline)
                if outcome != .ready { return outcome }
            } else if errno != EINTR {
                return .failed
            }
        }
        return .ready
    }
}
