internal import UsherLog
internal import UsherSystem
internal import UsherText

/// Standard error, for people: errors, notes and hints. The log's lines are not its business.
struct ErrorOutput {
    let style: TerminalStyle
    /// Leaves out everything but errors.
    let isQuiet: Bool

    /// `usher: <message>`, the excerpt, `help: …`.
    func report(_ failure: CommandFailure) {
        guard !failure.isReported else { return }
        var text = "usher: \(TerminalText.escape(failure.message))\n"
        for line in failure.excerpt { text += "  \(line)\n" }
        if let help = failure.help { text += "help: \(TerminalText.escape(help))\n" }
        write(text)
    }

    func warning(_ message: String, help: String? = nil) {
        guard !isQuiet else { return }
        write("usher: \(style.color("warning", .yellow)): \(TerminalText.escape(message))\n")
        if let help { write("help: \(TerminalText.escape(help))\n") }
    }

    /// What is good to know and nobody's fault.
    func note(_ message: String) {
        guard !isQuiet else { return }
        write("usher: \(TerminalText.escape(message))\n")
    }

    /// Text that is ready to be shown.
    func write(_ text: String) { _ = FileOutput.write(Array(text.utf8), to: 2) }
}
