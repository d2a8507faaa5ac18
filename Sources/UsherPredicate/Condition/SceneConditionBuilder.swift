internal import UsherText

/// Applies the rules of scene conditions to a parsed predicate, in the order of its text.
///
/// Accepted are SELF, strings, null and arrays of these; comparisons on text; AND, OR, NOT and constants; quantifiers
/// over literal arrays. Anything else names its construct and what to write instead.
struct SceneConditionBuilder {
    private let syntax: PredicateSyntax
    private let source: String
    /// Nil where no variable may stand.
    private let variables: Set<String>?
    private var condition = SceneCondition()

    init(_ syntax: PredicateSyntax, source: String, variables: Set<String>?) {
        self.syntax = syntax
        self.source = source
        self.variables = variables
    }

    mutating func build() throws(PredicateError) -> SceneCondition {
        var pending: [(node: Int, parent: Int32)] = [(syntax.root, -1)]
        while let (index, parent) = pending.popLast() {
            let node = syntax.nodes[index]
            let position = Int32(condition.nodes.count)
            switch node.kind {
            case .constant(let value):
                condition.nodes.append(SceneCondition.Node(kind: .constant(value), offset: node.offset, parent: parent))
            case .and, .or, .not:
                let kind: SceneCondition.Kind = node.kind == .and ? .and : node.kind == .or ? .or : .not
                condition.nodes.append(SceneCondition.Node(kind: kind, offset: node.offset, parent: parent))
                for child in syntax.children(of: index).reversed() { pending.append((child, position)) }
            case .comparison(let comparison, let options, let quantifier):
                var parent = parent
                if quantifier == PredicateQuantifier.none {
                    condition.nodes.append(SceneCondition.Node(kind: .not, offset: node.offset, parent: parent))
                    parent = position
                }
                try appendComparison(node, comparison, options, quantifier, parent)
            default:
                // The parser lets only conditions stand here, and block predicates.
                throw unsupportedValue(index)
            }
        }
        condition.closeSubtrees()
        return condition
    }

    private mutating func appendComparison(
        _ node: PredicateSyntax.Node, _ comparison: PredicateOperator, _ options: PredicateOptions,
        _ quantifier: PredicateQuantifier?, _ parent: Int32
    ) throws(PredicateError) {
        if let error = PredicateError.unsupportedOperator(comparison, node, found: spelling(of: node)) { throw error }
        if let error = PredicateError.unsupportedOptions(options, node, found: spelling(of: node)) { throw error }
        let leftIndex = Int(node.firstChild)
        let rightIndex = Int(node.lastChild)
        let folding = FoldingOptions(rawValue: options.rawValue & 3)
        let left = try operand(leftIndex, isPattern: false, folding)
        if quantifier != nil {
            guard case .array = left else { throw quantifierWithoutArray(leftIndex) }
        } else if case .array = left, comparison != .contains {
            throw arrayInsteadOfText(leftIndex)
        }
        let right = try operand(rightIndex, isPattern: comparison == .like, folding)
        if case .array(let start, let end) = right {
            switch comparison {
            case .in: break
            case .between:
                if end - start != 2 { throw bounds(rightIndex, found: end - start) }
            default: throw arrayInsteadOfText(rightIndex)
            }
        } else if comparison == .between {
            throw bounds(rightIndex, found: nil)
        }
        var result = SceneCondition.Node(kind: .comparison, offset: node.offset, parent: parent)
        result.comparison = comparison
        result.options = folding
        result.quantifier = quantifier.map { $0 == .all ? .all : .any }
        result.left = left
        result.right = right
        condition.nodes.append(result)
    }

    private mutating func operand(
        _ index: Int, isPattern: Bool, _ options: FoldingOptions
    ) throws(PredicateError) -> SceneCondition.Operand {
        guard syntax.nodes[index].kind == .array else { return try value(index, isPattern: isPattern, options) }
        var elements: [SceneCondition.Operand] = []
        for child in syntax.children(of: index) {
            if syntax.nodes[child].kind == .array { throw nestedArray(child) }
            elements.append(try value(child, isPattern: false, options))
        }
        let start = Int32(condition.elements.count)
        condition.elements += elements
        return .array(start: start, end: Int32(condition.elements.count))
    }

    private mutating func value(
        _ index: Int, isPattern: Bool, _ options: FoldingOptions
    ) throws(PredicateError) -> SceneCondition.Operand {
        switch syntax.nodes[index].kind {
        case .subject: return .subject
        case .null: return .null
        case .string:
            condition.texts.append(
                FoldableText(literal: syntax.name(of: index), asPattern: isPattern, options: options))
            return .text(Int32(condition.texts.count - 1))
        case .variable where variables != nil:
            return .variable(try variable(index))
        default: throw unsupportedValue(index)
        }
    }

    private mutating func variable(_ index: Int) throws(PredicateError) -> Int32 {
        let name = syntax.name(of: index)
        guard let variables, variables.contains(name) else { throw unknownVariable(index) }
        if let known = condition.variables.firstIndex(of: name) { return Int32(known) }
        condition.variables.append(name)
        return Int32(condition.variables.count - 1)
    }

    // MARK: Faults

    private func text(_ start: Int, _ end: Int) -> String {
        String(decoding: Array(source.utf8)[start..<end], as: UTF8.self)
    }

    private func text(of node: PredicateSyntax.Node) -> String { text(Int(node.offset), Int(node.end)) }

    private func spelling(of node: PredicateSyntax.Node) -> String {
        text(Int(node.operatorOffset), Int(node.operatorEnd))
    }

