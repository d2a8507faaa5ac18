internal import UsherScene
internal import UsherTarget
internal import UsherText

/// The values of a template's variables as a command line gives them: `KEY=VALUE`.
///
/// A key that is given several times is a list; `KEY.NAME=VALUE` is a member of an object. A variable whose own name has
/// dots is found first.
struct TargetValues {
    private(set) var values: [String: TemplateValue] = [:]

    init(_ operands: [String], for template: URITemplate) throws(CommandFailure) {
        for operand in operands {
            let parts = operand.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2, !parts[0].isEmpty else {
                throw .usage(
                    "\(QuotedText.text(operand)) is not KEY=VALUE",
                    help: "the variables are \(template.variableNames.joined(separator: ", "))")
            }
            try add(parts[1], to: parts[0], of: template)
        }
    }

    private mutating func add(_ value: String, to key: String, of template: URITemplate) throws(CommandFailure) {
        if template.variableNames.contains(key) { return try addMember(value, to: key) }
        // The longest variable before a dot.
        var dot = key.lastIndex(of: ".")
        while let place = dot {
            let name = String(key[..<place])
            if template.variableNames.contains(name) {
                return try addMember(.init(key: String(key[key.index(after: place)...]), value: value), to: name)
            }
            dot = key[..<place].lastIndex(of: ".")
        }
        throw .unknown(
            "variable", key, among: template.variableNames,
            otherwise: template.variableNames.isEmpty ? "the template has no variables" : nil)
    }

    private mutating func addMember(_ value: String, to name: String) throws(CommandFailure) {
        switch values[name] {
        case nil: values[name] = .string(value)
        case .string(let first): values[name] = .list([first, value])
        case .list(let members): values[name] = .list(members + [value])
        default: throw .usage("\(name) is given as text and as an object")
        }
    }

    private mutating func addMember(_ member: TemplateValue.Member, to name: String) throws(CommandFailure) {
        switch values[name] {
        case nil: values[name] = .associative([member])
        case .associative(let members): values[name] = .associative(members + [member])
        default: throw .usage("\(name) is given as text and as an object")
        }
    }
}
