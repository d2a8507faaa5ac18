public import UsherScene

// U451x: notes.
extension DiagnosticCode {
    /// There is no such note.
    /// Remedy: see `usher note list`.
    public static let noteUnknown = DiagnosticCode("U4510", "note.no-such-note")
    /// No note is in progress, or none was put aside.
    /// Remedy: `usher note new`, or `usher note resume NOTE`.
    public static let noteNoneInProgress = DiagnosticCode("U4511", "note.none-in-progress")
    /// A text that no note can have: blank, more than 1 MiB, or with a NUL.
    /// Remedy: attach files to the note instead.
    public static let noteText = DiagnosticCode("U4512", "note.text")
    /// The note was changed while it was edited.
    /// Remedy: see `usher note show`, and edit it once more.
    public static let noteChangedMeanwhile = DiagnosticCode("U4513", "note.changed-meanwhile")
    /// The path is no file that can be read, or the digest is none.
    /// Remedy: an absolute path, or `sha256:` and 64 digits.
    public static let noteAttachment = DiagnosticCode("U4514", "note.attachment")
}
