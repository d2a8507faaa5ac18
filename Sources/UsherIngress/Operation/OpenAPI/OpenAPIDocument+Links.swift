extension OpenAPIDocument {
    static let linkPaths = #"""
        "/v1/links": {
          "get": {
            "operationId": "listLinks", "tags": ["links"],
            "summary": "Links of notes to content",
            "parameters": [
              {"name": "note", "in": "query", "description": "Of one note, or of the `current` one", "schema": {"type": "string"}},
              {"name": "target", "in": "query", "description": "To this content, under any of its identifiers", "schema": {"type": "string"}},
              {"$ref": "#/components/parameters/limit"},
              {"$ref": "#/components/parameters/before"}
            ],
            "responses": {
              "200": {"description": "Links", "content": {"application/json": {"schema": {"type": "array", "items": {"$ref": "#/components/schemas/Link"}}}}},
              \#(problems(400, 404))
            }
          },
          "post": {
            "operationId": "addLink", "tags": ["links"],
            "summary": "Links a note to content: an identifier, an activity, or what is current",
            "requestBody": {
              "required": true,
              "content": {"application/json": {
                "schema": {"$ref": "#/components/schemas/LinkRequest"},
                "examples": {
                  "target": {"value": {"note": "current", "target": "https://clowntown.example/clowns/crusty", "title": "Crusty"}},
                  "current": {"value": {"note": "current", "from_current": true}}
                }
              }}
            },
            "responses": {
              "200": {"description": "The link that is there already, with a warning", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/LinkAnswer"}}}},
              "201": {
                "description": "The link, and what is to be said about its identifiers",
                "headers": {"Location": {"$ref": "#/components/headers/Location"}},
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/LinkAnswer"}}}
              },
              \#(problems(400, 404, 410, 413, 415))
            }
          }
        },
        "/v1/links/{id}": {
          "parameters": [{"$ref": "#/components/parameters/link"}],
          "get": {
            "operationId": "getLink", "tags": ["links"],
            "summary": "One link, and where it leads now",
            "responses": {
              "200": {"description": "The link", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Link"}}}},
              \#(problems(400, 404))
            }
          },
          "delete": {
            "operationId": "removeLink", "tags": ["links"],
            "summary": "Forgets a link; its note stays",
            "responses": {
              "200": {"description": "The link as it was", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/LinkAnswer"}}}},
              \#(problems(400, 404))
            }
          }
        },
        "/v1/suggestions": {
          "get": {
            "operationId": "suggest", "tags": ["links"],
            "summary": "Notes that speak of content, whatever it was called when they were written",
            "parameters": [
              {"name": "target", "in": "query", "description": "The content, perhaps under several identifiers; without it, what is current", "schema": {"type": "array", "items": {"type": "string"}}, "explode": true}
            ],
            "responses": {
              "200": {"description": "Suggestions", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/SuggestionList"}}}},
              \#(problems(400))
            }
          }
        },
        "/v1/redirects": {
          "get": {
            "operationId": "listRedirects", "tags": ["links"],
            "summary": "Moves and tombstones",
            "parameters": [
              {"name": "target", "in": "query", "description": "Those of one identifier", "schema": {"type": "string"}},
              {"$ref": "#/components/parameters/limit"}
            ],
            "responses": {
              "200": {"description": "Redirects", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/RedirectList"}}}},
              \#(problems(400))
            }
          },
          "post": {
            "operationId": "redirect", "tags": ["links"],
            "summary": "Says that content moved, or with \"deleted\": true that it is gone",
            "description": "The same move again changes nothing. A chain is at most 32 hops long, and a loop is refused with its hops.",
            "requestBody": {
              "required": true,
              "content": {"application/json": {
                "schema": {"oneOf": [{"$ref": "#/components/schemas/MoveRequest"}, {"$ref": "#/components/schemas/TombstoneRequest"}]},
                "examples": {
                  "move": {"value": {"from": "https://clowntown.example/clowns/crusty", "to": "https://clowntown.example/clowns/krusty"}},
                  "prefix": {"value": {"from": "https://clowntown.example/", "to": "https://circus.example/", "prefix": true, "reason": "a new address"}},
                  "tombstone": {"value": {"target": "https://clowntown.example/clowns/bozo", "deleted": true, "reason": "retired"}}
                }
              }}
            },
            "responses": {
              "200": {"description": "It was so already", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/RedirectAnswer"}}}},
              "201": {
                "description": "The redirect; Location lists it",
                "headers": {"Location": {"$ref": "#/components/headers/Location"}},
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/RedirectAnswer"}}}
              },
              \#(problems(400, 409, 410, 413, 415))
            }
          },
          "delete": {
            "operationId": "restore", "tags": ["links"],
            "summary": "Takes a move or a tombstone back",
            "parameters": [
              {"name": "target", "in": "query", "required": true, "description": "What was moved or deleted", "schema": {"type": "string"}},
              {"name": "prefix", "in": "query", "description": "1: the move of everything that begins so", "schema": {"type": "integer", "enum": [0, 1]}}
            ],
            "responses": {
              "200": {"description": "The redirect as it was", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/RedirectAnswer"}}}},
              \#(problems(400, 404))
            }
          }
        }
        """#
}
