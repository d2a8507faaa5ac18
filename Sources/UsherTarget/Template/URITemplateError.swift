/// Why a URI template could not be read, or could not be expanded.
///
/// `offset` counts UTF-8 bytes from the start of the template's text, so that a caret can be placed under the mistake.
/// `code` is stable; the other texts are for people and may change.
public struct URITemplateError: Error, Sendable, Hashable {
    /// What went wrong, under a name that does not change between releases.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        case templateTooLong = "template.too-long"
        case invalidLiteral = "template.literal"
        case invalidPercent = "template.percent"
        case unopenedExpression = "template.unopened"
        case unclosedExpression = "template.unclosed"
        case emptyExpression = "template.empty-expression"
        case reservedOperator = "template.reserved-operator"
        case invalidName = "template.name"
        case invalidPrefix = "template.prefix"
        case invalidModifier = "template.modifier"
        case prefixOfComposite = "template.prefix-of-composite"
        case expansionTooLong = "template.expansion-too-long"
    }

    public let code: Code
    /// UTF-8 bytes from the start of the template.
    public let offset: Int
    /// What stood there.
    public let found: String
    /// What would have been right there.
    public let expected: String
    /// What to change, where there is one likely remedy.
    public let hint: String?

    /// One line without the offset: what was found and what was expected.
    public var message: String { "found \(found), expected \(expected)" }

    init(_ code: Code, at offset: Int, found: String, expected: String, hint: String? = nil) {
        self.code = code
        self.offset = offset
        self.found = found
        self.expected = expected
        self.hint = hint
    }
}

extension URITemplateError: CustomStringConvertible {
    public var description: String {
        let place = "\(code.rawValue): at byte \(offset): \(message)"
        return hint.map { place + " (\($0))" } ?? place
    }
}

extension URITemplateError {
    static func templateTooLong(_ count: Int) -> Self {
        Self(
            .templateTooLong, at: URITemplate.maximumLength, found: "\(count) bytes",
            expected: "at most \(URITemplate.maximumLength)")
    }

    static func expansionTooLong(at offset: Int) -> Self {
        Self(
            .expansionTooLong, at: offset, found: "a longer expansion",
            expected: "an identifier of at most \(URITemplate.maximumLength) bytes")
    }

    static func prefixOfComposite(_ name: String, at offset: Int) -> Self {
        Self(
            .prefixOfComposite, at: offset, found: "a list or associative value for '\(name)'",
            expected: "a string where a prefix length is given", hint: "drop the ':' and the length")
    }
}
