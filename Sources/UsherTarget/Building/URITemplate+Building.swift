internal import UsherText

extension URITemplate {
    /// The identifier of some content, without holes.
    ///
    /// A variable of `{x}`, `{+x}`, `{/x}` and `{.x}` must have a value that is not empty; one of `{?x}`, `{&x}`, `{;x}`
    /// and `{#x}` may be absent. These are the identifiers that ``match(_:)`` takes apart again.
    ///
    /// - Throws: ``TargetError``: a variable that the template does not have, or that is missing or empty; an identifier
    ///   that is empty or too long.
    public func build(_ values: [String: TemplateValue]) throws(TargetError) -> String {
        for name in values.keys.sorted() where !variableNames.contains(where: { $0.hasSameBytes(as: name) }) {
            throw .unknownVariable(name, among: variableNames)
        }
        for variable in requiredVariables {
            let value = values[variable] ?? .undefined
            if value.isUndefined { throw .missingVariable(variable) }
            if value.isEmptyText { throw .emptyVariable(variable) }
        }
        let identifier: String
        do throws(URITemplateError) {
            identifier = try expand(values)
        } catch {
            throw .expansion(error)
        }
        guard !identifier.isEmpty else { throw .empty }
        return identifier
    }

    /// The names of the variables without which an identifier has a hole, in the template's order.
    public var requiredVariables: [String] {
        var names: [String] = []
        for part in parts {
            guard case .expression(let expression) = part else { continue }
            switch expression.operator {
            case .query, .continuation, .parameter, .fragment: continue
            case .simple, .reserved, .path, .label: break
            }
            for variable in expression.variables where !names.contains(variable.name) { names.append(variable.name) }
        }
        return names
    }

    /// How many bytes of each identifier are the template's own.
    var literalLength: Int {
        parts.reduce(0) { count, part in
            if case .literal(let bytes) = part { count + bytes.count } else { count }
        }
    }
}

extension TemplateValue {
    /// Whether it is nothing but empty texts.
    var isEmptyText: Bool {
        switch self {
        case .string(let text): text.isEmpty
        case .list(let members): members.allSatisfy(\.isEmpty)
        case .associative, .undefined: false
        }
    }
}
