public import UsherScene

extension DiagnosticCode {
    public static let inlineSecret = DiagnosticCode("U5701", "settings.inline-secret")
    public static let openListener = DiagnosticCode("U5702", "settings.open-listener")
    public static let secretChoice = DiagnosticCode("U5703", "settings.secret-choice")
    public static let hookName = DiagnosticCode("U5711", "hooks.name")
    public static let hookApp = DiagnosticCode("U5712", "hooks.app")
    public static let hookCondition = DiagnosticCode("U5713", "hooks.condition")
    public static let hookPointer = DiagnosticCode("U5714", "hooks.pointer")
    public static let hookTemplate = DiagnosticCode("U5715", "hooks.template")

    /// The codes of `usher.toml` and of hooks.
    public static let settings: [DiagnosticCode] = [
        inlineSecret, openListener, secretChoice, hookName, hookApp, hookCondition,
        hookPointer, hookTemplate,
    ]
}
