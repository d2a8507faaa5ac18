internal import UsherPredicate
public import UsherTarget

extension SceneConfiguration {
    /// Whether its conditions use the target that a session is made for.
    public var needsTarget: Bool {
        !(canActivate?.value.usedVariables.isEmpty ?? true) || !(prefersToActivate?.value.usedVariables.isEmpty ?? true)
    }

    /// The conditions of a new session for `target`: the configuration's, with `$TARGET` and the parameters of its
    /// template filled in as values.
    ///
    /// - Returns: the conditions, and the names of those (`can`, `prefers`) that use a variable without a value and
    ///   became FALSEPREDICATE.
    public func conditions(
        for target: TargetContentIdentifier?, template: URITemplate?
    ) -> (conditions: ActivationConditions, unfilled: [String]) {
        var values: [String: String] = [:]
        let used = (canActivate?.value.usedVariables ?? []).union(prefersToActivate?.value.usedVariables ?? [])
        if let target, !used.isEmpty {
            // Nearly all conditions use the target alone: then the template has nothing to say.
            if let template, used != ["TARGET"] {
                for (name, value) in template.match(target.text)?.variables ?? [:] {
                    values[URITemplate.variableKey(name)] = value
                }
            }
            values["TARGET"] = target.text
        }
        var unfilled: [String] = []
        func fill(_ condition: Located<ScenePredicateTemplate>?, _ name: String, _ other: ScenePredicate)
            -> ActivationConditions.Condition
        {
            guard let condition else { return .init(other, origin: .default) }
            guard let predicate = condition.value.substituting(values) else {
                unfilled.append(name)
                return .init(.never, origin: .configuration)
            }
            return .init(predicate, origin: .configuration)
        }
        let conditions = ActivationConditions(
            canActivate: fill(canActivate, "can", .always),
            prefersToActivate: fill(prefersToActivate, "prefers", .never))
        return (conditions, unfilled)
    }
}
