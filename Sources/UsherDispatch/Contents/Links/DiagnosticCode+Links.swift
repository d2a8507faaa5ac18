public import UsherScene

// U452x: links.
extension DiagnosticCode {
    public static let linkUnknown = DiagnosticCode("U4520", "link.no-such-link")
    /// An activity has none of the three identifiers, so that nothing can lead back to it.
    public static let linkNoIdentifier = DiagnosticCode("U4521", "link.no-identifier")
    /// An identifier that no content can have.
    public static let linkIdentifier = DiagnosticCode("U4522", "link.identifier")
    /// It is not said what the link is to lead to, or it is said twice.
    public static let linkSource = DiagnosticCode("U4523", "link.source")
    /// No app of the configuration has that id.
    public static let linkApp = DiagnosticCode("U4524", "link.no-such-app")
}
