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
