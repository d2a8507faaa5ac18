extension DiagnosticCode {
    /// The browser of the requested window has no connection to the daemon.
    public static let browserNotConnected = DiagnosticCode("U3401", "browser.not-connected")
    /// A browser was asked, and did not answer in time.
    public static let browserNoAnswer = DiagnosticCode("U3402", "browser.no-answer")
    /// A browser could not do what it was asked for.
    public static let browserRefused = DiagnosticCode("U3403", "browser.refused")
    /// An address that no tab is opened for.
    public static let browserAddress = DiagnosticCode("U3404", "browser.address")

    static let browser: [DiagnosticCode] = [browserNotConnected, browserNoAnswer, browserRefused, browserAddress]
}
