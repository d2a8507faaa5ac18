/// What conditions are evaluated against: a target content identifier, or nothing.
///
/// Folded forms of a text beyond ASCII are computed when a condition first needs them and kept, so one subject serves
/// any number of predicates, from any thread. An empty string is a value, not nothing.
public struct PredicateSubject: Sendable {
    let value: FoldableText?

    public init(_ text: String?) {
        value = text.map { FoldableText($0) }
    }

    public var text: String? { value?.text }
}
