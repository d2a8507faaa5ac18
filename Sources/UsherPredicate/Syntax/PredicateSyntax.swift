/// A whole predicate text as a tree, before any rule of scene conditions is applied.
///
/// Nodes lie in one array and refer to each other by index, children in a linked list: nothing that walks, copies or
/// destroys the tree recurses.
package struct PredicateSyntax: Sendable {
    package static let maximumLength = 65536
    static let maximumNesting = 256
    static let maximumNodes = 4096

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
        var firstChild: Int32 = -1
        var lastChild: Int32 = -1
        var nextSibling: Int32 = -1
        /// Index into `names`, or -1.
        package var name: Int32 = -1
        var isParenthesized = false
        /// Levels of AND, OR and NOT in it, itself included.
        package var height: Int16 = 0
        /// Where its operator stands, for a comparison or arithmetic.
        var operatorOffset: Int32 = 0
        var operatorEnd: Int32 = 0

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

/// Byte classes of predicate text.
enum PredicateByte {
    static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte >= 0x09 && byte <= 0x0D }

    static func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }

    static func isWordStart(_ byte: UInt8) -> Bool {
        byte >= 0x61 && byte <= 0x7A || byte >= 0x41 && byte <= 0x5A || byte == 0x5F
    }

    static func isWord(_ byte: UInt8) -> Bool { isWordStart(byte) || isDigit(byte) }
}

/// The reserved words of predicate text, matched whole and in any letter case.
package enum PredicateKeyword: String, CaseIterable, Sendable {
    case and = "AND"
    case or = "OR"
    case `in` = "IN"
    case not = "NOT"
    case all = "ALL"
    case any = "ANY"
    case some = "SOME"
    case none = "NONE"
    case like = "LIKE"
    case caseInsensitive = "CASEINSENSITIVE"
    case ci = "CI"
    case matches = "MATCHES"
    case contains = "CONTAINS"
    case beginsWith = "BEGINSWITH"
    case endsWith = "ENDSWITH"
    case between = "BETWEEN"
    case null = "NULL"
    case `nil` = "NIL"
    case `self` = "SELF"
    case `true` = "TRUE"
    case yes = "YES"
    case `false` = "FALSE"
    case no = "NO"
    case first = "FIRST"
    case last = "LAST"
    case size = "SIZE"
    case anyKey = "ANYKEY"
    case subquery = "SUBQUERY"
    case fetch = "FETCH"
    case cast = "CAST"
    case truePredicate = "TRUEPREDICATE"
    case falsePredicate = "FALSEPREDICATE"
    case conformsToType = "UTI-CONFORMS-TO"
    case equalsType = "UTI-EQUALS"

    /// The length of the longest keyword, in bytes: a longer word is not made upper case.
    private static let longest = allCases.reduce(0) { max($0, $1.rawValue.utf8.count) }

    /// The operator this word stands for behind a value.
    var comparison: PredicateOperator? {
        switch self {
        case .in: .in
        case .like: .like
        case .matches: .matches
        case .contains: .contains
        case .beginsWith: .beginsWith
        case .endsWith: .endsWith
        case .between: .between
        case .conformsToType: .conformsToType
        case .equalsType: .equalsType
        default: nil
        }
    }

    /// The keyword spelt by `word`, ASCII in any case.
    init?(_ word: ArraySlice<UInt8>) {
        guard word.count >= 2, word.count <= Self.longest else { return nil }
        self.init(rawValue: String(decoding: word, as: UTF8.self).uppercased())
    }
}

/// A comparison operator; the raw value is its canonical spelling.
package enum PredicateOperator: String, Sendable, Hashable {
    case equal = "=="
    case notEqual = "!="
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="
    case `in` = "IN"
    case contains = "CONTAINS"
    case beginsWith = "BEGINSWITH"
    case endsWith = "ENDSWITH"
    case like = "LIKE"
    case between = "BETWEEN"
    case matches = "MATCHES"
    case conformsToType = "UTI-CONFORMS-TO"
    case equalsType = "UTI-EQUALS"
    /// `name:`, a method of the left operand.
    case selector = "selector"

    var takesOptions: Bool { self != .between && self != .selector }
}

/// Option letters behind an operator.
package struct PredicateOptions: OptionSet, Sendable, Hashable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let caseInsensitive = PredicateOptions(rawValue: 1)
    package static let diacriticInsensitive = PredicateOptions(rawValue: 2)
    static let localeSensitive = PredicateOptions(rawValue: 4)
    package static let normalized = PredicateOptions(rawValue: 8)

    init?(letter: UInt8) {
        switch letter | 0x20 {
        case UInt8(ascii: "c"): self = .caseInsensitive
        case UInt8(ascii: "d"): self = .diacriticInsensitive
        case UInt8(ascii: "l"): self = .localeSensitive
        case UInt8(ascii: "n"): self = .normalized
        default: return nil
        }
    }
}

package enum PredicateQuantifier: Sendable, Hashable {
    /// ANY and SOME.
    case any
    case all
    /// NOT ANY.
    case none
}
