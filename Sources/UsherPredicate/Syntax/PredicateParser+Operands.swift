internal import UsherText

/// What stands where a condition or a value begins.
extension PredicateParser {
    /// Whether a condition may begin here, or only a value.
    var allowsPredicate: Bool {
        switch operators.last?.kind {
        case nil, .or, .and, .not, .call: true
        case .parenthesis(let allowsPredicate): allowsPredicate
        default: false
        }
    }

    /// Reads an operand, a prefix or an opening bracket; true when an operand is still to come.
    mutating func parseOperand() throws(PredicateError) -> Bool {
        guard position < bytes.count else { throw missingOperand() }
        let start = position
        let byte = bytes[start]
        switch byte {
        case UInt8(ascii: "'"), UInt8(ascii: "\""):
            let string = try parseString()
            try addValue(.string, start, name: intern(string))
        case UInt8(ascii: "("):
            position += 1
            try push(Pending(kind: .parenthesis(allowsPredicate: allowsPredicate), offset: start, length: 1))
            return true
        case UInt8(ascii: "{"):
            position += 1
            let node = try add(.array, start, position)
            return try open(Pending(kind: .brace, offset: start, length: 1, node: node), closer: "}")
        case UInt8(ascii: "-"), UInt8(ascii: "~"):
            position += 1
            try push(Pending(kind: .sign, offset: start, length: 1))
            return true
        case UInt8(ascii: "!") where allowsPredicate && self.byte(at: start + 1) != UInt8(ascii: "="):
            position += 1
            try push(Pending(kind: .not, offset: start, length: 1))
            return true
        case UInt8(ascii: "#"), UInt8(ascii: "@"):
            let end = wordEnd(from: start + 1)
            guard end > start + 1, !PredicateByte.isDigit(bytes[start + 1]) else {
                throw .missingName(at: start + 1, after: String(UnicodeScalar(byte)))
            }
            position = end
            try addValue(.keyPath, start, name: intern(text(start, end)))
        case UInt8(ascii: "$"):
            let end = wordEnd(from: start + 1)
            guard end > start + 1, !PredicateByte.isDigit(bytes[start + 1]) else {
                throw .missingName(at: start + 1, after: "$")
            }
            position = end
            try addValue(.variable, start, name: intern(text(start + 1, end)))
        case UInt8(ascii: "%"):
            try parseFormatArgument()
        case _ where PredicateByte.isDigit(byte):
            try parseNumber()
        case _ where PredicateByte.isWordStart(byte):
            return try parseWord()
        default:
            throw unexpectedOperand()
        }
        return try parsePostfix()
    }

    private mutating func addValue(
        _ kind: PredicateSyntax.Kind, _ start: Int, name: Int32 = -1
    ) throws(PredicateError) {
        operands.append(try add(kind, start, position, name: name, counts: false))
    }

    /// Opens a bracketed list; its node collects the elements. An empty list is complete at once.
    private mutating func open(_ pending: Pending, closer: Character) throws(PredicateError) -> Bool {
        skipSpace()
        guard next(is: closer) else {
            try push(pending)
            return true
        }
        position += 1
        nodes[Int(pending.node)].end = Int32(position)
        operands.append(pending.node)
        return try parsePostfix()
    }

    /// Keys and indexes behind a value; true when an index was opened.
    mutating func parsePostfix() throws(PredicateError) -> Bool {
        while true {
            skipSpace()
            if next(is: ".") {
                try parseKey()
            } else if next(is: "[") {
                guard let base = operands.last else { return false }
                try requireValue(base)
                let start = position
                position += 1
                let node = try add(.index, Int(nodes[Int(base)].offset), position)
                operands.removeLast()
                try append(base, to: node)
                skipSpace()
                if position < bytes.count, PredicateByte.isWordStart(bytes[position]) {
                    let (keyword, end) = keyword(at: position)
                    if keyword == .first || keyword == .last || keyword == .size {
                        position = end
                        skipSpace()
                        guard next(is: "]") else { throw unexpected(["]"]) }
                        position += 1
                        nodes[Int(node)].end = Int32(position)
                        operands.append(node)
                        continue
                    }
                }
                try push(Pending(kind: .index, offset: start, length: 1, node: node))
                return true
            } else {
                return false
            }
        }
    }

    private mutating func parseKey() throws(PredicateError) {
        let dot = position
        guard let base = operands.last else { return }
        try requireValue(base)
        position += 1
        skipSpace()
        let start = position
        if next(is: "@") || next(is: "#") { position += 1 }
        let end = wordEnd(from: position)
        guard end > position, !PredicateByte.isDigit(bytes[position]) else {
            throw .missingName(at: position, after: text(dot, dot + 1))
        }
        position = end
        let node = try add(.member, Int(nodes[Int(base)].offset), end, name: intern(text(start, end)))
        operands.removeLast()
        try append(base, to: node)
        operands.append(node)
    }

