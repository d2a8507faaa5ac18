/// All identifiers of a template as a graph: each way from the start to the accepting node spells one assignment.
///
/// A node that leads on without consuming anything leads to a node with a lower number, so that what is
/// reachable can be settled in one pass; only literals, which are never empty, lead back.
struct TemplateGraph: Sendable {
    enum Node: Sendable {
        case accept
        case literal([UInt8], next: Int)
        /// The first way is the preferred one.
        case split(Int, Int)
        case run(TemplateRun, next: Int)
    }

    /// Which kinds of values are looked for beside strings, and lists where a variable is exploded.
    struct Kinds: OptionSet, Sendable {
        let rawValue: Int
        /// Names and values of exploded variables.
        static let associative = Self(rawValue: 1)
        /// Lists of two members and more, joined by commas, of variables that are not exploded.
        static let joinedLists = Self(rawValue: 2)
        /// `{#x,y}` of which not all variables are there.
        static let partialFragments = Self(rawValue: 4)
        /// Lists with empty members, where an operator does not write names.
        static let emptyMembers = Self(rawValue: 8)
    }

    private static let acceptingNode = 0
    private(set) var nodes: [Node] = [.accept]
    private(set) var start = TemplateGraph.acceptingNode
    private let kinds: Kinds

    init(_ parts: [TemplatePart], kinds: Kinds) {
        self.kinds = kinds
        var occurrence = parts.reduce(0) { $0 + $1.variables.count }
        for part in parts.reversed() {
            switch part {
            case .literal(let bytes): start = literal(bytes, next: start)
            case .expression(let expression):
                occurrence -= expression.variables.count
                start = append(expression, firstOccurrence: occurrence, next: start)
            }
        }
    }

    // MARK: Nodes

    private mutating func add(_ node: Node) -> Int {
        nodes.append(node)
        return nodes.count - 1
    }

    private mutating func literal(_ bytes: [UInt8], next: Int) -> Int {
        bytes.isEmpty ? next : add(.literal(bytes, next: next))
    }

    /// A node that repeats what `body` makes, with `separator` between, before it leads to `next`.
    private mutating func loop(separator: UInt8, next: Int, body: (inout Self, Int) -> Int) -> Int {
        let back = add(.literal([separator], next: Self.acceptingNode))
        let entry = body(&self, add(.split(next, back)))
        nodes[back] = .literal([separator], next: entry)
        return entry
    }

    // MARK: Expressions

    private mutating func append(_ expression: TemplateExpression, firstOccurrence: Int, next: Int) -> Int {
        let `operator` = expression.operator
        let separator = [`operator`.separator]
        if `operator`.isNamed || `operator` == .fragment && kinds.contains(.partialFragments) {
            // What follows differs by whether an earlier variable is there already.
            var (before, after) = (next, next)
            for (index, variable) in expression.variables.enumerated().reversed() {
                let body = append(variable, of: `operator`, occurrence: firstOccurrence + index, next: after)
                if index > 0 || `operator`.first == separator {
                    after = add(.split(literal(separator, next: body), after))
                }
                before =
                    `operator`.first == separator
                    ? after : add(.split(literal(`operator`.first, next: body), before))
            }
            return before
        }
        var entry = next
        for (index, variable) in expression.variables.enumerated().reversed() {
            entry = append(variable, of: `operator`, occurrence: firstOccurrence + index, next: entry)
            entry = literal(index > 0 ? separator : `operator`.first, next: entry)
        }
        return `operator` == .fragment ? add(.split(entry, next)) : entry
    }

