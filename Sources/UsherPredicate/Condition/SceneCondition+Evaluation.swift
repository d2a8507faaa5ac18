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
