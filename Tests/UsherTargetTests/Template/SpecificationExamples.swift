import Testing
import UsherJSON
import UsherTarget

/// Every example of RFC 6570, by the section it stands in, and cases of our own: Tests/Fixtures/uri-templates.jsonl.
struct SpecificationExample: Sendable, CustomTestStringConvertible {
    let id: String
    let template: String
    let variables: [String: TemplateValue]
    /// nil where the template, or what it is given, is wrong.
    let expansion: String?
    /// The name of the error.
    let error: String?
    var testDescription: String { "\(id) \(template)" }

    /// Without those whose values this library cannot hold: the reader of the variables refuses them.
    static let all: [SpecificationExample] = {
        let lines = (try? Fixture.lines("uri-templates.jsonl")) ?? []
        return lines.filter { $0["error"]?.string != "build.variable-type" }.map { line in
            let variables = (line["variables"]?.members ?? []).compactMap { member in
                value(member.value).map { (member.name, $0) }
            }
            return SpecificationExample(
                id: line["id"]?.string ?? "", template: line["template"]?.string ?? "",
                variables: Dictionary(uniqueKeysWithValues: variables), expansion: line["expansion"]?.string,
                error: line["error"]?.string)
        }
    }()

    private static func value(_ json: JSONValue) -> TemplateValue? {
        switch json {
        case .null: .undefined
        case .array(let elements): .list(elements.compactMap(text))
        case .object(let members):
            .associative(members.compactMap { member in text(member.value).map { .init(key: member.name, value: $0) } })
        default: text(json).map { .string($0) }
        }
    }

    private static func text(_ json: JSONValue) -> String? {
        json.string ?? json.numberText ?? json.boolean.map { $0 ? "true" : "false" }
    }
}
