/// A validated condition, ready to be evaluated: what a `ScenePredicate` and a template have in common.
///
/// Nodes lie in pre-order; each has its parent and the end of its subtree, so that evaluation jumps instead of
/// recursing and allocates nothing.
struct SceneCondition: Sendable {
    enum Kind: Sendable, Hashable {
        case constant(Bool)
        case and
        case or
        case not
        case comparison
    }

    enum Operand: Sendable, Hashable {
        case subject
        case null
        /// Index into `texts`.
        case text(Int32)
        /// Index into `variables`.
        case variable(Int32)
        /// A range of `elements`, none of which is an array.
        case array(start: Int32, end: Int32)
    }

    struct Node: Sendable, Hashable {
        var kind: Kind
        var comparison: PredicateOperator = .equal
        var options: FoldingOptions = []
        /// `any` or `all`; NONE is a NOT above an ANY.
        var quantifier: PredicateQuantifier?
        var left: Operand = .null
        var right: Operand = .null
        /// UTF-8 offset in the source.
        var offset: Int32
        /// Index of the parent, or -1.
        var parent: Int32
        /// Index behind the last node of the subtree.
        var end: Int32 = 0
    }

    var nodes: [Node] = []
    var elements: [Operand] = []
    var texts: [FoldableText] = []
    /// Names without "$".
    var variables: [String] = []

    init() {}

    init(constant: Bool) {
        nodes = [Node(kind: .constant(constant), offset: 0, parent: -1, end: 1)]
    }

    /// Where the whole of it is `SELF == "…"`: the text.
    var equalText: String? {
        guard nodes.count == 1, nodes[0].kind == .comparison, nodes[0].comparison == .equal, nodes[0].options.isEmpty,
            nodes[0].quantifier == nil, nodes[0].left == .subject, case .text(let index) = nodes[0].right
        else { return nil }
        return texts[Int(index)].text
    }

    /// Sets each node's `end` from the parents, which precede their children.
    mutating func closeSubtrees() {
        for index in nodes.indices.reversed() {
            nodes[index].end = max(nodes[index].end, Int32(index + 1))
            let parent = Int(nodes[index].parent)
            if parent >= 0 { nodes[parent].end = max(nodes[parent].end, nodes[index].end) }
        }
    }
}

/// Equality is that of the canonical text: source offsets don't count, and texts compare by code units.
extension SceneCondition: Hashable {
    static func == (left: SceneCondition, right: SceneCondition) -> Bool {
        left.nodes.count == right.nodes.count && left.elements.count == right.elements.count
            && left.texts.count == right.texts.count && left.variables == right.variables
            && left.elements == right.elements
            && zip(left.nodes, right.nodes).allSatisfy { $0.withoutOffset == $1.withoutOffset }
            && zip(left.texts, right.texts).allSatisfy { $0.isIdentical(to: $1) }
    }

    func hash(into hasher: inout Hasher) {
        for node in nodes { hasher.combine(node.withoutOffset) }
        hasher.combine(elements)
        for text in texts {
            hasher.combine(text.text)
        }
        hasher.combine(variables)
    }
}

extension SceneCondition.Node {
    fileprivate var withoutOffset: SceneCondition.Node {
        var copy = self
        copy.offset = 0
        return copy
    }
}

// MARK: - Canonical text

/// The text that parses to the same condition again, in one spelling.
extension SceneCondition {
    /// Canonical text of the whole, or of the sub-predicate at `root`.
    func canonicalText(of root: Int = 0) -> String {
        var output = ""
        var index = root
        let end = Int(nodes[root].end)
        while index < end {
            let node = nodes[index]
            if index != root {
                let parent = nodes[Int(node.parent)]
                let isFirst = index == Int(node.parent) + 1
                if !isFirst { output += parent.kind == .and ? " AND " : " OR " }
                if node.kind.isCompound { output += "(" }
            }
            switch node.kind {
            case .and, .or: break
            case .not: output += "NOT "
            case .constant(let value): output += value ? "TRUEPREDICATE" : "FALSEPREDICATE"
            case .comparison: write(node, to: &output)
            }
            if !node.kind.isCompound {
                // Close the compounds that end here.
                var child = index
                while child != root {
                    let parent = Int(nodes[child].parent)
                    if nodes[child].end != nodes[parent].end { break }
                    if parent != root { output += ")" }
                    child = parent
                }
            }
            index += 1
        }
        return output
    }

