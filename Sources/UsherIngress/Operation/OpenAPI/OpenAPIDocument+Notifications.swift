extension OpenAPIDocument {
    static let notificationPaths = #"""
        "/v1/notifications": {
          "post": {
            "operationId": "postNotifications", "tags": ["notifications"],
            "summary": "Takes one payload, or a batch of them",
            "description": "202 means that the delivery is on disk and will have exactly one terminal record. A batch is answered with one element a line, in order; a line that cannot be read has its error there, and does not stop the others.",
            "parameters": [
              {"$ref": "#/components/parameters/wait"}, {"$ref": "#/components/parameters/app"}, {"$ref": "#/components/parameters/format"},
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
                "description": "With wait=1: the decision record, or an array of them for a batch",
                "content": {"application/json": {"schema": {"oneOf": [
                  {"$ref": "#/components/schemas/DecisionRecord"},
                  {"type": "array", "items": {"$ref": "#/components/schemas/DecisionRecord"}}
                ]}}}
              },
              "202": {
                "description": "On disk. What cannot be read is journalled too, with its error; it has a record, and no effect",
                "content": {"application/json": {"schema": {"oneOf": [
                  {"$ref": "#/components/schemas/Accepted"},
                  {"$ref": "#/components/schemas/Invalid"},
                  {"type": "array", "items": {"$ref": "#/components/schemas/Element"}}
                ]}}}
              },
              \#(problems(400, 413, 415, 422, 429, 503))
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
              "202": {
                "description": "On disk. What cannot be read is journalled too, with its error; it has a record, and no effect",
                "content": {"application/json": {"schema": {"oneOf": [
                  {"$ref": "#/components/schemas/Accepted"},
                  {"$ref": "#/components/schemas/Invalid"},
                  {"type": "array", "items": {"$ref": "#/components/schemas/Element"}}
                ]}}}
              },
              \#(problems(400, 404, 413, 415, 422, 429, 503))
            }
          }
        }
        """#
}
