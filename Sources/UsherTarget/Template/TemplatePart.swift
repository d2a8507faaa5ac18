/// A piece of a parsed template: text to be copied, or an expression to be expanded.
enum TemplatePart: Sendable {
    /// The bytes of the expansion, already percent-encoded.
    case literal([UInt8])
    case expression(TemplateExpression)

    var variables: [TemplateVariable] {
        switch self {
        case .literal: []
        case .expression(let expression): expression.variables
        }
    }
}

/// What stands between two braces: an operator and the variables it is applied to.
struct TemplateExpression: Sendable {
    var `operator`: TemplateOperator
    var variables: [TemplateVariable]
}

/// One occurrence of a variable in an expression.
struct TemplateVariable: Sendable {
    enum Modifier: Sendable, Hashable {
        case none
        case prefix(Int)
        case explode
    }

    var name: String
    /// Where the name stands among the names of the template.
    var index = 0
    var modifier: Modifier
    /// Where the name stands in the template, in UTF-8 bytes.
    var offset: Int
}
