extension OpenAPIDocument {
    static let daemonPaths = #"""
        "/v1/reload": {
          "post": {
            "operationId": "reload", "tags": ["daemon"],
            "summary": "Reads the configuration again; the old one stays where the new one has an error",
            "responses": {
              "200": {"description": "The configuration that is used now", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Reload"}}}},
              \#(problems(422))
            }
          }
        },
        "/v1/status": {
          "get": {
            "operationId": "status", "tags": ["daemon"],
            "summary": "What the daemon is, and what it has in hand",
            "responses": {
              "200": {"description": "The status", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Status"}}}},
              \#(problems())
            }
          }
        },
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
              \#(problems())
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
}
