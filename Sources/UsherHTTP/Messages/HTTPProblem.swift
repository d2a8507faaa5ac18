package import UsherJSON

/// An error of a request, as it is reported to the client.
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
    public var help: String
    /// A JSON pointer, or the name of a field.
    public var at: String?
    /// The place in the body, in bytes.
    public var offset: Int?
    /// Seconds until it is worth another try.
    public var retryAfter: Int?
    /// Fields that the answer has besides `Content-Type` and `Retry-After`.
    public var fields: [HTTPFields.Field] = []

    /// The answer that reports the error.
    public var response: HTTPResponse {
        var response = HTTPProblem.response(status: status, detail: message, help: help, code: code.code) {
            write(to: &$0)
        }
        if let retryAfter { response.fields.append("Retry-After", "\(max(retryAfter, 0))") }
        for field in fields { response.fields.append(field.name, field.value) }
        return response
    }

    /// Problem details with the members that `error` writes. Without `help`, the command that explains the code is named.
    ///
    /// Escaped for terminals: messages quote what was sent.
    ///
    /// - Parameter id: what the request was journalled as.
    package static func response(
        status: Int, detail: String, help: String?, code: String, id: String? = nil, error: (inout JSONWriter) -> Void
    ) -> HTTPResponse {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("type", "about:blank")
        writer.member("title", HTTPResponse.phrase(status))
        writer.member("status", status)
        writer.member("detail", detail)
        writer.member("help", help ?? "usher help \(code) explains it")
        writer.key("error")
        error(&writer)
        if let id { writer.member("id", id) }
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
        writer.nullMember("line")
        writer.nullMember("column")
        writer.member("help", help)
        writer.endObject()
    }
}

// MARK: - Codes

// What the server itself answers, and the few answers that every route has in common.

extension HTTPProblem.Code {
    /// What was received is no HTTP/1.1 request.
    /// Remedy: see the message; lines end with CR LF.
    public static let malformed = HTTPProblem.Code("U6101", "http.malformed")
    /// Where the body ends is not clear: two lengths, length and chunks, a broken chunk.
    /// Remedy: send one of Content-Length and chunks.
    public static let framing = HTTPProblem.Code("U6102", "http.framing")
    /// The Host field is missing, there twice, or no host.
    /// Remedy: send the server's name and port once.
    public static let host = HTTPProblem.Code("U6103", "http.host")
    /// The head has more than 16 KiB or 100 fields.
    /// Remedy: send fewer, shorter fields.
    public static let headTooLarge = HTTPProblem.Code("U6104", "http.head-too-large")
    /// The request line does not fit into the head.
    /// Remedy: put the data into the body.
    public static let targetTooLong = HTTPProblem.Code("U6105", "http.target-too-long")
    /// The body is longer than the limit.
    /// Remedy: send it in several requests, or raise `body-limit`.
    public static let bodyTooLarge = HTTPProblem.Code("U6106", "http.body-too-large")
    /// Head or body was not complete in time.
    /// Remedy: send a request in one go.
    public static let timeout = HTTPProblem.Code("U6107", "http.timeout")
    /// The version is not HTTP/1.x.
    /// Remedy: use HTTP/1.1.
    public static let version = HTTPProblem.Code("U6108", "http.version")
    /// A method or transfer coding that is not spoken here.
    /// Remedy: use chunked or Content-Length; there is no proxy.
    public static let notImplemented = HTTPProblem.Code("U6109", "http.not-implemented")
    /// An `Expect` field that is not `100-continue`.
    /// Remedy: leave it out.
    public static let expectation = HTTPProblem.Code("U6110", "http.expectation")
    /// The bodies that are being received fill the memory meant for them.
    /// Remedy: try again after `Retry-After`.
    public static let overloaded = HTTPProblem.Code("U6111", "http.overloaded")
    /// There was no answer in time.
    /// Remedy: try again after `Retry-After`.
    public static let noAnswer = HTTPProblem.Code("U6112", "http.no-answer")
    /// A line of a JSON Lines connection is longer than 2 MiB.
    /// Remedy: send less in a line.
    public static let lineTooLong = HTTPProblem.Code("U6113", "http.line-too-long")
    // The next three numbers had codes that were never raised: they are not used again.
    /// An address or socket cannot be listened on.
    /// Remedy: see the message; another process may have it.
    public static let cannotListen = HTTPProblem.Code("U6117", "http.cannot-listen")
    /// Certificate or key cannot be used, or not together.
    /// Remedy: see the message.
    public static let certificate = HTTPProblem.Code("U6118", "http.certificate")
}

extension HTTPProblem {
    static func bodyTooLarge(limit: Int) -> HTTPProblem {
        HTTPProblem(
            status: 413, code: .bodyTooLarge, message: "the body is longer than \(limit) bytes",
            help: "send it in several requests, or raise `body-limit`")
    }

    static func malformed(
        _ message: String, help: String = "send HTTP/1.1 (RFC 9112)", at: String? = nil
    ) -> HTTPProblem {
        HTTPProblem(status: 400, code: .malformed, message: message, help: help, at: at)
    }

    static func framing(_ message: String, at: String? = nil) -> HTTPProblem {
        HTTPProblem(
            status: 400, code: .framing, message: message,
            help: "send either one Content-Length, or Transfer-Encoding: chunked", at: at)
    }

    static func host(_ message: String) -> HTTPProblem {
        HTTPProblem(
            status: 400, code: .host, message: message, help: "send the name and port of the server once", at: "Host")
    }

    static let bareLineFeed = HTTPProblem.malformed(
        "a line of the head ends without a carriage return", help: "end each line with CR LF")

    static func headTooLarge(_ what: String) -> HTTPProblem {
        HTTPProblem(
            status: 431, code: .headTooLarge, message: "the head has more than \(what)",
            help: "send fewer or shorter header fields")
    }

    static func targetTooLong(limit: Int) -> HTTPProblem {
        HTTPProblem(
            status: 414, code: .targetTooLong, message: "the request line is longer than \(limit) bytes",
            help: "send long values in the body")
    }

    static let version = HTTPProblem(
        status: 505, code: .version, message: "this version of HTTP is not spoken here", help: "use HTTP/1.1")

    static func expectation(_ value: String) -> HTTPProblem {
        HTTPProblem(
            status: 417, code: .expectation, message: "the expectation \(value) cannot be met",
            help: "use 100-continue",
            at: "Expect")
    }

    static func notImplemented(_ message: String, help: String, at: String? = nil) -> HTTPProblem {
        HTTPProblem(status: 501, code: .notImplemented, message: message, help: help, at: at)
    }

    static func timeout(_ part: String) -> HTTPProblem {
        HTTPProblem(
            status: 408, code: .timeout, message: "the \(part) was not complete in time",
            help: "send the whole request at once")
    }

    static let outOfMemory = HTTPProblem(
        status: 503, code: .overloaded, message: "the memory for request bodies is used up",
        help: "try again, and send the body at once", retryAfter: 1)

    static let noAnswer = HTTPProblem(
        status: 503, code: .noAnswer, message: "there was no answer in time", help: "try again", retryAfter: 5)

    static func lineTooLong(limit: Int) -> HTTPProblem {
        HTTPProblem(
            status: 400, code: .lineTooLong, message: "a line is longer than \(limit) bytes",
            help: "send less in one line")
    }
}
