internal import CLinux
internal import Glibc

/// A file descriptor that is closed when its owner goes.
package struct FileDescriptor: ~Copyable, Sendable {
    package let number: Int32

    package init(owning number: Int32) { self.number = number }

    deinit { close(number) }

    /// The same file, moved out of the way of standard input, output and error, which a child's are put in place of: a
    /// program started with those closed would otherwise get them for its own files.
    package consuming func aboveStandard() throws(SystemError) -> FileDescriptor {
        if number > STDERR_FILENO { return self }
        let moved = fcntl(number, F_DUPFD_CLOEXEC, 3)
        guard moved >= 0 else { throw .last }
        return FileDescriptor(owning: moved)
    }

    /// A sealed file in memory with these bytes, at its beginning.
    ///
    /// Unlike a pipe it has no size at which a writer blocks, raises no SIGPIPE, and can be opened again as `/dev/stdin`;
    /// unlike an argument it is not seen in the process table.
    ///
    /// - Parameter name: what `/proc` shows of it.
    package static func sealedMemory(_ bytes: [UInt8], named name: String) throws(SystemError) -> FileDescriptor {
        let descriptor = try memory(named: name)
        guard FileOutput.write(bytes, to: descriptor.number), lseek(descriptor.number, 0, SEEK_SET) == 0,
            usher_seal(descriptor.number) == 0
        else { throw .last }
        return descriptor
    }

    /// An empty file in memory, above the standard descriptors.
    package static func memory(named name: String) throws(SystemError) -> FileDescriptor {
        let number = unsafe usher_memory_file(name)
        guard number >= 0 else { throw .last }
        return try FileDescriptor(owning: number).aboveStandard()
    }

    /// The first bytes of the file, from its begin on, wherever its offset is.
    package func contents(limit: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while bytes.count < limit {
            let count = unsafe chunk.withUnsafeMutableBytes { buffer in
                unsafe pread(number, buffer.baseAddress, min(buffer.count, limit - bytes.count), off_t(bytes.count))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            bytes += chunk[..<count]
        }
        return bytes
    }
}

/// Writing whole buffers to a descriptor.
package enum FileOutput {
    /// Writes everything, however many calls it takes.
    ///
    /// - Returns: false when the reader is gone (EPIPE) or the write failed otherwise; errno says which.
    package static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool { write(bytes[...], to: descriptor) }

    /// The same of a part.
    package static func write(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) -> Bool {
        var offset = 0
        while offset < bytes.count {
            let written = unsafe bytes.withUnsafeBytes { buffer in
                unsafe Glibc.write(descriptor, buffer.baseAddress.map { unsafe $0 + offset }, buffer.count - offset)
            }
            if written < 0 {
                switch errno {
                case EINTR: continue
                case EAGAIN:
                    _ = Poll.wait(for: descriptor, toWrite: true, until: nil)
                    continue
                default: return false
                }
            }
            offset += written
        }
        return true
    }
}
