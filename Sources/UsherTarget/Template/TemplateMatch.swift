/// The variables that a template was expanded with to give an identifier.
public struct TemplateMatch: Sendable, Hashable {
    /// The variables that are plain strings, percent-decoded, by name.
    public var variables: [String: String]
    /// Every defined variable, by name; a variable that is absent from the identifier is absent here.
    public var values: [String: TemplateValue]
    /// Names of variables for which other values give the same identifier, in the template's order.
    ///
    /// Not empty when there is any such variable; complete unless there are dozens of ways to read the identifier.
    public var ambiguousVariables: [String]

    /// Whether other values of the same kinds give the same identifier, so that the ones here are a choice.
    public var isAmbiguous: Bool { !ambiguousVariables.isEmpty }

    public init(values: [String: TemplateValue], ambiguousVariables: [String] = []) {
        self.values = values
        self.ambiguousVariables = ambiguousVariables
        variables = [:]
        for (name, value) in values {
            if case .string(let text) = value { variables[name] = text }
        }
    }
}
