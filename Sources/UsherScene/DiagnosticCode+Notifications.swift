// Notifications on the desktop: U36xx.
extension DiagnosticCode {
    /// There is no notification server, or none that answers.
    public static let notificationUnavailable = DiagnosticCode("U3601", "notification.unavailable")
    /// The server shows no notification.
    public static let notificationRefused = DiagnosticCode("U3602", "notification.refused")
    /// A warning: the server has no buttons, so that no click comes back.
    public static let notificationNoActions = DiagnosticCode("U3603", "notification.no-actions")
    /// A warning: the manifest has notifications of this level neither shown nor followed.
    public static let notificationSilenced = DiagnosticCode("U3604", "notification.silenced")

    /// A warning: the app has interrupted as often as its manifest lets it, and this push is not shown.
    public static let notificationRate = DiagnosticCode("U3605", "notification.rate")

    static let notifications = [
        notificationUnavailable, notificationRefused, notificationNoActions, notificationSilenced, notificationRate,
    ]
}
