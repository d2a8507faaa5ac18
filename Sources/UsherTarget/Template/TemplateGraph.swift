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
        if `operator`.isNamed {
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
        func run(_ role: TemplateRun.Role, maximum: Int = .max) -> TemplateRun {
            TemplateRun(
                occurrence: occurrence, role: role, alphabet: alphabet, minimum: minimum, maximum: maximum)
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
