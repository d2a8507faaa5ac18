internal import UsherText

/// Reads predicate text by operator precedence, with explicit stacks instead of recursion.
///
/// One grammar serves conditions and values, because "(" may open either; each reduction checks that it got the kind
/// it needs. Loosest first: OR, AND, NOT, quantifiers, comparisons (which don't chain), `:=`, `|`, `^`, `&`, shifts,
/// `+ -`, `* /`, `**`, signs.
struct PredicateParser {
    enum Operator: Equatable {
        case or, and, not
        case quantifier(PredicateQuantifier)
        case comparison(PredicateOperator, PredicateOptions)
        case assignment
        /// A binary operator and its precedence.
        case arithmetic(UInt8)
        case sign
        case parenthesis(allowsPredicate: Bool)
        case brace
        case call
        case index

        var precedence: UInt8 {
            switch self {
            case .or: 1
            case .and: 2
            case .not: 3
            case .quantifier: 4
            case .comparison: 5
            case .assignment: 6
            case .arithmetic(let precedence): precedence
            case .sign: 14
            case .parenthesis, .brace, .call, .index: 0
            }
        }

        var isBracketOrSign: Bool {
            switch self {
            case .sign, .parenthesis, .brace, .call, .index: true
            default: false
            }
        }
    }

    struct Pending {
        var kind: Operator
        var offset: Int
        var length: Int
        /// Selector or function name.
        var name: Int32 = -1
        /// The node that collects elements of an array, arguments of a call or the base of an index.
        var node: Int32 = -1

        var isParenthesis: Bool {
            if case .parenthesis = kind { return true }
            return false
        }
    }

    let bytes: [UInt8]
    var position = 0
    var nodes: [PredicateSyntax.Node] = []
    var names: [String] = []
    var root = 0
    var operands: [Int32] = []
    var operators: [Pending] = []
    private var nesting = 0
    private var negations = 0
    private var countedNodes = 0

    init(_ text: String) {
        bytes = Array(text.utf8)
        nodes.reserveCapacity(4)
        operands.reserveCapacity(4)
        operators.reserveCapacity(4)
    }

    mutating func parse() throws(PredicateError) {
        skipSpace()
        if position == bytes.count { throw .empty(at: bytes.count) }
        var expectsOperand = true
        while true {
            skipSpace()
            if expectsOperand {
                expectsOperand = try parseOperand()
            } else {
                if position == bytes.count { break }
                expectsOperand = try parseOperator()
            }
        }
        try reduce(downTo: 1)
        if let open = operators.last { throw unclosed(open) }
        let result = operands[0]
        try requireCondition(result)
        root = Int(result)
    }

    // MARK: Text

    private mutating func skipSpace() {
        while position < bytes.count, PredicateByte.isSpace(bytes[position]) { position += 1 }
    }

    func byte(at offset: Int) -> UInt8 { offset < bytes.count ? bytes[offset] : 0 }

    func next(is byte: Character) -> Bool {
        byte.asciiValue.map { position < bytes.count && bytes[position] == $0 } ?? false
    }

    func text(_ start: Int, _ end: Int) -> String { String(decoding: bytes[start..<end], as: UTF8.self) }

    /// End of the word that starts at `start`.
    private func wordEnd(from start: Int) -> Int {
        var end = start
        while end < bytes.count, PredicateByte.isWord(bytes[end]) { end += 1 }
        return end
    }

    /// Keyword and its end, with the two that contain hyphens.
    func keyword(at start: Int) -> (keyword: PredicateKeyword?, end: Int) {
        let end = wordEnd(from: start)
        if end - start == 3, byte(at: end) == UInt8(ascii: "-"), bytes[start] | 0x20 == UInt8(ascii: "u") {
            var hyphenated = end
            while PredicateByte.isWord(byte(at: hyphenated)) || byte(at: hyphenated) == UInt8(ascii: "-") {
                hyphenated += 1
            }
            if let keyword = PredicateKeyword(bytes[start..<hyphenated]) { return (keyword, hyphenated) }
        }
        return (PredicateKeyword(bytes[start..<end]), end)
    }

    // MARK: Tree

    private mutating func intern(_ name: String) -> Int32 {
        names.append(name)
        return Int32(names.count - 1)
    }

    /// Adds a node; operands that are plain values don't count towards the limit unless `counts`.
    mutating func add(
        _ kind: PredicateSyntax.Kind, _ offset: Int, _ end: Int, name: Int32 = -1, counts: Bool = true
    ) throws(PredicateError) -> Int32 {
        if counts { try count(offset) }
        nodes.append(PredicateSyntax.Node(kind: kind, offset: Int32(offset), end: Int32(end), name: name))
        return Int32(nodes.count - 1)
    }

    mutating func count(_ offset: Int) throws(PredicateError) {
        countedNodes += 1
        if countedNodes > PredicateSyntax.maximumNodes { throw .tooManyNodes(at: offset) }
    }

