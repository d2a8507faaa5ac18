/// Why a text is not a scene condition: what kind of fault, where, and what to write instead.
///
/// `offset` and `length` are UTF-8 bytes of the text that was parsed, and lie within it. `code` is stable and dotted;
/// `message` is one sentence for people without a full stop, `hint` the remedy where there is one.
public struct PredicateError: Error, Sendable, Hashable {
    public enum Kind: Sendable, Hashable {
        /// Not a predicate at all.
        case syntax
        /// A well-formed predicate, but outside what a scene condition may use.
        case unsupported
        /// Too long, too deep or too many nodes.
        case limit
    }

    public var kind: Kind
    public var offset: Int
    public var length: Int
    public var code: String
    public var message: String
    /// The source text at fault, shortened; nil at the end of the text.
    public var found: String?
    /// What could have stood there; empty where that is not the point.
    public var expected: [String] = []
    public var hint: String?
}

extension PredicateError: CustomStringConvertible {
    /// The message, and the hint behind it.
    public var description: String { hint.map { "\(message); \($0)" } ?? message }
}

// MARK: - Syntax

/// Faults of text that is no predicate.
extension PredicateError {
    /// At most this many characters of the source are quoted in a message.
    static func shortened(_ text: String) -> String {
        text.unicodeScalars.count <= 40 ? text : String(String.UnicodeScalarView(text.unicodeScalars.prefix(37))) + "…"
    }

    static func syntax(
        _ offset: Int, _ length: Int, code: String = "predicate.syntax", _ problem: String, found: String?,
        expected: [String] = [], hint: String? = nil
    ) -> PredicateError {
        let quoted = found.map { shortened($0) }
        return PredicateError(
            kind: .syntax, offset: offset, length: length, code: code,
            message: quoted.map { "‘\($0)’ \(problem)" } ?? problem, found: quoted, expected: expected, hint: hint)
    }

    static func empty(at offset: Int) -> PredicateError {
        syntax(
            offset, 0, code: "predicate.empty", "the condition is empty", found: nil, expected: ["a condition"],
            hint: "write TRUEPREDICATE for always, FALSEPREDICATE for never")
    }

    static func missingName(at offset: Int, after opener: String) -> PredicateError {
        syntax(offset, 0, "a name is missing after ‘\(opener)’", found: nil, expected: ["a name"])
    }

    static func malformedNumber(_ start: Int, _ end: Int, found: String) -> PredicateError {
        syntax(
            start, end - start, code: "predicate.value", "is not a number", found: found,
            hint: "put quotes around it if it is text")
    }

    static func reservedWord(_ start: Int, _ end: Int, found: String) -> PredicateError {
        syntax(
            start, end - start, code: "predicate.value", "is a reserved word", found: found,
            expected: ["SELF", "a quoted string"], hint: "put quotes around it if it is text: '\(found)'")
    }

    static func conditionAsValue(_ start: Int, _ end: Int, found: String) -> PredicateError {
        syntax(
            start, end - start, code: "predicate.syntax", "is a condition, not a value", found: found,
            expected: ["SELF", "a quoted string"], hint: "join conditions with AND or OR")
    }

    static func notACondition(_ start: Int, _ end: Int, found: String) -> PredicateError {
        syntax(
            start, end - start, code: "predicate.syntax", "is a value, not a condition", found: found,
            expected: ["a comparison"], hint: "compare it, as in SELF == 'text'")
    }

    static func unclosed(at offset: Int, opener: String, closer: String) -> PredicateError {
        syntax(
            offset, 0, code: "predicate.unbalanced", "the ‘\(opener)’ is not closed", found: nil, expected: [closer])
    }

    static func quantifierWithoutComparison(_ offset: Int, _ length: Int) -> PredicateError {
        syntax(
            offset, length, code: "predicate.quantifier",
            "ANY, ALL, SOME and NONE stand before a comparison", found: nil,
            expected: ["a comparison"], hint: "write ANY {'a', 'b'} == SELF")
    }

    static func chained(_ start: Int, _ end: Int, found: String, hint: String?) -> PredicateError {
        syntax(
            start, end - start, code: "predicate.syntax", "cannot follow a comparison", found: found,
            expected: ["AND", "OR", "the end"], hint: hint ?? "comparisons do not chain; join them with AND or OR")
    }

