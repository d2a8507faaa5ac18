extension OpenAPIDocument {
    static let targetPaths = #"""
        "/v1/explain": {
          "post": {
            "operationId": "explain", "tags": ["targets"],
            "summary": "Which window would show a target, and why; does nothing",
            "parameters": [
              {"name": "target", "in": "query", "description": "The target; without it, the body is a payload", "schema": {"type": "string"}},
              {"name": "all", "in": "query", "description": "1: every window in question, not only the first", "schema": {"type": "integer", "enum": [0, 1]}},
              {"$ref": "#/components/parameters/app"}
            ],
            "requestBody": {"required": false, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Payload"}}}},
            "responses": {
              "200": {"description": "The explanation", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Explanation"}}}},
              \#(problems(400, 404))
            }
          }
        },
        "/v1/targets/build": {
          "post": {
            "operationId": "buildTargets", "tags": ["targets"],
            "summary": "Builds ids from URI templates (RFC 6570)",
            "requestBody": {
              "required": true,
              "content": {
                "application/json": {"schema": {"$ref": "#/components/schemas/BuildRequest"}},
                "application/x-ndjson": {"schema": {"type": "string", "description": "A BuildRequest a line"}},
                "application/jsonl": {"schema": {"type": "string", "description": "A BuildRequest a line"}}
              }
            },
            "responses": {
              "200": {
                "description": "The id; for JSON Lines one a line, in order, errors in their places",
                "content": {
                  "application/json": {"schema": {"$ref": "#/components/schemas/BuildAnswer"}},
                  "application/x-ndjson": {"schema": {"type": "string", "description": "A BuildAnswer a line"}}
                }
              },
              \#(problems(400, 413, 415, 422))
            }
          }
        },
        "/v1/targets/match": {
          "post": {
            "operationId": "matchTargets", "tags": ["targets"],
            "summary": "Takes ids apart: which app's template made them, and of what",
            "requestBody": {
              "required": true,
              "content": {
                "application/json": {"schema": {"$ref": "#/components/schemas/IdentifierRequest"}},
                "application/x-ndjson": {"schema": {"type": "string", "description": "An IdentifierRequest a line"}},
                "application/jsonl": {"schema": {"type": "string", "description": "An IdentifierRequest a line"}}
              }
            },
            "responses": {
              "200": {
                "description": "What matches; for JSON Lines one answer a line, in order",
                "content": {
                  "application/json": {"schema": {"$ref": "#/components/schemas/MatchAnswer"}},
                  "application/x-ndjson": {"schema": {"type": "string", "description": "A MatchAnswer a line"}}
                }
              },
              \#(problems(400, 413, 415))
            }
          }
        },
        "/v1/targets/lint": {
          "post": {
            "operationId": "lintTargets", "tags": ["targets"],
            "summary": "Says which ids are not unique, global and stable",
            "requestBody": {
              "required": true,
              "content": {
                "application/json": {"schema": {"$ref": "#/components/schemas/IdentifierRequest"}},
                "application/x-ndjson": {"schema": {"type": "string", "description": "An IdentifierRequest a line"}},
                "application/jsonl": {"schema": {"type": "string", "description": "An IdentifierRequest a line"}}
              }
            },
            "responses": {
              "200": {
                "description": "The findings; for JSON Lines one answer a line, in order",
                "content": {
                  "application/json": {"schema": {"$ref": "#/components/schemas/LintAnswer"}},
                  "application/x-ndjson": {"schema": {"type": "string", "description": "A LintAnswer a line"}}
                }
              },
              \#(problems(400, 413, 415))
            }
          }
        }
        """#
}
