public import UsherScene

/// What goes wrong with exports and imports.
extension DiagnosticCode {
    /// The file is no export of notes.
    /// Remedy: write one with `usher note export`.
    public static let importForeign = DiagnosticCode("U4540", "import.not-an-export")
    /// The file was cut or changed; nothing was imported.
    /// Remedy: export once more, or copy the file anew.
    public static let importCut = DiagnosticCode("U4541", "import.cut")
    /// A newer Usher wrote the export.
    /// Remedy: use that one.
    public static let importNewer = DiagnosticCode("U4542", "import.newer-version")
    /// A line is not as it should be, or speaks of a note that is nowhere; nothing was imported.
    /// Remedy: see the message.
    public static let importLine = DiagnosticCode("U4543", "import.line")
    /// An id is in the store with other content; nothing was imported.
    /// Remedy: `--keep` or `--replace` decides.
    public static let importConflict = DiagnosticCode("U4544", "import.conflict")
    /// The redirects of file and store together would lead in a circle, or need too many hops.
    /// Remedy: take one of the moves back: `usher content restore`.
    public static let importLoop = DiagnosticCode("U4545", "import.redirect-loop")

    // Findings of `usher doctor`.
    /// A link has no identifier, and leads nowhere.
    /// Remedy: `usher link remove`.
    public static let bareLink = DiagnosticCode("U4552", "doctor.link-without-identifier")
    /// A redirect leads nowhere within 32 hops.
    /// Remedy: take it back: `usher content restore`.
    public static let endlessRedirect = DiagnosticCode("U4553", "doctor.endless-redirect")
}
