internal import UsherText

extension OpenAPIDocument {
    static let schemas = #"""
          "Payload": {
            "type": "object",
            "description": "A payload in any format that is read (APNs' JSON, a simctl file, a shortcut item, a user activity, an envelope around one of them)."
          },
          "Accepted": {
            "type": "object",
            "required": ["id", "status"],
            "properties": {
              "id": {"type": "string", "description": "UUIDv7"},
              "status": {"const": "accepted"}
            }
          },
          "Invalid": {
            "type": "object",
            "required": ["id", "status", "error"],
            "properties": {
              "id": {"type": "string"},
              "status": {"const": "invalid"},
              "error": {"$ref": "#/components/schemas/Error"}
            }
          },
          "Refused": {
            "type": "object",
            "description": "It could not be put on disk, and is not taken",
            "required": ["status", "error"],
            "properties": {
              "status": {"const": "refused"},
              "error": {"$ref": "#/components/schemas/Error"}
            }
          },
          "Element": {
            "description": "One of a batch; a record where wait=1 was asked for and the others are not all finished",
            "oneOf": [
              {"$ref": "#/components/schemas/Accepted"}, {"$ref": "#/components/schemas/Invalid"},
              {"$ref": "#/components/schemas/Refused"}, {"$ref": "#/components/schemas/DecisionRecord"}
            ]
          },
          "Error": {
            "type": "object",
            "required": ["code", "name", "message"],
            "properties": {
              "code": {"type": "string", "pattern": "^U[0-9]{4}$"},
              "name": {"type": "string", "description": "Dotted, one to one with the code"},
              "message": {"type": "string"},
              "at": {"type": ["string", "null"], "description": "A JSON pointer into the payload"},
              "offset": {"type": ["integer", "null"], "description": "Bytes from its begin"},
              "help": {"type": ["string", "null"]},
              "moved_to": {"type": "array", "items": {"type": "string"}, "description": "As in the record"}
            }
          },
          "Problem": {
            "type": "object",
            "description": "RFC 9457, and the error as records have it",
            "required": ["type", "title", "status", "detail", "help", "error"],
            "properties": {
              "type": {"type": "string", "default": "about:blank"},
              "title": {"type": "string"},
              "status": {"type": "integer"},
              "detail": {"type": "string"},
              "help": {"type": "string", "description": "What to do about it"},
              "error": {"$ref": "#/components/schemas/Error"}
            }
          },
          "DecisionRecord": {
            "type": "object",
            "description": "What was decided for one payload, and what came of it. Members are only ever added.",
            "required": ["v", "id", "seq", "time", "source", "format", "app", "target", "resolved", "scene", "session", "action", "reason", "policy", "rule", "outcome", "title", "warnings", "latency_us", "config", "dry_run", "error", "sender_id"],
            "properties": {
              "v": {"const": 1},
              "id": {"type": "string", "description": "UUIDv7"},
              "seq": {"type": "integer"},
              "time": {"type": "string", "format": "date-time"},
              "source": {"type": "string", "examples": ["webhook", "hook:github", "stdin", "control"]},
              "format": {"type": ["string", "null"]},
              "app": {"type": ["string", "null"]},
              "target": {"type": ["string", "null"]},
              "resolved": {"type": ["string", "null"]},
              "scene": {"type": ["string", "null"]},
              "session": {"type": ["string", "null"]},
              "action": {"$ref": "#/components/schemas/Action"},
              "reason": {"$ref": "#/components/schemas/Reason"},
              "policy": {"oneOf": [{"$ref": "#/components/schemas/Policy"}, {"type": "null"}]},
              "rule": {"type": ["string", "null"], "description": "file:line:column"},
              "outcome": {"$ref": "#/components/schemas/Outcome"},
              "title": {"type": ["string", "null"]},
              "warnings": {"type": "array", "items": {"type": "string"}},
              "latency_us": {
                "type": "object",
                "required": ["decide", "act"],
                "properties": {"decide": {"type": ["integer", "null"]}, "act": {"type": ["integer", "null"]}}
              },
              "config": {"type": "string", "examples": ["sha256:0000"]},
              "dry_run": {"type": "boolean"},
              "error": {"oneOf": [{"$ref": "#/components/schemas/Error"}, {"type": "null"}]},
              "sender_id": {"type": ["string", "null"]},
              "warning_details": {"type": "array", "items": {
                "type": "object",
                "required": ["name", "message"],
                "properties": {
                  "name": {"type": "string"}, "message": {"type": "string"},
                  "at": {"type": ["string", "null"]}, "help": {"type": ["string", "null"]}
                }
              }},
              "handlers": {"type": "array", "items": {
                "type": "object",
                "required": ["verb", "program", "status"],
                "properties": {
                  "verb": {"type": "string"}, "program": {"type": "string"}, "status": {"type": "string"},
                  "code": {"type": ["integer", "null"]}, "ms": {"type": ["integer", "null"]}, "output": {"type": "string"}, "error_output": {"type": "string"}
                }
              }},
              "seen": {"type": "string"},
              "moved_to": {
                "type": "array", "description": "Of a link to a file that was moved: where it may be now",
                "items": {"type": "string"}
              },
              "view": {"type": "string", "enum": ["in-front", "marked"]},
              "parent": {"type": "string", "description": "Of a press on a notification: the id of the delivery that it was shown for"},
              "notification_action": {"type": "string", "description": "The button that was pressed; default is the notification itself"},
              "recovered": {"type": "boolean"}
            }
          },
          "Action": {"type": "string", "enum": ["focus", "launch", "open-web", "notify", "background", "none"]},
          "Reason": {"type": "string", "enum": ["explicit", "single", "prefers", "can", "opens", "default", "limit", "recent", "web-fallback", "content-deleted", "duplicate", "collapsed", "expired", "no-app", "no-scene", "no-such-session", "invalid"]},
          "Policy": {"type": "string", "enum": ["background", "passive", "typing", "rate", "quiet"]},
          "Outcome": {"type": "string", "enum": ["verified", "done", "unverified", "failed", "skipped"]},
          "DeliveryState": {"type": "string", "enum": ["accepted", "resolved", "acting", "done", "failed", "expired", "collapsed", "duplicate"]},
          "Delivery": {
            "type": "object",
            "required": ["id", "state"],
            "properties": {
              "id": {"type": "string"},
              "short": {"type": "string", "description": "The shortest beginning of the id that is unique, four characters at least"},
              "sender_id": {"type": ["string", "null"]},
              "state": {"$ref": "#/components/schemas/DeliveryState"},
              "accepted": {"type": "string", "format": "date-time"},
              "finished": {"type": ["string", "null"], "format": "date-time"},
              "source": {"type": "string"},
              "format": {"type": ["string", "null"]},
              "app": {"type": ["string", "null"]},
              "target": {"type": ["string", "null"]},
              "resolved": {"type": ["string", "null"]},
              "scene": {"type": ["string", "null"]},
              "session": {"type": ["string", "null"]},
              "action": {"oneOf": [{"$ref": "#/components/schemas/Action"}, {"type": "null"}]},
              "reason": {"oneOf": [{"$ref": "#/components/schemas/Reason"}, {"type": "null"}]},
              "attempts": {"type": "integer", "minimum": 0},
              "config": {"type": ["string", "null"]},
              "duplicate_of": {"type": "string", "description": "Of a duplicate: the delivery that came first"},
              "record": {"oneOf": [{"$ref": "#/components/schemas/DecisionRecord"}, {"type": "null"}]},
              "input": {"type": "string", "description": "The payload as it came"},
              "explanation": {"oneOf": [{"$ref": "#/components/schemas/Explanation"}, {"type": "null"}]}
            }
          },
          "DeliveryList": {
            "type": "object",
            "required": ["deliveries"],
            "properties": {"deliveries": {"type": "array", "items": {"type": "string", "description": "Our ids"}}}
          },
          "Session": {
            "type": "object",
            "required": ["id", "session", "app", "scene", "role", "target", "state", "activation", "can", "prefers", "used", "created", "generation", "handle", "title"],
            "properties": {
              "id": {"type": "string"},
              "session": {"type": "string", "description": "The same as id"},
              "app": {"type": "string"},
              "scene": {"type": "string"},
              "role": {"type": "string"},
              "target": {"type": ["string", "null"]},
              "state": {"type": "string", "enum": ["connecting", "connected", "disconnected", "closing", "closed"]},
              "activation": {"type": ["string", "null"], "enum": ["unattached", "foregroundActive", "foregroundInactive", "background", null], "description": "How its window is seen; null while no window system has reported it"},
              "can": {"type": "string", "description": "A predicate, in canonical text"},
              "prefers": {"type": "string"},
              "used": {"type": ["string", "null"], "format": "date-time"},
              "created": {"type": "string", "format": "date-time"},
              "generation": {"type": "integer"},
              "handle": {"type": ["string", "null"]},
              "title": {"type": ["string", "null"]},
              "warnings": {"type": "array", "items": {"type": "string"}, "description": "After a change, where there are any"}
            }
          },
          "SessionList": {
            "type": "object",
            "required": ["sessions", "warnings"],
            "properties": {
              "sessions": {"type": "array", "items": {"$ref": "#/components/schemas/Session"}},
              "warnings": {"type": "array", "items": {
                "type": "object",
                "required": ["index", "message"],
                "properties": {"index": {"type": "integer"}, "message": {"type": "string"}}
              }}
            }
          },
          "Explanation": {
            "type": "object",
            "required": ["v", "request", "decision"],
            "properties": {
              "v": {"const": 1},
              "request": {"type": "object"},
              "hops": {"type": "array", "items": {"type": "object"}},
              "app": {"type": ["string", "null"]},
              "snapshot": {"type": "object"},
              "candidates": {"type": "array", "items": {"type": "object"}},
              "configurations": {"type": "array", "items": {"type": "object"}},
              "decision": {"type": "object"}
            }
          },
          "TemplateVariables": {
            "type": "object",
            "additionalProperties": {"oneOf": [
              {"type": ["string", "number", "boolean", "null"]},
              {"type": "array", "items": {"type": ["string", "number", "boolean"]}},
              {"type": "object", "additionalProperties": {"type": ["string", "number", "boolean"]}}
            ]}
          },
          "BuildRequest": {
            "type": "object",
            "properties": {
              "template": {"type": "string", "description": "RFC 6570"},
              "name": {"type": "string", "description": "Instead: a template of an app's [targets]"},
              "app": {"type": "string"},
              "variables": {"$ref": "#/components/schemas/TemplateVariables"}
            }
          },
          "BuildAnswer": {
            "type": "object",
            "required": ["expansion", "error"],
            "properties": {
              "expansion": {"type": ["string", "null"]},
              "error": {"oneOf": [{"$ref": "#/components/schemas/Error"}, {"type": "null"}]}
            }
          },
          "IdentifierRequest": {
            "type": "object",
            "required": ["id"],
            "properties": {
              "id": {"type": "string"},
              "app": {"type": "string"}
            }
          },
          "MatchAnswer": {
            "type": "object",
            "required": ["app", "template", "variables", "ambiguous"],
            "properties": {
              "id": {"type": "string"},
              "app": {"type": ["string", "null"]},
              "template": {"type": ["string", "null"], "description": "Its name"},
              "text": {"type": ["string", "null"], "description": "The template itself"},
              "variables": {"oneOf": [{"$ref": "#/components/schemas/TemplateVariables"}, {"type": "null"}]},
              "ambiguous": {"type": "array", "description": "What else it could be", "items": {"type": "object"}},
              "error": {"oneOf": [{"$ref": "#/components/schemas/Error"}, {"type": "null"}]}
            }
          },
          "LintAnswer": {
            "type": "object",
            "required": ["id", "findings"],
            "properties": {
              "id": {"type": "string"},
              "findings": {"type": "array", "items": {
                "type": "object",
                "required": ["code", "message", "suggestion"],
                "properties": {
                  "code": {"type": "string", "pattern": "^U7[0-9]{3}$"},
                  "name": {"type": "string"},
                  "found": {"type": ["string", "null"], "description": "The part of the id"},
                  "message": {"type": "string"},
                  "suggestion": {"type": ["string", "null"]}
                }
              }},
              "error": {"$ref": "#/components/schemas/Error"}
            }
          },
          \#(contentSchemas),
          "Reload": {
            "type": "object",
            "required": ["result", "config"],
            "properties": {
              "result": {"type": "string", "enum": ["changed", "unchanged"]},
              "config": {"type": "string", "description": "The digest of what is used now"},
              "difference": {
                "type": "object",
                "properties": {
                  "files": {"type": "array", "items": {"type": "string"}},
                  "added": {"type": "array", "items": {"type": "string"}},
                  "removed": {"type": "array", "items": {"type": "string"}},
                  "changed": {"type": "array", "items": {"type": "string"}}
                }
              }
            }
          },
          "Status": {
            "type": "object",
            "required": ["version", "pid", "started", "state", "config", "stopping", "deliveries"],
            "properties": {
              "version": {"type": "string"},
              "pid": {"type": "integer"},
              "started": {"type": "string", "format": "date-time"},
              "state": {"type": "string", "description": "The state folder"},
              "config": {"type": "string"},
              "stopping": {"type": "boolean"},
              "deliveries": {"type": "object", "additionalProperties": {"type": "integer"}},
              "rejected": {
                "type": "object",
                "description": "Why the configuration on disk is not the one in use; only while that is so",
                "required": ["time", "message", "count", "errors"],
                "properties": {
                  "time": {"type": "string", "format": "date-time"},
                  "message": {"type": "string"},
                  "count": {"type": "integer", "description": "How many errors there are"},
                  "errors": {"type": "array", "description": "The first 20", "items": {
                    "type": "object",
                    "required": ["code", "name", "message"],
                    "properties": {
                      "code": {"type": "string"}, "name": {"type": "string"},
                      "message": {"type": "string", "description": "Begins with FILE:LINE:COLUMN where it is about a place"}
                    }
                  }}
                }
              }
            }
          },
          "Health": {
            "type": "object",
            "required": ["status"],
            "properties": {
              "status": {"type": "string", "enum": ["ok", "stopping", "failing"]},
              "version": {"type": "string"}
            }
          }
        """#
}

// MARK: - Content schemas

extension OpenAPIDocument {
    private static let contentSchemas = #"""
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
              "short": {"type": "string", "description": "The shortest beginning of the id that is unique, four characters at least"},
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
            "required": ["id", "target", "tags", "state", "created", "changed"],
            "properties": {
              "id": {"type": "string", "description": "UUIDv7"},
              "short": {"type": "string", "description": "The shortest beginning of the id that is unique, four characters at least"},
              "target": {"type": "string", "pattern": "^usher-note:"},
              "text": {"type": "string"},
              "tags": {"type": "array", "items": {"type": "string"}, "description": "Of the text, sorted, without their #"},
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
          "NoteTag": {
            "type": "object",
            "required": ["tag", "notes"],
            "properties": {
              "tag": {"type": "string", "description": "In lower case, without its #"},
              "notes": {"type": "integer", "description": "How many notes have it"}
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
              "short": {"type": "string", "description": "The shortest beginning of the id that is unique, four characters at least"},
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
              "file": {
                "type": ["object", "null"], "description": "Of one link to a file: the file when the link was made",
                "properties": {
                  "device": {"type": "integer"}, "inode": {"type": "integer"}, "size": {"type": "integer"},
                  "birth": {"type": ["integer", "null"], "description": "In nanoseconds since 1970"}
                }
              },
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
            "required": ["note", "target", "text", "link", "identifier", "matched", "via", "rules"],
            "properties": {
              "note": {"type": "string"},
              "target": {"type": "string", "pattern": "^usher-note:"},
              "text": {"type": "string", "description": "The note's first line"},
              "link": {"type": "string"},
              "title": {"type": ["string", "null"]},
              "identifier": {"type": "string", "description": "As the link has it"},
              "matched": {"type": "string", "description": "As the activity has it"},
              "via": {"type": "array", "description": "The moves between them", "items": {"$ref": "#/components/schemas/Hop"}},
              "rules": {
                "type": "array", "description": "The rules by which both addresses are the same",
                "items": {"type": "string"}
              },
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
          "UndoneChange": {
            "type": "object",
            "required": ["operation", "id", "time"],
            "properties": {
              "operation": {"type": "string", "enum": ["note delete", "link remove", "note edit", "content moved", "content deleted", "content restore"]},
              "id": {"type": "string", "description": "Of the note or the link, or the identifier of the content"},
              "time": {"type": "string", "format": "date-time", "description": "When it was done"},
              "warnings": {"type": "array", "items": {"type": "string"}}
            }
          },
          "Contact": {
            "type": "object",
            "required": ["id", "uid", "name", "givenName", "familyName", "nickname", "organizationName", "phoneNumbers", "emailAddresses", "handles", "addresses", "urls"],
            "properties": {
              "id": {"type": "string", "description": "UUIDv7"},
              "uid": {"type": ["string", "null"], "description": "As its card has it"},
              "name": {"type": "string"},
              "givenName": {"type": ["string", "null"]},
              "familyName": {"type": ["string", "null"]},
              "nickname": {"type": ["string", "null"]},
              "organizationName": {"type": ["string", "null"]},
              "phoneNumbers": {"type": "array", "items": {"$ref": "#/components/schemas/ContactEntry"}},
              "emailAddresses": {"type": "array", "items": {"$ref": "#/components/schemas/ContactEntry"}},
              "handles": {"type": "array", "items": {"type": "string"}},
              "addresses": {
                "type": "array",
                "items": {
                  "type": "object",
                  "required": ["fullThoroughfare", "city", "stateOrProvince", "postalCode", "country"],
                  "properties": {
                    "fullThoroughfare": {"type": ["string", "null"]},
                    "city": {"type": ["string", "null"]},
                    "stateOrProvince": {"type": ["string", "null"]},
                    "postalCode": {"type": ["string", "null"]},
                    "country": {"type": ["string", "null"]}
                  }
                }
              },
              "urls": {"type": "array", "items": {"type": "string"}}
            }
          },
          "ContactEntry": {
            "type": "object",
            "required": ["value", "types"],
            "properties": {
              "value": {"type": "string"},
              "types": {"type": "array", "items": {"type": "string"}, "description": "home, work, cell and the like"}
            }
          },
          "Interaction": {
            "type": "object",
            "description": "What the user did with an app",
            "required": ["id", "app", "intent", "participants", "target", "direction", "outcome", "activity", "time", "error"],
            "properties": {
              "id": {"type": "string", "description": "The donor's, or a UUIDv7"},
              "app": {"type": "string"},
              "intent": {"type": "string", "enum": ["sendMessage", "startAudioCall", "startVideoCall", "sendEmail", "playMedia", "requestRide", "getDirections"]},
              "participants": {"type": "array", "items": {"type": "string"}},
              "target": {"type": ["string", "null"]},
              "direction": {"type": "string", "enum": ["outgoing", "incoming"]},
              "outcome": {"type": "string", "enum": ["success", "failure"]},
              "activity": {"type": ["string", "null"], "description": "The id of an activity, which may be gone"},
              "time": {"type": "string", "format": "date-time"},
              "error": {"type": "null"}
            }
          },
          "ForgottenInteractions": {
            "type": "object",
            "required": ["interactions"],
            "properties": {"interactions": {"type": "integer", "description": "How many were forgotten: an id may be of several apps"}}
          },
          "Signal": {
            "type": "object",
            "required": ["signal", "time"],
            "properties": {
              "signal": {"type": "string"},
              "time": {"type": "string", "format": "date-time"}
            }
          },
          "Reminder": {
            "type": "object",
            "required": ["id", "text", "at", "when_opens", "when", "target", "activity", "state", "created"],
            "properties": {
              "id": {"type": "string", "description": "UUIDv7"},
              "text": {"type": "string"},
              "at": {"type": ["string", "null"], "format": "date-time"},
              "when_opens": {"type": ["string", "null"], "description": "The content that has to be opened"},
              "when": {"type": ["string", "null"], "description": "The name of the signal"},
              "target": {"type": ["string", "null"], "description": "What a click on the notification opens"},
              "activity": {"type": ["string", "null"], "description": "The id of an activity, which may be gone"},
              "state": {"type": "string", "enum": ["waiting", "fired"]},
              "created": {"type": "string", "format": "date-time"}
            }
          },
          "SuggestedItem": {
            "type": "object",
            "description": "What the user looked at or did lately and may need next",
            "required": ["kind", "title", "subtitle", "value", "app", "intent", "target", "label", "attributes", "source", "last", "count", "score"],
            "properties": {
              "kind": {"type": "string", "enum": ["place", "text", "contact", "media", "app"]},
              "title": {"type": "string"},
              "subtitle": {"type": ["string", "null"], "description": "Of a place: its address"},
              "value": {"type": ["string", "null"], "description": "What is put into a text field"},
              "app": {"type": ["string", "null"]},
              "intent": {"type": ["string", "null"]},
              "target": {"type": ["string", "null"], "description": "The identifier of the content"},
              "label": {"type": ["string", "null"], "description": "What a button for it says"},
              "attributes": {"type": ["object", "null"], "description": "contentAttributeSet of the newest activity"},
              "source": {
                "description": "Where it was seen last",
                "oneOf": [{"$ref": "#/components/schemas/SuggestionSource"}, {"type": "null"}]
              },
              "last": {"type": ["string", "null"], "format": "date-time"},
              "count": {"type": "integer", "description": "How many events"},
              "score": {"type": "number"},
              "why": {"$ref": "#/components/schemas/SuggestionReasons"}
            }
          },
          "SuggestionSource": {
            "type": "object",
            "required": ["app", "name", "activity", "url"],
            "properties": {
              "app": {"type": "string"},
              "name": {"type": ["string", "null"], "description": "Of the app"},
              "activity": {"type": ["string", "null"]},
              "url": {"type": ["string", "null"], "description": "The web page"}
            }
          },
          "SuggestionReasons": {
            "type": "object",
            "description": "Where why=1 was asked for",
            "required": ["half_life_s", "events", "left_out"],
            "properties": {
              "half_life_s": {"type": "integer"},
              "events": {"type": "array", "items": {
                "type": "object",
                "required": ["time", "age_s", "weight", "from"],
                "properties": {
                  "time": {"type": "string", "format": "date-time"},
                  "age_s": {"type": "number"},
                  "weight": {"type": "number"},
                  "from": {"type": "string", "description": "The app"}
                }
              }},
              "left_out": {"type": "array", "items": {
                "type": "object",
                "required": ["title", "reason"],
                "properties": {
                  "title": {"type": "string"},
                  "reason": {"type": "string", "enum": ["expired", "ineligible", "deleted", "excluded", "own", "signal", "old"]}
                }
              }}
            }
          },
          "Forgotten": {
            "type": "object",
            "description": "How much was forgotten, or would be",
            "required": ["events", "interactions", "contacts", "reminders"],
            "properties": {
              "events": {"type": "integer", "description": "How often an activity became current"},
              "interactions": {"type": "integer"},
              "contacts": {"type": "integer"},
              "reminders": {"type": "integer"},
              "warnings": {"type": "array", "items": {"type": "string"}, "description": "What stays, where anything does"}
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
