public import UsherScene

/// What goes wrong with copies, checks and repairs.
extension DiagnosticCode {
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