    private func write(_ node: Node, to output: inout String) {
        if let quantifier = node.quantifier { output += quantifier == .all ? "ALL " : "ANY " }
        write(node.left, to: &output)
        output += " "
        output += node.comparison.rawValue
        output += node.options.canonicalText
        output += " "
        write(node.right, to: &output)
    }

    private func write(_ operand: Operand, to output: inout String) {
        guard case .array(let start, let end) = operand else { return writeValue(operand, to: &output) }
        output += "{"
        for element in start..<end {
            if element > start { output += ", " }
            writeValue(elements[Int(element)], to: &output)
        }
        output += "}"
    }

    private func writeValue(_ operand: Operand, to output: inout String) {
        switch operand {
        case .subject: output += "SELF"
        case .null, .array: output += "nil"
        case .variable(let index): output += "$" + variables[Int(index)]
        case .text(let index): Self.writeQuoted(texts[Int(index)].text, to: &output)
        }
    }

    /// Double-quoted, with control characters escaped.
    static func writeQuoted(_ text: String, to output: inout String) {
        output += "\""
        defer { output += "\"" }
        // C2 leads the control characters beyond ASCII.
        let bytes = text.utf8Span.span
        let isPlain = bytes.indices.allSatisfy { index in
            let byte = bytes[index]
            return byte >= 0x20 && byte != 0x22 && byte != 0x5C && byte != 0x7F && byte != 0xC2
        }
        if isPlain {
            output += text
            return
        }
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x22: output += "\\\""
            case 0x5C: output += "\\\\"
            case 0x0A: output += "\\n"
            case 0x09: output += "\\t"
            case 0x0D: output += "\\r"
            case 0..<0x20, 0x7F..<0xA0:
                let digits = String(scalar.value, radix: 16)
                output += "\\u00" + (digits.utf8.count < 2 ? "0" : "") + digits
            default: output.unicodeScalars.append(scalar)
            }
        }
    }
}

extension SceneCondition.Kind {
    var isCompound: Bool {
        switch self {
        case .and, .or, .not: true
        case .constant, .comparison: false
        }
    }
}

// MARK: - Evaluation

/// Truth of a condition for a subject; null is nil.
extension SceneCondition {
    /// Outcome of `SELF LIKE SELF` for each set of options, once per evaluation: the only comparison that can take the
    /// square of the subject's length.
    struct SelfMatches {
        fileprivate var known: UInt8 = 0
        fileprivate var results: UInt8 = 0
    }

    func evaluate(_ subject: FoldableText?) -> Bool {
        var selfMatches = SelfMatches()
        var index = 0
        while true {
            var value: Bool
            switch nodes[index].kind {
            case .and, .or, .not:
                index += 1
                continue
            case .constant(let constant): value = constant
            case .comparison: value = compare(at: index, subject, &selfMatches)
            }
            // Carry the value up until a sibling still matters.
            var next = -1
            var child = index
            while next < 0 {
                let parent = Int(nodes[child].parent)
                if parent < 0 { return value }
                let end = nodes[child].end
                let isLast = end == nodes[parent].end
                switch nodes[parent].kind {
                case .not: value.toggle()
                case .and: if value, !isLast { next = Int(end) }
                case .or: if !value, !isLast { next = Int(end) }
                case .constant, .comparison: break
                }
                child = parent
            }
            index = next
        }
    }

