/// Why a text is not a scene condition: what kind of fault, where, and what to write instead.
///
/// `offset` and `length` are UTF-8 bytes of the text that was parsed, and lie within it. `code` is stable and dotted;
/// `message` is one sentence for people without a full stop, `hint` the remedy where there is one.
public struct PredicateError: Error, Sendable, Hashable {
    public enum Kind: Sendable, Hashable {
        /// Not a predicate at all.
        case syntax
        /// A well-formed predicate, but outside what a scene condition may use.
        case unsupported
        /// Too long, too deep or too many nodes.
        case limit
    }

    public var kind: Kind
    public var offset: Int
    public var length: Int
    public var code: String
    public var message: String
    /// The source text at fault, shortened; nil at the end of the text.
    public var found: String?
    /// What could have stood there; empty where that is not the point.
    public var expected: [String]
    public var hint: String?

    public init(
        kind: Kind, offset: Int, length: Int, code: String, message: String, found: String? = nil,
        expected: [String] = [], hint: String? = nil
    ) {
        self.kind = kind
        self.offset = offset
        self.length = length
        self.code = code
        self.message = message
        self.found = found
        self.expected = expected
        self.hint = hint
    }
}

extension PredicateError: CustomStringConvertible {
    /// The message, and the hint behind it.
    public var description: String { hint.map { "\(message); \($0)" } ?? message }
}
