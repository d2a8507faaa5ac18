internal import UsherConfiguration
internal import UsherJSON
internal import UsherPayload
public import UsherScene
public import UsherTarget

/// Why nothing can be built or matched: of a line of a bulk request, the `error` member in its place. An offset counts bytes
/// into the line where it is no JSON, else into the template.
public struct TargetProblem: Error, Sendable {
    public var diagnostic: Diagnostic
    /// Whether the line is no request at all, in contrast to one without an answer.
    var isMalformed = false

    init(_ diagnostic: Diagnostic, isMalformed: Bool = false) {
        self.diagnostic = diagnostic
        self.isMalformed = isMalformed
    }

    init(_ error: PayloadError) { self.init(Diagnostic(error), isMalformed: true) }

    /// What is wrong with a template by itself.
    public init(_ error: URITemplateError) {
        self.init(
            Diagnostic(
                .template(error.code.rawValue), error.message, at: "/template", offset: error.offset, help: error.hint))
    }

    /// What is wrong with a template, or with what it was given.
    public init(_ error: TargetError) {
        if let templateError = error.templateError {
            self.init(templateError)
            return
        }
        let pointer =
            switch error.code {
            case .unknownTemplate: "/name"
            case .unknownVariable, .missingVariable, .emptyVariable: JSONPointer.child(error.name, of: "/variables")
            case .empty, .template: "/template"
            }
        self.init(Diagnostic(.building(error), error.message, at: pointer, help: error.hint))
    }

    static func member(_ name: String, _ message: String, help: String? = nil) -> TargetProblem {
        TargetProblem(
            Diagnostic(.targetRequest, message, at: name.isEmpty ? "" : "/" + name, help: help), isMalformed: true)
    }
}
