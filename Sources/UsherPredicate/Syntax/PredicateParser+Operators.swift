/// What stands behind a complete condition or value.
extension PredicateParser {
    /// Reads an operator, a comma or a closing bracket; true when an operand is to come.
    mutating func parseOperator() throws(PredicateError) -> Bool {
        let start = position
        switch bytes[start] {
        case UInt8(ascii: ")"), UInt8(ascii: "}"), UInt8(ascii: "]"):
            return try parseCloser()
        case UInt8(ascii: ","):
            return try parseComma()
        case UInt8(ascii: "&") where byte(at: start + 1) == UInt8(ascii: "&"):
            return try pushLogical(.and, start + 2)
        case UInt8(ascii: "|") where byte(at: start + 1) == UInt8(ascii: "|"):
            return try pushLogical(.or, start + 2)
        case UInt8(ascii: ":") where byte(at: start + 1) == UInt8(ascii: "="):
            return try parseAssignment()
        case _ where PredicateByte.isWordStart(bytes[start]):
            return try parseWordOperator()
        default:
            break
        }
        if let (comparison, length) = symbolicComparison() { return try pushComparison(comparison, start + length) }
        if let (precedence, length) = arithmetic() {
            guard let operand = operands.last, !nodes[Int(operand)].isPredicate else { throw unexpectedOperator() }
            try reduce(downTo: precedence)
            try push(Pending(kind: .arithmetic(precedence), offset: start, length: length))
            position = start + length
            return true
        }
        throw unexpectedOperator()
    }

    private func symbolicComparison() -> (PredicateOperator, Int)? {
        let second = byte(at: position + 1)
        switch bytes[position] {
        case UInt8(ascii: "="):
            if second == UInt8(ascii: "=") { return (.equal, 2) }
            if second == UInt8(ascii: "<") { return (.lessOrEqual, 2) }
            if second == UInt8(ascii: ">") { return (.greaterOrEqual, 2) }
            return (.equal, 1)
        case UInt8(ascii: "!"):
            return second == UInt8(ascii: "=") ? (.notEqual, 2) : nil
        case UInt8(ascii: "<"):
            if second == UInt8(ascii: "=") { return (.lessOrEqual, 2) }
            if second == UInt8(ascii: ">") { return (.notEqual, 2) }
            return second == UInt8(ascii: "<") ? nil : (.less, 1)
        case UInt8(ascii: ">"):
            if second == UInt8(ascii: "=") { return (.greaterOrEqual, 2) }
            return second == UInt8(ascii: ">") ? nil : (.greater, 1)
        default:
            return nil
        }
    }

    private func arithmetic() -> (precedence: UInt8, length: Int)? {
        let doubled = byte(at: position + 1) == bytes[position]
        return switch bytes[position] {
        case UInt8(ascii: "|"): (7, 1)
        case UInt8(ascii: "^"): (8, 1)
        case UInt8(ascii: "&"): (9, 1)
        case UInt8(ascii: "<") where doubled: (10, 2)
        case UInt8(ascii: ">") where doubled: (10, 2)
        case UInt8(ascii: "+"), UInt8(ascii: "-"): (11, 1)
        case UInt8(ascii: "*"): doubled ? (13, 2) : (12, 1)
        case UInt8(ascii: "/"): (12, 1)
        default: nil
        }
    }

    private mutating func parseWordOperator() throws(PredicateError) -> Bool {
        let start = position
        let (keyword, end) = keyword(at: start)
        if keyword == .and { return try pushLogical(.and, end) }
        if keyword == .or { return try pushLogical(.or, end) }
        if let comparison = keyword?.comparison { return try pushComparison(comparison, end) }
        if keyword == nil, let operand = operands.last, !nodes[Int(operand)].isPredicate {
            var colon = end
            while colon < bytes.count, PredicateByte.isSpace(bytes[colon]) { colon += 1 }
            if byte(at: colon) == UInt8(ascii: ":"), byte(at: colon + 1) != UInt8(ascii: "=") {
                return try pushComparison(.selector, colon + 1, name: intern(text(start, end) + ":"))
            }
        }
        throw unexpectedWord(start, end, keyword)
    }

