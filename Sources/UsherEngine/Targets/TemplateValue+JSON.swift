internal import UsherJSON
internal import UsherScene
internal import UsherTarget

extension TemplateValue {
    /// The value of a variable as JSON says it.
    ///
    /// Numbers stand for their digits as written, true and false for these words, null for nothing; a list or an object
    /// has such values in it, those that are null left out. Deeper values have no meaning in a template.
    ///
    /// - Parameter pointer: where the value stands, for the message.
    init(_ value: JSONValue, at pointer: String) throws(TargetProblem) {
        if let text = Self.text(value) {
            self = .string(text)
            return
        }
        switch value {
        case .array(let elements):
            var members: [String] = []
            for (index, element) in elements.enumerated() where element.kind != .null {
                members.append(try Self.member(element, at: "\(pointer)/\(index)"))
            }
            self = .list(members)
        case .object(let elements):
            var members: [Member] = []
            for element in elements where element.value.kind != .null {
                let place = JSONPointer.child(element.name, of: pointer)
                members.append(Member(key: element.name, value: try Self.member(element.value, at: place)))
            }
            self = .associative(members)
        default: self = .undefined
        }
    }

    private static func text(_ value: JSONValue) -> String? {
        switch value {
        case .string(let text), .number(let text): text
        case .boolean(let flag): flag ? "true" : "false"
        default: nil
        }
    }

    private static func member(_ value: JSONValue, at pointer: String) throws(TargetProblem) -> String {
        guard let text = text(value) else {
            throw TargetProblem(
                Diagnostic(
                    .buildVariableType, "a list of a variable holds strings, not \(value.kind.phrase)", at: pointer,
                    help: "templates take strings, lists of strings and objects of strings"))
        }
        return text
    }
}

extension JSONWriter {
    /// The value of a variable, as ``TemplateValue/init(_:at:)`` reads it.
    mutating func value(_ value: TemplateValue) {
        switch value {
        case .undefined: null()
        case .string(let text): self.value(text)
        case .list(let members):
            beginArray()
            for member in members { self.value(member) }
            endArray()
        case .associative(let members) where Set(members.map(\.key)).count == members.count:
            beginObject()
            for member in members { self.member(member.key, member.value) }
            endObject()
        // An object cannot have a name twice.
        case .associative(let members):
            beginArray()
            for member in members {
                beginArray()
                self.value(member.key)
                self.value(member.value)
                endArray()
            }
            endArray()
        }
    }
}
