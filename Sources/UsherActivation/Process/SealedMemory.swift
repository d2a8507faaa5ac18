import CLinux
import Glibc

/// Bytes for a child's standard input: a sealed file in memory, at its beginning.
///
/// Unlike a pipe it has no size at which a writer blocks, raises no SIGPIPE, and can be opened again as `/dev/stdin`;
/// unlike an argument it is not seen in the process table.
enum SealedMemory {
    static func make(_ bytes: [UInt8]) throws(ActivationFailure) -> FileDescriptor {
        let number = unsafe usher_memory_file("usher-payload")
        guard number >= 0 else { throw .system("the payload cannot be handed over", errno: errno) }
        let first = FileDescriptor(owning: number)
        let descriptor = try FileDescriptor.aboveStandard(duplicating: first.number)
        var written = 0
        while written < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { buffer in
                unsafe write(descriptor.number, buffer.baseAddress! + written, buffer.count - written)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw .system("the payload cannot be handed over", errno: errno) }
            written += count
        }
        guard lseek(descriptor.number, 0, SEEK_SET) == 0 else {
            throw .system("the payload cannot be handed over", errno: errno)
        }
        guard usher_seal(descriptor.number) == 0 else { throw .system("the payload cannot be sealed", errno: errno) }
        return descriptor
    }
}
