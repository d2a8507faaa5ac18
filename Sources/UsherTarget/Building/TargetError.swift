internal import UsherText

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
        if let close = Spelling.closest(to: name, among: known) { return "did you mean '\(close)'?" }
        return known.isEmpty || known.count > 12 ? nil : "the \(what) are \(known.joined(separator: ", "))"
    }
}
