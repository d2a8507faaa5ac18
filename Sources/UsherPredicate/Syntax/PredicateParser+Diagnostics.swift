internal import UsherText

/// Turns the place where parsing stopped into an error that says what to write instead.
extension PredicateParser {
    var expectedOperand: [String] {
        allowsPredicate ? ["SELF", "a quoted string", "NOT", "("] : ["SELF", "a quoted string", "nil", "{"]
    }

    /// The whole character at `offset`, decoded.
    func character(at offset: Int) -> String {
        var end = offset + 1
        while end < bytes.count, bytes[end] & 0xC0 == 0x80 { end += 1 }
        return offset < bytes.count ? text(offset, end) : ""
    }

    /// What may follow the operand that is complete.
    private var expectedOperator: [String] {
        guard let operand = operands.last else { return [] }
        let closer: [String] =
            switch operators.last(where: { $0.kind.precedence == 0 })?.kind {
            case .parenthesis: [")"]
            case .brace: [",", "}"]
            case .call: [",", ")"]
            case .index: ["]"]
            default: ["the end"]
            }
        if isComplete(operand) { return ["AND", "OR"] + closer }
        let inList = closer.contains { $0 == "}" || $0 == "]" }
        return inList ? closer : ["a comparison operator"]
    }

    /// Whether the operand ends a comparison or is a condition itself.
    private func isComplete(_ operand: Int32) -> Bool {
        if nodes[Int(operand)].isPredicate { return true }
        let inner = operators.reversed().prefix { $0.kind.precedence > 0 }
        return inner.contains {
            if case .comparison = $0.kind { return true }
            return false
        }
    }

    func unexpected(_ expected: [String], hint: String? = nil, code: String = "predicate.syntax") -> PredicateError {
        guard position < bytes.count else {
            return .syntax(
                bytes.count, 0, code: code, "the text ends where \(Self.list(expected)) is expected", found: nil,
                expected: expected, hint: hint)
        }
        let found = character(at: position)
        return .syntax(
            position, found.utf8.count, code: code, "stands where \(Self.list(expected)) is expected", found: found,
            expected: expected, hint: hint)
    }

    static func list(_ items: [String]) -> String {
        items.count < 2 ? items.joined() : items.dropLast().joined(separator: ", ") + " or " + items[items.count - 1]
    }

    func missingOperand() -> PredicateError {
        var hint: String?
        if let operation = operators.last, case .arithmetic(12) = operation.kind {
            hint = "wildcards go inside the quotes, as in 'text*'"
        }
        return unexpected(expectedOperand, hint: hint, code: "predicate.missing-operand")
    }

    func unexpectedOperand() -> PredicateError {
        if let error = foreignCharacter() { return error }
        let found = character(at: position)
        if case .comparison = operators.last?.kind, let previous = operators.last, "=<>!~".contains(found) {
            // A sign right behind the operator belongs to it; a "!" apart from it is a misplaced NOT.
            let isAdjacent = previous.offset + previous.length == position
            if found != "!" || isAdjacent || byte(at: position + 1) == UInt8(ascii: "=") {
                return unknownOperator(from: previous.offset)
            }
        }
        var hint: String?
        switch found {
        case "*", "?":
            hint = "put the pattern inside quotes: SELF LIKE 'text\(found)'"
        case "!":
            hint = "NOT and ! stand before a whole condition: NOT SELF == 'text'"
        case ")", "}", "]", ",":
            hint = "something is missing before it"
        case "/", ".", ":":
            hint = "put text inside quotes"
        case "\\":
            hint = "a backslash only means something inside quotes"
        case "`":
            hint = "use straight quotes, ' or \""
        default:
            break
        }
        return unexpected(expectedOperand, hint: hint)
    }

