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
    /// The word after `usher note` is no command, and too close to one to be the text of a note.
    /// Remedy: correct the word, or write `usher note -- TEXT`.
    public static let noteSubcommand = DiagnosticCode("U4515", "note.subcommand")
    /// The line before the links is missing in an edited note: all of it is text, and the links stay as they are.
    /// Remedy: put `<!-- links -->` on a line of its own before the links.
    public static let noteLinksUnread = DiagnosticCode("U4516", "note.links-unread")
    /// A line below the links of an edited note is no link: it is added to the text, and no link is removed.
    /// Remedy: write `- [TITLE](IDENTIFIER)`.
    public static let noteLinkLine = DiagnosticCode("U4517", "note.link-line")
}
