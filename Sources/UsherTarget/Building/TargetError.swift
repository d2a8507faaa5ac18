/// Why an identifier cannot be built.
///
/// `code` is stable; the texts are for people and may change.
public struct TargetError: Error, Sendable, Hashable {
    /// What went wrong, under a name that does not change between releases.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        case unknownTemplate = "build.unknown-template"
        case unknownVariable = "build.unknown-variable"
        case missingVariable = "build.missing-variable"
        case emptyVariable = "build.empty-variable"
        case empty = "build.empty"
        /// The template itself, or its expansion, is at fault: see ``TargetError/templateError``.
        case template = "build.template"
    }

    public let code: Code
    /// The name that it is about; empty for the whole identifier.
    public let name: String
    /// One sentence without a full stop.
    public let message: String
    /// What to do, where there is one likely remedy.
    public let hint: String?
    /// What is wrong with the template, where it is.
    public let templateError: URITemplateError?

    init(_ code: Code, _ name: String, _ message: String, hint: String? = nil, templateError: URITemplateError? = nil) {
        self.code = code
        self.name = name
        self.message = message
        self.hint = hint
        self.templateError = templateError
    }
}

extension TargetError: CustomStringConvertible {
    public var description: String { "\(code.rawValue): \(message)" + (hint.map { " (\($0))" } ?? "") }
}

extension TargetError {
    static func unknownTemplate(_ name: String, among known: [String]) -> Self {
        Self(.unknownTemplate, name, "there is no template '\(name)'", hint: hint(name, known, "templates"))
    }

    static func unknownVariable(_ name: String, among known: [String]) -> Self {
        Self(.unknownVariable, name, "the template has no variable '\(name)'", hint: hint(name, known, "variables"))
    }

    static func missingVariable(_ name: String) -> Self {
        Self(.missingVariable, name, "the variable '\(name)' has no value", hint: "give it one: \(name)=…")
    }

    static func emptyVariable(_ name: String) -> Self {
        Self(.emptyVariable, name, "the variable '\(name)' is empty, and the identifier would name nothing")
    }

    static var empty: Self { Self(.empty, "", "the identifier is empty") }

    static func expansion(_ error: URITemplateError) -> Self {
        Self(.template, "", error.message, hint: error.hint, templateError: error)
    }

    static func template(_ error: URITemplateError, of name: String) -> Self {
        Self(.template, name, "template '\(name)': \(error.message)", hint: error.hint, templateError: error)
    }

    private static func hint(_ name: String, _ known: [String], _ what: String) -> String? {
        if let close = NameDistance.closest(to: name, among: known) { return "did you mean '\(close)'?" }
        return known.isEmpty || known.count > 12 ? nil : "the \(what) are \(known.joined(separator: ", "))"
    }
}

/// How far two names are apart, for suggestions.
private enum NameDistance {
    /// The closest of the known names, where it is within a third of the letters.
    static func closest(to name: String, among known: [String]) -> String? {
        let letters = Array(name.lowercased().unicodeScalars.prefix(64))
        let limit = max(letters.count < 4 ? 1 : 2, letters.count / 3)
        var best: (name: String, distance: Int)?
        for candidate in known {
            let distance = edits(letters, Array(candidate.lowercased().unicodeScalars.prefix(64)))
            if distance <= limit, distance < (best?.distance ?? .max) { best = (candidate, distance) }
        }
        return best?.name
    }

    /// Insertions, deletions and replacements.
    private static func edits(_ one: [Unicode.Scalar], _ other: [Unicode.Scalar]) -> Int {
        var row = Array(0...other.count)
        for (index, letter) in one.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for (place, otherLetter) in other.enumerated() {
                let above = row[place + 1]
                row[place + 1] = min(above + 1, row[place] + 1, diagonal + (letter == otherLetter ? 0 : 1))
                diagonal = above
            }
        }
        return row[other.count]
    }
}