    mutating func append(_ child: Int32, to parent: Int32) throws(PredicateError) {
        let last = nodes[Int(parent)].lastChild
        if last < 0 {
            nodes[Int(parent)].firstChild = child
        } else {
            nodes[Int(last)].nextSibling = child
        }
        nodes[Int(parent)].lastChild = child
        nodes[Int(parent)].end = max(nodes[Int(parent)].end, nodes[Int(child)].end)
        if nodes[Int(parent)].isCompound {
            let height = max(nodes[Int(parent)].height, nodes[Int(child)].height + 1)
            nodes[Int(parent)].height = height
            if height > PredicateSyntax.maximumNesting { throw .tooDeep(at: Int(nodes[Int(child)].offset)) }
        }
    }

    mutating func push(_ pending: Pending) throws(PredicateError) {
        // Apart, because the canonical text adds parentheses between negations: with a bound on each of them and on the
        // height of the tree, it never nests deeper than the text it came from may.
        if pending.kind.isBracketOrSign { nesting += 1 }
        if pending.kind == .not { negations += 1 }
        if max(nesting, negations) > PredicateSyntax.maximumNesting { throw .tooDeep(at: pending.offset) }
        operators.append(pending)
    }

    private mutating func popOperator() -> Pending? {
        let pending = operators.popLast()
        if let pending, pending.kind.isBracketOrSign { nesting -= 1 }
        if pending?.kind == .not { negations -= 1 }
        return pending
    }

    // MARK: Reduction

    /// Applies pending operators that bind at least as tightly as `precedence`.
    mutating func reduce(downTo precedence: UInt8) throws(PredicateError) {
        while let top = operators.last, top.kind.precedence >= precedence, let pending = popOperator() {
            try reduce(pending)
        }
    }

    private mutating func reduce(_ pending: Pending) throws(PredicateError) {
        switch pending.kind {
        case .or: try combine(.or, pending)
        case .and: try combine(.and, pending)
        case .not:
            let operand = operands.removeLast()
            try requireCondition(operand)
            try wrap(operand, as: .not, from: pending.offset)
        case .quantifier(let quantifier):
            try quantify(quantifier, pending)
        case .comparison(let comparison, let options):
            try combineValues(.comparison(comparison, options, nil), pending)
        case .assignment: try combineValues(.assignment, pending)
        case .arithmetic: try combineValues(.arithmetic, pending)
        case .sign:
            let operand = operands.removeLast()
            try requireValue(operand)
            try wrap(operand, as: .arithmetic, from: pending.offset)
            locate(pending, in: operands[operands.count - 1])
        case .parenthesis, .brace, .call, .index:
            break
        }
    }

    private mutating func wrap(_ operand: Int32, as kind: PredicateSyntax.Kind, from offset: Int) throws(PredicateError)
    {
        let node = try add(kind, offset, offset)
        try append(operand, to: node)
        operands.append(node)
    }

    /// Joins two conditions; a chain of one operator becomes one node.
    private mutating func combine(_ kind: PredicateSyntax.Kind, _ pending: Pending) throws(PredicateError) {
        let right = operands.removeLast()
        let left = operands.removeLast()
        try requireCondition(left)
        try requireCondition(right)
        if nodes[Int(left)].kind == kind, !nodes[Int(left)].isParenthesized {
            try append(right, to: left)
            operands.append(left)
        } else {
            try join(left, right, as: kind)
        }
    }

    private mutating func combineValues(_ kind: PredicateSyntax.Kind, _ pending: Pending) throws(PredicateError) {
        let right = operands.removeLast()
        let left = operands.removeLast()
        try requireValue(left)
        try requireValue(right)
        try join(left, right, as: kind, name: pending.name)
        locate(pending, in: operands[operands.count - 1])
    }

    private mutating func join(
        _ left: Int32, _ right: Int32, as kind: PredicateSyntax.Kind, name: Int32 = -1
    ) throws(PredicateError) {
        let offset = Int(nodes[Int(left)].offset)
        let node = try add(kind, offset, offset, name: name)
        try append(left, to: node)
        try append(right, to: node)
        operands.append(node)
    }

    private mutating func locate(_ pending: Pending, in node: Int32) {
        nodes[Int(node)].operatorOffset = Int32(pending.offset)
        nodes[Int(node)].operatorEnd = Int32(pending.offset + pending.length)
    }

    private mutating func quantify(_ quantifier: PredicateQuantifier, _ pending: Pending) throws(PredicateError) {
        let operand = operands[operands.count - 1]
        let node = nodes[Int(operand)]
        guard case .comparison(let comparison, let options, nil) = node.kind, !node.isParenthesized else {
            throw .quantifierWithoutComparison(pending.offset, pending.length)
        }
        nodes[Int(operand)].kind = .comparison(comparison, options, quantifier)
        nodes[Int(operand)].offset = Int32(pending.offset)
        // NONE is a NOT above an ANY.
        if quantifier == .none { nodes[Int(operand)].height = 1 }
    }

