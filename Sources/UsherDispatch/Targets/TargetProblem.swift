internal import UsherConfiguration
internal import UsherJSON
internal import UsherPayload
internal import UsherScene
internal import UsherTarget

/// Why a line of a bulk request has no answer: the `error` member in its place.
struct TargetProblem: Error, Sendable {
    var code: DiagnosticCode
    var message: String
    /// The member that is to blame, as a JSON pointer.
    var pointer: String?
    /// Bytes into the line where it is no JSON, else into the template.
    var offset: Int?
    var help: String?
    /// Whether the line is no request at all, in contrast to one without an answer.
    var isMalformed = false

    func write(to json: inout JSONWriter) {
        json.beginObject()
        json.member("code", code.code)
        json.member("name", code.name)
        json.member("message", message)
        json.member("at", pointer)
        json.member("offset", offset)
        json.member("help", help)
        json.endObject()
    }
}

extension TargetProblem {
    init(_ error: PayloadError) {
        self.init(
            code: DiagnosticCode(error.code, error.name.rawValue), message: error.message, pointer: error.pointer,
            offset: error.offset, help: error.help, isMalformed: true)
    }

    init(_ error: URITemplateError) {
        self.init(
            code: .template(error.code.rawValue), message: error.message, pointer: "/template", offset: error.offset,
            help: error.hint)
    }

    init(_ error: TargetError) {
        if let templateError = error.templateError {
            self.init(templateError)
            return
        }
        let pointer =
            switch error.code {
            case .unknownTemplate: "/name"
            case .unknownVariable, .missingVariable, .emptyVariable: JSONPointer.child(error.name, of: "/variables")
            case .empty, .template: "/template"
            }
        self.init(code: .building(error), message: error.message, pointer: pointer, offset: nil, help: error.hint)
    }

    static func member(_ name: String, _ message: String, help: String? = nil) -> TargetProblem {
        TargetProblem(
            code: .targetRequest, message: message, pointer: name.isEmpty ? "" : "/" + name, offset: nil, help: help,
            isMalformed: true)
    }
}
