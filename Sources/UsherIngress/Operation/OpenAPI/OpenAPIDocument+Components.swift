internal import UsherJSON

extension OpenAPIDocument {
    /// The answers of an operation that are problems: those of every one that the daemon may refuse, and of these statuses.
    static func problems(_ statuses: Set<Int>) -> [JSONValue.Member] {
        let names = [
            (400, "Malformed"), (401, "Unauthorized"), (403, "Forbidden"), (404, "NotFound"), (409, "Conflict"),
            (410, "Gone"), (413, "TooLarge"), (415, "UnsupportedType"), (422, "Unprocessable"), (429, "Limited"),
            (503, "Unavailable"),
        ]
        let answers = names.filter { $0.0 == 401 || $0.0 == 403 || statuses.contains($0.0) }.map { ("\($0.0)", $0.1) }
        return (answers + [("default", "Problem")]).map {
            .init($0.0, ["$ref": .string("#/components/responses/\($0.1)")])
        }
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

    static let responses = #"""
        "responses": {
          "Problem": {
            "description": "Anything else: a method that the path does not take (405, with Allow), a Host that is not the daemon's (421), a slow request (408)",
            "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
          },
          "Malformed": {
            "description": "The request, or its JSON, cannot be read",
            "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
          },
          "Unauthorized": {
            "description": "A token or a signature is missing or wrong",
            "headers": {"WWW-Authenticate": {"schema": {"type": "string"}}},
            "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
          },
          "Forbidden": {
            "description": "The Host or the Origin is not allowed, or this interface is closed to the peer",
            "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
          },
          "NotFound": {
            "description": "There is none of that name",
            "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
          },
          "Conflict": {
            "description": "Its state does not allow that",
            "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
          },
          "Gone": {
            "description": "The content was deleted, and a tombstone says so",
            "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
          },
          "TooLarge": {
            "description": "The body is longer than body-limit",
            "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
          },
          "UnsupportedType": {
            "description": "The media type is not one of those that are understood",
            "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
          },
          "Unprocessable": {
            "description": "It can be read, and is wrong: a payload, a condition, a rule that does not match, a configuration",
            "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
          },
          "Limited": {
            "description": "The sender's rate, or too many open deliveries",
            "headers": {"Retry-After": {"description": "Seconds", "schema": {"type": "integer", "minimum": 1}}},
            "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
          },
          "Unavailable": {
            "description": "The daemon stops, or the store cannot be written",
            "headers": {"Retry-After": {"description": "Seconds", "schema": {"type": "integer", "minimum": 1}}},
            "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
          }
        }
        """#
}
