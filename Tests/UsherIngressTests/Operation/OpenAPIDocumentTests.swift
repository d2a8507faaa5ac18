import Testing
import UsherEngine
import UsherIngress
import UsherJSON
import UsherLog
import UsherOperation
import UsherScene
import UsherText

@Suite("The OpenAPI document")
struct OpenAPIDocumentTests {
    private func document() throws -> JSONValue { try JSONValue(parsing: OpenAPIDocument.json) }

    @Test("openapi-spec-validator finds nothing, and every schema and example holds")
    func valid() throws {
        let code = """
            import sys, json
            from openapi_spec_validator import OpenAPIV31SpecValidator
            from jsonschema import Draft202012Validator
            document = json.load(sys.stdin)
            OpenAPIV31SpecValidator(document).validate()
            for name, schema in document["components"]["schemas"].items():
                Draft202012Validator.check_schema(schema)
            examples = 0
            for path, item in document["paths"].items():
                for method, operation in item.items():
                    if method == "parameters": continue
                    for media in operation.get("requestBody", {}).get("content", {}).values():
                        schema = {**media["schema"], "components": document["components"]}
                        for name, example in media.get("examples", {}).items():
                            examples += 1
                            Draft202012Validator(schema).validate(example["value"])
            assert examples > 8, examples
            ids = [o["operationId"] for i in document["paths"].values() for m, o in i.items() if m != "parameters"]
            assert len(ids) == len(set(ids)), ids
            print(document["openapi"], len(document["paths"]))
            """
        let (isGood, output) = try PythonJudge.run(code, input: OpenAPIDocument.json)
        #expect(isGood && output.hasPrefix("3.1"), "\(output)")
    }

    @Test("a real decision record fits its schema, and one with a wrong member does not")
    func record() throws {
        let code = """
            import sys, json
            from jsonschema import Draft202012Validator
            document = json.load(sys.stdin)
            schema = {"$ref": "#/components/schemas/DecisionRecord", "components": document["components"]}
            record = json.loads('''{"v":1,"id":"0199","seq":1,"time":"2026-11-21T09:00:00.123Z","source":"stdin","format":"apns","app":"a",
             "target":"t","resolved":"t","scene":"clown","session":"clown-7","action":"focus","reason":"prefers","policy":null,
             "rule":"a.toml:23:11","outcome":"verified","title":null,"warnings":[],"latency_us":{"decide":3,"act":null},
             "config":"sha256:x","dry_run":false,"error":null,"sender_id":null,"hook":null,"evidence":null}''')
            validator = Draft202012Validator(schema)
            assert not list(validator.iter_errors(record)), list(validator.iter_errors(record))
            for member, value in [("outcome", "success"), ("reason", None), ("seq", "1"), ("error", {"code": "E1"})]:
                assert list(validator.iter_errors({**record, member: value})), member
            del record["session"]
            assert list(validator.iter_errors(record))
            """
        let (isGood, output) = try PythonJudge.run(code, input: OpenAPIDocument.json)
        #expect(isGood, "\(output)")
    }

    /// Where JSON has a member that the schema does not name.
    private func undeclared(_ value: JSONValue, _ schema: JSONValue, in schemas: JSONValue, at place: String)
        -> [String]
    {
        var schema = schema
        for option in schema["oneOf"]?.elements ?? [] where option["$ref"] != nil { schema = option }
        if let name = schema["$ref"]?.string?.split(separator: "/").last { schema = schemas[String(name)] ?? schema }
        if let elements = value.elements {
            return elements.flatMap { undeclared($0, schema["items"] ?? schema, in: schemas, at: place) }
        }
        return (value.members ?? []).flatMap { member -> [String] in
            let place = "\(place)/\(member.name)"
            guard let known = schema["properties"]?[member.name] else { return [place] }
            return undeclared(member.value, known, in: schemas, at: place)
        }
    }

    @Test("a record has no member that the document does not have")
    func membersOfRecords() throws {
        var record = DecisionRecord(
            id: "a", sequence: 1, time: Instant(microseconds: 0), source: "test", configuration: "sha256:x")
        record.warnings = [.init(name: "late", message: "late")]
        record.handlers = [
            .init(
                verb: "show", program: "x", status: "exited", code: 0, milliseconds: 1, output: "o", errorOutput: "e")
        ]
        record.error = Diagnostic(.noScene, "none")
        (record.seen, record.movedTo, record.view) = ("b", ["/c"], .inFront)
        (record.parent, record.notificationAction, record.isRecovered) = ("p", "default", true)
        // Nothing that is only written where there is any is nil, empty or false.
        for child in Mirror(reflecting: record).children where child.label != "rendered" {
            let mirror = Mirror(reflecting: child.value)
            let holdsOthers = mirror.displayStyle == .optional || mirror.displayStyle == .collection
            let name = child.label ?? ""
            if holdsOthers && mirror.children.isEmpty || child.value as? Bool == false {
                #expect(Self.alwaysWritten.contains(name), "\(name) is not set by this test")
            }
        }
        let schemas = try #require(try document()["components"]?["schemas"])
        let schema = try #require(schemas["DecisionRecord"])
        #expect(undeclared(try JSONValue(parsing: Array(record.json.utf8)), schema, in: schemas, at: "") == [])
        let wrong = try JSONValue(
            parsing: Array(#"{"id":"a","error":{"code":"U1","colour":1},"handlers":[{"x":1}],"y":1}"#.utf8))
        #expect(undeclared(wrong, schema, in: schemas, at: "") == ["/error/colour", "/handlers/x", "/y"])
    }

    /// Members that the JSON has where a record has none, too.
    private static let alwaysWritten = [
        "senderID", "format", "app", "target", "resolved", "scene", "session", "policy", "rule", "title", "decideTime",
        "actTime", "isDryRun",
    ]

    @Test("a session has no member that the document does not have")
    func membersOfSessions() throws {
        let session = SceneSession(id: "a-1", app: "a", scene: "a", created: 1)
        let bytes = SessionAnswer(session, activation: .background).jsonText
        let schemas = try #require(try document()["components"]?["schemas"])
        let schema = try #require(schemas["Session"])
        #expect(undeclared(try JSONValue(parsing: bytes), schema, in: schemas, at: "") == [])
        #expect(
            schema["properties"]?["activation"]?["enum"]?.elements?.map(\.string)
                == ActivationState.allCases.map(\.rawValue) + [nil])
    }

    @Test("the list of operations is what the document has")
    func operations() throws {
        let methods = ["get", "put", "post", "delete", "options", "head", "patch", "trace"]
        var found: Set<OpenAPIDocument.Operation> = []
        for entry in try #require(try document()["paths"]?.members) {
            for method in (entry.value.members ?? []).map(\.name) where methods.contains(method) {
                found.insert(OpenAPIDocument.Operation(method.uppercased(), entry.name))
            }
        }
        #expect(found == Set(OpenAPIDocument.paths))
        #expect(OpenAPIDocument.paths.count == found.count)
    }

    @Test("enumerations have the values of the program")
    func enumerations() throws {
        let schemas = try #require(try document()["components"]?["schemas"])
        func values(_ name: String) -> [String]? { schemas[name]?["enum"]?.elements?.compactMap(\.string) }
        #expect(values("Action") == Action.allCases.map(\.rawValue))
        #expect(values("Reason") == Reason.allCases.map(\.rawValue))
        #expect(values("Policy") == Policy.allCases.map(\.rawValue))
        #expect(values("Outcome") == Outcome.allCases.map(\.rawValue))
        #expect(values("DeliveryState") == DeliveryState.allCases.map(\.rawValue))
    }
}
