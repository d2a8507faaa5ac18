/// A scene condition that may use `$VARIABLES`, filled in later for each scene.
///
/// Values are put into the parsed tree, never into text: a quote in a value is a quote. Source offsets stay those of
/// the template's text. A value to the right of LIKE is a pattern.
public struct ScenePredicateTemplate: Sendable, Hashable {
    private let condition: SceneCondition

    /// Parses as `ScenePredicate` does. `variables` are the names that may be used, without "$"; another one is
    /// unsupported.
    public init(parsing text: String, variables: Set<String>) throws(PredicateError) {
        var builder = SceneConditionBuilder(try PredicateSyntax(parsing: text), source: text, variables: variables)
        condition = try builder.build()
    }

    /// Whatever looks like a variable in a text, without "$": for where it is not known which there are.
    public static func variableNames(in text: String) -> Set<String> {
        var names: Set<String> = []
        for rest in text.utf8.split(separator: UInt8(ascii: "$"), omittingEmptySubsequences: false).dropFirst() {
            let name = rest.prefix { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "_"): true
                default: false
                }
            }
            if !name.isEmpty { names.insert(String(decoding: name, as: UTF8.self)) }
        }
        return names
    }

    /// Names without "$".
    public var usedVariables: Set<String> { Set(condition.variables) }

    public var canonicalText: String { condition.canonicalText() }

    /// The predicate with `values` in place of the variables; nil when a used variable has none.
    public func substituting(_ values: [String: String]) -> ScenePredicate? {
        condition.substituting(values).map { ScenePredicate($0) }
    }
}
