internal import UsherConfiguration
public import UsherScene
public import UsherTarget

// U70xx: identifiers that cannot be built or taken apart. What lint says of them is numbered in UsherTarget (LintCode).
extension DiagnosticCode {
    /// No manifest has a template of that name.
    /// Remedy: see the suggestion.
    public static let buildUnknownTemplate = DiagnosticCode("U7001", "build.unknown-template")
    /// Several apps have a template of that name.
    /// Remedy: name the app.
    public static let buildAmbiguousTemplate = DiagnosticCode("U7002", "build.ambiguous-template")
    /// The template has no such variable.
    /// Remedy: see the suggestion.
    public static let buildUnknownVariable = DiagnosticCode("U7003", "build.unknown-variable")
    /// A variable without which the identifier has a hole.
    /// Remedy: give it a value.
    public static let buildMissingVariable = DiagnosticCode("U7004", "build.missing-variable")
    /// Such a variable is empty.
    /// Remedy: give it a value.
    public static let buildEmptyVariable = DiagnosticCode("U7005", "build.empty-variable")
    /// The identifier would be empty.
    /// Remedy: give its variables values.
    public static let buildEmpty = DiagnosticCode("U7006", "build.empty")
    /// A variable is neither text nor a list or an object of text.
    /// Remedy: flatten it.
    public static let buildVariableType = DiagnosticCode("U7007", "build.variable-type")
    /// A line lacks a member, or has one of the wrong type.
    /// Remedy: see the message.
    public static let targetRequest = DiagnosticCode("U7008", "request.member")
    /// No template fits the identifier.
    /// Remedy: see `[targets]` in the manifests.
    public static let targetNoMatch = DiagnosticCode("U7009", "match.none")

    /// The code of an identifier's fault.
    public static func building(_ error: TargetError) -> DiagnosticCode {
        switch error.code {
        case .unknownTemplate: .buildUnknownTemplate
        case .unknownVariable: .buildUnknownVariable
        case .missingVariable: .buildMissingVariable
        case .emptyVariable: .buildEmptyVariable
        case .empty: .buildEmpty
        case .template: .template(error.templateError?.code)
        }
    }
}
