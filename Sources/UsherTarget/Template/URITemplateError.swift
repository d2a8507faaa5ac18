/// Why a URI template could not be read, or could not be expanded.
///
/// `offset` counts UTF-8 bytes from the start of the template's text, so that a caret can be placed under the mistake.
/// `code` is stable; the other texts are for people and may change.
public struct URITemplateError: Error, Sendable, Hashable {
    /// What went wrong, under a name that does not change between releases.
    public enum Code: RawRepresentable, Sendable, Hashable, CaseIterable {
        /// More than 16384 bytes.
        /// Remedy: shorten it.
        case templateTooLong
        /// A character that URIs do not have.
        /// Remedy: percent-encode it.
        case invalidLiteral
        /// A `%` without two hexadecimal digits.
        /// Remedy: write `%25`.
        case invalidPercent
        /// A `}` without `{`.
        /// Remedy: percent-encode it, or open it.
        case unopenedExpression
        /// A `{` without `}`.
        /// Remedy: close it.
        case unclosedExpression
        /// `{}`.
        /// Remedy: name a variable.
        case emptyExpression
        /// An operator that RFC 6570 reserves.
        /// Remedy: use another one.
        case reservedOperator
        /// What is no variable name.
        /// Remedy: letters, digits, `_` and `.`.
        case invalidName
        /// A prefix that is not 1 to 9999.
        /// Remedy: `{name:3}`.
        case invalidPrefix
        /// Something between a variable and the end.
        /// Remedy: `*`, `:n` or `,`.
        case invalidModifier
        /// A prefix of a list.
        /// Remedy: drop the prefix.
        case prefixOfComposite
        /// An identifier of more than 16384 bytes.
        /// Remedy: shorten the values.
        case expansionTooLong

        private var code: (number: String, name: String) {
            switch self {
            case .templateTooLong: ("U5601", "template.too-long")
            case .invalidLiteral: ("U5602", "template.literal")
            case .invalidPercent: ("U5603", "template.percent")
            case .unopenedExpression: ("U5604", "template.unopened")
            case .unclosedExpression: ("U5605", "template.unclosed")
            case .emptyExpression: ("U5606", "template.empty-expression")
            case .reservedOperator: ("U5607", "template.reserved-operator")
            case .invalidName: ("U5608", "template.name")
            case .invalidPrefix: ("U5609", "template.prefix")
            case .invalidModifier: ("U5610", "template.modifier")
            case .prefixOfComposite: ("U5611", "template.prefix-of-composite")
            case .expansionTooLong: ("U5612", "template.expansion-too-long")
            }
        }

        /// The dotted name.
        public var rawValue: String { code.name }

        /// `U` and four digits, one to one with the name.
        package var number: String { code.number }

        public init?(rawValue: String) {
            guard let code = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
            self = code
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
