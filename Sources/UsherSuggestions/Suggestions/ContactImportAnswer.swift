public import UsherOperation
internal import UsherScene

/// What came of an import of contacts.
public struct ContactImportAnswer: AnswerRecord {
    /// Why a card cannot be read.
    public struct Mistake: AnswerRecord {
        public var line = 0
        public var name = ""
        public var message = ""

        public init() {}
        init(_ error: ContactFile.Failure) {
            (line, name, message) = (error.line, error.code.name, error.message)
        }

        public static let fields: [Field<Self>] = [
            Field(always: "line", \.line), Field(always: "name", \.name), Field(always: "message", \.message),
        ]
    }

    public var cards = 0
    public var imported = 0
    public var replaced = 0
    public var skipped = 0
    public var errors: [Mistake] = []
    public var warnings: [String] = []

    public init() {}

    public static let fields: [Field<Self>] = [
        Field(always: "cards", \.cards), Field(always: "imported", \.imported),
        Field(always: "replaced", \.replaced), Field(always: "skipped", \.skipped),
        Field(always: "errors", \.errors), Field(ifAny: "warnings", \.warnings),
    ]
}
