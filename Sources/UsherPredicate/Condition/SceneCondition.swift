/// A validated condition, ready to be evaluated: what a `ScenePredicate` and a template have in common.
///
/// Nodes lie in pre-order; each knows its parent and where its subtree ends, so that evaluation jumps instead of
/// recursing and allocates nothing.
struct SceneCondition: Sendable {
    enum Kind: Sendable, Hashable {
        case constant(Bool)
        case and
        case or
        case not
        case comparison
    }

    enum Operand: Sendable, Hashable {
        case subject
        case null
        /// Index into `texts`.
        case text(Int32)
        /// Index into `variables`.
        case variable(Int32)
        /// A range of `elements`, none of which is an array.
        case array(start: Int32, end: Int32)
    }

    struct Node: Sendable, Hashable {
        var kind: Kind
        var comparison: PredicateOperator = .equal
        var options: FoldingOptions = []
        /// `any` or `all`; NONE is a NOT above an ANY.
        var quantifier: PredicateQuantifier?
        var left: Operand = .null
        var right: Operand = .null
        /// UTF-8 offset in the source.
        var offset: Int32
        /// Index of the parent, or -1.
        var parent: Int32
        /// Index behind the last node of the subtree.
        var end: Int32 = 0
    }

    var nodes: [Node] = []
    var elements: [Operand] = []
    var texts: [FoldableText] = []
    /// Names without "$".
    var variables: [String] = []

    init() {}

    init(constant: Bool) {
        nodes = [Node(kind: .constant(constant), offset: 0, parent: -1, end: 1)]
    }

    /// Where the whole of it is `SELF == "…"`: the text.
    var equalText: String? {
        guard nodes.count == 1, nodes[0].kind == .comparison, nodes[0].comparison == .equal, nodes[0].options.isEmpty,
            nodes[0].quantifier == nil, nodes[0].left == .subject, case .text(let index) = nodes[0].right
        else { return nil }
        return texts[Int(index)].text
    }

    /// Sets each node's `end` from the parents, which precede their children.
    mutating func closeSubtrees() {
        for index in nodes.indices.reversed() {
            nodes[index].end = max(nodes[index].end, Int32(index + 1))
            let parent = Int(nodes[index].parent)
            if parent >= 0 { nodes[parent].end = max(nodes[parent].end, nodes[index].end) }
        }
    }
}

/// Equality is that of the canonical text: source offsets don't count, and texts compare by code units.
extension SceneCondition: Hashable {
    static func == (left: SceneCondition, right: SceneCondition) -> Bool {
        left.nodes.count == right.nodes.count && left.elements.count == right.elements.count
            && left.texts.count == right.texts.count && left.variables == right.variables
            && left.elements == right.elements
            && zip(left.nodes, right.nodes).allSatisfy { $0.withoutOffset == $1.withoutOffset }
            && zip(left.texts, right.texts).allSatisfy { $0.isIdentical(to: $1) }
    }

    func hash(into hasher: inout Hasher) {
        for node in nodes { hasher.combine(node.withoutOffset) }
        hasher.combine(elements)
        for text in texts {
            hasher.combine(text.text)
        }
        hasher.combine(variables)
    }
}

extension SceneCondition.Node {
    fileprivate var withoutOffset: SceneCondition.Node {
        var copy = self
        copy.offset = 0
        return copy
    }
}
