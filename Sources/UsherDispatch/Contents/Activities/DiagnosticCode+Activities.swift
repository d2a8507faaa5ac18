public import UsherScene

// U450x: user activities that cannot be taken. What is wrong with their text is numbered in UsherPayload.
extension DiagnosticCode {
    /// No manifest, or that of another app, declares the activity's type.
    public static let activityUndeclaredType = DiagnosticCode("U4501", "activity.undeclared-type")
    public static let activityNoSuch = DiagnosticCode("U4502", "activity.no-such-activity")
    /// The session's window is gone: nothing is done in it.
    public static let activitySessionLost = DiagnosticCode("U4503", "activity.session-lost")
    public static let activityTooLarge = DiagnosticCode("U4504", "activity.too-large")
    /// The session has no activity, current or kept.
    public static let activityNone = DiagnosticCode("U4505", "activity.none")
    public static let activityNoProcess = DiagnosticCode("U4506", "activity.no-such-process")
    /// The app of a session is in no manifest.
    public static let activityNoApp = DiagnosticCode("U4507", "activity.no-such-app")
    /// Others changed the activity again and again meanwhile.
    public static let activityBusy = DiagnosticCode("U4508", "activity.busy")
    /// A warning: the save command gave no fresh `userInfo`.
    public static let activityNotSaved = DiagnosticCode("U4509", "activity.not-saved")
}
