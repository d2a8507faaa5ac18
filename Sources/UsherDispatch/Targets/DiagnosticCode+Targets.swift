internal import UsherConfiguration
public import UsherScene
public import UsherTarget

// U70xx: identifiers that cannot be built or taken apart. What lint says of them is numbered in UsherTarget (LintCode).
extension DiagnosticCode {
    public static let buildUnknownTemplate = DiagnosticCode("U7001", "build.unknown-template")
    public static let buildAmbiguousTemplate = DiagnosticCode("U7002", "build.ambiguous-template")
    public static let buildUnknownVariable = DiagnosticCode("U7003", "build.unknown-variable")
    public static let buildMissingVariable = DiagnosticCode("U7004", "build.missing-variable")
    public static let buildEmptyVariable = DiagnosticCode("U7005", "build.empty-variable")
    public static let buildEmpty = DiagnosticCode("U7006", "build.empty")
    public static let buildVariableType = DiagnosticCode("U7007", "build.variable-type")
    /// A line of a bulk request lacks a member, or has one of the wrong type.
    public static let targetRequest = DiagnosticCode("U7008", "request.member")
    /// No template of any app fits an identifier.
    public static let targetNoMatch = DiagnosticCode("U7009", "match.none")

    /// The code of an identifier's fault.
    public static func building(_ error: TargetError) -> DiagnosticCode {
        switch error.code {
        case .unknownTemplate: .buildUnknownTemplate
        case .unknownVariable: .buildUnknownVariable
        case .missingVariable: .buildMissingVariable
        case .emptyVariable: .buildEmptyVariable
        case .empty: .buildEmpty
        case .template: .template(error.templateError?.code.rawValue ?? "")
        }
    }
}
