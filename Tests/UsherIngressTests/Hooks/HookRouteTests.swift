import Testing
import UsherConfiguration
import UsherEngine
import UsherHTTP
import UsherIngress
import UsherJSON
import UsherPayload
import UsherScene

/// Conditions and mapping, case by case.
@Suite struct HookRouteTests {
    static let open = "signature = { scheme = \"none\" }\n"

    private func send(
        _ hook: String, _ body: String, _ fields: [(String, String)] = [], target: String = "/hooks/h",
        type: String? = "application/json", intake: RecordingIntake = RecordingIntake(.accept)
    ) throws -> (answer: Answer, arrivals: [Arrival]) {
        let fixture = try WebhookFixture("[hooks.h]\n" + Self.open + hook)
        let answer = fixture.send(WebhookFixture.request(target, body, fields, type: type), intake)
        return (answer, intake.arrivals)
    }

    @Test("windows that a hook opens are limited where its requests are not signed", arguments: [nil, 7, 0])
    func windowLimit(_ limit: Int?) throws {
        let rate = limit.map { "[server.rate]\nnew-windows = \($0)\n" } ?? ""
        let hooks = """
            [hooks.open]
            signature = { scheme = "none" }
            title = "x"
            [hooks.signed]
            signature = { scheme = "bearer", secret-file = "secret" }
            title = "x"
            """
        let fixture = try WebhookFixture(rate + hooks, files: ["secret": "sesame\n"])
        // A token identifies the sender, as a signature does.
        for (hook, expected) in [("open", limit ?? 20), ("signed", nil)] {
            let intake = RecordingIntake(.accept)
            let fields = [("Authorization", "Bearer sesame")]
            let answer = fixture.send(WebhookFixture.request("/hooks/\(hook)", "{}", fields), intake)
            #expect(answer.status == 202, "\(answer.text)")
            #expect(intake.arrivals.map(\.newWindowLimit) == [expected], "\(hook)")
        }
    }

