public import UsherScene

// A finding of `usher doctor`.
extension DiagnosticCode {
    /// An activity is current, and its window is gone (a warning).
    /// Remedy: `usher doctor --repair`.
    public static let deadActivity = DiagnosticCode("U4554", "doctor.activity-without-session")
}
