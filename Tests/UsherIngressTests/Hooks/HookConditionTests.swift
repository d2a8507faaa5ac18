import Testing
import UsherIngress
import UsherJSON
import UsherText

/// What each test of a condition holds for, wherever the tested place is; what an answer says of it is tested in
/// ``HookRouteTests``.
@Suite struct HookConditionTests {
    struct Row: Sendable, CustomTestStringConvertible {
        /// In TOML.
        var test: String
        /// JSON values.
        var holding: [JSONValue]
        var failing: [JSONValue]
        var testDescription: String { test }

        /// - Parameters: arrays as JSON texts.
        init(_ test: String, _ holding: String, _ failing: String) {
            self.test = test
            (self.holding, self.failing) = (Self.elements(holding), Self.elements(failing))
        }

        private static func elements(_ text: String) -> [JSONValue] {
            guard let found = (try? JSONValue(parsing: Array(text.utf8)))?.elements, !found.isEmpty else {
                preconditionFailure("no array with a value: \(text)")
            }
            return found
        }
    }

    static let rows = [
        Row(#"equals = "x""#, #"["x"]"#, #"["y", "X", "x ", "", 1, null, ["x"], {"x": "x"}]"#),
        Row(#"equals = """#, #"[""]"#, #"["x", 0, false, null]"#),
        Row(#"equals = "ä""#, #"["ä"]"#, #"["a\u0308", "Ä"]"#),
        Row("equals = 5", "[5, 5.0]", #"["5", 6, -5, true, [5]]"#),
        Row("equals = true", "[true]", #"[false, 1, "true"]"#),
        Row("equals = false", "[false]", #"[true, 0, "", null]"#),
        Row(#"in = ["a", 5, true]"#, #"["a", 5, true]"#, #"["b", "5", "true", 6, false, ["a"]]"#),
        Row("exists = true", #"["x", "", 0, false, [], {}]"#, "[null]"),
        Row("exists = false", "[null]", #"["x", "", 0, false, [], {}]"#),
        Row(#"prefix = "refs/""#, #"["refs/heads", "refs/"]"#, #"["ref", "Refs/x", "/refs/", 5, ["refs/"]]"#),
        Row(#"starts-with = "refs/""#, #"["refs/heads", "refs/"]"#, #"["ref", "Refs/x", "/refs/", 5, ["refs/"]]"#),
        Row(#"ends-with = ".toml""#, #"["a.toml", ".toml"]"#, #"["a.toml ", "toml", "a.TOML", 5, [".toml"]]"#),
        Row(
            #"contains = "bug""#, #"["a bug", "debugger", "bug", ["bug"], ["a", "bug"]]"#,
            #"["bu g", "BUG", ["bugs"], ["a bug"], [["bug"]], [], {"bug": 1}, 5]"#),
        Row("contains = 5", "[[5], [1, 5]]", #"[["5"], [55], [], 5]"#),
        Row("less-than = 5", "[4, 4.9, -1, 0]", #"[5, 5.1, 1e9, "4", true, null, [4]]"#),
        Row("at-most = 5", "[5, 4, -1e9]", #"[5.1, 6, "5", false]"#),
        Row("greater-than = 5", "[5.1, 6, 1e30]", #"[5, 4, "6", true]"#),
        Row("at-least = 5", "[5, 5.5, 6]", #"[4.99, 4, "5"]"#), Row("at-least = 0.5", "[0.5, 1]", "[0.4, 0]"),
        Row("greater-than = 9007199254740992", "[9007199254740993]", "[9007199254740992, 9007199254740991]"),
    ]

    /// Whether a condition is met, by the answer of a hook that has nothing else to read.
    private struct Judge {
        let fixture: WebhookFixture
        let access: WebhookAccess

        init(_ condition: String, _ more: String = "") throws {
            let conditions = "when = [\(condition)]\ntitle = \"held\"\n" + more
            fixture = try WebhookFixture("[hooks.h]\n" + HookRouteTests.open + conditions)
            access = fixture.access()
        }

        func isMet(
            _ body: String, _ fields: [(String, String)] = [], query: String = "", type: String = "application/json"
        ) -> Bool {
            let request = WebhookFixture.request("/hooks/h" + query, body, fields, type: type)
            let answer = fixture.send(request, RecordingIntake(.accept), access)
            let isIgnored = answer.status == 200 && answer.json["status"]?.string == "ignored"
            #expect(isIgnored || answer.status == 202, "\(answer.text)")
            return !isIgnored
        }
    }

    /// Alone, inside `not`, and inside `any` and `all`. A missing place meets no test but that of its absence.
    @Test(arguments: rows) func members(_ row: Row) throws {
        let test = #"{ pointer = "/v", \#(row.test) }"#
        let alone = try Judge(test)
        let inverse = try Judge("{ not = \(test) }")
        let any = try Judge(#"{ any = [{ pointer = "/never", exists = true }, \#(test)] }"#)
        let all = try Judge(#"{ all = [{ pointer = "/other", equals = 1 }, \#(test)] }"#)
        let bodies =
            [(#"{"other":1}"#, row.test == "exists = false")]
            + row.holding.map { (#"{"other":1,"v":\#($0.text())}"#, true) }
            + row.failing.map { (#"{"other":1,"v":\#($0.text())}"#, false) }
        for (body, holds) in bodies {
            #expect(alone.isMet(body) == holds, "\(body)")
            #expect(inverse.isMet(body) != holds, "not: \(body)")
            #expect(any.isMet(body) == holds, "any: \(body)")
            #expect(all.isMet(body) == holds, "all: \(body)")
        }
    }

    static let texts = [
        (#"equals = "x""#, ["x"], ["y", "X"]), (#"in = ["a", "b"]"#, ["a", "b"], ["c", "ab"]),
        ("exists = true", ["x"], []), (#"starts-with = "a""#, ["a", "ab"], ["b"]),
        (#"ends-with = "z""#, ["z", "az"], ["za"]), (#"contains = "mid""#, ["amidst"], ["mi"]),
        ("less-than = 5", ["4", "-1", "4.5"], ["5", "x", "0x1", "4 5"]),
        ("at-most = 5", ["5", "5.0"], ["5.01", "five"]),
        ("greater-than = 5", ["6", "5.01", "100"], ["5", "6a"]), ("at-least = 5", ["5", "10"], ["4", "4.99", ""]),
        ("exists = false", [], ["x"]),
    ]

    /// A header, a parameter and the field of a form are text: numbers are decimal there.
    @Test(arguments: texts) func parameters(_ test: String, _ holding: [String], _ failing: [String]) throws {
        let header = try Judge(#"{ header = "x-v", \#(test) }"#)
        let query = try Judge(#"{ query = "v", \#(test) }"#)
        let form = try Judge(#"{ pointer = "/v", \#(test) }"#, "input = [\"form\"]\n")
        for (value, holds) in holding.map({ ($0, true) }) + failing.map({ ($0, false) }) {
            let encoded = PercentEncoding.encode(value.utf8)
            #expect(header.isMet("{}", [("X-V", value)]) == holds, "header: \(value)")
            #expect(query.isMet("{}", query: "?v=" + encoded) == holds, "query: \(value)")
            #expect(form.isMet("v=" + encoded, type: HookMappingTests.form) == holds, "form: \(value)")
        }
        let isAbsence = test == "exists = false"
        #expect(header.isMet("{}") == isAbsence)
        #expect(query.isMet("{}", query: "?w=1") == isAbsence)
        #expect(form.isMet("w=1", type: HookMappingTests.form) == isAbsence)
    }

    @Test func together() throws {
        let any = try Judge(
            #"{ any = [{ pointer = "/v", equals = "a" }, { header = "X-V", equals = "b" }, { query = "v", equals = "c" }] }"#
        )
        #expect(any.isMet(#"{"v":"a"}"#))
        #expect(any.isMet("{}", [("X-V", "b")]))
        #expect(any.isMet("{}", query: "?v=c"))
        for body in ["{}", #"{"v":"b"}"#] { #expect(!any.isMet(body, query: "?v=a")) }
        let all = #"all = [{ pointer = "/v", starts-with = "a" }, { pointer = "/v", ends-with = "z" }]"#
        let inverse = try Judge("{ not = { \(all) } }")
        #expect(inverse.isMet(#"{"v":"a"}"#) && inverse.isMet(#"{"v":"z"}"#) && !inverse.isMet(#"{"v":"az"}"#))
        // Eight deep, with the test itself.
        var deep = #"{ pointer = "/v", equals = "x" }"#
        for level in 0..<7 { deep = "{ \(level % 2 == 0 ? "all" : "any") = [\(deep)] }" }
        let nested = try Judge(deep)
        #expect(nested.isMet(#"{"v":"x"}"#) && !nested.isMet(#"{"v":"y"}"#))
    }

    /// Members, elements and escapes of a pointer.
    @Test(
        arguments: [
            ("", "[]", true), ("", "5", true), ("/", #"{"":1}"#, true), ("/a/1/b~1c~0", #"{"a":[0,{"b/c~":1}]}"#, true),
            ("/a/01", #"{"a":[0,1]}"#, false), ("/a/-", #"{"a":[0,1]}"#, false),
            ("/a/99999999999999999999", #"{"a":[0,1]}"#, false), ("/a/b", #"{"a":5}"#, false),
        ])
    func pointer(_ pointer: String, _ body: String, _ isThere: Bool) throws {
        #expect(try Judge("{ pointer = \"\(pointer)\", exists = true }").isMet(body) == isThere)
    }
}
