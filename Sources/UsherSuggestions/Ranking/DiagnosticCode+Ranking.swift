public import UsherScene

// U86xx: suggestions.
extension DiagnosticCode {
    /// Neither a content type nor a context says what the text field is for, or the content type is not known.
    /// Remedy: give `--content-type`, or the text before the cursor with `--context`.
    public static let suggestContentType = DiagnosticCode("U8601", "suggest.content-type")
    /// The app that suggestions are for does not declare their kind, or there is no such app.
    /// Remedy: add the kind to `suggestions` in the app's manifest.
    public static let suggestUndeclared = DiagnosticCode("U8602", "suggest.undeclared")
    /// There is no such kind of suggestion.
    /// Remedy: ask for `place`, `text`, `contact`, `media` or `app`.
    public static let suggestKind = DiagnosticCode("U8603", "suggest.kind")
    /// `usher perform` has no such verb.
    /// Remedy: ask for `place`, `directions`, `ride`, `call`, `message`, `email` or `play`.
    public static let suggestPerform = DiagnosticCode("U8604", "suggest.perform")
    /// A line of `usher suggest --cases` lacks a member, or a member has the wrong type.
    /// Remedy: see the message on standard error.
    public static let suggestCase = DiagnosticCode("U8605", "suggest.case")
    /// The name of a signal has other characters than a-z, 0-9 and `-`.
    /// Remedy: write it such as `headphones`, `bluetooth`, `car`, `home` or `work`.
    public static let signalName = DiagnosticCode("U8510", "signal.name")
}

extension SuggestionRefusal {
    public var code: DiagnosticCode {
        switch self {
        case .contentType: .suggestContentType
        case .undeclared: .suggestUndeclared
        }
    }

    /// One sentence without a full stop.
    public var message: String {
        switch self {
        case .contentType: "what is the text field for? there is no content type and no context"
        case .undeclared(let app, let kind): "\(app) does not declare suggestions of the kind \(kind.rawValue)"
        }
    }

    public var help: String {
        switch self {
        case .contentType: "give --content-type fullStreetAddress, or the text before the cursor with --context"
        case .undeclared(let app, let kind): "add suggestions = [\"\(kind.rawValue)\"] to the manifest of \(app)"
        }
    }
}
