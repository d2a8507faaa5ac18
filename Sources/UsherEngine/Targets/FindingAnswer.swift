public import UsherOperation
package import UsherScene
package import UsherTarget
internal import UsherText

/// What is to be said about an identifier.
public struct FindingAnswer: AnswerRecord {
    public var id = ""
    public var code = ""
    public var name = ""
    /// What it is about.
    public var found: String?
    public var message = ""
    public var suggestion = ""

    public init() {}
    init(id: String, code: String, name: String, message: String, suggestion: String) {
        (self.id, self.code, self.name) = (id, code, name)
        (self.message, self.suggestion) = (message, suggestion)
    }

    public static let schema: String? = "IdentifierFinding"
    public static let fields: [Field<Self>] = [
        Field(always: "id", \.id), Field(always: "code", \.code), Field(always: "name", \.name),
        Field(ifAny: "found", \.found, "The part that it is about"), Field(always: "message", \.message),
        Field(always: "suggestion", \.suggestion),
    ]
}

extension FindingAnswer {
    package init(_ finding: LintFinding, about id: TargetContentIdentifier) {
        self.init(
            id: id.text, code: finding.code.number, name: finding.code.rawValue, message: finding.message,
            suggestion: finding.suggestion)
    }

    /// The problems found in identifiers, of each once.
    package static func all(of given: [String]) -> [FindingAnswer] {
        var identifiers: [String] = []
        for id in given where !identifiers.contains(where: { $0.hasSameBytes(as: id) }) { identifiers.append(id) }
        return identifiers.flatMap { id in
            TargetLint.findings(in: id).map { finding in
                var answer = FindingAnswer(finding, about: TargetContentIdentifier(id))
                answer.found = finding.found
                return answer
            }
        }
    }
}
