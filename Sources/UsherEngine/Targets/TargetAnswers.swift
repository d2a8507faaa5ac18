public import UsherJSON
public import UsherOperation

// What `TargetRequests` reads and writes: it keeps whatever else is in a line.

/// What variables of templates stand for: texts, lists and maps, by name.
public struct TemplateVariables: FieldValue {
    public static let shape: ValueShape = {
        var shape = ValueShape(.record)
        shape.object = ObjectShape("TemplateVariables") { [] }
        shape.object?.keywords = [
            .init(
                "additionalProperties",
                [
                    "oneOf": [
                        ["type": ["string", "number", "boolean", "null"]],
                        ["type": "array", "items": ["type": ["string", "number", "boolean"]]],
                        ["type": "object", "additionalProperties": ["type": ["string", "number", "boolean"]]],
                    ]
                ])
        ]
        return shape
    }()

    public var json: JSONValue

    public static func read(_ value: JSONValue, _ name: String, at place: String) -> TemplateVariables {
        TemplateVariables(json: value)
    }

    public func write(to json: inout JSONWriter) { json.value(self.json) }
}

/// A line of `target build`.
public struct TargetBuildRequest: AnswerRecord {
    public var template: String?
    public var name: String?
    public var app: String?
    public var variables: TemplateVariables?

    public init() {}

    public static let schema: String? = "BuildRequest"
    public static let fields: [Field<Self>] = [
        Field(ifAny: "template", \.template, "RFC 6570"),
        Field(ifAny: "name", \.name, "Instead: a template of an app's [targets]"), Field(ifAny: "app", \.app),
        Field(ifAny: "variables", \.variables),
    ]
}

/// A line of `target match` or `target lint`.
public struct TargetRequest: AnswerRecord {
    public var id = ""
    public var app: String?

    public init() {}

    public static let schema: String? = "IdentifierRequest"
    public static let fields: [Field<Self>] = [Field(always: "id", \.id), Field(ifAny: "app", \.app)]
}

/// The answer of `target build`.
public struct TargetBuilding: AnswerRecord {
    public var expansion: String?
    public var error: ErrorAnswer?

    public init() {}

    public static let schema: String? = "BuildAnswer"
    public static let fields: [Field<Self>] = [
        Field(always: "expansion", \.expansion), Field(always: "error", \.error),
    ]
}

/// The answer of `target match`.
public struct TargetMatching: AnswerRecord {
    public var id: String?
    public var app: String?
    public var template: String?
    public var text: String?
    public var variables: TemplateVariables?
    public var ambiguous: [JSONValue] = []
    public var error: ErrorAnswer?

    public init() {}

    public static let schema: String? = "MatchAnswer"
    public static let fields: [Field<Self>] = [
        Field(ifAny: "id", \.id), Field(always: "app", \.app), Field(always: "template", \.template, "Its name"),
        Field(always: "text", \.text, "The template itself"), Field(always: "variables", \.variables),
        Field(always: "ambiguous", \.ambiguous, "What else it could be", ["items": ["type": "object"]]),
        Field(always: "error", \.error),
    ]
}

/// The answer of `target lint`.
public struct TargetLinting: AnswerRecord {
    public struct Finding: AnswerRecord {
        public var code = ""
        public var name = ""
        public var found: String?
        public var message = ""
        public var suggestion: String?

        public init() {}

        public static let fields: [Field<Self>] = [
            Field(always: "code", \.code, "", ["pattern": "^U7[0-9]{3}$"]), Field(always: "name", \.name),
            Field(always: "found", \.found, "The part of the id"), Field(always: "message", \.message),
            Field(always: "suggestion", \.suggestion),
        ]
    }

    public var id = ""
    public var findings: [Finding] = []
    public var error: ErrorAnswer?

    public init() {}

    public static let schema: String? = "LintAnswer"
    public static let fields: [Field<Self>] = [
        Field(always: "id", \.id), Field(always: "findings", \.findings), Field(ifAny: "error", \.error),
    ]
}
