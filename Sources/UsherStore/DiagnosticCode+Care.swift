public import UsherScene

/// What goes wrong with exports, imports, checks and repairs.
extension DiagnosticCode {
    /// The file is no export of notes.
    public static let importForeign = DiagnosticCode("U4540", "import.not-an-export")
    /// The file ends too early, or is not what was written.
    public static let importCut = DiagnosticCode("U4541", "import.cut")
    public static let importNewer = DiagnosticCode("U4542", "import.newer-version")
    /// A line is not one of an export.
    public static let importLine = DiagnosticCode("U4543", "import.line")
    /// What is there under the same id has other content.
    public static let importConflict = DiagnosticCode("U4544", "import.conflict")
    /// The redirects of the file, with those that are there, would lead nowhere.
    public static let importLoop = DiagnosticCode("U4545", "import.redirect-loop")
    /// The file to be read or written cannot be.
    public static let careFile = DiagnosticCode("U4546", "doctor.file")
    /// Another process has the store open.
    public static let careInUse = DiagnosticCode("U4547", "doctor.in-use")

    // Findings of `usher doctor`.
    public static let forgottenKeys = DiagnosticCode("U4550", "doctor.dangling-reference")
    public static let textIndex = DiagnosticCode("U4551", "doctor.text-index")
    public static let bareLink = DiagnosticCode("U4552", "doctor.link-without-identifier")
    public static let endlessRedirect = DiagnosticCode("U4553", "doctor.endless-redirect")
    public static let deadActivity = DiagnosticCode("U4554", "doctor.activity-without-session")
    public static let loosePermissions = DiagnosticCode("U4555", "doctor.permissions")
    public static let littleSpace = DiagnosticCode("U4556", "doctor.little-space")
    public static let daemonDeaf = DiagnosticCode("U4557", "doctor.daemon")
    public static let brokenConfiguration = DiagnosticCode("U4558", "doctor.configuration")
    public static let missingProgram = DiagnosticCode("U4559", "doctor.missing-program")
}
