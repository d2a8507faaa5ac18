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
    private static func writeQuoted(_ text: String, to output: inout String) {
        output += "\""
        defer { output += "\"" }
        // C2 leads the control characters beyond ASCII.
        let isPlain = text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x22 && $0 != 0x5C && $0 != 0x7F && $0 != 0xC2 }
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