    private mutating func parseFormatArgument() throws(PredicateError) {
        let start = position
        var end = start + 1
        while end < bytes.count, PredicateByte.isDigit(bytes[end]) || "$.-+#lhqLjtz".utf8.contains(bytes[end]) {
            end += 1
        }
        guard end < bytes.count, "@KdDiuUxXoOfFeEgGcCsSpaA".utf8.contains(bytes[end]) else {
            throw .syntax(
                start, end - start, "is not a format argument", found: text(start, end), expected: expectedOperand)
        }
        position = end + 1
        try addValue(.formatArgument, start, name: intern(text(start, position)))
    }

    private mutating func parseNumber() throws(PredicateError) {
        let start = position
        var end = start
        let prefix = byte(at: start + 1) | 0x20
        if bytes[start] == UInt8(ascii: "0"), prefix == 0x78 || prefix == 0x6F || prefix == 0x62 {
            let base: UInt8 = prefix == 0x78 ? 16 : prefix == 0x6F ? 8 : 2
            end += 2
            while let digit = Hexadecimal.value(of: byte(at: end)), digit < base { end += 1 }
            guard end > start + 2 else { throw malformedNumber(start) }
        } else {
            while PredicateByte.isDigit(byte(at: end)) { end += 1 }
            if byte(at: end) == UInt8(ascii: "."), PredicateByte.isDigit(byte(at: end + 1)) {
                end += 1
                while PredicateByte.isDigit(byte(at: end)) { end += 1 }
            }
            if byte(at: end) | 0x20 == UInt8(ascii: "e") {
                end += 1
                if byte(at: end) == UInt8(ascii: "+") || byte(at: end) == UInt8(ascii: "-") { end += 1 }
                guard PredicateByte.isDigit(byte(at: end)) else { throw malformedNumber(start) }
                while PredicateByte.isDigit(byte(at: end)) { end += 1 }
            }
        }
        if PredicateByte.isWord(byte(at: end)) { throw malformedNumber(start) }
        position = end
        try addValue(.number, start, name: intern(text(start, end)))
    }

    private func malformedNumber(_ start: Int) -> PredicateError {
        let end = wordEnd(from: start)
        return .malformedNumber(start, end, found: text(start, end))
    }

    /// A word: a keyword, a function call or a key path.
    private mutating func parseWord() throws(PredicateError) -> Bool {
        let start = position
        let (keyword, end) = keyword(at: start)
        guard let keyword else { return try parseName(end) }
        switch keyword {
        case .self:
            position = end
            try addValue(.subject, start)
        case .null, .nil:
            position = end
            try addValue(.null, start)
        case .true, .yes, .false, .no:
            position = end
            try addValue(.boolean, start, name: intern(text(start, end)))
        case .truePredicate, .falsePredicate:
            guard allowsPredicate else { throw .conditionAsValue(start, end, found: text(start, end)) }
            position = end
            operands.append(try add(.constant(keyword == .truePredicate), start, end))
            return false
        case .not where allowsPredicate:
            position = end
            try push(Pending(kind: .not, offset: start, length: end - start))
            return true
        case .any, .some, .all, .none:
            guard allowsPredicate else { throw misplacedKeyword(keyword, start, end) }
            position = end
            let quantifier: PredicateQuantifier = keyword == .all ? .all : keyword == .none ? .none : .any
            try push(Pending(kind: .quantifier(quantifier), offset: start, length: end - start))
            return true
        case .subquery, .fetch, .cast:
            return try parseName(end)
        default:
            throw misplacedKeyword(keyword, start, end)
        }
        return try parsePostfix()
    }

    /// A key path, or a call such as `max(…)` and `multiply:by:(…)`.
    private mutating func parseName(_ firstEnd: Int) throws(PredicateError) -> Bool {
        let start = position
        var end = firstEnd
        while byte(at: end) == UInt8(ascii: ":") {
            let next = wordEnd(from: end + 1)
            if next > end + 1, byte(at: next) != UInt8(ascii: ":") { break }
            end = max(next, end + 1)
        }
        var open = end
        while open < bytes.count, PredicateByte.isSpace(bytes[open]) { open += 1 }
        if byte(at: open) == UInt8(ascii: "(") {
            position = open + 1
            let node = try add(.function, start, position, name: intern(text(start, end)))
            return try self.open(Pending(kind: .call, offset: open, length: 1, node: node), closer: ")")
        }
        if PredicateKeyword(bytes[start..<firstEnd]) != nil {
            throw .reservedWord(start, firstEnd, found: text(start, firstEnd))
        }
        position = firstEnd
        try addValue(.keyPath, start, name: intern(text(start, firstEnd)))
        return try parsePostfix()
    }
}
