internal import Glibc

/// Writing whole buffers to a descriptor.
public enum FileOutput {
    /// Writes everything, however many calls it takes.
    ///
    /// - Returns: false when the reader is gone (EPIPE) or the write failed otherwise; errno says which.
    public static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        var offset = 0
        while offset < bytes.count {
            let written = unsafe bytes.withUnsafeBytes { buffer in
                unsafe Glibc.write(descriptor, buffer.baseAddress.map { unsafe $0 + offset }, buffer.count - offset)
            }
            if written < 0 {
                switch errno {
                case EINTR: continue
                case EAGAIN:
                    var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                    unsafe poll(&ready, 1, -1)
                    continue
                default: return false
                }
            }
            offset += written
        }
        return true
    }
}
