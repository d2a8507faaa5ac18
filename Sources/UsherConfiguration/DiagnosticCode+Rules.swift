import UsherPredicate
public import UsherScene
import UsherTarget

extension DiagnosticCode {
    /// The code of a ``UsherPredicate/PredicateError``, by its name: `U55…`.
    public static func predicate(_ name: String) -> DiagnosticCode {
        let number = predicateNames.firstIndex { "predicate." + $0 == name }.map { $0 + 1 } ?? 0
        return DiagnosticCode("U\(5500 + number)", name)
    }

    /// The code of a ``UsherTarget/URITemplateError``, by its name: `U56…`.
    public static func template(_ name: String) -> DiagnosticCode {
        let number = URITemplateError.Code.allCases.firstIndex { $0.rawValue == name }.map { $0 + 1 } ?? 0
        return DiagnosticCode("U\(5600 + number)", name)
    }

    /// Numbered from 1 in this order; a new name goes to the end.
    private static let predicateNames = [
        "arithmetic", "array", "between-bounds", "block", "boolean", "chained-comparison", "empty", "format-argument",
        "function", "index", "invalid-escape", "key-path", "locale-option", "malformed-number", "matches",
        "missing-operand", "nested-array", "normalized-option", "not-a-condition", "not-a-value", "not-in", "number",
        "options-not-taken", "quantifier", "quantifier-without-comparison", "reserved-word", "selector", "syntax",
        "too-deep", "too-long", "too-many-nodes", "trailing-text", "type-operator", "typographic-quote", "unbalanced",
        "unknown-escape", "unknown-operator", "unknown-option", "unknown-variable", "unterminated-options",
        "unterminated-string", "value", "variable",
    ]

    /// The codes of predicates and templates.
    public static let rules: [DiagnosticCode] =
        predicateNames.map { predicate("predicate." + $0) }
        + URITemplateError.Code.allCases.map { template($0.rawValue) }
}
