import Testing
import UsherJSON
import UsherPayload
import UsherScene

struct InputFormTests {
    @Test(
        arguments: [
            (nil, "{\n}", .lines), ("a.jsonl", "{\n}", .lines), ("a.ndjson", "", .lines),
            ("a.apns", "{}\n{}", .simulator),
            ("a.json", "{}\n{}", .lines), ("a.json", "{\n}", .document), ("a.json", "\n \n{}\n", .lines),
            ("a.json", "", .document), ("a.json", "x\n{}", .document), ("a", "{}", .lines),
            ("jsonl", "{\n}", .document),
            ("a.json", "{}{}", .document), ("a.json", "42\n", .lines),
        ] as [(String?, String, InputForm)])
    func `name and first line decide`(_ name: String?, _ text: String, _ expected: InputForm) {
        var scratch = JSONDocument()
        #expect(InputForm(fileName: name, bytes: Array(text.utf8), scratch: &scratch) == expected)
    }

    @Test(arguments: [
        ("{\"aps\":{}}\n", "apns", true), ("{\"aps\":{}}\n{\"aps\":{}}", "jsonl", true),
        ("{\n\"aps\":{}\n}\n", "apns", true), ("{\n\"aps\":{\n", "apns", false), ("", "apns", false),
        ("{\"aps\":{}}\n{\n", "jsonl", false),
    ])
    func `standard input is one payload or lines`(_ text: String, _ kind: String, _ isValid: Bool) throws {
        let inspection = PayloadInspection.inspect(Array(text.utf8), fileName: nil)
        #expect(try JSONValue(parsing: inspection.json)["kind"]?.string == kind)
        #expect(inspection.isValid == isValid)
    }
}
