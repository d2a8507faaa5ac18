/// What must hold of a subject where a condition is true for it.
extension SceneCondition {
    /// Choices of atoms: of each choice at least one atom holds of every subject for which the condition is true, and so a
    /// choice without atoms says that it never is. The best choice first, and few of them; none where there is none, and
    /// the condition has to be tried on every subject.
    var necessaryAtoms: [[PredicateAtom]] {
        // Children follow their parents, so a walk from the end finds each child decided.
        var choices = nodes.map { node -> [[PredicateAtom]] in node.kind == .or ? [[]] : [] }
        for index in nodes.indices.reversed() {
            switch nodes[index].kind {
            case .constant(let value): choices[index] = value ? [] : [[]]
            case .comparison: choices[index] = atoms(at: index)
            case .and: choices[index] = SceneCondition.best(choices[index])
            case .or: break
            case .not: choices[index] = []
            }
            let parent = Int(nodes[index].parent)
            guard parent >= 0 else { continue }
            let own = choices[index]
            choices[index] = []
            switch nodes[parent].kind {
            case .and: choices[parent] += own
            case .or:
                // Every one of them must be found, or the whole cannot be.
                if let best = own.first, !choices[parent].isEmpty {
                    choices[parent][0] += best
                } else {
                    choices[parent] = []
                }
            case .constant, .comparison, .not: break
            }
        }
        return choices.first ?? []
    }

    private static func best(_ choices: [[PredicateAtom]]) -> [[PredicateAtom]] {
        let judged = choices.map { atoms in (atoms, atoms.reduce(Int.max) { min($0, $1.weight) }) }
        return judged.sorted { one, other in one.1 != other.1 ? one.1 > other.1 : one.0.count < other.0.count }
            .prefix(3).map(\.0)
    }

    /// The same of one comparison.
    func atoms(at index: Int) -> [[PredicateAtom]] {
        let node = nodes[index]
        guard case .array(let start, let end) = node.left else {
            return atoms(node.left, node.comparison, node.options, node.right)
        }
        guard let quantifier = node.quantifier else {
            // {…} CONTAINS x
            return membership(of: node.right, in: start..<end, node.options)
        }
        let choices = (start..<end).map { atoms(elements[Int($0)], node.comparison, node.options, node.right) }
        if quantifier == .all { return SceneCondition.best(choices.flatMap { $0 }) }
        return SceneCondition.union(choices)
    }

    private static func union(_ choices: [[[PredicateAtom]]]) -> [[PredicateAtom]] {
        var union: [PredicateAtom] = []
        for choice in choices {
            guard let best = choice.first else { return [] }
            union += best
        }
        return [union]
    }

    private func atoms(
        _ left: Operand, _ comparison: PredicateOperator, _ options: FoldingOptions, _ right: Operand
    ) -> [[PredicateAtom]] {
        if case .array(let start, let end) = right {
            return comparison == .in ? membership(of: left, in: start..<end, options) : []
        }
        switch (left, right) {
        case (.subject, .text(let index)), (.text(let index), .subject):
            return atoms(comparison, options, texts[Int(index)], subjectIsLeft: left == .subject)
        case (.subject, .null), (.null, .subject):
            switch comparison {
            case .notEqual: return []
            case .equal, .lessOrEqual, .greaterOrEqual: return [[.null]]
            default: return [[]]
            }
        default: return []
        }
    }

    private func atoms(
        _ comparison: PredicateOperator, _ options: FoldingOptions, _ text: FoldableText, subjectIsLeft: Bool
    ) -> [[PredicateAtom]] {
        switch comparison {
        case .equal: return [[.equal(to: text, options)]]
        case .beginsWith where subjectIsLeft: return SceneCondition.found(.prefix, text, options)
        case .endsWith where subjectIsLeft: return SceneCondition.found(.suffix, text, options)
        case .contains where subjectIsLeft, .in where !subjectIsLeft: return SceneCondition.found(.part, text, options)
        case .like where subjectIsLeft:
            let pattern = text.pattern ?? GlobPattern(text.text, options: options)
            return SceneCondition.best(
                pattern.atoms(options.isEmpty ? .exact : PredicateAtom.Form(options)).map { [$0] })
        default: return []
        }
    }

    private static func found(
        _ kind: PredicateAtom.Kind, _ text: FoldableText, _ options: FoldingOptions
    ) -> [[PredicateAtom]] {
        let atom = PredicateAtom(kind, PredicateAtom.Form(options), text)
        // Empty text is never found.
        return atom.length == 0 ? [[]] : [[atom]]
    }

    private func membership(
        of operand: Operand, in range: Range<Int32>, _ options: FoldingOptions
    ) -> [[PredicateAtom]] {
        var atoms: [PredicateAtom] = []
        for element in range {
            switch (operand, elements[Int(element)]) {
            case (.subject, .text(let index)), (.text(let index), .subject):
                atoms.append(.equal(to: texts[Int(index)], options))
            case (.subject, .null), (.null, .subject): atoms.append(.null)
            case (.text, .null), (.null, .text): break
            // Perhaps for any subject.
            default: return []
            }
        }
        return [atoms]
    }
}

extension PredicateAtom {
    fileprivate static func equal(to text: FoldableText, _ options: FoldingOptions) -> PredicateAtom {
        PredicateAtom(.exact, options.isEmpty ? .exact : Form(options), text)
    }
}
