internal import UsherScene

// U65xx: commands that are refused beside those whose words are wrong: `control.argument`, `control.unknown-command`.
extension DiagnosticCode {
    /// A file, a folder or standard input cannot be read or written, is there already, or is not what the command reads.
    /// Remedy: see the message.
    static let usageFile = DiagnosticCode("U6501", "usage.file")
    /// What the command needs is not there: a program, a folder, a desktop, or a `usherd` that runs.
    /// Remedy: see the suggestion.
    static let usageMissing = DiagnosticCode("U6502", "usage.missing")
}