    private func fault(_ index: Int, _ code: String, _ message: String, _ hint: String?) -> PredicateError {
        let node = syntax.nodes[index]
        return .unsupported(node, code: code, message, found: text(of: node), hint: hint)
    }

    private func quantifierWithoutArray(_ index: Int) -> PredicateError {
        fault(
            index, "predicate.quantifier", "SELF is a single string; ANY, ALL, SOME and NONE need a literal array",
            "write ANY {'a', 'b'} == SELF, or leave the word out")
    }

    private func arrayInsteadOfText(_ index: Int) -> PredicateError {
        fault(index, "predicate.value", "an array stands where text is needed", "use SELF IN {…} or ANY {…} == SELF")
    }

    private func nestedArray(_ index: Int) -> PredicateError {
        fault(index, "predicate.value", "arrays cannot nest", "list the elements in one pair of braces")
    }

    private func bounds(_ index: Int, found count: Int32?) -> PredicateError {
        fault(
            index, "predicate.value",
            "BETWEEN needs {lower, upper}" + (count.map { "; found \($0) element\($0 == 1 ? "" : "s")" } ?? ""),
            "write SELF BETWEEN {'a', 'f'}")
    }

    private func unknownVariable(_ index: Int) -> PredicateError {
        let name = syntax.name(of: index)
        let known = (variables ?? []).sorted().map { "$" + $0 }
        let nearest = Spelling.nearest(to: "$" + name, among: known)
        var error = fault(
            index, "predicate.unknown-variable", "there is no variable $\(PredicateError.shortened(name)) here",
            nearest.map { "did you mean \($0)?" }
                ?? (known.isEmpty
                    ? "no variables can be used here" : "there is \(PredicateParser.list(known))"))
        error.expected = known
        return error
    }

    private func unsupportedValue(_ index: Int) -> PredicateError {
        let node = syntax.nodes[index]
        let found = PredicateError.shortened(text(of: node))
        switch node.kind {
        case .keyPath:
            let isIdentifier = !found.hasPrefix("#") && !found.hasPrefix("@")
            let near = isIdentifier ? Spelling.nearest(to: found, among: ["SELF"]) : nil
            return fault(
                index, "predicate.key-path", "only SELF can be referenced; found ‘\(found)’",
                near.map { "did you mean \($0)? Or quote it if it is text: '\(found)'" }
                    ?? "quote it if it is text: '\(found)'")
        case .member:
            var base = index
            while syntax.nodes[base].kind == .member { base = Int(syntax.nodes[base].firstChild) }
            if syntax.nodes[base].kind != .keyPath, syntax.nodes[base].kind != .subject {
                return unsupportedBase(base, of: index)
            }
            return fault(
                index, "predicate.key-path", "only SELF can be referenced; found ‘\(found)’",
                syntax.nodes[base].kind == .subject
                    ? "compare SELF itself, or quote it if it is text" : "quote it if it is text: '\(found)'")
        case .index:
            return fault(index, "predicate.value", "index expressions are not allowed in scene conditions", nil)
        case .function:
            if syntax.name(of: index).uppercased() == "BLOCKPREDICATE" {
                return fault(
                    index, "predicate.value", "block predicates cannot leave the app", "write the condition as text")
            }
            if syntax.name(of: index).uppercased() == "FUNCTION" {
                return fault(
                    index, "predicate.unknown-operator", "selector-based conditions are not allowed",
                    "use ==, BEGINSWITH, ENDSWITH, CONTAINS, IN or LIKE")
            }
            return fault(
                index, "predicate.value", "functions are not allowed in scene conditions",
                "for letter case use an option: SELF ==[c] 'text'")
        case .variable, .assignment:
            return fault(
                index, "predicate.unknown-variable", "variables are not substituted here; found ‘\(found)’",
                "write the value in quotes")
        case .formatArgument:
            return fault(
                index, "predicate.value", "format arguments must be substituted first; found ‘\(found)’",
                "write the value in quotes")
        case .arithmetic:
            return unsupportedArithmetic(index)
        case .number:
            return fault(
                index, "predicate.value", "identifiers are strings; found the number \(found)",
                "quote the value: '\(found)'")
        case .boolean:
            return fault(
                index, "predicate.value", "identifiers are strings; found the truth value \(found)",
                "quote the value: '\(found)'")
        default:
            return fault(index, "predicate.value", "this value is not allowed in scene conditions", nil)
        }
    }

    /// The fault of a key behind something that is no key path, such as `SUBQUERY(…).@count`.
    private func unsupportedBase(_ base: Int, of index: Int) -> PredicateError {
        switch syntax.nodes[base].kind {
        case .function, .variable, .formatArgument, .index, .arithmetic: unsupportedValue(base)
        default:
            fault(
                index, "predicate.key-path",
                "only SELF can be referenced; found ‘\(PredicateError.shortened(text(of: syntax.nodes[index])))’", nil)
        }
    }

    private func unsupportedArithmetic(_ index: Int) -> PredicateError {
        let node = syntax.nodes[index]
        let operation = spelling(of: node)
        let children = syntax.children(of: index).map { syntax.nodes[$0].kind }
        let hint: String? =
            if operation == "*" || operation == "**" {
                "wildcards go inside the quotes, as in SELF LIKE 'a*b'"
            } else if operation == "+", children.contains(.string) {
                "write the joined text in one pair of quotes"
            } else if children.contains(.keyPath) || children.contains(.member) {
                "quote it if it is text: '\(PredicateError.shortened(text(of: node)))'"
            } else {
                nil
            }
        return .unsupported(
            node, code: "predicate.value", "arithmetic is not allowed in scene conditions", found: operation,
            hint: hint, atOperator: true)
    }
}
