import Testing
import UsherEngine
import UsherIngress
import UsherJSON
import UsherPayload
import UsherText

/// Where a hook reads: forms of the body, and values with their places, defaults, maps and encodings.
@Suite struct HookMappingTests {
    static let form = "application/x-www-form-urlencoded"

    /// The title that a request gets, or the status and the error of its answer.
    private func title(
        _ hook: String, _ body: String, _ fields: [(String, String)] = [], query: String = "",
        type: String? = "application/json", method: String = "POST"
    ) throws -> String {
        let fixture = try WebhookFixture("[hooks.h]\n" + HookRouteTests.open + hook)
        let intake = RecordingIntake(.accept)
        let answer = fixture.send(
            WebhookFixture.request("/hooks/h" + query, body, fields, method: method, type: type), intake)
        return try intake.arrivals.first.map { try $0.reading.get().title ?? "" } ?? answer.summary
    }

    // MARK: Input

    static let payload = "payload=" + PercentEncoding.encode(#"{"n":"ä & b","all":true}"#.utf8)
    static let both = #"["json", { form-json = "payload" }]"#

    static func fields(_ count: Int) -> String { Array(repeating: "n=a", count: count).joined(separator: "&") }

    @Test(
        arguments: [
            (#"["json"]"#, #"{"n":"a","all":1}"#, "application/json; charset=utf-8", "a|1"),
            (#"["json"]"#, "n=1", form, "415 webhook.media-type"),
            (#"["json"]"#, "n=1", "multipart/form-data; boundary=x", "415 webhook.media-type"),
            (#"["form"]"#, #"{"n":"a"}"#, "application/json", "415 webhook.media-type"),
            (#"["form"]"#, "n=a", form, "a|"),
            (#"["form"]"#, "n=%C3%A4+%26%3D&all=1", form + ";charset=UTF-8", "ä &=|1"),
            (#"["form"]"#, "n=&all=1", form, "|1"), (#"["form"]"#, "n", form, "|"),
            (#"["form"]"#, "n=007", form, "007|"),
            (#"["form"]"#, "n=a&" + fields(999).replacing("n", with: "f"), form, "a|"),
            (#"["form"]"#, fields(1001), form, "413 size.form-fields"),
            (#"["form"]"#, fields(10_000), form, "413 size.form-fields"),
            (#"[{ form-json = "payload" }]"#, payload, form, "ä & b|true"),
            (#"[{ form-json = "payload" }]"#, "a=1&\(payload)&z=2", form, "ä & b|true"),
            (#"[{ form-json = "payload" }]"#, "n=1", form, "400 hook.value-missing"),
            (#"[{ form-json = "payload" }]"#, "payload=%7B", form, "400 json.syntax"),
            (#"[{ form-json = "payload" }]"#, "payload=", form, "400 json.empty"),
            (both, #"{"n":"j"}"#, "application/json", "j|"), (both, payload, form, "ä & b|true"),
            (both, "n=1", form, "400 hook.value-missing"),
            (#"["json", "form", { form-json = "payload" }]"#, "n=f", form, "f|"),
            (#"["json", "form", { form-json = "payload" }]"#, payload, form, "ä & b|true"),
            (#"["json"]"#, #"{"n":1}x"#, "application/json", "400 json.trailing-data"),
            (#"["json"]"#, "\u{FEFF}{}", "application/json", "400 json.bom"),
        ])
    func bodies(_ input: String, _ body: String, _ type: String, _ expected: String) throws {
        let hook = "input = \(input)\ntitle = \"{n}|{all}\"\nvalues = { n = \"/n\", all = \"/all\" }\n"
        #expect(try title(hook, body, type: type) == expected)
    }

    @Test func formsThatAreReadAreNamedOnce() throws {
        let hook = "input = [\"form\", { form-json = \"payload\" }]\ntitle = \"x\"\n"
        let answer = try WebhookFixture("[hooks.h]\n" + HookRouteTests.open + hook).send(
            WebhookFixture.request("/hooks/h", "x", type: "text/plain"), RecordingIntake())
        #expect(answer.error["help"]?.string == "send application/x-www-form-urlencoded", "\(answer.text)")
    }

    @Test(arguments: [("GET", "", nil), ("POST", "", nil), ("POST", "x", "text/plain")] as [(String, String, String?)])
    func queries(_ method: String, _ body: String, _ type: String?) throws {
        let hook = "input = [\"query\"]\ntitle = \"{n}|{all}\"\nvalues = { n = \"/n\", all = \"/all/1\" }\n"
        #expect(try title(hook, body, query: "?n=%C3%A4+b&all=1&all=2", type: type, method: method) == "ä b|2")
    }

    // MARK: Values

    struct Value: Sendable, CustomTestStringConvertible {
        /// In TOML.
        var value: String
        var body: String
        var header: String?
        var query: String
        var expected: String
        var testDescription: String { "\(value) of \(body) \(header ?? "") \(query)" }

        init(_ value: String, _ body: String, _ expected: String, header: String? = nil, query: String = "") {
            self.value = value
            self.body = body
            self.header = header
            self.query = query
            self.expected = expected
        }
    }

    static let places = [
        Value(#""/a/b""#, #"{"a":{"b":"x"}}"#, "x"), Value(#""/a/0""#, #"{"a":["x"]}"#, "x"),
        Value(#""/a~1b""#, #"{"a/b":"x"}"#, "x"), Value(#""/a""#, "{}", ""), Value(#""/a""#, #"{"a":null}"#, ""),
        Value(#""/a""#, #"{"a":""}"#, ""), Value(#""/a""#, #"{"a":1.50}"#, "1.50"),
        Value(#""/a""#, #"{"a":12345678901234567890123}"#, "12345678901234567890123"),
        Value(#""/a""#, #"{"a":1e3}"#, "1e3"), Value(#""/a""#, #"{"a":true}"#, "true"),
        Value(#""/a""#, #"{"a":"{b}"}"#, "{b}"),
        Value(#"["/a", "/b"]"#, #"{"a":"x","b":"y"}"#, "x"), Value(#"["/a", "/b"]"#, #"{"b":"y"}"#, "y"),
        Value(#"["/a", "/b"]"#, #"{"a":null,"b":"y"}"#, "y"), Value(#"["/a", "/b"]"#, #"{"a":"","b":"y"}"#, "y"),
        Value(#"["/a", "/b", "/c", "/d"]"#, #"{"d":4}"#, "4"),
        Value(#"{ pointer = "/a", default = "d" }"#, "{}", "d"),
        Value(#"{ pointer = "/a", default = "d" }"#, #"{"a":"x"}"#, "x"),
        Value(#"{ pointer = ["/a", "/b"], default = "" }"#, #"{"b":"y"}"#, "y"),
        Value(#"{ pointer = ["/a", "/b"], default = "" }"#, "{}", ""),
        Value(#"{ header = "X-A" }"#, "{}", "h", header: "x-a"),
        Value(#"{ header = ["X-B", "X-A"] }"#, "{}", "h", header: "X-A"),
        Value(#"{ query = "a" }"#, "{}", "q r", query: "?a=q+r"),
        Value(#"{ query = ["a", "b"] }"#, "{}", "q", query: "?b=q"),
        Value(#"{ body-pointer = ["/a", "/b"] }"#, #"{"b":"y"}"#, "y"),
        Value(#"[{ header = "X-A" }, "/id"]"#, #"{"id":"b"}"#, "h", header: "X-A"),
        Value(#"[{ header = "X-A" }, "/id"]"#, #"{"id":"b"}"#, "b"),
        Value(#"[{ query = "id" }, { header = "X-A" }, { pointer = "/id", default = "none" }]"#, "{}", "none"),
        Value(#""/a/b""#, #"{"a":{"b":[1]}}"#, "422 hook.value-type"),
        Value(#""/a/b""#, #"{"a":{"b":{}}}"#, "422 hook.value-type"),
    ]

    static let level = #"{ pointer = "/s", map = { firing = "critical", resolved = "passive" } }"#
    static let scalars = #"{ pointer = "/s", map = { "5" = "five", true = "yes", "" = "empty" } }"#
    static let otherwise = #"{ pointer = "/s", map = { firing = "critical" }, map-default = "active" }"#
    static let maps = [
        Value(level, #"{"s":"firing"}"#, "critical"), Value(level, #"{"s":"other"}"#, "other"),
        Value(otherwise, #"{"s":"other"}"#, "active"), Value(otherwise, #"{"s":"firing"}"#, "critical"),
        Value(scalars, #"{"s":5}"#, "five"), Value(scalars, #"{"s":true}"#, "yes"),
        Value(scalars, #"{"s":""}"#, "empty"),
        Value(#"{ pointer = ["/s", "/t"], map = { a = "b" }, default = "d" }"#, #"{"t":"a"}"#, "b"),
    ]

    static func data(_ text: String) -> String { #"{"d":"\#(Base64.encode(Array(text.utf8)))","b":"y"}"# }

    static let json = #"{ pointer = "/d", decode = "json", at = "/name", default = "d" }"#
    static let base64 = #"{ pointer = "/d", decode = "base64", default = "d" }"#
    static let inBase64 = #"{ pointer = "/d", decode = "base64-json", at = "/list/1", default = "d" }"#
    static let encodings = [
        Value(base64, data("grün"), "grün"), Value(base64, #"{"d":"%%%"}"#, "d"), Value(base64, #"{"d":"//4="}"#, "d"),
        Value(json, #"{"d":"{\"name\":\"in JSON\"}"}"#, "in JSON"), Value(json, #"{"d":"{"}"#, "d"),
        Value(json, #"{"d":"{\"other\":1}"}"#, "d"), Value(inBase64, data(#"{"list":[1,2]}"#), "2"),
        Value(inBase64, data("{}"), "d"),
        Value(#"[{ pointer = "/d", decode = "base64-json", at = "/name" }, "/b"]"#, #"{"d":"%","b":"y"}"#, "y"),
        Value(#"{ header = "X-A", decode = "base64" }"#, "{}", "h", header: "X-A=aA=="),
    ]

    /// What is missing leaves nothing in a text.
    @Test(arguments: places + maps + encodings) func read(_ one: Value) throws {
        let field = one.header.map { $0.split(separator: "=", maxSplits: 1).map(String.init) }
        let found = try title(
            "values = { v = \(one.value) }\ntitle = \"[{v}] {{}}\"\n", one.body,
            field.map { [($0[0], $0.count > 1 ? $0[1] : "h")] } ?? [], query: one.query)
        #expect(found == (one.expected.hasPrefix("422 ") ? one.expected : "[\(one.expected)] {}"))
    }

    // MARK: Members of the notification

    private func arrival(_ hook: String, _ body: String) throws -> Arrival {
        let fixture = try WebhookFixture("[hooks.h]\ntitle = \"x\"\n" + HookRouteTests.open + hook)
        let intake = RecordingIntake(.accept)
        #expect(fixture.send(WebhookFixture.request("/hooks/h", body), intake).status == 202)
        return try #require(intake.arrivals.first)
    }

    @Test(
        arguments: [
            ("firing", .critical, 0), ("resolved", .passive, 0), ("time-sensitive", .timeSensitive, 0),
            ("loud", .active, 1),
        ] as [(String, UsherPayload.Notification.InterruptionLevel, Int)])
    func levels(_ status: String, _ level: UsherPayload.Notification.InterruptionLevel, _ warnings: Int) throws {
        let hook =
            "level = \"{l}\"\nthread = \"t-{n}\"\ncollapse = \"c-{n}\"\nvalues = { n = \"/n\", l = \(Self.level) }\n"
        let payload = try arrival(hook, #"{"n":7,"s":"\#(status)"}"#).reading.get()
        #expect(payload.notification?.interruptionLevel == level)
        #expect(payload.notification?.threadIdentifier == "t-7")
        #expect(payload.headers.apnsCollapseID == "c-7")
        #expect(payload.warnings.count == warnings)
    }

    @Test(
        arguments: [
            ("600", "\(WebhookFixture.now + 600)"), (#""600""#, "\(WebhookFixture.now + 600)"),
            (#""2099-01-02T03:04:05Z""#, "4071006245"), (#""2099-01-02T04:04:05+01:00""#, "4071006245"),
            (#""2001-01-01T00:00:00Z""#, "978307200"),
        ])
    func expiration(_ text: String, _ seconds: String) throws {
        let payload = try arrival("expires = \"{e}\"\nvalues = { e = \"/e\" }\n", #"{"e":\#(text)}"#).reading.get()
        #expect(payload.headers.apnsExpiration == seconds)
    }

    @Test func appAndSession() throws {
        let hook = "app = \"example.{a}\"\nsession = \"{s}\"\nvalues = { a = \"/a\", s = \"/s\" }\n"
        let arrival = try arrival(hook, #"{"a":"app","s":"s-1"}"#)
        #expect(arrival.app == "example.app")
        #expect(try arrival.reading.get().session == "s-1")
    }
}
