/// One sub-predicate and its truth for one subject, as `explain` shows it.
public struct PredicateTerm: Sendable, Hashable {
    public enum Kind: Sendable, Hashable {
        /// AND, OR or NOT.
        case compound
        case comparison
        /// TRUEPREDICATE or FALSEPREDICATE.
        case constant
    }

    /// 0 for the whole predicate, one more for each level below.
    public var depth: Int
    /// Canonical text of this sub-predicate.
    public var text: String
    /// Where it begins in the text that was parsed, in UTF-8 bytes.
    public var offset: Int
    public var result: Bool
    public var kind: Kind

    public init(depth: Int, text: String, offset: Int, result: Bool, kind: Kind) {
        self.depth = depth
        self.text = text
        self.offset = offset
        self.result = result
        self.kind = kind
    }
}