    /// The words for a condition that does not hold; which ones hold is tested in ``HookConditionTests``.
    @Test(
        arguments: [
            (#"pointer = "/a", equals = "5""#, #"{"a":5}"#, "/a is 5, and \"5\" is wanted"),
            (#"pointer = "/a", equals = 5"#, #"{"a":"5"}"#, "/a is \"5\", and 5 is wanted"),
            (#"pointer = "/a", equals = true"#, #"{"a":1}"#, "/a is 1, and true is wanted"),
            (#"pointer = "/a", equals = """#, #"{"a":null}"#, "/a is missing, and \"\" is wanted"),
            (#"pointer = "/a", equals = "é""#, #"{"a":"e\u0301"}"#, "/a is \"e\u{301}\", and \"é\" is wanted"),
            (#"pointer = "/a", exists = true"#, #"{"a":null}"#, "/a is missing, and anything is wanted"),
            (#"pointer = "/a", exists = false"#, #"{"a":{}}"#, "/a is an object, and nothing is wanted"),
            (
                #"pointer = "/a", prefix = "re""#, #"{"a":"r"}"#,
                "/a is \"r\", and text that begins with \"re\" is wanted"
            ),
            (
                #"pointer = "/a", in = ["x", 5, false]"#, #"{"a":[]}"#,
                "/a is an array, and one of \"x\", 5, false is wanted"
            ),
            (#"header = "X-Event", equals = "pull""#, "{}", "the header X-Event is \"push\", and \"pull\" is wanted"),
            (#"query = "none", exists = true"#, "{}", "the query's none is missing, and anything is wanted"),
        ])
    func condition(_ condition: String, _ body: String, _ found: String) throws {
        let (answer, arrivals) = try send(
            "when = [{ \(condition) }]\ntitle = \"x\"\nunmatched = \"error\"\n", body, [("X-Event", "push")])
        #expect(answer.summary == "422 hook.no-match", "\(answer.text)")
        #expect(arrivals.isEmpty)
        #expect(answer.error["message"]?.string == found)
        #expect(answer.error["help"]?.string?.contains("usher.toml:3:") == true)
    }

    /// The first condition that does not hold is the one that is named.
    @Test func firstCondition() throws {
        let hook = """
            when = [{ pointer = "/a", equals = 1 }, { pointer = "/b", equals = 1 }, { pointer = "/c", equals = 1 }]
            title = "x"
            """
        let (answer, arrivals) = try send(hook, #"{"a":1,"b":2,"c":2}"#)
        #expect(answer.status == 200)
        #expect(answer.json["status"]?.string == "ignored")
        #expect(answer.json["why"]?.elements?.count == 1)
        #expect(answer.json["why"]?.elements?.first?["at"]?.string == "/b")
        #expect(arrivals.isEmpty)
    }

    static let mapping = """
        target = "https://a.example/{a}{?b}"
        title = "{a}"
        body = "{b}"
        values = { a = "/a", b = "/b" }
        """

    @Test(
        arguments: [
            (#"{"a":"x y/ä","b":"é&"}"#, "https://a.example/x%20y%2F%C3%A4?b=%C3%A9%26", "x y/ä", "é&"),
            (#"{"a":1e2,"b":true}"#, "https://a.example/1e2?b=true", "1e2", "true"),
            (
                #"{"a":12345678901234567890123,"b":-0.0}"#, "https://a.example/12345678901234567890123?b=-0.0",
                "12345678901234567890123", "-0.0"
            ),
            (#"{"a":"\u0000{b}","b":""}"#, "https://a.example/%00%7Bb%7D?b=", "\u{0}{b}", nil),
            (##"{"a":"../../x","b":"#"}"##, "https://a.example/..%2F..%2Fx?b=%23", "../../x", "#"),
        ] as [(String, String, String, String?)])
    func values(_ body: String, _ target: String, _ title: String, _ text: String?) throws {
        let (answer, arrivals) = try send(Self.mapping, body)
        #expect(answer.status == 202, "\(answer.text)")
        let payload = try #require(try arrivals.first?.reading.get())
        #expect(payload.targetContentIdentifier == target)
        #expect(payload.title == title)
        #expect(payload.body == text)
        // What the journal keeps reads as the same payload again.
        var reader = PayloadReader()
        #expect(try reader.read(arrivals[0].input).targetContentIdentifier == target)
    }

    @Test(
        arguments: [
            (#"{"a":"x"}"#, "422 hook.value-missing", "/b"), (#"{"a":null,"b":1}"#, "422 hook.value-missing", "/a"),
            (#"{"a":{},"b":1}"#, "422 hook.value-type", "/a"), (#"{"a":1,"b":[1]}"#, "422 hook.value-type", "/b"),
            ("[]", "422 hook.value-missing", "/a"), ("7", "422 hook.value-missing", "/a"),
            ("{", "400 json.syntax", nil), ("", "400 json.empty", nil),
            (#"{"a":1,"a":2}"#, "400 json.duplicate-key", "/a"),
            ("{\"a\":\"" + String(repeating: "x", count: 20_000) + "\",\"b\":1}", "422 hook.target", nil),
        ] as [(String, String, String?)])
    func notMapped(_ body: String, _ expected: String, _ place: String?) throws {
        let (answer, arrivals) = try send(Self.mapping, body)
        #expect(answer.summary == expected, "\(answer.text)")
        #expect(answer.error["at"]?.string == place)
        #expect(arrivals.count == 0)
    }

    /// In text, what is missing leaves nothing; a default stands in everywhere.
    @Test func missingValues() throws {
        let hook = """
            title = "[{a}]"
            body = "{b}"
            target = "https://a.example/{c}"
            values = { a = "/a", b = { header = "X-B", default = "none" }, c = { query = "c", default = "d" } }
            """
        let (_, arrivals) = try send(hook, "{}")
        let payload = try #require(try arrivals.first?.reading.get())
        #expect(payload.title == "[]")
        #expect(payload.body == "none")
        #expect(payload.targetContentIdentifier == "https://a.example/d")
    }

    static let each = """
        each = "/list"
        title = "{n} of {all}"
        values = { n = "/n", all = { body-pointer = "/all" } }

        """

    @Test func elements() throws {
        let (answer, arrivals) = try send(
            Self.each + "id = { header = \"X-Id\" }\n", #"{"all":2,"list":[{"n":1},{"n":2}]}"#, [("X-Id", "e")])
        #expect(
            answer.text == "[{\"id\":\"id-1\",\"status\":\"accepted\"},{\"id\":\"id-2\",\"status\":\"accepted\"}]\n")
        #expect(try arrivals.map { try $0.reading.get().title } == ["1 of 2", "2 of 2"])
        #expect(arrivals.map(\.senderID) == ["e/0", "e/1"])
    }

    @Test(arguments: [
        (#"{"list":[]}"#, "200 "), (#"{"list":{}}"#, "422 hook.elements"), ("{}", "422 hook.elements"),
        ("{\"list\":[" + String(repeating: "1,", count: 10_000) + "1]}", "422 hook.elements"),
        (#"{"all":1,"list":[{"n":[]},{"n":{}}]}"#, "422 hook.value-type"),
    ])
    func elementsThatAreNone(_ body: String, _ expected: String) throws {
        let (answer, arrivals) = try send(Self.each, body)
        #expect(answer.summary == expected)
        #expect(arrivals.count == 0)
    }

    @Test func oneOfTenThousandElementsIsWrong() throws {
        let hook = """
            each = { pointer = "/list" }
            target = "https://a.example/{n}"
            values = { n = ["/n", { pointer = "/m" }] }
            """
        var elements = [String](repeating: #"{"n":1}"#, count: 10_000)
        elements[7777] = #"{"n":""}"#
        let (answer, arrivals) = try send(hook, "{\"list\":[" + elements.joined(separator: ",") + "]}")
        #expect(answer.status == 202 && arrivals.count == 10_000)
        let answers = answer.json.elements ?? []
        #expect(answers.count { $0["status"]?.string == "accepted" } == 9999)
        let error = answers.count > 7777 ? answers[7777]["error"] : nil
        #expect(error?["at"]?.string == "/list/7777/n")
        #expect(error?["message"]?.string == "the target needs `n`, and /n and /m are missing or empty")
    }

    /// What is wrong with one element stops no other.
    @Test func elementsThatFail() throws {
        let hook = """
            each = { pointer = "/list", when = [{ pointer = "/n", exists = true }] }
            target = "https://a.example/{n}"
            values = { n = "/n" }
            """
        let (answer, arrivals) = try send(hook, #"{"list":[{"n":1},{"n":[]},{},{"n":4}]}"#)
        #expect(answer.status == 202)
        let elements = answer.json.elements ?? []
        #expect(elements.map { $0["status"]?.string } == ["accepted", "invalid", "ignored", "accepted"])
        #expect(elements[1]["error"]?["name"]?.string == "hook.value-type" && elements[1]["id"]?.string == "id-2")
        #expect(arrivals.map(\.sequence) == [1, 2, 4])
        guard case .failure(let error) = arrivals[1].reading else {
            Issue.record("no failure")
            return
        }
        #expect(error.code.name == "hook.value-type" && error.pointer == "/list/1/n")
        #expect(String(decoding: arrivals[1].input, as: UTF8.self) == #"{"n":[]}"#)
    }

    /// In a list of places an empty text is none.
    @Test(
        arguments: [
            (#"["/a", "/b"]"#, "b"), (#"[{ pointer = ["/a", "/b"] }]"#, "b"),
            (#"["/a", { body-pointer = "/b" }]"#, "b"),
            (#"["/a", { pointer = "/none", default = "c" }]"#, "c"), (#"["/a", "/none"]"#, nil), (#""/a""#, ""),
            (#"{ pointer = "/a", default = "d" }"#, ""), (#"{ pointer = ["/a"] }"#, ""),
        ] as [(String, String?)])
    func emptyTexts(_ value: String, _ expected: String?) throws {
        let hook = "title = \"[{v}]\"\ntarget = \"https://a.example/{v}\"\nvalues = { v = \(value) }\n"
        let (answer, arrivals) = try send(hook, #"{"a":"","b":"b"}"#)
        if let expected {
            #expect(try arrivals.first?.reading.get().targetContentIdentifier == "https://a.example/\(expected)")
        } else {
            #expect(answer.summary == "422 hook.value-missing")
        }
    }

    @Test(
        arguments: [
            ("id = { pointer = \"/id\" }", [("webhook-id", "w")], "7", "202 "),
            ("id = { template = \"{a}-x\" }", [], "7-x", "202 "), ("id = { query = \"q\" }", [], "1", "202 "),
            ("", [("webhook-id", "w")], "w", "202 "), ("", [("Idempotency-Key", "k")], "k", "202 "),
            ("", [], nil, "202 "),
            ("id = { header = \"X-Id\" }", [], nil, "422 hook.value-missing"),
            ("id = { header = \"X-Id\" }", [("X-Id", "")], nil, "400 webhook.header"),
        ] as [(String, [(String, String)], String?, String)])
    func identity(_ id: String, _ fields: [(String, String)], _ expected: String?, _ status: String) throws {
        let (answer, arrivals) = try send(
            "title = \"x\"\nvalues = { a = \"/id\" }\n" + id, #"{"id":7}"#, fields, target: "/hooks/h?q=1")
        #expect(answer.summary == status)
        #expect(arrivals.first?.senderID == expected)
    }

    @Test func aSlashTooManyIsNamed() throws {
        let (answer, _) = try send("title = \"x\"\n", "{}", target: "/hooks/h/")
        #expect(answer.summary == "404 hook.unknown")
        #expect(answer.error["help"]?.string == "leave out the slash at its end")
    }

    /// RFC 3986, 6.2.2.2: the same path in another spelling.
    @Test func aPathIsComparedDecoded() throws {
        let (answer, arrivals) = try send("title = \"x\"\n", "{}", target: "/hooks/%68")
        #expect(answer.status == 202 && arrivals.count == 1)
    }

    @Test(
        arguments: [
            ("/hooks/hh", "did you mean /hooks/h?"), ("/hooks/", "usher hook list tells which there are"),
            ("/hooks/h/x", nil), ("/hooks/%48", nil), ("/hooks/H", "did you mean /hooks/h?"),
        ] as [(String, String?)])
    func unknownHook(_ target: String, _ help: String?) throws {
        let fixture = try WebhookFixture("[hooks.h]\ntitle = \"x\"\n" + Self.open)
        func answer(_ peer: HTTPPeer) -> Answer {
            fixture.send(WebhookFixture.request(target, "{}", peer: peer), RecordingIntake())
        }
        #expect(answer(WebhookFixture.unix).summary == "404 hook.unknown")
        if let help { #expect(answer(WebhookFixture.unix).error["help"]?.string == help) }
        // Clients without a token get no names of hooks.
        #expect(answer(WebhookFixture.tcp).summary == "404 hook.unknown")
        #expect(answer(WebhookFixture.tcp).error["help"]?.string == "usher hook list tells which there are")
        guard case .refuse(let response) = HookRoute(fixture.access()).admit(WebhookFixture.request(target, "")) else {
            Issue.record("the body of an unknown hook would be read")
            return
        }
        #expect(response.status == 404)
    }

    @Test(
        arguments: [
            ("application/json", 202), ("application/vnd.sender+json; v=1", 202), ("application/x-ndjson", 415),
            ("application/x-www-form-urlencoded", 415), ("text/plain", 415), (nil, 415),
        ] as [(String?, Int)])
    func mediaTypes(_ type: String?, _ expected: Int) throws {
        #expect(try send("title = \"x\"\n", "{}", type: type).answer.status == expected)
    }

    @Test func waits() throws {
        let (answer, _) = try send("title = \"x\"\n", "{}", target: "/hooks/h?wait=1", intake: RecordingIntake())
        #expect(answer.status == 200)
        #expect(answer.json["v"]?.int64 == 1)
    }

    /// A hook without a signature is behind the daemon's tokens like everything else.
    @Test func withoutSignatureButWithTokens() throws {
        let fixture = try WebhookFixture(
            "[server]\ntoken-file = \"token\"\n[hooks.h]\ntitle = \"x\"\n" + Self.open, files: ["token": "one\n"])
        func status(_ fields: [(String, String)]) -> Int? {
            fixture.send(WebhookFixture.request("/hooks/h", "{}", fields), RecordingIntake()).status
        }
        #expect(status([]) == 401)
        #expect(status([("Authorization", "Bearer one")]) == 202)
    }

    /// Wrong guesses from an address are slowed down there; a right proof is accepted all the same.
    @Test func failuresDoNotStopTheHook() throws {
        let fixture = try WebhookFixture(
            """
            [server.rate]
            per-second = 0.01
            burst = 3
            [hooks.h]
            title = "x"
            signature = { scheme = "gitlab", secret-file = "s" }
            [hooks.k]
            title = "x"
            signature = { scheme = "gitlab", secret-file = "s" }
            """, files: ["s": "right\n"])
        let access = fixture.access(failures: (perSecond: 0.001, burst: 2))
        func status(_ token: String?, _ hook: String = "h", from host: String = "127.0.0.1") -> Int? {
            let peer = HTTPPeer(address: .internet(host: host, port: 50_000), listener: "webhook")
            let fields = token.map { [("X-Gitlab-Token", $0)] } ?? []
            return fixture.send(
                WebhookFixture.request("/hooks/\(hook)", "{}", fields, peer: peer), RecordingIntake(), access
            ).status
        }
        #expect((0..<4).map { _ in status(nil) } == [401, 401, 401, 401], "a request without a token is no guess")
        #expect((0..<4).map { _ in status("wrong") } == [403, 403, 429, 429])
        #expect(status("right") == 202, "a right token is accepted")
        #expect((0..<3).map { _ in status("right", from: "127.0.0.2") } == [202, 202, 429], "the rate of the hook")
        #expect(status("wrong", "k") == 403, "another hook")
    }

    // MARK: Several hooks on a path

    static let pair = """
        [hooks.opened]
        path = "issues"
        signature = { scheme = "none" }
        when = [{ pointer = "/action", equals = "opened" }]
        title = "opened {n}"
        values = { n = "/n" }
        [hooks.closed]
        path = "issues"
        when = [{ pointer = "/action", equals = "closed" }]
        title = "closed {n}"
        values = { n = "/n" }

        """

    @Test(
        arguments: [
            ("opened", "hook:opened", "opened 1"), ("closed", "hook:closed", "closed 1"), ("labeled", nil, nil),
        ] as [(String, String?, String?)])
    func severalHooks(_ action: String, _ source: String?, _ title: String?) throws {
        let fixture = try WebhookFixture(Self.pair)
        let intake = RecordingIntake(.accept)
        let answer = fixture.send(
            WebhookFixture.request("/hooks/issues", #"{"action":"\#(action)","n":1}"#), intake)
        #expect(intake.arrivals.first?.source == source)
        #expect(try intake.arrivals.first?.reading.get().title == title)
        if source == nil {
            #expect(answer.json["why"]?.elements?.map { $0["hook"]?.string } == ["opened", "closed"])
            #expect(answer.json["why"]?.elements?.map { $0["rule"]?.string } == ["usher.toml:4:9", "usher.toml:9:9"])
        } else {
            #expect(answer.status == 202)
        }
        #expect(fixture.send(WebhookFixture.request("/hooks/opened", "{}"), intake).status == 404)
    }

    /// Elements that are not wanted are left out of the deliveries, not out of the answer.
    @Test func elementsThatAreNotWanted() throws {
        let hook = """
            each = { pointer = "/list", when = [{ pointer = "/s", equals = "firing" }] }
            title = "{n}"
            values = { n = "/n" }
            """
        let body = #"{"list":[{"s":"resolved","n":1},{"s":"firing","n":2},{"s":"resolved","n":3}]}"#
        let (answer, arrivals) = try send(hook, body)
        #expect(answer.status == 202)
        #expect(answer.json.elements?.map { $0["status"]?.string } == ["ignored", "accepted", "ignored"])
        #expect(answer.json.elements?.last?["why"]?.elements?.first?["at"]?.string == "/list/2/s")
        #expect(try arrivals.map { try $0.reading.get().title } == ["2"])
        let (none, nothing) = try send(hook, #"{"list":[{"s":"resolved"},{"s":"resolved"}]}"#)
        #expect(none.json["status"]?.string == "ignored")
        #expect(none.json["why"]?.elements?.count == 2)
        #expect(nothing.isEmpty)
    }

    @Test(
        arguments: [
            ("unmatched = \"ok\"", 200, true), ("unmatched = 202", 202, true), ("unmatched = 204", 204, false),
            ("unmatched = \"error\"", 422, true),
        ] as [(String, Int, Bool)])
    func unmatched(_ line: String, _ status: Int, _ hasBody: Bool) throws {
        let (answer, _) = try send("when = [{ pointer = \"/a\", exists = true }]\ntitle = \"x\"\n" + line, "{}")
        #expect(answer.status == status)
        #expect(answer.text.isEmpty != hasBody)
    }

    @Test(
        arguments: [
            ("accepted = 200", 200, #"{"id":"id-1","status":"accepted"}"# + "\n"), ("accepted = 204", 204, ""),
            ("accepted = { status = 200, text = \"\" }", 200, ""),
            ("accepted = { json = { type = 5 } }", 200, #"{"type":5}"#),
        ] as [(String, Int, String)])
    func accepted(_ line: String, _ status: Int, _ body: String) throws {
        let (answer, arrivals) = try send("title = \"x\"\n" + line, "{}")
        #expect(answer.status == status)
        #expect(answer.text == body)
        #expect(arrivals.count == 1)
    }

    @Test func moreElementsThanTheQueueIsLong() throws {
        let hook = "each = \"/a\"\ntitle = \"x\"\n"
        let (whole, _) = try send(hook, #"{"a":[1,2,3]}"#, intake: RecordingIntake(.accept, capacity: 3))
        #expect(whole.status == 202)
        let (long, arrivals) = try send(hook, #"{"a":[1,2,3,4]}"#, intake: RecordingIntake(.full, capacity: 3))
        #expect(long.summary == "413 webhook.batch-size")
        #expect(long.error["message"]?.string == "there are more than 3 elements")
        #expect(arrivals.isEmpty)
    }
}
