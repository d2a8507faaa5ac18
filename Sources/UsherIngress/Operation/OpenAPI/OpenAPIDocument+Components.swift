internal import UsherJSON

extension OpenAPIDocument {
    /// The answers that are problems: each has one as its body.
    private static let problems: [(status: String, name: String, description: String, headers: String?)] = {
        let retry = #"{"Retry-After": {"description": "Seconds", "schema": {"type": "integer", "minimum": 1}}}"#
        return [
            (
                "default", "Problem",
                "Anything else: a method that the path does not take (405, with Allow), a Host that is not "
                    + "the daemon's (421), a slow request (408)", nil
            ),
            ("400", "Malformed", "The request, or its JSON, cannot be read", nil),
            (
                "401", "Unauthorized",
                "A token or a signature is missing or wrong", #"{"WWW-Authenticate": {"schema": {"type": "string"}}}"#
            ),
            ("403", "Forbidden", "The Host or the Origin is not allowed, or this interface is closed to the peer", nil),
            ("404", "NotFound", "There is none of that name", nil),
            ("409", "Conflict", "Its state does not allow that", nil),
            ("410", "Gone", "The content was deleted, and a tombstone says so", nil),
            ("413", "TooLarge", "The body is longer than body-limit", nil),
            ("415", "UnsupportedType", "The media type is not one of those that are understood", nil),
            (
                "422", "Unprocessable",
                "It can be read, and is wrong: a payload, a condition, a rule that does not match, a "
                    + "configuration", nil
            ),
            ("429", "Limited", "The sender's rate, or too many open deliveries", retry),
            ("503", "Unavailable", "The daemon stops, or the store cannot be written", retry),
        ]
    }()

    /// The answers of an operation that are problems: those of every one that the daemon may refuse, and of these statuses.
    static func problems(_ statuses: Set<Int>) -> [JSONValue.Member] {
        let wanted = ["401", "403", "default"] + statuses.map { "\($0)" }
        return (problems.dropFirst() + problems.prefix(1)).filter { wanted.contains($0.status) }
            .map { .init($0.status, ["$ref": .string("#/components/responses/\($0.name)")]) }
    }

    /// The same, as members of an object's text.
    static func problemText(_ statuses: Set<Int>) -> String { text(problems(statuses)) }

    /// The text of an object without its braces.
    static func text(_ members: [JSONValue.Member]) -> String {
        String(JSONValue.object(members).text(escaping: .minimal).dropFirst().dropLast())
    }

    static let securitySchemes = #"""
        "securitySchemes": {
          "bearer": {"type": "http", "scheme": "bearer", "description": "A line of the token file; not needed on the Unix socket"},
          "hookSignature": {"type": "apiKey", "in": "header", "name": "webhook-signature", "description": "As the hook asks: webhook-signature (Standard Webhooks), X-Hub-Signature-256 (GitHub), X-Gitlab-Token, or another field with an HMAC"}
        }
        """#

    static let parameters = #"""
        "parameters": {
          "wait": {"name": "wait", "in": "query", "description": "1: answer with the decision record, when it is on disk", "schema": {"type": "integer", "enum": [0, 1], "default": 0}},
          "app": {"name": "app", "in": "query", "description": "The app's id; goes before what the payload says", "schema": {"type": "string"}},
          "format": {"name": "format", "in": "query", "description": "The payload's format", "schema": {"type": "string", "default": "auto"}},
          "traceparent": {"name": "traceparent", "in": "header", "description": "The sender's W3C trace context, for handlers; one in the payload takes precedence", "schema": {"type": "string", "examples": ["00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"]}},
          "webhookID": {"name": "webhook-id", "in": "header", "description": "The sender's id, in Standard Webhooks' words: a second delivery with the same one is a duplicate", "schema": {"type": "string", "maxLength": 256}},
          "svixID": {"name": "svix-id", "in": "header", "description": "The same, where there is no webhook-id", "schema": {"type": "string", "maxLength": 256}},
          "idempotencyKey": {"name": "Idempotency-Key", "in": "header", "description": "The same, where there is neither webhook-id nor svix-id; may be in quotes", "schema": {"type": "string", "maxLength": 256}}
        }
        """#

    static let headers = #"""
        "headers": {
          "Location": {"description": "Where what was made is found", "schema": {"type": "string"}}
        }
        """#

    static let responses: String = {
        let texts = problems.map { answer in
            """
              "\(answer.name)": {
                "description": "\(answer.description)",
            \(answer.headers.map { "    \"headers\": \($0),\n" } ?? "")\
                "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
              }
            """
        }
        return "\"responses\": {\n\(texts.joined(separator: ",\n"))\n}"
    }()
}
