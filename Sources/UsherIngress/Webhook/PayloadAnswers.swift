internal import UsherJSON
public import UsherOperation

/// The answer to a payload that is on disk.
struct AcceptedAnswer: AnswerRecord {
    var id = ""

    static let schema: String? = "Accepted"
    static let fields: [Field<Self>] = [Field(always: "id", \.id, "UUIDv7"), Field(constant: "status", "accepted")]
}

/// The answer to a payload that cannot be read; it has a record.
struct InvalidAnswer: AnswerRecord {
    var id = ""
    var error = ErrorAnswer()

    static let schema: String? = "Invalid"
    static let fields: [Field<Self>] = [
        Field(always: "id", \.id), Field(constant: "status", "invalid"), Field(always: "error", \.error),
    ]
}

/// The answer to a payload that is not taken.
struct RefusedAnswer: AnswerRecord {
    var error = ErrorAnswer()

    static let schema: String? = "Refused"
    static let summary = "It could not be put on disk, and is not taken"
    static let fields: [Field<Self>] = [Field(constant: "status", "refused"), Field(always: "error", \.error)]
}

/// Why a request is refused: problem details. `HTTPProblem` writes it.
struct ProblemAnswer: AnswerRecord {
    var type = "about:blank"
    var title = ""
    var status = 0
    var detail = ""
    var help = ""
    var error = ErrorAnswer()
    var id: String?

    static let schema: String? = "Problem"
    static let summary = "RFC 9457, and the error as records have it"
    static let fields: [Field<Self>] = [
        Field(always: "type", \.type, "", ["default": "about:blank"]), Field(always: "title", \.title),
        Field(always: "status", \.status), Field(always: "detail", \.detail),
        Field(always: "help", \.help, "What to do about it"), Field(always: "error", \.error),
        Field(ifAny: "id", \.id, "The delivery that the refused request was journalled as"),
    ]
}

/// Whether requests are taken.
struct HealthAnswer: AnswerRecord {
    var status = OperationAnswers.Health.ok

    static let schema: String? = "Health"
    static let fields: [Field<Self>] = [Field(always: "status", \.status)]
}

extension OperationAnswers.Health: FieldChoice {}