    private func requireValue(_ operand: Int32) throws(PredicateError) {
        let node = nodes[Int(operand)]
        if node.isPredicate {
            throw .conditionAsValue(Int(node.offset), Int(node.end), found: text(Int(node.offset), Int(node.end)))
        }
    }

    private func requireCondition(_ operand: Int32) throws(PredicateError) {
        let node = nodes[Int(operand)]
        if node.isPredicate { return }
        // How a block predicate prints itself; well-formed, so that the builder can say why it's not allowed.
        if node.kind == .function, names[Int(node.name)].uppercased() == "BLOCKPREDICATE" { return }
        throw .notACondition(Int(node.offset), Int(node.end), found: text(Int(node.offset), Int(node.end)))
    }

    private func unclosed(_ pending: Pending) -> PredicateError {
        let closer =
            switch pending.kind {
            case .brace: "}"
            case .index: "]"
            default: ")"
            }
        return .unclosed(at: bytes.count, opener: text(pending.offset, pending.offset + pending.length), closer: closer)
    }
}

// MARK: - Operators

/// What stands behind a complete condition or value.
extension PredicateParser {
    /// Reads an operator, a comma or a closing bracket; true when an operand is to come.
    private mutating func parseOperator() throws(PredicateError) -> Bool {
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

// MARK: - Operands

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
    private mutating func parseOperand() throws(PredicateError) -> Bool {
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
    private mutating func parsePostfix() throws(PredicateError) -> Bool {
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

// MARK: - Strings

/// Quoted text and its escapes.
extension PredicateParser {
    /// Reads the literal that has its opening quote at `position`.
    private mutating func parseString() throws(PredicateError) -> String {
        let start = position
        let quote = bytes[start]
        var end = start + 1
        while end < bytes.count, bytes[end] != quote, bytes[end] != 0x5C { end += 1 }
        if end < bytes.count, bytes[end] == quote {
            position = end + 1
            return text(start + 1, end)
        }
        var output = Array(bytes[start + 1..<end])
        position = end
        while position < bytes.count {
            let byte = bytes[position]
            if byte == quote {
                position += 1
                return String(decoding: output, as: UTF8.self)
            }
            if byte == 0x5C {
                try parseEscape(into: &output)
            } else {
                output.append(byte)
                position += 1
            }
        }
        throw .unterminatedString(start, bytes.count, quote: quote)
    }

    private mutating func parseEscape(into output: inout [UInt8]) throws(PredicateError) {
        let start = position
        guard start + 1 < bytes.count else { throw .unterminatedString(start, bytes.count, quote: 0) }
        let letter = bytes[start + 1]
        let simple: UInt8? =
            switch letter {
            case UInt8(ascii: "n"): 0x0A
            case UInt8(ascii: "t"): 0x09
            case UInt8(ascii: "r"): 0x0D
            case UInt8(ascii: "b"): 0x08
            case UInt8(ascii: "f"): 0x0C
            case UInt8(ascii: "v"): 0x0B
            case UInt8(ascii: "a"): 0x07
            case UInt8(ascii: "\\"), UInt8(ascii: "'"), UInt8(ascii: "\""): letter
            default: nil
            }
        if let simple {
            output.append(simple)
            position += 2
            return
        }
        var value: UInt32
        switch letter {
        case UInt8(ascii: "x"), UInt8(ascii: "X"):
            value = try digits(2, base: 16, from: start + 2, escape: start)
        case UInt8(ascii: "u"), UInt8(ascii: "U"):
            value = try digits(4, base: 16, from: start + 2, escape: start)
            if value >= 0xD800, value < 0xDC00, byte(at: position) == 0x5C,
                byte(at: position + 1) | 0x20 == UInt8(ascii: "u")
            {
                let low = try digits(4, base: 16, from: position + 2, escape: position)
                guard low >= 0xDC00, low < 0xE000 else { throw .loneSurrogate(start, position) }
                value = 0x10000 + (value - 0xD800) << 10 + (low - 0xDC00)
            }
        case UInt8(ascii: "0")...UInt8(ascii: "7"):
            value = try digits(3, base: 8, from: start + 1, escape: start)
        default:
            throw .unknownEscape(start, 1 + character(at: start + 1).utf8.count, found: "\\" + character(at: start + 1))
        }
        guard let scalar = Unicode.Scalar(value) else { throw .loneSurrogate(start, position) }
        output.append(contentsOf: Array(String(Character(scalar)).utf8))
    }

    /// Reads exactly `count` digits and moves behind them.
    private mutating func digits(
        _ count: Int, base: UInt8, from start: Int, escape: Int
    ) throws(PredicateError) -> UInt32 {
        var value: UInt32 = 0
        for offset in start..<start + count {
            guard let digit = Hexadecimal.value(of: byte(at: offset)), digit < base else {
                throw .incompleteEscape(
                    escape, min(offset, bytes.count), count, base: base, found: text(escape, min(offset, bytes.count)))
            }
            value = value * UInt32(base) + UInt32(digit)
        }
        position = start + count
        return value
    }
}
