public import UsherScene

// U451x: notes.
extension DiagnosticCode {
    public static let noteUnknown = DiagnosticCode("U4510", "note.no-such-note")
    /// A command means the note in progress, and there is none.
    public static let noteNoneInProgress = DiagnosticCode("U4511", "note.none-in-progress")
    /// A text that no note can have.
    public static let noteText = DiagnosticCode("U4512", "note.text")
    /// The note was changed by another writer while it was edited.
    public static let noteChangedMeanwhile = DiagnosticCode("U4513", "note.changed-meanwhile")
    public static let noteAttachment = DiagnosticCode("U4514", "note.attachment")
}
