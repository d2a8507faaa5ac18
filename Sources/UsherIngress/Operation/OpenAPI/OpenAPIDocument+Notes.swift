extension OpenAPIDocument {
    static let notePaths = #"""
        "/v1/notes": {
          "get": {
            "operationId": "listNotes", "tags": ["notes"],
            "summary": "Notes, newest first, or with q those with all of its words",
            "parameters": [
              {"name": "state", "in": "query", "description": "In one state only; not with q", "schema": {"type": "string"}},
              {"$ref": "#/components/parameters/limit"},
              {"$ref": "#/components/parameters/before"},
              {"name": "q", "in": "query", "description": "Words of the text, the last one perhaps cut", "schema": {"type": "string"}}
            ],
            "responses": {
              "200": {"description": "Notes without their links", "content": {"application/json": {"schema": {"type": "array", "items": {"$ref": "#/components/schemas/Note"}}}}},
              \#(problems(400))
            }
          },
          "post": {
            "operationId": "newNote", "tags": ["notes"],
            "summary": "Makes a note, which is then the one in progress",
            "requestBody": {
              "required": true,
              "content": {"application/json": {
                "schema": {"$ref": "#/components/schemas/NoteRequest"},
                "examples": {"clown": {"value": {"text": "Book Crusty for Saturday", "links": ["https://clowntown.example/clowns/crusty"]}}}
              }}
            },
            "responses": {
              "201": {
                "description": "The note",
                "headers": {"Location": {"$ref": "#/components/headers/Location"}},
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/NoteAnswer"}}}
              },
              \#(problems(400, 413, 415))
            }
          }
        },
        "/v1/notes/{id}": {
          "parameters": [{"$ref": "#/components/parameters/note"}],
          "get": {
            "operationId": "getNote", "tags": ["notes"],
            "summary": "One note, with its links and attachments",
            "responses": {
              "200": {"description": "The note", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Note"}}}},
              \#(problems(400, 404))
            }
          },
          "patch": {
            "operationId": "editNote", "tags": ["notes"],
            "summary": "Gives a note another text",
            "requestBody": {
              "required": true,
              "content": {"application/json": {
                "schema": {"$ref": "#/components/schemas/NoteEdit"},
                "examples": {"text": {"value": {"text": "Book Crusty for Sunday", "line": 1}}}
              }}
            },
            "responses": {
              "200": {"description": "The note afterwards", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/NoteAnswer"}}}},
              \#(problems(400, 404, 409, 413, 415))
            }
          },
          "delete": {
            "operationId": "deleteNote", "tags": ["notes"],
            "summary": "Forgets a note, its links and its attachments",
            "responses": {
              "200": {"description": "The note as it was", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/NoteAnswer"}}}},
              \#(problems(400, 404))
            }
          }
        },
        "/v1/notes/{id}/aside": {
          "parameters": [{"$ref": "#/components/parameters/note"}],
          "post": {
            "operationId": "putNoteAside", "tags": ["notes"],
            "summary": "Puts the note in progress aside",
            "responses": {\#(noteChanged)}
          }
        },
        "/v1/notes/{id}/resume": {
          "parameters": [{"$ref": "#/components/parameters/note"}],
          "post": {
            "operationId": "resumeNote", "tags": ["notes"],
            "summary": "Pulls a note out again: it is the one in progress",
            "responses": {\#(noteChanged)}
          }
        },
        "/v1/notes/{id}/done": {
          "parameters": [{"$ref": "#/components/parameters/note"}],
          "post": {
            "operationId": "finishNote", "tags": ["notes"],
            "summary": "Says that a note is finished",
            "responses": {\#(noteChanged)}
          }
        },
        "/v1/notes/{id}/attachments": {
          "parameters": [{"$ref": "#/components/parameters/note"}],
          "post": {
            "operationId": "attachToNote", "tags": ["notes"],
            "summary": "Attaches a file of this machine, by its path or its digest",
            "requestBody": {
              "required": true,
              "content": {"application/json": {
                "schema": {"$ref": "#/components/schemas/AttachmentRequest"},
                "examples": {"path": {"value": {"path": "/home/me/contract.pdf"}}}
              }}
            },
            "responses": {
              "201": {
                "description": "The note with it",
                "headers": {"Location": {"$ref": "#/components/headers/Location"}},
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/NoteAnswer"}}}
              },
              \#(problems(400, 404, 415))
            }
          }
        }
        """#

    private static let noteChanged = #"""
        "200": {"description": "The note afterwards", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/NoteAnswer"}}}}, \#(problems(400, 404))
        """#
}
