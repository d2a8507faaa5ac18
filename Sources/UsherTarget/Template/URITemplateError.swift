/// Why a URI template could not be read, or could not be expanded.
///
/// `offset` counts UTF-8 bytes from the start of the template's text, so that a caret can be placed under the mistake.
/// `code` is stable; the other texts are for people and may change.
public struct URITemplateError: Error, Sendable, Hashable {
    /// What went wrong, under a name that does not change between releases.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// More than 16384 bytes.
        /// Remedy: shorten it.
        case templateTooLong = "template.too-long"
        /// A character that URIs do not have.
        /// Remedy: percent-encode it.
        case invalidLiteral = "template.literal"
        /// A `%` without two hexadecimal digits.
        /// Remedy: write `%25`.
        case invalidPercent = "template.percent"
        /// A `}` without `{`.
        /// Remedy: percent-encode it, or open it.
        case unopenedExpression = "template.unopened"
        /// A `{` without `}`.
        /// Remedy: close it.
        case unclosedExpression = "template.unclosed"
        /// `{}`.
        /// Remedy: name a variable.
        case emptyExpression = "template.empty-expression"
        /// An operator that RFC 6570 reserves.
        /// Remedy: use another one.
        case reservedOperator = "template.reserved-operator"
        /// What is no variable name.
        /// Remedy: letters, digits, `_` and `.`.
        case invalidName = "template.name"
        /// A prefix that is not 1 to 9999.
        /// Remedy: `{name:3}`.
        case invalidPrefix = "template.prefix"
        /// Something between a variable and the end.
        /// Remedy: `*`, `:n` or `,`.
        case invalidModifier = "template.modifier"
        /// A prefix of a list.
        /// Remedy: drop the prefix.
        case prefixOfComposite = "template.prefix-of-composite"
        /// An identifier of more than 16384 bytes.
        /// Remedy: shorten the values.
        case expansionTooLong = "template.expansion-too-long"

        /// `U` and four digits, one to one with the name.
        package var number: String {
            switch self {
            case .templateTooLong: "U5601"
            case .invalidLiteral: "U5602"
            case .invalidPercent: "U5603"
            case .unopenedExpression: "U5604"
            case .unclosedExpression: "U5605"
            case .emptyExpression: "U5606"
            case .reservedOperator: "U5607"
            case .invalidName: "U5608"
            case .invalidPrefix: "U5609"
            case .invalidModifier: "U5610"
            case .prefixOfComposite: "U5611"
            case .expansionTooLong: "U5612"
            }
        }
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
