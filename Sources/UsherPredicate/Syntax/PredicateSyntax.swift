/// A whole predicate text as a tree, before any rule of scene conditions is applied.
///
/// Nodes lie in one array and refer to each other by index, children in a linked list: nothing that walks, copies or
/// destroys the tree recurses.
package struct PredicateSyntax: Sendable {
    package static let maximumLength = 65536
    package static let maximumNesting = 256
    package static let maximumNodes = 4096

    package enum Kind: Sendable, Hashable {
        case constant(Bool)
        case and
        case or
        case not
        /// Two children; `name` is the selector's.
        case comparison(PredicateOperator, PredicateOptions, PredicateQuantifier?)

        case subject
        /// `name` is its text, escapes resolved.
        case string
        case null
        case number
        case boolean
        case array
        /// An identifier, or `#word`, or `@name`.
        case keyPath
        /// A key of its one child.
        case member
        case index
        /// `name` without "$"; one child when it's an assignment.
        case variable
        case assignment
        case formatArgument
        case function
        case arithmetic
    }

    package struct Node: Sendable, Hashable {
        package var kind: Kind
        /// UTF-8 offsets of its text, without parentheses around it.
        package var offset: Int32
        package var end: Int32
        package var firstChild: Int32 = -1
        package var lastChild: Int32 = -1
        package var nextSibling: Int32 = -1
        /// Index into `names`, or -1.
        package var name: Int32 = -1
        package var isParenthesized = false
        /// Levels of AND, OR and NOT in it, itself included.
        package var height: Int16 = 0
        /// Where its operator stands, for a comparison or arithmetic.
        package var operatorOffset: Int32 = 0
        package var operatorEnd: Int32 = 0

        var isPredicate: Bool {
            switch kind {
            case .constant, .and, .or, .not, .comparison: true
            default: false
            }
        }

        var isCompound: Bool { kind == .and || kind == .or || kind == .not }
    }

    package internal(set) var nodes: [Node] = []
    package internal(set) var names: [String] = []
    package internal(set) var root = 0

    package init(parsing text: String) throws(PredicateError) {
        guard text.utf8.count <= Self.maximumLength else {
            throw .tooLong(text.utf8.count)
        }
        var parser = PredicateParser(text)
        try parser.parse()
        nodes = parser.nodes
        names = parser.names
        root = parser.root
    }

    /// The name or text of a node; empty for a node without one.
    package func name(of node: Int) -> String {
        let name = nodes[node].name
        return name < 0 ? "" : names[Int(name)]
    }

    package func children(of node: Int) -> [Int] {
        var children: [Int] = []
        var child = nodes[node].firstChild
        while child >= 0 {
            children.append(Int(child))
            child = nodes[Int(child)].nextSibling
        }
        return children
    }
}
