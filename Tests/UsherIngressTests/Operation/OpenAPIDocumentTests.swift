import Testing
import UsherIngress
import UsherJSON
import UsherScene

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
             "config":"sha256:x","dry_run":false,"error":null,"sender_id":null}''')
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
