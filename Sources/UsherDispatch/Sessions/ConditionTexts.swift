internal import UsherOperation
internal import UsherPredicate
internal import UsherScene
internal import UsherTarget

/// Reads conditions that were given as text, each text once.
struct ConditionTexts: Sendable {
    private struct Key: Hashable {
        var text: [UInt8]
        var variables: Set<String>
    }

    private var templates: [Key: ScenePredicateTemplate] = [:]

    /// The condition, with `$TARGET` and the parameters of the scene's template filled in as values.
    ///
    /// - Parameter name: `can` or `prefers`, for messages.
    /// - Returns: nil where it uses a variable that has no value.
    mutating func condition(
        _ text: String, name: String, _ values: [String: String], _ template: URITemplate?
    ) throws(ControlError) -> ScenePredicate? {
        let variables = Set((template?.variableNames ?? []).map(URITemplate.variableKey) + ["TARGET"])
        let key = Key(text: Array(text.utf8), variables: variables)
        if let known = templates[key] { return known.substituting(values) }
        do throws(PredicateError) {
            let parsed = try ScenePredicateTemplate(parsing: text, variables: variables)
            if templates.count < 10_000 { templates[key] = parsed }
            return parsed.substituting(values)
        } catch {
            throw .condition(error, in: text, name: name)
        }
    }

    /// What the variables of a condition stand for.
    static func values(target: TargetContentIdentifier?, template: URITemplate?) -> [String: String] {
        guard let target else { return [:] }
        var values: [String: String] = [:]
        for (name, value) in template?.match(target.text)?.variables ?? [:] {
            values[URITemplate.variableKey(name)] = value
        }
        values["TARGET"] = target.text
        return values
    }

    static func warning(unfilled name: String, scene: String, target: TargetContentIdentifier?) -> String {
        target == nil
            ? "\(name) of scene \(scene) uses the target, and none is given: it is FALSEPREDICATE now"
            : "\(name) of scene \(scene) uses a parameter that the target does not give: it is FALSEPREDICATE now"
    }
}
