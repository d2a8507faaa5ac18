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
              "help": {"type": ["string", "null"]}
            }
          },
          "Problem": {
            "type": "object",
            "description": "RFC 9457, and the error as records have it",
            "required": ["type", "title", "status", "detail", "error"],
            "properties": {
              "type": {"type": "string", "default": "about:blank"},
              "title": {"type": "string"},
              "status": {"type": "integer"},
              "detail": {"type": "string"},
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
                  "code": {"type": ["integer", "null"]}, "ms": {"type": ["integer", "null"]}
                }
              }},
              "seen": {"type": "string"},
              "recovered": {"type": "boolean"}
            }
          },
          "Action": {"type": "string", "enum": ["focus", "launch", "open-web", "notify", "background", "none"]},
          "Reason": {"type": "string", "enum": ["explicit", "single", "prefers", "can", "opens", "default", "limit", "web-fallback", "content-deleted", "duplicate", "collapsed", "expired", "no-app", "no-scene", "no-such-session", "invalid"]},
          "Policy": {"type": "string", "enum": ["background", "passive", "typing", "rate"]},
          "Outcome": {"type": "string", "enum": ["verified", "done", "unverified", "failed", "skipped"]},
          "DeliveryState": {"type": "string", "enum": ["accepted", "resolved", "acting", "done", "failed", "expired", "collapsed", "duplicate"]},
          "Delivery": {
            "type": "object",
            "required": ["id", "state"],
            "properties": {
              "id": {"type": "string"},
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
            "required": ["id", "session", "app", "scene", "role", "target", "state", "can", "prefers", "used", "created", "generation", "handle", "title"],
            "properties": {
              "id": {"type": "string"},
              "session": {"type": "string", "description": "The same as id"},
              "app": {"type": "string"},
              "scene": {"type": "string"},
              "role": {"type": "string"},
              "target": {"type": ["string", "null"]},
              "state": {"type": "string", "enum": ["connecting", "connected", "disconnected", "closing", "closed"]},
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
              "deliveries": {"type": "object", "additionalProperties": {"type": "integer"}}
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
