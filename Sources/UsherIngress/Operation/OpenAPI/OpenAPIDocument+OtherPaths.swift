/// The paths that are not operations of the table: what senders use, targets, health and metrics.
extension OpenAPIDocument {
    static let otherPaths = #"""
        "/v1/notifications": {
          "post": {
            "operationId": "postNotifications", "tags": ["notifications"],
            "summary": "Takes one payload, or a batch of them",
            "description": "202 means that the delivery is on disk and will have exactly one terminal record. A batch is answered with one element a line, in order; a line that cannot be read has its error there, and does not stop the others.",
            "parameters": [
              {"name": "wait", "in": "query", "description": "1: answer with the decision record, when it is on disk; action: when its notification is answered", "schema": {"anyOf": [{"type": "integer", "enum": [0, 1]}, {"type": "string", "enum": ["action"]}], "default": 0}},
              {"name": "timeout", "in": "query", "description": "With wait=action: for so long at most; else, and never longer than, 600s", "schema": {"type": "string", "examples": ["90s", "5m"]}},
              {"$ref": "#/components/parameters/app"}, {"$ref": "#/components/parameters/format"},
              {"name": "apns-topic", "in": "header", "description": "The app, by one of its topics", "schema": {"type": "string"}},
              {"name": "apns-id", "in": "header", "description": "The sender's id: a second delivery with the same one is a duplicate", "schema": {"type": "string"}},
              {"name": "apns-push-type", "in": "header", "schema": {"type": "string", "examples": ["alert", "background"]}},
              {"name": "apns-priority", "in": "header", "description": "10: at once; 5 and 1: when it suits", "schema": {"type": "integer", "enum": [1, 5, 10]}},
              {"name": "apns-collapse-id", "in": "header", "schema": {"type": "string", "maxLength": 64}},
              {"name": "apns-expiration", "in": "header", "description": "Seconds since 1970; 0: now or never", "schema": {"type": "integer", "minimum": 0}},
              {"$ref": "#/components/parameters/webhookID"}, {"$ref": "#/components/parameters/svixID"}, {"$ref": "#/components/parameters/idempotencyKey"},
              {"$ref": "#/components/parameters/traceparent"}
            ],
            "requestBody": {
              "required": true,
              "content": {
                "application/json": {
                  "schema": {"$ref": "#/components/schemas/Payload"},
                  "examples": {"alert": {"value": {"aps": {"alert": "Your clown is on the way", "target-content-id": "https://clowntown.example/clowns/crusty"}}}}
                },
                "application/x-ndjson": {"schema": {"type": "string", "description": "A payload a line"}},
                "application/jsonl": {"schema": {"type": "string", "description": "A payload a line"}}
              }
            },
            "responses": {
              "200": {
                "description": "With wait=1 or wait=action: the decision record, or an array of them for a batch",
                "content": {"application/json": {"schema": {"oneOf": [
                  {"$ref": "#/components/schemas/DecisionRecord"},
                  {"type": "array", "items": {"$ref": "#/components/schemas/DecisionRecord"}}
                ]}}}
              },
              \#(journalled),
              \#(problemText([400, 413, 415, 422, 429, 503]))
            }
          }
        },
        "/hooks/{name}": {
          "parameters": [
            {"name": "name", "in": "path", "required": true, "description": "The table [hooks.NAME] of usher.toml", "schema": {"type": "string"}}
          ],
          "post": {
            "operationId": "postHook", "tags": ["notifications"],
            "summary": "Takes any sender's JSON, as a named hook maps it",
            "description": "The signature that the hook asks for is checked over the raw bytes: Standard Webhooks, GitHub, GitLab, a generic HMAC or a bearer token. A rule that does not match is never a success; the problem says which condition failed.",
            "security": [{"hookSignature": []}, {"bearer": []}, {}],
            "parameters": [
              {"$ref": "#/components/parameters/wait"},
              {"$ref": "#/components/parameters/webhookID"}, {"$ref": "#/components/parameters/svixID"}, {"$ref": "#/components/parameters/idempotencyKey"},
              {"name": "webhook-timestamp", "in": "header", "schema": {"type": "integer"}},
              {"name": "webhook-signature", "in": "header", "description": "v1,… or v1a,…; several, parted by blanks, during a rotation", "schema": {"type": "string"}}
            ],
            "requestBody": {
              "required": true,
              "content": {"application/json": {"schema": {}}}
            },
            "responses": {
              "200": {
                "description": "With wait=1: the decision records; one, or an array where the hook makes one a list's element",
                "content": {"application/json": {"schema": {"oneOf": [
                  {"$ref": "#/components/schemas/DecisionRecord"},
                  {"type": "array", "items": {"$ref": "#/components/schemas/DecisionRecord"}}
                ]}}}
              },
              \#(journalled),
              \#(problemText([400, 404, 413, 415, 422, 429, 503]))
            }
          }
        },
        \#(target("build", "Builds ids from URI templates (RFC 6570)", "BuildRequest", "BuildAnswer", 422)),
        \#(target("match", "Takes ids apart: which app's template made them, and of what", "IdentifierRequest", "MatchAnswer")),
        \#(target("lint", "Finds mistakes in ids", "IdentifierRequest", "LintAnswer")),
        "/healthz": {
          "get": {
            "operationId": "health", "tags": ["daemon"], "security": [{}],
            "summary": "Whether requests are taken",
            "responses": {
              "200": {"description": "They are", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Health"}}}},
              "503": {"description": "They are not: stopping, or the store cannot be written", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Health"}}}},
              "default": {"$ref": "#/components/responses/Problem"}
            }
          }
        },
        "/metrics": {
          "get": {
            "operationId": "metrics", "tags": ["daemon"],
            "summary": "Metrics for Prometheus",
            "responses": {
              "200": {
                "description": "Text, or OpenMetrics where Accept asks for it",
                "content": {
                  "text/plain; version=0.0.4; charset=utf-8": {"schema": {"type": "string"}},
                  "application/openmetrics-text; version=1.0.0; charset=utf-8": {"schema": {"type": "string"}}
                }
              },
              \#(problemText([]))
            }
          }
        },
        "/openapi.json": {
          "get": {
            "operationId": "openapi", "tags": ["daemon"], "security": [{}],
            "summary": "This document",
            "responses": {
              "200": {"description": "OpenAPI 3.1", "content": {"application/json": {"schema": {"type": "object"}}}},
              "default": {"$ref": "#/components/responses/Problem"}
            }
          }
        }
        """#

    /// What is answered for payloads that are on disk.
    private static let journalled = #"""
        "202": {
                "description": "On disk. What cannot be read is journalled too, with its error; it has a record, and no effect",
                "content": {"application/json": {"schema": {"oneOf": [
                  {"$ref": "#/components/schemas/Accepted"},
                  {"$ref": "#/components/schemas/Invalid"},
                  {"type": "array", "items": {"$ref": "#/components/schemas/Element"}}
                ]}}}
              }
        """#

    private static func target(
        _ verb: String, _ summary: String, _ request: String, _ answer: String, _ refusals: Int...
    ) -> String {
        #"""
        "/v1/targets/\#(verb)": {
          "post": {
            "operationId": "\#(verb)Targets", "tags": ["target"],
            "summary": "\#(summary)",
            "requestBody": {
              "required": true,
              "content": {
                "application/json": {"schema": {"$ref": "#/components/schemas/\#(request)"}},
                "application/x-ndjson": {"schema": {"type": "string", "description": "One object a line"}},
                "application/jsonl": {"schema": {"type": "string", "description": "One object a line"}}
              }
            },
            "responses": {
              "200": {
                "description": "For JSON Lines one answer a line, in order, errors in their places",
                "content": {
                  "application/json": {"schema": {"$ref": "#/components/schemas/\#(answer)"}},
                  "application/x-ndjson": {"schema": {"type": "string", "description": "One object a line"}}
                }
              },
              \#(problemText(Set(refusals + [400, 413, 415])))
            }
          }
        }
        """#
    }
}
