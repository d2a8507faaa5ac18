extension URITemplate {
    /// The identifier that the template gives with these values; a variable that is missing is undefined.
    ///
    /// - Throws: ``URITemplateError/Code/prefixOfComposite`` where `:n` meets a list or associative value;
    ///   ``URITemplateError/Code/expansionTooLong`` when the identifier exceeds ``maximumLength``.
    ///
    /// RFC 6570, section 3.
    public func expand(_ values: [String: TemplateValue]) throws(URITemplateError) -> String {
        var output: [UInt8] = []
        for part in parts {
            switch part {
            case .literal(let bytes): output.append(contentsOf: bytes)
            case .expression(let expression): try expression.expand(values, into: &output)
            }
        }
        if output.count > URITemplate.maximumLength {
            throw .expansionTooLong(at: text.utf8.count)
        }
        return String(decoding: output, as: UTF8.self)
    }
}

extension TemplateExpression {
    fileprivate func expand(
        _ values: [String: TemplateValue], into output: inout [UInt8]
    ) throws(URITemplateError) {
        var isFirst = true
        for variable in variables {
            guard let value = values[variable.name], !value.isUndefined else { continue }
            if isFirst {
                output.append(contentsOf: `operator`.first)
                isFirst = false
            } else {
                output.append(`operator`.separator)
            }
            switch value {
            case .undefined: break
            case .string(let text): appendString(text, of: variable, to: &output)
            case .list(let members):
                if case .prefix = variable.modifier {
                    throw .prefixOfComposite(variable.name, at: variable.offset)
                }
                try appendList(members, of: variable, to: &output)
            case .associative(let members):
                if case .prefix = variable.modifier {
                    throw .prefixOfComposite(variable.name, at: variable.offset)
                }
                try appendMembers(members, of: variable, to: &output)
            }
            // Checked as it grows: values come from outside, and a template may repeat them thousands of times.
            if output.count > URITemplate.maximumLength { throw .expansionTooLong(at: variable.offset) }
        }
    }

    private func appendString(_ text: String, of variable: TemplateVariable, to output: inout [UInt8]) {
        if `operator`.isNamed {
            output.append(contentsOf: variable.name.utf8)
            if appendAssignment(isEmpty: text.isEmpty, to: &output) { return }
        }
        if case .prefix(let limit) = variable.modifier {
            append(text, limit: limit, to: &output)
        } else {
            append(text, to: &output)
        }
    }

    private func appendList(
        _ members: [String], of variable: TemplateVariable, to output: inout [UInt8]
    ) throws(URITemplateError) {
        let isExploded = variable.modifier == .explode
        if !isExploded, `operator`.isNamed {
            output.append(contentsOf: variable.name.utf8)
            let isEmpty = members.count == 1 && members[0].isEmpty
            if appendAssignment(isEmpty: isEmpty, to: &output) { return }
        }
        for (index, member) in members.enumerated() {
            if index > 0 { output.append(isExploded ? `operator`.separator : ASCII.comma) }
            if isExploded, `operator`.isNamed {
                output.append(contentsOf: variable.name.utf8)
                if appendAssignment(isEmpty: member.isEmpty, to: &output) { continue }
            }
            append(member, to: &output)
            if output.count > URITemplate.maximumLength { throw .expansionTooLong(at: variable.offset) }
        }
    }

    private func appendMembers(
        _ members: [TemplateValue.Member], of variable: TemplateVariable, to output: inout [UInt8]
    ) throws(URITemplateError) {
        let isExploded = variable.modifier == .explode
        if !isExploded, `operator`.isNamed {
            output.append(contentsOf: variable.name.utf8)
            output.append(ASCII.equals)
        }
        for (index, member) in members.enumerated() {
            if index > 0 { output.append(isExploded ? `operator`.separator : ASCII.comma) }
            if isExploded, `operator`.isNamed {
                // The key takes the variable name's place, and names are encoded as literals are.
                PercentEncoding.append(member.key, keepingReserved: true, to: &output)
                if appendAssignment(isEmpty: member.value.isEmpty, to: &output) { continue }
            } else {
                append(member.key, to: &output)
                output.append(isExploded ? ASCII.equals : ASCII.comma)
            }
            append(member.value, to: &output)
            if output.count > URITemplate.maximumLength { throw .expansionTooLong(at: variable.offset) }
        }
    }

    private func append(_ text: String, limit: Int = .max, to output: inout [UInt8]) {
        PercentEncoding.append(text, keepingReserved: `operator`.keepsReserved, limit: limit, to: &output)
    }

    /// Writes what comes between a name and its value; true when that completes them.
    private func appendAssignment(isEmpty: Bool, to output: inout [UInt8]) -> Bool {
        if !isEmpty || !`operator`.omitsEmptyAssignment { output.append(ASCII.equals) }
        return isEmpty
    }
}
