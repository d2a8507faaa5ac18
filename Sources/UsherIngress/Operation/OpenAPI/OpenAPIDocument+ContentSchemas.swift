internal import UsherText

extension OpenAPIDocument {
    static let contentSchemas = #"""
        "UserActivity": {
            "type": "object",
            "description": "A user activity in the names of its properties; others are kept as they are. One of the three identifiers is needed to be linked and suggested.",
            "required": ["activityType"],
            "properties": {
              "activityType": {"type": "string", "description": "Reverse DNS, declared in activity-types of the session's app"},
              "title": {"type": ["string", "null"]},
              "targetContentIdentifier": {"type": ["string", "null"]},
              "persistentIdentifier": {"type": ["string", "null"]},
              "webpageURL": {"type": ["string", "null"]},
              "userInfo": {"type": ["object", "null"]},
              "requiredUserInfoKeys": {"type": ["array", "null"], "items": {"type": "string"}},
              "keywords": {"type": ["array", "null"], "items": {"type": "string"}}
            }
          },
          "Activity": {
            "type": "object",
            "required": ["id", "app", "session", "state", "is_current", "type", "title", "target", "persistent", "webpage", "activity"],
            "properties": {
              "id": {"type": "string", "description": "UUIDv7"},
              "app": {"type": "string"},
              "session": {"type": ["string", "null"]},
              "state": {"type": "string", "enum": ["current", "kept", "resigned"]},
              "is_current": {"type": "boolean", "description": "Whether it is the system's"},
              "type": {"type": "string"},
              "title": {"type": ["string", "null"]},
              "target": {"type": ["string", "null"]},
              "persistent": {"type": ["string", "null"]},
              "webpage": {"type": ["string", "null"]},
              "needs_save": {"type": "boolean"},
              "became": {"type": ["string", "null"], "format": "date-time"},
              "changed": {"type": ["string", "null"], "format": "date-time"},
              "resigned": {"type": ["string", "null"], "format": "date-time"},
              "expires": {"type": ["string", "null"], "format": "date-time"},
              "version": {"type": ["string", "null"]},
              "activity": {"$ref": "#/components/schemas/UserActivity"}
            }
          },
          "ActivityAnswer": {
            "type": "object",
            "required": ["activity", "suggestions", "findings", "warnings"],
            "properties": {
              "activity": {"$ref": "#/components/schemas/Activity"},
              "is_new": {"type": "boolean", "description": "False where the very same was current already"},
              "suggestions": {"type": "array", "items": {"$ref": "#/components/schemas/Suggestion"}},
              "findings": {"type": "array", "items": {"$ref": "#/components/schemas/IdentifierFinding"}},
              "warnings": {"type": "array", "items": {"type": "string"}}
            }
          },
          "ResignAnswer": {
            "type": "object",
            "required": ["activity"],
            "properties": {"activity": {"$ref": "#/components/schemas/Activity"}}
          },
          "IdentifierFinding": {
            "type": "object",
            "required": ["code", "message", "suggestion"],
            "properties": {
              "id": {"type": ["string", "null"]},
              "code": {"type": "string"},
              "name": {"type": ["string", "null"]},
              "message": {"type": "string"},
              "suggestion": {"type": ["string", "null"]}
            }
          },
          "Note": {
            "type": "object",
            "required": ["id", "target", "state", "created", "changed"],
            "properties": {
              "id": {"type": "string", "description": "UUIDv7"},
              "target": {"type": "string", "pattern": "^usher-note:"},
              "text": {"type": "string"},
              "title": {"type": "string", "description": "The first line"},
              "state": {"type": "string", "enum": ["current", "aside", "done", "deleted"], "description": "current: in progress"},
              "line": {"type": ["integer", "null"], "description": "Where one was in it"},
              "created": {"type": "string", "format": "date-time"},
              "changed": {"type": "string", "format": "date-time"},
              "link_count": {"type": "integer", "description": "In lists"},
              "snippet": {"type": "string", "description": "Of a search: the words and what is around them"},
              "found_in": {"type": "string", "enum": ["text", "link"], "description": "Of a search"},
              "links": {"type": "array", "items": {"$ref": "#/components/schemas/Link"}},
              "attachments": {"type": "array", "items": {"$ref": "#/components/schemas/Attachment"}}
            }
          },
          "NoteAnswer": {
            "type": "object",
            "required": ["note"],
            "properties": {
              "note": {"$ref": "#/components/schemas/Note"},
              "links": {"type": "array", "items": {"$ref": "#/components/schemas/Link"}},
              "warnings": {"type": "array", "items": {"type": "string"}}
            }
          },
          "Attachment": {
            "type": "object",
            "properties": {
              "path": {"type": ["string", "null"]},
              "digest": {"type": ["string", "null"]},
              "size": {"type": ["integer", "null"]},
              "added": {"type": "string", "format": "date-time"}
            }
          },
          "Link": {
            "type": "object",
            "required": ["id", "note", "title", "identifiers", "target", "resolved", "created", "webpage"],
            "properties": {
              "id": {"type": "string", "description": "UUIDv7"},
              "note": {"type": "string"},
              "app": {"type": ["string", "null"]},
              "title": {"type": ["string", "null"]},
              "identifiers": {"type": "array", "items": {
                "type": "object",
                "required": ["kind", "identifier"],
                "properties": {
                  "kind": {"type": "string", "enum": ["targetContentIdentifier", "persistentIdentifier", "webpageURL"]},
                  "identifier": {"type": "string"}
                }
              }},
              "target": {"type": ["string", "null"], "description": "The preferred identifier"},
              "resolved": {"type": ["string", "null"], "description": "What it is called now"},
              "hops": {"type": "array", "items": {"$ref": "#/components/schemas/Hop"}},
              "deleted": {"type": ["string", "null"], "description": "That the content is gone, and why"},
              "activity": {"description": "Of one link: the activity that it was made from"},
              "created": {"type": "string", "format": "date-time"},
              "webpage": {"type": ["string", "null"]}
            }
          },
          "LinkAnswer": {
            "type": "object",
            "required": ["link"],
            "properties": {
              "link": {"$ref": "#/components/schemas/Link"},
              "is_new": {"type": "boolean", "description": "False where the note had this link already"},
              "findings": {"type": "array", "items": {"$ref": "#/components/schemas/IdentifierFinding"}},
              "warnings": {"type": "array", "items": {"type": "string"}}
            }
          },
          "Suggestion": {
            "type": "object",
            "required": ["note", "target", "text", "link", "identifier", "matched", "via"],
            "properties": {
              "note": {"type": "string"},
              "target": {"type": "string", "pattern": "^usher-note:"},
              "text": {"type": "string", "description": "The note's first line"},
              "link": {"type": "string"},
              "title": {"type": ["string", "null"]},
              "identifier": {"type": "string", "description": "As the link has it"},
              "matched": {"type": "string", "description": "As the activity has it"},
              "via": {"type": "array", "description": "The moves between them", "items": {"$ref": "#/components/schemas/Hop"}},
              "created": {"type": "string", "format": "date-time"},
              "app": {"type": ["string", "null"]}
            }
          },
          "SuggestionList": {
            "type": "object",
            "required": ["suggestions"],
            "properties": {"suggestions": {"type": "array", "items": {"$ref": "#/components/schemas/Suggestion"}}}
          },
          "Hop": {
            "type": "object",
            "required": ["from", "to", "note"],
            "properties": {
              "from": {"type": "string"},
              "to": {"type": "string"},
              "note": {"type": "string", "description": "What sort of move, when and why"}
            }
          },
          "Tombstone": {
            "type": ["object", "null"],
            "required": ["identifier", "made", "reason"],
            "properties": {
              "identifier": {"type": "string"},
              "made": {"type": "string", "format": "date-time"},
              "reason": {"type": ["string", "null"]}
            }
          },
          "RedirectList": {
            "type": "object",
            "required": ["redirects", "total"],
            "properties": {
              "redirects": {"type": "array", "items": {"$ref": "#/components/schemas/Redirect"}},
              "total": {"type": "integer", "description": "How many there are in all"},
              "resolved": {"type": "string", "description": "With target: what it is called now"},
              "hops": {"type": "array", "items": {"$ref": "#/components/schemas/Hop"}},
              "tombstone": {"$ref": "#/components/schemas/Tombstone"},
              "aliases": {"type": "array", "items": {"type": "string"}, "description": "With target: every identifier of the same content, the newest first"}
            }
          },
          "Redirect": {
            "type": "object",
            "required": ["number", "kind", "source", "destination", "made", "reason"],
            "properties": {
              "number": {"type": "integer"},
              "kind": {"type": "string", "enum": ["move", "prefix-move", "deleted"]},
              "source": {"type": "string"},
              "destination": {"type": ["string", "null"]},
              "made": {"type": "string", "format": "date-time"},
              "reason": {"type": ["string", "null"]}
            }
          },
          "RedirectAnswer": {
            "type": "object",
            "required": ["redirect"],
            "properties": {
              "redirect": {"$ref": "#/components/schemas/Redirect"},
              "is_new": {"type": "boolean", "description": "False where it was so already"},
              "resolved": {"type": "string", "description": "What the identifier leads to in the end"},
              "hops": {"type": "array", "description": "And how; of a deletion, to the identifier that has the tombstone", "items": {"$ref": "#/components/schemas/Hop"}},
              "tombstone": {"$ref": "#/components/schemas/Tombstone"},
              "findings": {"type": "array", "items": {"$ref": "#/components/schemas/IdentifierFinding"}},
              "warnings": {"type": "array", "items": {"type": "string"}}
            }
          }
        """#
}
