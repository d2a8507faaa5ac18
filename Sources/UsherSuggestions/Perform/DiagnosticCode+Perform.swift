public import UsherScene

// U87xx: what apps are asked to do. `perform.no-such-item` is in UsherScene.
extension DiagnosticCode {
    /// Nothing says what it is to be done about.
    /// Remedy: name it on the command line, or look at it first: an activity with attributes is current then.
    public static let performNothing = DiagnosticCode("U8701", "perform.nothing")
    /// No app can do it, or there is no app of that name.
    /// Remedy: declare the verb in `[perform]` of a manifest, and the mode in `directions-modes`.
    public static let performNoApp = DiagnosticCode("U8702", "perform.no-app")
    /// The app does not declare the verb or the mode, or the place cannot be called or reached.
    /// Remedy: name another app, or leave `--app` out.
    public static let performNotSupported = DiagnosticCode("U8703", "perform.not-supported")
}
