import Testing
import UsherJSON
import UsherPayload
import UsherScene

struct InputFormTests {
    @Test(
        arguments: [
            (nil, .stream), ("a.jsonl", .stream), ("a.ndjson", .stream), ("a.apns", .simulator), ("a.json", .document),
            ("a", .document), ("jsonl", .document),
        ] as [(String?, InputForm)])
    func `the name decides`(_ name: String?, _ expected: InputForm) {
        #expect(InputForm(fileName: name) == expected)
    }

    @Test(
        arguments: [
            ("{\"aps\":{}}\n", nil, "apns", true), ("{\"aps\":{}}\n{\"aps\":{}}", nil, "jsonl", true),
            ("{\n\"aps\":{}\n}\n", nil, "apns", true), ("{\n\"aps\":{\n", nil, "apns", false), ("", nil, "apns", false),
            ("{\"aps\":{}}\n{\n", nil, "jsonl", false), ("{\"aps\":{}}{\"aps\":{}}", "a.json", "jsonl", true),
            ("{\"aps\":{}} x", "a.json", "jsonl", false), ("", "a.json", "apns", false), ("", "a.jsonl", "jsonl", true),
            ("{\"aps\":{}}", "a.ndjson", "jsonl", true),
            ("{\"aps\":{},\"Simulator Target Bundle\":\"a.b\"}", "a.apns", "simctl", true),
            ("{\"aps\":{}}{}", "a.apns", "simctl", false),
        ] as [(String, String?, String, Bool)])
    func `an inspection is of one payload or of several`(
        _ text: String, _ name: String?, _ kind: String, _ isValid: Bool
    ) throws {
        let inspection = PayloadInspection.inspect(Array(text.utf8), fileName: name)
        #expect(try JSONValue(parsing: inspection.json)["kind"]?.string == kind)
        #expect(inspection.isValid == isValid)
    }
}
