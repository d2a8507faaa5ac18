package import UsherJSON

/// Writes TOML: values as a manifest has them.
package enum TOMLText {
    /// A basic string (TOML 1.0), fit for a terminal: JSON's escapes are TOML's, too.
    package static func quoted(_ text: String) -> String {
        var json = JSONWriter()
        json.value(text)
        return json.text
    }

    /// A JSON value in one line: objects become inline tables, members that are null are left out.
    ///
    /// Iterative: nesting takes no stack.
    package static func inline(_ value: JSONValue) -> String {
        enum Piece {
            case text(String)
            case value(JSONValue)
        }
        var text = ""
        var pending: [Piece] = [.value(value)]
        while let piece = pending.popLast() {
            switch piece {
            case .text(let piece): text += piece
            case .value(.null): text += "\"\""
            case .value(.boolean(let flag)): text += flag ? "true" : "false"
            case .value(.number(let digits)): text += digits
            case .value(.string(let content)): text += quoted(content)
            case .value(.array(let elements)):
                text += "["
                pending.append(.text("]"))
                let kept = elements.filter { $0.kind != .null }
                for (index, element) in kept.enumerated().reversed() {
                    pending.append(.value(element))
                    if index > 0 { pending.append(.text(", ")) }
                }
            case .value(.object(let members)):
                let kept = members.filter { $0.value.kind != .null }
                text += kept.isEmpty ? "{" : "{ "
                pending.append(.text(kept.isEmpty ? "}" : " }"))
                for (index, member) in kept.enumerated().reversed() {
                    pending.append(.value(member.value))
                    pending.append(.text((index > 0 ? ", " : "") + quoted(member.name) + " = "))
                }
            }
        }
        return text
    }
}
