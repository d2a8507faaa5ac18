public import UsherScene

// U450x: user activities that cannot be taken. What is wrong with their text is numbered in UsherPayload.
extension DiagnosticCode {
    /// What the window in front shows is not known, and no other window counts.
    /// Remedy: name the content by its identifier, or let the app report it.
    public static let activityNotInFront = DiagnosticCode("U4500", "activity.not-in-front")
    /// There is no activity of that id.
    /// Remedy: see `usher activity list --all`.
    public static let activityNoSuch = DiagnosticCode("U4502", "activity.no-such-activity")
    /// The session has no window.
    /// Remedy: `usher scene connect --session` says that it has one again.
    public static let activitySessionLost = DiagnosticCode("U4503", "activity.session-lost")
    /// The activity is larger than 128 KiB.
    /// Remedy: keep what leads back to the content, not the content.
    public static let activityTooLarge = DiagnosticCode("U4504", "activity.too-large")
    /// Nothing is current.
    /// Remedy: `usher activity become-current`.
    public static let activityNone = DiagnosticCode("U4505", "activity.none")
    /// There is no process of that number.
    /// Remedy: give the one that shows the window.
    public static let activityNoProcess = DiagnosticCode("U4506", "activity.no-such-process")
    /// The session's app has no manifest.
    /// Remedy: install it.
    public static let activityNoApp = DiagnosticCode("U4507", "activity.no-such-app")
    /// Others change the activity all the time.
    /// Remedy: try again.
    public static let activityBusy = DiagnosticCode("U4508", "activity.busy")
    /// The save command gave no fresh `userInfo` (a warning).
    /// Remedy: see the message.
    public static let activityNotSaved = DiagnosticCode("U4509", "activity.not-saved")
}
