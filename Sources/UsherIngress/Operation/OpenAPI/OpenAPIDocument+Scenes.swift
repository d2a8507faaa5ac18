extension OpenAPIDocument {
    static let scenePaths = #"""
        "/v1/scenes": {
          "get": {
            "operationId": "listScenes", "tags": ["scenes"],
            "summary": "The sessions, in the order of choice",
            "parameters": [{"name": "app", "in": "query", "description": "Of one app only", "schema": {"type": "string"}}],
            "responses": {
              "200": {"description": "Sessions", "content": {"application/json": {"schema": {"type": "array", "items": {"$ref": "#/components/schemas/Session"}}}}},
              \#(problems())
            }
          },
          "post": {
            "operationId": "connectScenes", "tags": ["scenes"],
            "summary": "Registers a window, or many",
            "description": "What an application, or its wrapper, does when it has opened a window. Of several, all are registered or none.",
            "requestBody": {
              "required": true,
              "content": {
                "application/json": {"schema": {"oneOf": [
                  {"$ref": "#/components/schemas/SessionRequest"},
                  {"type": "array", "items": {"$ref": "#/components/schemas/SessionRequest"}}
                ]}},
                "application/x-ndjson": {"schema": {"type": "string", "description": "A SessionRequest a line"}},
                "application/jsonl": {"schema": {"type": "string", "description": "A SessionRequest a line"}}
              }
            },
            "responses": {
              "201": {
                "description": "The session as it is now; several for an array and for JSON Lines",
                "headers": {"Location": {"description": "Of one session", "schema": {"type": "string"}}},
                "content": {"application/json": {"schema": {"oneOf": [
                  {"$ref": "#/components/schemas/Session"},
                  {"$ref": "#/components/schemas/SessionList"}
                ]}}}
              },
              \#(problems(400, 413, 415, 422))
            }
          }
        },
        "/v1/scenes/{id}": {
          "parameters": [{"$ref": "#/components/parameters/session"}],
          "get": {
            "operationId": "getScene", "tags": ["scenes"],
            "summary": "One session",
            "responses": {
              "200": {"description": "The session", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Session"}}}},
              \#(problems(404))
            }
          },
          "patch": {
            "operationId": "updateScene", "tags": ["scenes"],
            "summary": "Changes what a window can show and prefers",
            "requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/SessionUpdate"}}}},
            "responses": {
              "200": {"description": "The session afterwards", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Session"}}}},
              \#(problems(400, 404, 422))
            }
          },
          "delete": {
            "operationId": "deleteScene", "tags": ["scenes"],
            "summary": "Forgets a window that its user closed; the same as POST …/close",
            "responses": {
              "200": {"description": "The session as it was last", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Session"}}}},
              \#(problems(404))
            }
          }
        },
        "/v1/scenes/{id}/activate": {
          "parameters": [{"$ref": "#/components/parameters/session"}],
          "post": {
            "operationId": "activateScene", "tags": ["scenes"],
            "summary": "Says that the user looks at a window now",
            "requestBody": {"required": false, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/SessionUpdate"}}}},
            "responses": {
              "200": {"description": "The session afterwards", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Session"}}}},
              \#(problems(400, 404))
            }
          }
        },
        "/v1/scenes/{id}/disconnect": {
          "parameters": [{"$ref": "#/components/parameters/session"}],
          "post": {
            "operationId": "disconnectScene", "tags": ["scenes"],
            "summary": "Says that a window is gone and may be launched again",
            "requestBody": {"required": false, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/SessionUpdate"}}}},
            "responses": {
              "200": {"description": "The session afterwards", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Session"}}}},
              \#(problems(400, 404))
            }
          }
        },
        "/v1/scenes/{id}/close": {
          "parameters": [{"$ref": "#/components/parameters/session"}],
          "post": {
            "operationId": "closeScene", "tags": ["scenes"],
            "summary": "Says that the user closed a window for good",
            "responses": {
              "200": {"description": "The session afterwards", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Session"}}}},
              \#(problems(400, 404))
            }
          }
        }
        """#
}
