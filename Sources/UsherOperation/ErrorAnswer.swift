internal import UsherJSON
public import UsherScene
internal import UsherText

/// An error in an answer, as records, logs and HTTP have it.
public struct ErrorAnswer: AnswerRecord {
    public var code = ""
    public var name = ""
    public var message = ""
    public var at: String?
    public var offset: Int?
    public var line: Int?
    public var column: Int?
    public var excerpt: [String] = []
    public var help: String?
    public var movedTo: [String] = []

    public init() {}

    /// - Parameter movedTo: of the error of a file that was moved: where it may be now.
    public init(_ error: Diagnostic, movedTo: [String] = []) {
        (code, name, message) = (error.code.code, error.code.name, error.message)
        (at, offset, help) = (error.at, error.offset, error.help)
        (line, column) = (error.excerpt?.position.line, error.excerpt?.position.column)
        excerpt = error.excerpt?.lines ?? []
        self.movedTo = movedTo
    }

    public var diagnostic: Diagnostic {
        var diagnostic = Diagnostic(DiagnosticCode(code, name), message, at: at, offset: offset, help: help)
        if let line, let column {
            diagnostic.excerpt = TextExcerpt(LinePosition(line: line, column: column), excerpt)
        }
        return diagnostic
    }

    public static let schema: String? = "Error"
    public static let fields: [Field<Self>] = [
        Field(always: "code", \.code, "", ["pattern": "^U[0-9]{4}$"]),
        Field(always: "name", \.name, "Dotted, one to one with the code"), Field(always: "message", \.message),
        Field(always: "at", \.at, "A JSON pointer into the payload"),
        Field(always: "offset", \.offset, "Bytes from its begin"),
        Field(always: "line", \.line, "Of the input, from 1"),
        Field(always: "column", \.column, "Of the input, in characters, from 1"), Field(always: "help", \.help),
        Field(ifAny: "excerpt", \.excerpt, "The line, and a caret below the column"),
        Field(ifAny: "moved_to", \.movedTo, "As in the record"),
    ]
}