    func compare(at index: Int, _ subject: FoldableText?, _ selfMatches: inout SelfMatches) -> Bool {
        let comparison = nodes[index].comparison
        let options = nodes[index].options
        let left = nodes[index].left
        let right = nodes[index].right
        // Most conditions there are.
        if comparison == .equal, options.isEmpty, nodes[index].quantifier == nil, left == .subject,
            case .text(let text) = right
        {
            return subject?.isIdentical(to: texts[Int(text)]) ?? false
        }
        guard case .array(let start, let end) = left else {
            return compare(left, comparison, options, right, subject, &selfMatches)
        }
        switch nodes[index].quantifier {
        case .all:
            for element in start..<end {
                if !compare(elements[Int(element)], comparison, options, right, subject, &selfMatches) { return false }
            }
            return true
        case .any, .some(.none):
            for element in start..<end {
                if compare(elements[Int(element)], comparison, options, right, subject, &selfMatches) { return true }
            }
            return false
        case nil:
            // {…} CONTAINS x
            return isMember(right, of: start..<end, options, subject)
        }
    }

    /// Compares a single value with a value or an array.
    private func compare(
        _ left: Operand, _ comparison: PredicateOperator, _ options: FoldingOptions, _ right: Operand,
        _ subject: FoldableText?, _ selfMatches: inout SelfMatches
    ) -> Bool {
        if case .array(let start, let end) = right {
            if comparison == .in { return isMember(left, of: start..<end, options, subject) }
            guard let value = text(left, subject), let lower = text(elements[Int(start)], subject),
                let upper = text(elements[Int(start) + 1], subject)
            else { return false }
            return value.order(lower, options) >= 0 && value.order(upper, options) <= 0
        }
        // Texts are passed from where they lie: copying one costs more than comparing it.
        switch (left, right) {
        case (.subject, .text(let index)):
            guard let subject else { return comparison == .notEqual }
            return holds(subject, comparison, options, texts[Int(index)])
        case (.text(let index), .subject):
            guard let subject else { return comparison == .notEqual }
            return holds(texts[Int(index)], comparison, options, subject)
        case (.text(let index), .text(let other)):
            return holds(texts[Int(index)], comparison, options, texts[Int(other)])
        case (.subject, .subject):
            guard let subject else { return Self.nullsHold(comparison) }
            if comparison == .like { return selfMatch(subject, options, &selfMatches) }
            return holds(subject, comparison, options, subject)
        default:
            let bothNull = isNull(left, subject) && isNull(right, subject)
            return bothNull ? Self.nullsHold(comparison) : comparison == .notEqual
        }
    }

    /// Two nulls are equal, and nothing else.
    private static func nullsHold(_ comparison: PredicateOperator) -> Bool {
        comparison == .equal || comparison == .lessOrEqual || comparison == .greaterOrEqual
    }

    @inline(never)  // Inlined, it copies both texts for each operator.
    private func holds(
        _ left: FoldableText, _ comparison: PredicateOperator, _ options: FoldingOptions, _ right: FoldableText
    ) -> Bool {
        switch comparison {
        case .equal: left.isEqual(to: right, options)
        case .notEqual: !left.isEqual(to: right, options)
        case .less: left.order(right, options) < 0
        case .lessOrEqual: left.order(right, options) <= 0
        case .greater: left.order(right, options) > 0
        case .greaterOrEqual: left.order(right, options) >= 0
        case .beginsWith: left.begins(with: right, options)
        case .endsWith: left.ends(with: right, options)
        case .contains: left.contains(right, options)
        case .in: right.contains(left, options)
        case .like: left.matches(pattern: right, options)
        // Never built.
        case .between, .matches, .conformsToType, .equalsType, .selector: false
        }
    }

    private func isMember(
        _ operand: Operand, of range: Range<Int32>, _ options: FoldingOptions, _ subject: FoldableText?
    ) -> Bool {
        guard let value = text(operand, subject) else {
            return range.contains { isNull(elements[Int($0)], subject) }
        }
        for element in range {
            switch elements[Int(element)] {
            case .text(let index): if value.isEqual(to: texts[Int(index)], options) { return true }
            case .subject: if let subject, value.isEqual(to: subject, options) { return true }
            case .null, .variable, .array: continue
            }
        }
        return false
    }

    private func isNull(_ operand: Operand, _ subject: FoldableText?) -> Bool {
        operand == .subject ? subject == nil : operand == .null
    }

