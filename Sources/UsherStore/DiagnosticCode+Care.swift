public import UsherScene

/// What goes wrong with exports, imports, checks and repairs.
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
    /// A file cannot be read or written, or is there already.
    /// Remedy: see the message.
    public static let maintenanceFile = DiagnosticCode("U4546", "doctor.file")
    /// Another process has the store open.
    /// Remedy: stop it first; `fuser` names it.
    public static let maintenanceInUse = DiagnosticCode("U4547", "doctor.in-use")

    // Findings of `usher doctor`.
    /// Rows belong to others that are missing.
    /// Remedy: `usher doctor --repair`.
    public static let forgottenKeys = DiagnosticCode("U4550", "doctor.dangling-reference")
    /// A full-text index does not agree with the texts.
    /// Remedy: `usher doctor --repair`.
    public static let textIndex = DiagnosticCode("U4551", "doctor.text-index")
    /// A link has no identifier, and leads nowhere.
    /// Remedy: `usher link remove`.
    public static let bareLink = DiagnosticCode("U4552", "doctor.link-without-identifier")
    /// A redirect leads nowhere within 32 hops.
    /// Remedy: take it back: `usher content restore`.
    public static let endlessRedirect = DiagnosticCode("U4553", "doctor.endless-redirect")
    /// An activity is current, and its window is gone (a warning).
    /// Remedy: `usher doctor --repair`.
    public static let deadActivity = DiagnosticCode("U4554", "doctor.activity-without-session")
    /// Folder or file are open to other users.
    /// Remedy: `chmod`, as the message says.
    public static let loosePermissions = DiagnosticCode("U4555", "doctor.permissions")
    /// There are less than 64 MiB left for the store (a warning).
    /// Remedy: free some space.
    public static let littleSpace = DiagnosticCode("U4556", "doctor.little-space")
    /// `usherd` does not answer, or has another version (a warning).
    /// Remedy: start it anew.
    public static let daemonDeaf = DiagnosticCode("U4557", "doctor.daemon")
    /// The configuration is missing (a warning) or has errors.
    /// Remedy: `usher check` shows them.
    public static let brokenConfiguration = DiagnosticCode("U4558", "doctor.configuration")
    /// Tmux or an editor is not found (a warning).
    /// Remedy: install it.
    public static let missingProgram = DiagnosticCode("U4559", "doctor.missing-program")
}