    private mutating func append(
        _ variable: TemplateVariable, of operator: TemplateOperator, occurrence: Int, next: Int
    ) -> Int {
        let alphabet: TemplateRun.Alphabet = `operator`.keepsReserved ? .reserved : .unreserved
        let minimum = `operator`.isNamed || `operator` == .fragment ? 0 : 1
        let name = Array(variable.name.utf8)
        let leastMember = kinds.contains(.emptyMembers) ? 0 : minimum
        func run(_ role: TemplateRun.Role, maximum: Int = .max) -> TemplateRun {
            TemplateRun(
                occurrence: occurrence, role: role, alphabet: alphabet,
                minimum: role == .member ? leastMember : minimum, maximum: maximum)
        }
        switch variable.modifier {
        case .prefix(let length):
            let value = assignment(run(.string, maximum: length), of: `operator`, next: next)
            return `operator`.isNamed ? literal(name, next: value) : value
        case .none:
            var value = assignment(run(.string), of: `operator`, next: next)
            if kinds.contains(.joinedLists), alphabet == .unreserved {
                let members = loop(separator: ASCII.comma, next: next) { graph, next in
                    graph.add(.run(run(.member), next: next))
                }
                let first = add(.run(run(.member), next: literal([ASCII.comma], next: members)))
                value = add(.split(value, `operator`.isNamed ? literal([ASCII.equals], next: first) : first))
            }
            return `operator`.isNamed ? literal(name, next: value) : value
        case .explode:
            let members = loop(separator: `operator`.separator, next: next) { graph, next in
                let value = graph.assignment(run(.member), of: `operator`, next: next)
                return `operator`.isNamed ? graph.literal(name, next: value) : value
            }
            guard kinds.contains(.associative) else { return members }
            let key = TemplateRun(
                occurrence: occurrence, role: .key, alphabet: .key(of: `operator`), minimum: 1, maximum: .max)
            var value = run(.value)
            value.minimum = 0
            let pairs = loop(separator: `operator`.separator, next: next) { graph, next in
                let value =
                    `operator`.isNamed
                    ? graph.assignment(value, of: `operator`, next: next)
                    : graph.literal([ASCII.equals], next: graph.add(.run(value, next: next)))
                return graph.add(.run(key, next: value))
            }
            return add(.split(members, pairs))
        }
    }

    /// A value, after what comes between a name and a value where the operator has names.
    private mutating func assignment(_ run: TemplateRun, of operator: TemplateOperator, next: Int) -> Int {
        guard `operator`.isNamed else { return add(.run(run, next: next)) }
        guard `operator`.omitsEmptyAssignment else {
            return literal([ASCII.equals], next: add(.run(run, next: next)))
        }
        var (filled, empty) = (run, run)
        filled.minimum = 1
        empty.maximum = 0
        let value = literal([ASCII.equals], next: add(.run(filled, next: next)))
        return add(.split(value, add(.run(empty, next: next))))
    }
}

/// From which nodes of a graph, at which offsets of an identifier, the end of both can be reached.
///
/// Settled backwards in one pass: nodes × bytes steps, nodes × bytes bits.
struct TemplateReach {
    private let wordsPerOffset: Int
    private var words: [UInt64]

    init(_ graph: TemplateGraph, over characters: EncodedCharacters) {
        let bytes = characters.bytes
        let nodes = graph.nodes
        wordsPerOffset = (nodes.count + 63) / 64
        words = Array(repeating: 0, count: wordsPerOffset * (bytes.count + 1))
        // Per node, how few characters lead out of a run, for the offsets one character can span.
        var distances = Array(repeating: Int.max, count: nodes.count * Self.span)
        for offset in stride(from: bytes.count, through: 0, by: -1) {
            for node in nodes.indices {
                let isReached: Bool
                switch nodes[node] {
                case .accept: isReached = offset == bytes.count
                case .split(let first, let second): isReached = self[first, offset] || self[second, offset]
                case .literal(let literal, let next):
                    isReached =
                        offset + literal.count <= bytes.count && self[next, offset + literal.count]
                        && bytes[offset..<offset + literal.count].elementsEqual(literal)
                case .run(let run, let next):
                    let length = characters.length(at: offset, in: run.alphabet)
                    var further = Int.max
                    if length > 0 {
                        further = distances[node * Self.span + (offset + length) % Self.span]
                        if further != .max { further += 1 }
                    }
                    let distance = self[next, offset] ? 0 : further
                    distances[node * Self.span + offset % Self.span] = distance
                    let needed = run.minimum == 0 ? distance : further
                    isReached = needed != .max && needed <= run.maximum
                }
                if isReached { words[offset * wordsPerOffset + node / 64] |= 1 << UInt64(node % 64) }
            }
        }
    }

    /// A character takes twelve bytes at most: four triplets.
    private static let span = 16

    subscript(node: Int, offset: Int) -> Bool {
        words[offset * wordsPerOffset + node / 64] & (1 << UInt64(node % 64)) != 0
    }
}
