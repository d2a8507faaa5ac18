public import UsherScene

// U458x: taking changes back.
extension DiagnosticCode {
    /// There is nothing that can be taken back.
    /// Remedy: see `usher undo --list`; changes can be taken back once, for 30 days.
    public static let undoNothing = DiagnosticCode("U4580", "undo.nothing")
    /// Something is in the way of what would come back: nothing was changed.
    /// Remedy: see the message.
    public static let undoConflict = DiagnosticCode("U4581", "undo.conflict")
}
