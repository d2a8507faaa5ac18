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

    mutating func skipSpace() {
        while position < bytes.count, PredicateByte.isSpace(bytes[position]) { position += 1 }
    }

    func byte(at offset: Int) -> UInt8 { offset < bytes.count ? bytes[offset] : 0 }

    func next(is byte: Character) -> Bool {
        byte.asciiValue.map { position < bytes.count && bytes[position] == $0 } ?? false
    }

    func text(_ start: Int, _ end: Int) -> String { String(decoding: bytes[start..<end], as: UTF8.self) }

    /// End of the word that starts at `start`.
    func wordEnd(from start: Int) -> Int {
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

    mutating func intern(_ name: String) -> Int32 {
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

    mutating func popOperator() -> Pending? {
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
            let right = operands.removeLast()
            let left = operands.removeLast()
            try requireValue(right)
            let offset = Int(nodes[Int(left)].offset)
            let node = try add(.comparison(comparison, options, nil), offset, offset, name: pending.name)
            try append(left, to: node)
            try append(right, to: node)
            locate(pending, in: node)
            operands.append(node)
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
            let offset = Int(nodes[Int(left)].offset)
            let node = try add(kind, offset, offset)
            try append(left, to: node)
            try append(right, to: node)
            operands.append(node)
        }
    }

    private mutating func combineValues(_ kind: PredicateSyntax.Kind, _ pending: Pending) throws(PredicateError) {
        let right = operands.removeLast()
        let left = operands.removeLast()
        try requireValue(left)
        try requireValue(right)
        let offset = Int(nodes[Int(left)].offset)
        let node = try add(kind, offset, offset)
        try append(left, to: node)
        try append(right, to: node)
        locate(pending, in: node)
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

    func requireValue(_ operand: Int32) throws(PredicateError) {
        let node = nodes[Int(operand)]
        if node.isPredicate {
            throw .conditionAsValue(Int(node.offset), Int(node.end), found: text(Int(node.offset), Int(node.end)))
        }
    }

    func requireCondition(_ operand: Int32) throws(PredicateError) {
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
