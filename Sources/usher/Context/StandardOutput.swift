internal import Glibc
internal import UsherLog
internal import UsherSystem

/// Standard output, buffered; a reader that has gone away is not an error.
final class StandardOutput {
    private var buffer: [UInt8] = []
    private let descriptor: Int32
    /// Why nothing can be written any more.
    private var failure: Int32 = 0

    private static let capacity = 64 * 1024

    init(descriptor: Int32) { self.descriptor = descriptor }

    func write(_ text: String) { write(text.utf8) }

    func write(_ bytes: some Sequence<UInt8>) {
        guard failure == 0 else { return }
        buffer.append(contentsOf: bytes)
        if buffer.count >= StandardOutput.capacity { flush() }
    }

    /// Whether writing makes no sense any more.
    var isBroken: Bool { failure != 0 }

    func flush() {
        guard failure == 0, !buffer.isEmpty else { return }
        if !FileOutput.write(buffer, to: descriptor) { failure = errno }
        buffer.removeAll(keepingCapacity: true)
    }

    /// Writes what is left.
    ///
    /// A closed pipe is how a reader says that it has enough; a full disk is an error.
    func finish() throws(CommandFailure) {
        flush()
        guard failure != 0, failure != EPIPE else { return }
        throw CommandFailure(.finding, "cannot write standard output: \(SystemError.text(failure))")
    }
}
