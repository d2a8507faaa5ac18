/// One reason why an identifier will not lead back to its content, and a better idea.
public struct LintFinding: Sendable, Hashable {
    public let code: LintCode
    /// The words of the identifier that give rise to it, shortened; empty where it is about the whole.
    public let found: String
    /// What is wrong, as one sentence without a full stop. For people; may change between releases.
    public let message: String
    /// What to do instead. For people; may change between releases.
    public let suggestion: String

    init(_ code: LintCode, found: String, _ message: String, suggestion: String) {
        self.code = code
        self.found = found
        self.message = message
        self.suggestion = suggestion
    }
}

extension LintFinding: CustomStringConvertible {
    public var description: String { "\(code.number) \(code.rawValue): \(message) (\(suggestion))" }
}

// The texts, in one place.
extension LintFinding {
    static func make(_ code: LintCode, _ words: [String]) -> LintFinding {
        var unique: [String] = []
        for word in words where !unique.contains(word) { unique.append(word) }
        let found = shortened(unique.prefix(5).joined(separator: ", "))
        let (message, suggestion) = texts(code, found)
        return LintFinding(code, found: found, message, suggestion: suggestion)
    }

    private static func shortened(_ text: String) -> String {
        text.unicodeScalars.count <= 80 ? text : String(text.unicodeScalars.prefix(77)) + "..."
    }

    private static func texts(_ code: LintCode, _ found: String) -> (message: String, suggestion: String) {
        switch code {
        case .notGlobal:
            (
                "'\(found)' is a number; another app may give it to other content",
                "write it with a scheme, as in 'myapp:\(found)', or use a UUID; it is compared together with its app"
            )
        case .empty: ("the identifier is empty", "leave it out, or name the content")
        case .placeholder:
            (
                "'\(found)' was never filled in",
                "look for the missing value where the identifier is built; usher target build refuses it"
            )
        case .credentials:
            (
                "the address holds a user name or password",
                "drop what stands before the '@'; change the password where it was sent already"
            )
        case .spelling:
            (
                "\(found): others will spell the same content differently, and identifiers are compared byte by byte",
                "write it in one normal form (RFC 3986, section 6) wherever it is made"
            )
        case .tooLong:
            (
                "an identifier has at most \(URITemplate.maximumLength) bytes, and this one has \(found)",
                "name the content; do not put it into its identifier"
            )
        }
    }
}

/// What can be wrong with an identifier, under names and numbers that never change meaning.
///
/// The raw value is the dotted name; ``number`` is what logs and answers call `code`. Numbers are grouped by the quality
/// that is missing: U71xx global, U73xx unique, U74xx safe to compare and to show.
public enum LintCode: String, Sendable, Hashable, CaseIterable {
    /// A number that other apps give to other content.
    /// Remedy: write it with a scheme, or use a UUID.
    case notGlobal = "lint.not-global"
    /// No identifier at all.
    /// Remedy: leave it out, or name the content.
    case empty = "lint.empty"
    /// A name that was never filled in.
    /// Remedy: look where the identifier is built.
    case placeholder = "lint.placeholder"
    /// A user name or password.
    /// Remedy: drop it, and change the password.
    case credentials = "lint.credentials"
    /// White space, an invisible character, or percent-encoding that other programs spell differently.
    /// Remedy: one normal form (RFC 3986, section 6).
    case spelling = "lint.spelling"
    /// More than 16384 bytes.
    /// Remedy: name the content; do not put it into its identifier.
    case tooLong = "lint.too-long"

    /// `U` and four digits, one to one with the name.
    public var number: String {
        switch self {
        case .notGlobal: "U7107"
        case .empty: "U7301"
        case .placeholder: "U7302"
        case .credentials: "U7401"
        case .spelling: "U7402"
        case .tooLong: "U7403"
        }
    }
}
