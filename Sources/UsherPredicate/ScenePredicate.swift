internal import UsherText

/// A validated scene condition on a target content identifier (SELF), evaluable without the app running.
///
/// The text is NSPredicate format, limited to what a scene's activation conditions may use: SELF, strings, `nil` and
/// arrays of these; `== != < <= > >= BEGINSWITH ENDSWITH CONTAINS IN LIKE BETWEEN` with options `c` and `d`; AND, OR,
/// NOT; ANY, ALL, SOME, NONE over literal arrays; TRUEPREDICATE and FALSEPREDICATE. At most 64 KiB, 256 levels and 4096
/// conditions and elements.
///
/// Evaluating takes at most |subject| × (|subject| + |predicate|) steps, and nothing is allocated for ASCII. Two
/// predicates are equal when their canonical texts are, code unit by code unit.
public struct ScenePredicate: Sendable, Hashable, CustomStringConvertible {
    /// Shared, so that a copied predicate costs one reference.
    private final class Storage: Sendable {
        let condition: SceneCondition
        /// The text of `SELF == "…"`, which nearly every condition is: compared without a walk over nodes.
        let equalText: String?

        init(_ condition: SceneCondition) {
            self.condition = condition
            equalText = condition.equalText
        }
    }

    private let storage: Storage

    private var condition: SceneCondition { storage.condition }

    /// TRUEPREDICATE.
    public static let always = ScenePredicate(SceneCondition(constant: true))

    /// FALSEPREDICATE.
    public static let never = ScenePredicate(SceneCondition(constant: false))

    init(_ condition: SceneCondition) { storage = Storage(condition) }

    /// Parses the whole predicate grammar, then checks the rules of scene conditions: a syntax error wins over an
    /// unsupported construct.
    public init(parsing text: String) throws(PredicateError) {
        if let plain = SceneCondition(plain: text) {
            self.init(plain)
        } else {
            try self.init(parsingWhole: text)
        }
    }

    /// Without the short way for what nearly every stored condition is.
    init(parsingWhole text: String) throws(PredicateError) {
        var builder = SceneConditionBuilder(try PredicateSyntax(parsing: text), source: text, variables: nil)
        storage = Storage(try builder.build())
    }

    /// The one spelling of this predicate, as `predicateFormat` would have it; it parses to an equal predicate.
    public var canonicalText: String { condition.canonicalText() }

    public var description: String { canonicalText }

    /// Truth for `subject`; nil is null, an empty string a value.
    public func evaluate(_ subject: String?) -> Bool {
        storage.condition.evaluate(subject.map { FoldableText($0) })
    }

    /// Truth for a subject that many predicates are tried on.
    public func evaluate(_ subject: PredicateSubject) -> Bool {
        if let equalText = storage.equalText { return subject.text?.hasSameBytes(as: equalText) ?? false }
        return storage.condition.evaluate(subject.value)
    }

    /// Every sub-predicate in pre-order with its truth, none skipped.
    public func terms(for subject: String?) -> [PredicateTerm] {
        condition.terms(subject.map { FoldableText($0) })
    }

    public static func == (left: ScenePredicate, right: ScenePredicate) -> Bool {
        left.storage === right.storage || left.condition == right.condition
    }

    public func hash(into hasher: inout Hasher) { condition.hash(into: &hasher) }
}