    static func optionsNotTaken(_ offset: Int, _ name: String) -> PredicateError {
        let name = name == "selector" ? "a selector" : name
        return syntax(
            offset, 1, code: "predicate.unknown-option", "\(name) takes no options", found: nil,
            hint: "remove the brackets")
    }

    static func unterminatedOptions(at offset: Int, found: String?) -> PredicateError {
        syntax(
            offset, found?.utf8.count ?? 0, code: "predicate.unknown-option",
            found == nil ? "the options are not closed" : "does not belong into options", found: found,
            expected: ["c", "d", "]"], hint: "options are [c], [d] or [cd]")
    }

    static func unknownOption(_ offset: Int, found: String) -> PredicateError {
        syntax(
            offset, found.utf8.count, code: "predicate.unknown-option", "is not an option", found: found,
            expected: ["c", "d"], hint: "c ignores case, d ignores diacritics")
    }

    static func unterminatedString(_ start: Int, _ end: Int, quote: UInt8) -> PredicateError {
        syntax(
            start, end - start, code: "predicate.unterminated-string", "the quoted string does not end", found: nil,
            expected: [quote == UInt8(ascii: "\"") ? "\"" : "'"],
            hint: "close it with the quote that opened it; inside, write \\' or \\\"")
    }

    static func unknownEscape(_ offset: Int, _ length: Int, found: String) -> PredicateError {
        let hint =
            found == "\\*" || found == "\\?"
            ? "for a literal \(found.dropFirst()) in a LIKE pattern write \\\(found)" : "for a backslash write \\\\"
        return syntax(
            offset, length, code: "predicate.unknown-escape", "is not an escape", found: found,
            expected: [
                "\\n", "\\t", "\\r", "\\b", "\\f", "\\v", "\\a", "\\\\", "\\'", "\\\"", "\\ooo", "\\xhh", "\\uhhhh",
            ],
            hint: hint)
    }

    static func incompleteEscape(
        _ start: Int, _ end: Int, _ count: Int, base: UInt8, found: String
    ) -> PredicateError {
        syntax(
            start, end - start, code: "predicate.unknown-escape",
            "needs \(count) \(base == 8 ? "octal" : "hexadecimal") digits", found: found)
    }

    static func loneSurrogate(_ start: Int, _ end: Int) -> PredicateError {
        syntax(
            start, end - start, code: "predicate.unknown-escape", "half of a surrogate pair is not a character",
            found: nil, hint: "write both halves, as in \\ud83e\\udd21")
    }

    // MARK: Limits

    static func tooLong(_ length: Int) -> PredicateError {
        limit(
            PredicateSyntax.maximumLength, code: "predicate.too-long",
            "the text is \(length) bytes long; at most \(PredicateSyntax.maximumLength) are allowed")
    }

    static func tooDeep(at offset: Int) -> PredicateError {
        limit(
            offset, code: "predicate.too-long", "nested deeper than \(PredicateSyntax.maximumNesting) levels")
    }

    static func tooManyNodes(at offset: Int) -> PredicateError {
        limit(
            offset, code: "predicate.too-long",
            "more than \(PredicateSyntax.maximumNodes) conditions and elements")
    }

    private static func limit(_ offset: Int, code: String, _ message: String) -> PredicateError {
        PredicateError(kind: .limit, offset: offset, length: 0, code: code, message: message)
    }
}

// MARK: - Unsupported

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
                node, code: "predicate.unknown-operator", "regular expressions are not allowed in scene conditions",
                found: found(), hint: "use LIKE with * and ?", atOperator: true)
        case .selector:
            unsupported(
                node, code: "predicate.unknown-operator", "selector-based conditions are not allowed", found: found(),
                hint: "use ==, BEGINSWITH, ENDSWITH, CONTAINS, IN or LIKE", atOperator: true)
        case .conformsToType, .equalsType:
            unsupported(
                node, code: "predicate.unknown-operator", "type operators are not allowed in scene conditions",
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
                node, code: "predicate.unknown-option", "[l] depends on a locale, which scene conditions do not have",
                found: found(), hint: "use [c], [d] or [cd]", atOperator: true)
        }
        if options.contains(.normalized) {
            return unsupported(
                node, code: "predicate.unknown-option", "[n] is not allowed in scene conditions", found: found(),
                hint: "use [c], [d] or [cd]", atOperator: true)
        }
        return nil
    }
}