    private func unknownOperator(from start: Int) -> PredicateError {
        var end = position
        while end < bytes.count, "=<>!~".utf8.contains(bytes[end]) { end += 1 }
        let spelling = text(start, end)
        let hint: String? =
            spelling.allSatisfy { "= ".contains($0) } ? "write ==" : spelling.contains("!") ? "write !=" : nil
        return .syntax(
            start, end - start, code: "predicate.unknown-operator", "is not an operator", found: spelling,
            expected: Self.comparisons, hint: hint)
    }

    func unexpectedOperator() -> PredicateError {
        if let error = foreignCharacter() { return error }
        let found = character(at: position)
        let expected = expectedOperator
        var hint: String?
        switch found {
        case "'", "\"":
            hint =
                expected == ["a comparison operator"]
                ? "write == between the two values" : "a quote inside text is written \\\(found)"
        case "," where operators.last(where: { $0.kind.precedence == 0 })?.isParenthesis == true:
            hint = "lists are written in braces: {'a', 'b'}"
        case "*", "?":
            hint = "wildcards go inside the quotes, as in 'text\(found)'"
        case ")", "}", "]":
            return .syntax(
                position, 1, code: "predicate.unbalanced", "closes nothing that is open", found: found,
                expected: expected)
        case ":", "/", ".":
            hint = "put text inside quotes: 'https://…'"
        case "&", "|":
            hint = "write AND or OR"
        case ";", ",":
            hint = "elements of a list are separated by commas inside { }; a condition ends without a mark"
        case "!":
            hint = "not equal is written !="
        default:
            break
        }
        return unexpected(expected, hint: hint)
    }

    /// A word where an operator belongs.
    func unexpectedWord(_ start: Int, _ end: Int, _ keyword: PredicateKeyword?) -> PredicateError {
        let word = text(start, end)
        let expected = expectedOperator
        func error(_ code: String, _ problem: String, _ hint: String?, end: Int = end) -> PredicateError {
            .syntax(start, end - start, code: code, problem, found: text(start, end), expected: expected, hint: hint)
        }

        guard let operand = operands.last, !isComplete(operand) else {
            return error(
                "predicate.syntax", "stands where \(Self.list(expected)) is expected", trailingHint(start, word))
        }
        let left = text(Int(nodes[Int(operand)].offset), Int(nodes[Int(operand)].end))
        var followingStart = end
        while followingStart < bytes.count, PredicateByte.isSpace(bytes[followingStart]) { followingStart += 1 }
        let (following, followingEnd) = self.keyword(at: followingStart)
        if keyword == .not, following?.comparison != nil {
            let negated = text(followingStart, followingEnd).uppercased()
            return error(
                "predicate.unknown-operator", "is not an operator",
                "write NOT \(PredicateError.shortened(left)) \(negated) …", end: followingEnd)
        }
        let second = text(followingStart, followingEnd).uppercased()
        if second == "WITH", let joined = Self.twoWords[word.uppercased()] {
            return error("predicate.unknown-operator", "is not an operator", "write \(joined)", end: followingEnd)
        }
        if let replacement = Self.foreignWords[word.uppercased()] {
            return error("predicate.unknown-operator", "is not an operator", "write \(replacement)")
        }
        if let suggestion = Spelling.nearest(to: word, among: Self.wordOperators) {
            return error("predicate.unknown-operator", "is not an operator", "did you mean \(suggestion)?")
        }
        return error(
            "predicate.syntax", "stands where \(Self.list(expected)) is expected",
            "put text inside quotes: '\(PredicateError.shortened(word))'")
    }

    private func trailingHint(_ start: Int, _ word: String) -> String {
        if let joint = Spelling.nearest(to: word, among: ["AND", "OR"]) { return "did you mean \(joint)?" }
        if let operand = operands.last {
            let node = nodes[Int(operand)]
            if node.kind == .string, Int(node.end) == start {
                return "a quote inside text is written \\' or put between quotes of the other kind"
            }
            if node.kind == .keyPath { return "put quotes around text: '\(names[Int(node.name)]) \(word)'" }
        }
        return "join conditions with AND or OR"
    }

