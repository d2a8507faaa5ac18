extension OpenAPIDocument {
    static let activityPaths = #"""
        "/v1/activities": {
          "get": {
            "operationId": "listActivities", "tags": ["activities"],
            "summary": "Current activities, or with q those that are eligible for search",
            "parameters": [
              {"$ref": "#/components/parameters/app"},
              {"name": "session", "in": "query", "description": "Of one session only", "schema": {"type": "string"}},
              {"name": "all", "in": "query", "description": "1: kept and resigned ones, too", "schema": {"type": "integer", "enum": [0, 1]}},
              {"name": "q", "in": "query", "description": "Words of title, keywords and attributes; not with app, session and all", "schema": {"type": "string"}},
              {"$ref": "#/components/parameters/limit"}
            ],
            "responses": {
              "200": {"description": "Activities", "content": {"application/json": {"schema": {"type": "array", "items": {"$ref": "#/components/schemas/Activity"}}}}},
              \#(problems(400))
            }
          },
          "post": {
            "operationId": "becomeCurrent", "tags": ["activities"],
            "summary": "Says what a window shows now: its session's current activity",
            "description": "The activity is kept byte for byte, members that are not known here included. Notes that speak of its content are suggested.",
            "requestBody": {
              "required": true,
              "content": {"application/json": {
                "schema": {"$ref": "#/components/schemas/ActivityRequest"},
                "examples": {"clown": {"value": {"session": "clown-1", "activity": {"activityType": "example.clowntown.clown", "title": "Crusty", "targetContentIdentifier": "https://clowntown.example/clowns/crusty", "userInfo": {"tab": "photos"}}}}}
              }}
            },
            "responses": {
              "200": {"description": "It was so already", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/ActivityAnswer"}}}},
              "201": {
                "description": "It is current",
                "headers": {"Location": {"$ref": "#/components/headers/Location"}},
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/ActivityAnswer"}}}
              },
              \#(problems(400, 404, 409, 413, 415))
            }
          }
        },
        "/v1/activities/current": {
          "get": {
            "operationId": "getCurrentActivity", "tags": ["activities"],
            "summary": "The system's current activity: that of the session used last",
            "responses": {
              "200": {"description": "The activity", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Activity"}}}},
              \#(problems(404))
            }
          }
        },
        "/v1/activities/{id}": {
          "parameters": [{"$ref": "#/components/parameters/activity"}],
          "get": {
            "operationId": "getActivity", "tags": ["activities"],
            "summary": "One activity",
            "responses": {
              "200": {"description": "The activity", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Activity"}}}},
              \#(problems(400, 404))
            }
          }
        },
        "/v1/scenes/{id}/activity": {
          "parameters": [{"$ref": "#/components/parameters/session"}],
          "get": {
            "operationId": "getSceneActivity", "tags": ["activities"],
            "summary": "The activity of a session: current, or kept until it is launched again",
            "responses": {
              "200": {"description": "The activity", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Activity"}}}},
              \#(problems(400, 404))
            }
          },
          "patch": {
            "operationId": "updateActivity", "tags": ["activities"],
            "summary": "Changes members of the current activity",
            "requestBody": {
              "required": true,
              "content": {"application/json": {
                "schema": {"$ref": "#/components/schemas/ActivityChange"},
                "examples": {
                  "title": {"value": {"activity": {"title": "Crusty, asleep", "webpageURL": null}}},
                  "save": {"summary": "The save command is asked for userInfo when somebody needs it", "value": {"needs_save": true}}
                }
              }}
            },
            "responses": {
              "200": {"description": "The activity afterwards", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/ActivityAnswer"}}}},
              \#(problems(400, 404, 409, 413, 415))
            }
          },
          "delete": {
            "operationId": "resignActivity", "tags": ["activities"],
            "summary": "Says that a window shows nothing any more that could be gone on with",
            "responses": {
              "200": {"description": "The activity as it was last", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/ResignAnswer"}}}},
              \#(problems(400, 404))
            }
          }
        }
        """#
}
