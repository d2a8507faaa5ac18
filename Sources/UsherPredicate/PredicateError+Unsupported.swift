/// Faults of predicates that a scene condition may not use.
extension PredicateError {
    static func unsupported(
        _ node: PredicateSyntax.Node, code: String, _ message: String, found: String, hint: String? = nil,
        atOperator: Bool = false
    ) -> PredicateError {
        let start = Int(atOperator ? node.operatorOffset : node.offset)
        let end = Int(atOperator ? node.operatorEnd : node.end)
        return PredicateError(
            kind: .unsupported, offset: start, length: end - start, code: code, message: message,
            found: shortened(found), expected: [], hint: hint)
    }

    static func unsupportedOperator(
        _ comparison: PredicateOperator, _ node: PredicateSyntax.Node, found: @autoclosure () -> String
    ) -> PredicateError? {
        switch comparison {
        case .matches:
            unsupported(
                node, code: "predicate.matches", "regular expressions are not allowed in scene conditions",
                found: found(), hint: "use LIKE with * and ?", atOperator: true)
        case .selector:
            unsupported(
                node, code: "predicate.selector", "selector-based conditions are not allowed", found: found(),
                hint: "use ==, BEGINSWITH, ENDSWITH, CONTAINS, IN or LIKE", atOperator: true)
        case .conformsToType, .equalsType:
            unsupported(
                node, code: "predicate.type-operator", "type operators are not allowed in scene conditions",
                found: found(), hint: "compare the text of the identifier", atOperator: true)
        default:
            nil
        }
    }

    static func unsupportedOptions(
        _ options: PredicateOptions, _ node: PredicateSyntax.Node, found: @autoclosure () -> String
    ) -> PredicateError? {
        if options.contains(.localeSensitive) {
            return unsupported(
                node, code: "predicate.locale-option", "[l] depends on a locale, which scene conditions do not have",
                found: found(), hint: "use [c], [d] or [cd]", atOperator: true)
        }
        if options.contains(.normalized) {
            return unsupported(
                node, code: "predicate.normalized-option", "[n] is not allowed in scene conditions", found: found(),
                hint: "use [c], [d] or [cd]", atOperator: true)
        }
        return nil
    }
}
