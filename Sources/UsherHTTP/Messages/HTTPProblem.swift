package import UsherJSON

/// What went wrong with a request, as it is told to the client.
///
/// The answer is `application/problem+json` (RFC 9457) with an `error` member of the shape that decision records have.
public struct HTTPProblem: Error, Sendable, Hashable {
    /// A stable number and a dotted name, one to one.
    public struct Code: Sendable, Hashable {
        public var code: String
        public var name: String

        public init(_ code: String, _ name: String) {
            self.code = code
            self.name = name
        }
    }

    public var status: Int
    public var code: Code
    public var message: String
    /// What to do about it.
    public var help: String?
    /// A JSON pointer, or the name of a field.
    public var at: String?
    /// The place in the body, in bytes.
    public var offset: Int?
    /// Seconds until it is worth another try.
    public var retryAfter: Int?
    /// Fields that the answer has besides `Content-Type` and `Retry-After`.
    public var fields: [HTTPFields.Field] = []

    public init(
        status: Int, code: Code, message: String, help: String? = nil, at: String? = nil, offset: Int? = nil,
        retryAfter: Int? = nil, fields: [HTTPFields.Field] = []
    ) {
        self.status = status
        self.code = code
        self.message = message
        self.help = help
        self.at = at
        self.offset = offset
        self.retryAfter = retryAfter
        self.fields = fields
    }

    /// The answer that tells it.
    public var response: HTTPResponse {
        var response = HTTPProblem.response(status: status, detail: message) { write(to: &$0) }
        if let retryAfter { response.fields.append("Retry-After", "\(max(retryAfter, 0))") }
        for field in fields { response.fields.append(field.name, field.value) }
        return response
    }

    /// Problem details around whatever tells the error.
    ///
    /// Escaped for terminals: messages quote what was sent.
    package static func response(
        status: Int, detail: String, error: (inout JSONWriter) -> Void
    ) -> HTTPResponse {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("type", "about:blank")
        writer.member("title", HTTPResponse.phrase(status))
        writer.member("status", status)
        writer.member("detail", detail)
        writer.key("error")
        error(&writer)
        writer.endObject()
        return HTTPResponse(status, type: "application/problem+json", body: writer.bytes)
    }

    /// `{"error":{…}}` and a line feed, for connections that speak JSON Lines.
    var line: [UInt8] {
        var writer = JSONWriter(escaping: .minimal)
        writer.beginObject()
        writer.key("error")
        write(to: &writer)
        writer.endObject()
        writer.newline()
        return writer.bytes
    }

    private func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("code", code.code)
        writer.member("name", code.name)
        writer.member("message", message)
        writer.member("at", at)
        writer.member("offset", offset)
        writer.member("help", help)
        writer.endObject()
    }
}