    private func selfMatch(_ text: FoldableText, _ options: FoldingOptions, _ memory: inout SelfMatches) -> Bool {
        let bit: UInt8 = 1 << (options.rawValue & 3)
        if memory.known & bit == 0 {
            memory.known |= bit
            if text.matches(pattern: text, options) { memory.results |= bit }
        }
        return memory.results & bit != 0
    }

    private func text(_ operand: Operand, _ subject: FoldableText?) -> FoldableText? {
        switch operand {
        case .subject: subject
        case .text(let index): texts[Int(index)]
        // Arrays are taken apart before; variables have been replaced.
        case .null, .variable, .array: nil
        }
    }
}

// MARK: - Plain

extension SceneCondition {
    /// The canonical text of `SELF == "…"`.
    static func equality(with text: String) -> String {
        var output = "SELF == "
        writeQuoted(text, to: &output)
        return output
    }

    /// `SELF == "…"`.
    init(equalTo text: String) {
        texts = [FoldableText(literal: text, asPattern: false, options: [])]
        nodes = [
            Node(
                kind: .comparison, comparison: .equal, left: .subject, right: .text(0), offset: 0, parent: -1, end: 1)
        ]
    }
}

// MARK: - Substitution

/// Variables replaced by values, in the tree.
extension SceneCondition {
    /// Nil when a variable has no value. Source offsets stay.
    func substituting(_ values: [String: String]) -> SceneCondition? {
        if variables.isEmpty { return self }
        var replacements: [String] = []
        for name in variables {
            guard let value = values[name] else { return nil }
            replacements.append(value)
        }
        var result = self
        result.variables = []
        // Texts are numbered in the order of the tree, as if the values had been parsed.
        result.texts = []
        func replace(_ operand: Operand, _ node: Node, isPattern: Bool) -> Operand {
            switch operand {
            case .text(let index): result.texts.append(texts[Int(index)])
            case .variable(let index):
                result.texts.append(
                    FoldableText(literal: replacements[Int(index)], asPattern: isPattern, options: node.options))
            case .array(let start, let end):
                for element in Int(start)..<Int(end) {
                    switch elements[element] {
                    case .text(let index): result.texts.append(texts[Int(index)])
                    case .variable(let index): result.texts.append(FoldableText(replacements[Int(index)]))
                    default: continue
                    }
                    result.elements[element] = .text(Int32(result.texts.count - 1))
                }
                return operand
            case .subject, .null: return operand
            }
            return .text(Int32(result.texts.count - 1))
        }
        for index in nodes.indices where nodes[index].kind == .comparison {
            let node = nodes[index]
            result.nodes[index].left = replace(node.left, node, isPattern: false)
            result.nodes[index].right = replace(node.right, node, isPattern: node.comparison == .like)
        }
        return result
    }
}

// MARK: - Terms

/// Every sub-predicate with its truth.
extension SceneCondition {
    func terms(_ subject: FoldableText?) -> [PredicateTerm] {
        var selfMatches = SelfMatches()
        // Children follow their parents, so a walk from the end finds each child decided.
        var results = nodes.map { node in
            switch node.kind {
            case .constant(let value): value
            case .and: true
            case .or, .not, .comparison: false
            }
        }
        for index in nodes.indices.reversed() {
            if nodes[index].kind == .comparison { results[index] = compare(at: index, subject, &selfMatches) }
            let parent = Int(nodes[index].parent)
            guard parent >= 0 else { continue }
            switch nodes[parent].kind {
            case .not: results[parent] = !results[index]
            case .and: results[parent] = results[parent] && results[index]
            case .or: results[parent] = results[parent] || results[index]
            case .constant, .comparison: break
            }
        }
        var depths: [Int] = []
        return nodes.indices.map { index in
            let parent = Int(nodes[index].parent)
            depths.append(parent < 0 ? 0 : depths[parent] + 1)
            let kind: PredicateTerm.Kind =
                switch nodes[index].kind {
                case .constant: .constant
                case .comparison: .comparison
                case .and, .or, .not: .compound
                }
            return PredicateTerm(
                depth: depths[index], text: canonicalText(of: index), offset: Int(nodes[index].offset),
                result: results[index], kind: kind)
        }
    }
}
