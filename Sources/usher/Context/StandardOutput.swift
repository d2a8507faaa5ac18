internal import Glibc
internal import Synchronization
internal import UsherSystem
internal import UsherText

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

/// Standard error, for people: errors, notes and hints. The log's lines are not its business.
struct ErrorOutput {
    let style: TerminalStyle
    /// Leaves out everything but errors.
    let isQuiet: Bool

    /// `usher: <message>`, the excerpt, `help: …`.
    func report(_ failure: CommandFailure) {
        guard !failure.isReported else { return }
        var text = "usher: \(Printable.escaped(failure.message))\n"
        for line in failure.excerpt { text += "  \(line)\n" }
        if let help = failure.help { text += "help: \(Printable.escaped(help))\n" }
        write(text)
    }

    func warning(_ message: String, help: String? = nil) {
        guard !isQuiet else { return }
        write("usher: \(style.color("warning", .yellow)): \(Printable.escaped(message))\n")
        if let help { write("help: \(Printable.escaped(help))\n") }
    }

    /// Information that is neither an error nor a warning.
    func note(_ message: String) {
        guard !isQuiet else { return }
        write("usher: \(Printable.escaped(message))\n")
    }

    /// Text that is ready to be shown.
    func write(_ text: String) { _ = FileOutput.write(Array(text.utf8), to: 2) }
}

/// What was shown in this run already, so that it is not shown twice.
final class ShownTexts: Sendable {
    private let texts = Mutex<[String]>([])

    /// Whether a text is shown for the first time.
    func isNew(_ text: String) -> Bool {
        texts.withLock { texts in
            if texts.contains(where: { $0.hasSameBytes(as: text) }) { return false }
            texts.append(text)
            return true
        }
    }
}
