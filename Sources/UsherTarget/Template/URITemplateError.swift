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
        /// Something that RFC 6570 does not have: an expression without end, no name, a literal that is not encoded.
        /// Remedy: write what the message names.
        case syntax = "template.syntax"
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
            case .syntax: "U5613"
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