    private mutating func pushLogical(_ kind: Operator, _ end: Int) throws(PredicateError) -> Bool {
        try reduce(downTo: kind.precedence)
        if let operand = operands.last { try requireCondition(operand) }
        try push(Pending(kind: kind, offset: position, length: end - position))
        position = end
        return true
    }

    private mutating func pushComparison(
        _ comparison: PredicateOperator, _ end: Int, name: Int32 = -1
    ) throws(PredicateError) -> Bool {
        let start = position
        let joint = operators.last?.kind
        try reduce(downTo: 6)
        if case .comparison = operators.last?.kind {
            // 'a' & SELF is a value; what was meant are two conditions.
            let hint: String? =
                switch joint {
                case .arithmetic(7): "conditions are joined with OR or ||"
                case .arithmetic(9): "conditions are joined with AND or &&"
                default: nil
                }
            throw .chained(start, end, found: text(start, end), hint: hint)
        }
        if let operand = operands.last { try requireValue(operand) }
        position = end
        let options = try parseOptions(for: comparison)
        try push(
            Pending(kind: .comparison(comparison, options), offset: start, length: end - start, name: name))
        return true
    }

    private mutating func parseOptions(for comparison: PredicateOperator) throws(PredicateError) -> PredicateOptions {
        var options: PredicateOptions = []
        let before = position
        skipSpace()
        guard next(is: "[") else {
            position = before
            return options
        }
        let start = position
        guard comparison.takesOptions else { throw .optionsNotTaken(start, comparison.rawValue) }
        position += 1
        while true {
            skipSpace()
            guard position < bytes.count else { throw .unterminatedOptions(at: position, found: nil) }
            let byte = bytes[position]
            if byte == UInt8(ascii: "]"), !options.isEmpty { break }
            guard PredicateByte.isWord(byte) else {
                throw .unterminatedOptions(at: position, found: character(at: position))
            }
            guard let option = PredicateOptions(letter: byte) else {
                throw .unknownOption(position, found: character(at: position))
            }
            options.formUnion(option)
            position += 1
        }
        position += 1
        return options
    }

    private mutating func parseAssignment() throws(PredicateError) -> Bool {
        guard let operand = operands.last, nodes[Int(operand)].kind == .variable else { throw unexpectedOperator() }
        try push(Pending(kind: .assignment, offset: position, length: 2))
        position += 2
        return true
    }

    private mutating func parseComma() throws(PredicateError) -> Bool {
        try reduce(downTo: 1)
        guard let open = operators.last, open.kind == .brace || open.kind == .call else { throw unexpectedOperator() }
        try collect(into: open)
        position += 1
        return true
    }

    /// Hands the finished operand to the list that is open.
    private mutating func collect(into open: Pending) throws(PredicateError) {
        let element = operands.removeLast()
        if open.kind == .brace || open.kind == .index { try requireValue(element) }
        try count(Int(nodes[Int(element)].offset))
        try append(element, to: open.node)
    }

    private mutating func parseCloser() throws(PredicateError) -> Bool {
        try reduce(downTo: 1)
        guard let open = operators.last, closes(open.kind, bytes[position]) else { throw unexpectedOperator() }
        switch open.kind {
        case .parenthesis(let allowed):
            let operand = operands[operands.count - 1]
            if !allowed { try requireValue(operand) }
            nodes[Int(operand)].isParenthesized = true
            position += 1
        default:
            try collect(into: open)
            position += 1
            nodes[Int(open.node)].end = Int32(position)
            operands.append(open.node)
        }
        _ = popOperator()
        if let operand = operands.last, nodes[Int(operand)].isPredicate { return false }
        return try parsePostfix()
    }

    private func closes(_ kind: Operator, _ byte: UInt8) -> Bool {
        switch kind {
        case .parenthesis, .call: byte == UInt8(ascii: ")")
        case .brace: byte == UInt8(ascii: "}")
        case .index: byte == UInt8(ascii: "]")
        default: false
        }
    }
}