    /// A reserved word where a value belongs.
    func misplacedKeyword(_ keyword: PredicateKeyword, _ start: Int, _ end: Int) -> PredicateError {
        let found = text(start, end)
        switch keyword {
        case .not:
            return .syntax(
                start, end - start, code: "predicate.value", "cannot stand before a value", found: found,
                expected: expectedOperand, hint: "NOT stands before a whole condition: NOT SELF == 'text'")
        case .any, .some, .all, .none:
            return .syntax(
                start, end - start, code: "predicate.value", "cannot stand before a value", found: found,
                expected: expectedOperand, hint: "write \(found.uppercased()) {'a', 'b'} == SELF")
        case _ where keyword.comparison != nil || keyword == .and || keyword == .or:
            let hint =
                operators.isEmpty || keyword == .and || keyword == .or
                ? "a condition begins with SELF, as in SELF == 'text'"
                : "put quotes around it if it is text: '\(found)'"
            return .syntax(
                start, end - start, code: "predicate.missing-operand", "has no value before it", found: found,
                expected: expectedOperand, hint: hint)
        default:
            return .reservedWord(start, end, found: found)
        }
    }

    /// Characters that word processors and other alphabets slip in.
    private func foreignCharacter() -> PredicateError? {
        let found = character(at: position)
        guard let scalar = found.unicodeScalars.first, !scalar.isASCII else { return nil }
        switch scalar.value {
        case 0x2018...0x201F, 0x2039, 0x203A, 0xAB, 0xBB, 0xFF02, 0xFF07:
            return PredicateError(
                kind: .syntax, offset: position, length: found.utf8.count, code: "predicate.syntax",
                message: "the typographic quote \(found) does not begin text", found: found, expected: ["'", "\""],
                hint: "use straight quotes, ' or \"")
        case 0xA0, 0x85, 0x1680, 0x2000...0x200B, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000, 0xFEFF:
            let name = String(scalar.value, radix: 16, uppercase: true)
            return .syntax(
                position, found.utf8.count,
                "U+\(String(repeating: "0", count: 4 - min(4, name.utf8.count)))\(name) is not a space here",
                found: nil, hint: "use an ordinary space")
        default:
            return .syntax(
                position, found.utf8.count, "can only stand inside quotes", found: found, hint: "put quotes around text"
            )
        }
    }

    private static let comparisons = ["==", "!=", "<", "<=", ">", ">="] + wordOperators

    private static let wordOperators = ["BEGINSWITH", "ENDSWITH", "CONTAINS", "LIKE", "IN", "BETWEEN", "MATCHES"]

    private static let twoWords = [
        "BEGINS": "BEGINSWITH", "BEGIN": "BEGINSWITH", "STARTS": "BEGINSWITH", "START": "BEGINSWITH",
        "ENDS": "ENDSWITH", "END": "ENDSWITH",
    ]

    private static let foreignWords = [
        "STARTSWITH": "BEGINSWITH", "HASPREFIX": "BEGINSWITH", "HASSUFFIX": "ENDSWITH", "INCLUDES": "CONTAINS",
        "HAS": "CONTAINS", "EQUALS": "==", "EQUAL": "==", "EQ": "==", "IS": "==", "NE": "!=", "LT": "<", "LE": "<=",
        "GT": ">", "GE": ">=", "GLOB": "LIKE", "ILIKE": "LIKE[c]", "REGEX": "LIKE",
    ]
}

extension Spelling {
    /// The candidate within two edits of `word` (one, for short words), letter case aside; nil when none is near.
    static func nearest(to word: String, among candidates: some Sequence<String>) -> String? {
        let letters = { (text: String) in Array(text.uppercased().utf8) }
        guard word.utf8.count <= 64 else { return nil }
        return closest(to: letters(word), among: candidates.lazy.filter { $0.utf8.count <= 64 }, spelled: letters) {
            $0 < 3 ? 0 : $0 <= 4 ? 1 : 2
        }
    }
}
