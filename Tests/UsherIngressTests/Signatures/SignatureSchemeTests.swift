import Testing
import UsherCrypto
import UsherHTTP
import UsherHook
import UsherText

@testable import UsherIngress

/// HMACs, tokens and passwords as they are configured, and what senders and attackers make of them.
///
/// That the codes are those of the senders' own programs is tested in `SenderLibraryTests`.
@Suite struct SignatureSchemeTests {
    static let now = WebhookFixture.now
    static let body = #"{"webhookTimestamp":1795000000000}"#
    static let key = Array("It's a Secret to Everybody".utf8)
    static let binaryKey: [UInt8] = [0, 255, 10, 13, 32, 200, 1, 2]

    static let hooks = [
        "stripe": #"scheme = "stripe" | secret-file = "plain""#,
        "list": #"scheme = "hmac" | secret-file = "plain" | header = "X-Sum" | separator = ", ""#,
        "linear": #"scheme = "linear" | secret-file = "plain""#,
        "rfc3339":
            #"scheme = "hmac" | secret-file = "plain" | header = "X-Sum" | timestamp-pointer = "/at" | timestamp-format = "rfc3339""#,
        "milliseconds":
            #"scheme = "hmac" | secret-file = "plain" | header = "X-Sum" | timestamp-header = "X-Time" | timestamp-format = "milliseconds""#,
        "parts":
            #"scheme = "hmac" | secret-file = "plain" | header = "X-Sum" | content = "{method} {path}?{query} {url} {header.X-Id} {{{body}""#,
        "form": #"scheme = "hmac" | secret-file = "plain" | header = "X-Sum" | content = "{form}""#,
        "twilio": #"scheme = "twilio" | secret-file = "plain""#,
        "unsigned-digest": #"scheme = "twilio" | secret-file = "plain" | content = "{form}""#,
        "hex": #"scheme = "hmac" | secret-file = "hex" | header = "X-Sum" | secret-encoding = "hex""#,
        "base64": #"scheme = "hmac" | secret-file = "base64" | header = "X-Sum" | secret-encoding = "base64""#,
        "wrong-encoding": #"scheme = "hmac" | secret-file = "plain" | header = "X-Sum" | secret-encoding = "hex""#,
        "basic": #"scheme = "basic" | secret-file = "users""#,
        "basic-plain": #"scheme = "basic" | secret-file = "plain""#,
        "bearer": #"scheme = "bearer" | secret-file = "plain""#,
        "bearer-query": #"scheme = "bearer" | secret-file = "tokens" | query = "key""#,
        "bearer-header": #"scheme = "bearer" | secret-file = "tokens" | header = "X-Token" | prefix = "Token token=""#,
        "none": #"scheme = "none""#,
    ]

    static func judge() throws -> SignatureJudge {
        try SignatureJudge(
            hooks,
            [
                "plain": "retired\nIt's a Secret to Everybody\n",
                "hex": Hexadecimal.encode(binaryKey) + "\n", "base64": Base64.encode(binaryKey) + "\n",
                "users": "ann:pass:word\nbob:schlüssel\n", "tokens": "t/o+k=\nschlüssel\n",
            ])
    }

    static func code(_ text: String, key: [UInt8] = key, _ algorithm: HashAlgorithm = .sha256) -> [UInt8] {
        (try? MessageAuthenticator.code(algorithm, key: key, Array(text.utf8))) ?? []
    }

    static func hex(_ text: String, key: [UInt8] = key) -> String { Hexadecimal.encode(code(text, key: key)) }

    static func v1(_ time: Int64 = now, key: [UInt8] = key) -> String { "v1=" + hex("\(time).\(body)", key: key) }

    static func many(_ item: String, _ count: Int) -> String {
        Array(repeating: item, count: count).joined(separator: ",")
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var hook: String
        var request: HookRequest
        var expected: String

        init(
            _ id: String, _ hook: String, _ headers: [(String, String)], _ expected: String = "valid",
            body: String = SignatureSchemeTests.body, query: String? = nil
        ) {
            testDescription = hook + ": " + id
            self.hook = hook
            request = HookRequest(
                path: "/hooks/\(hook)", query: query, headers: headers.map { .init($0.0, $0.1) },
                body: Array(body.utf8), origin: "https://hooks.example")
            self.expected = expected
        }
    }

    private static let missing = "401 signature.missing"
    private static let malformed = "401 signature.malformed"
    private static let mismatch = "403 signature.mismatch"
    private static let stale = "403 signature.stale"
    private static let unusable = "503 signature.secret"

    private static func stripe(_ id: String, _ values: String..., expected: String = "valid") -> Case {
        Case(id, "stripe", values.map { ("Stripe-Signature", $0) }, expected)
    }

    static let lists = [
        stripe("time and code", "t=\(now),\(v1())"),
        stripe("code and time", "\(v1()),t=\(now)"),
        stripe("with the retired secret", "t=\(now),\(v1(key: Array("retired".utf8)))"),
        stripe("one of two codes", "t=\(now),v1=\(many("00", 1)),\(v1())"),
        stripe("codes of a scheme to come", "t=\(now),v0=zz,v9=,\(v1())"),
        stripe("blanks around items", " t=\(now) ,\t \(v1()) ,"),
        stripe("two lines of the header", "t=\(now)", v1()),
        stripe("an unreadable code beside a right one", "t=\(now),v1=zz,\(v1())"),
        stripe("only unreadable codes", "t=\(now),v1=zz,v1=0", expected: malformed),
        stripe("an unreadable code beside a wrong one", "t=\(now),v1=zz,v1=00", expected: mismatch),
        stripe("an empty code", "t=\(now),v1=", expected: mismatch),
        stripe("the last of sixteen", "t=\(now),\(many("v1=00", 15)),\(v1())"),
        stripe("the last of seventeen", "t=\(now),\(many("v1=00", 16)),\(v1())", expected: malformed),
        stripe("the first of forty", "t=\(now),\(v1()),\(many("v1=00", 39))", expected: malformed),
        stripe("forty right ones", "t=\(now),\(many(v1(), 40))", expected: malformed),
        stripe("the last of 64 items", "t=\(now),\(many("v0=00", 62)),\(v1())"),
        stripe("the last of 65 items", "t=\(now),\(many("v0=00", 63)),\(v1())", expected: malformed),
        stripe(
            "65 items in two lines", "t=\(now),\(many("v0=00", 40))", "\(many("v0=00", 23)),\(v1())",
            expected: malformed),
        stripe("no code", "t=\(now)", expected: malformed),
        stripe("no time", v1(), expected: malformed),
        stripe("two times", "t=\(now),t=\(now),\(v1())", expected: malformed),
        stripe("empty", "", expected: malformed),
        stripe("no header", expected: missing),
        stripe("another time", "t=\(now - 1),\(v1())", expected: mismatch),
        stripe("a time that is no number", "t=soon,\(v1(key: []))", expected: malformed),
        stripe("at the edge", "t=\(now - 300),\(v1(now - 300))"),
        stripe("too old", "t=\(now - 301),\(v1(now - 301))", expected: stale),
        stripe("at the edge ahead", "t=\(now + 300),\(v1(now + 300))"),
        stripe("too far ahead", "t=\(now + 301),\(v1(now + 301))", expected: stale),
        stripe("upper case", "T=\(now),V1=\(hex("\(now).\(body)"))", expected: malformed),
        stripe("outside ASCII", "t=\(now),v1=é\u{301}", expected: malformed),
        stripe("an item outside ASCII", "t=\(now),ü=1,\(v1())"),
        Case("every item is a code", "list", [("X-Sum", "00, \(hex(body))")]),
        Case("another separator", "list", [("X-Sum", "00,\(hex(body))")], malformed),
    ]

    static let times = [
        Case("milliseconds in the body", "linear", [("Linear-Signature", hex(body))]),
        Case(
            "a string", "linear", [("Linear-Signature", hex(#"{"webhookTimestamp":"1795000000999"}"#))],
            body: #"{"webhookTimestamp":"1795000000999"}"#),
        Case(
            "too old for it", "linear", [("Linear-Signature", hex(#"{"webhookTimestamp":1794999939999}"#))], stale,
            body: #"{"webhookTimestamp":1794999939999}"#),
        Case("no time", "linear", [("Linear-Signature", hex("{}"))], malformed, body: "{}"),
        Case("no JSON", "linear", [("Linear-Signature", hex("{"))], malformed, body: "{"),
        Case(
            "a fraction", "linear", [("Linear-Signature", hex(#"{"webhookTimestamp":1.8e12}"#))], malformed,
            body: #"{"webhookTimestamp":1.8e12}"#),
        Case("the code is judged before the time", "linear", [("Linear-Signature", "00")], mismatch, body: "{"),
        Case(
            "a date in the body", "rfc3339", [("X-Sum", hex(#"{"at":"2026-11-18T12:06:41.5+01:00"}"#))],
            body: #"{"at":"2026-11-18T12:06:41.5+01:00"}"#),
        Case(
            "an hour ago", "rfc3339", [("X-Sum", hex(#"{"at":"2026-11-18T11:06:41+01:00"}"#))], stale,
            body: #"{"at":"2026-11-18T11:06:41+01:00"}"#),
        Case(
            "no date", "rfc3339", [("X-Sum", hex(#"{"at":"18 Nov 2026"}"#))], malformed, body: #"{"at":"18 Nov 2026"}"#),
        Case("milliseconds", "milliseconds", [("X-Sum", hex("\(now)000.\(body)")), ("X-Time", "\(now)000")]),
        Case("seconds", "milliseconds", [("X-Sum", hex("\(now).\(body)")), ("X-Time", "\(now)")], stale),
    ]

    static let contents = [
        Case(
            "every part", "parts",
            [
                (
                    "X-Sum",
                    hex("POST /hooks/parts?a=%20&b https://hooks.example/hooks/parts?a=%20&b id ü {\(body)")
                ), ("X-Id", "id ü"),
            ], query: "a=%20&b"),
        Case(
            "no query", "parts",
            [("X-Sum", hex("POST /hooks/parts? https://hooks.example/hooks/parts 1 {\(body)")), ("X-Id", "1")]),
        Case(
            "a signed header that is missing", "parts",
            [("X-Sum", hex("POST /hooks/parts? https://hooks.example/hooks/parts  {\(body)"))], missing),
        Case(
            "a signed header twice", "parts",
            [
                ("X-Sum", hex("POST /hooks/parts? https://hooks.example/hooks/parts 1 {\(body)")), ("X-Id", "1"),
                ("X-Id", "1"),
            ],
            malformed),
        Case(
            "sorted names and distinct values", "form", [("X-Sum", hex("A1B1B2aé b")), form],
            body: "a=%C3%A9+b&B=2&B=1&A=1&B=2"),
        Case("no form", "form", [("X-Sum", hex("")), ("Content-Type", "application/json")], mismatch),
        Case("an empty body", "form", [("X-Sum", hex(""))], body: ""),
        Case("1000 fields", "form", [("X-Sum", hex("a" + "1")), form], body: repeated(1000)),
        Case("1001 fields", "form", [("X-Sum", hex("a" + "1")), form], "413 size.form-fields", body: repeated(1001)),
        Case("10 000 fields", "form", [("X-Sum", "00"), form], "413 size.form-fields", body: repeated(10_000)),
        twilio("digest of the body", "bodySHA256=" + digest),
        twilio("digest in upper case", "bodySHA256=" + digest.uppercased()),
        twilio("another body", "bodySHA256=" + digest, mismatch, body: body + " "),
        twilio("no digest", nil, mismatch),
        twilio("two digests", "bodySHA256=\(digest)&bodySHA256=\(digest)", mismatch),
        twilio("no digest of hexadecimal", "bodySHA256=x", mismatch),
        Case(
            "a digest that is not signed", "unsigned-digest", [("X-Twilio-Signature", Base64.encode(code("", .sha1)))],
            mismatch, query: "bodySHA256=" + digest),
    ]

    static let form = ("Content-Type", "application/x-www-form-urlencoded; charset=UTF-8")

    static let digest = Hexadecimal.encode((try? HashAlgorithm.sha256.digest(of: [Array(body.utf8)])) ?? [])

    private static func repeated(_ count: Int) -> String {
        Array(repeating: "a=1", count: count).joined(separator: "&")
    }

    private static func twilio(
        _ id: String, _ query: String?, _ expected: String = "valid", body: String = body
    ) -> Case {
        let url = "https://hooks.example/hooks/twilio" + (query.map { "?" + $0 } ?? "")
        return Case(
            id, "twilio",
            [("X-Twilio-Signature", Base64.encode(code(url, .sha1))), ("Content-Type", "application/json")], expected,
            body: body, query: query)
    }

    static let secrets = [
        Case("hex", "hex", [("X-Sum", hex(body, key: binaryKey))]),
        Case("base64", "base64", [("X-Sum", hex(body, key: binaryKey))]),
        Case("as text", "hex", [("X-Sum", hex(body, key: Array(Hexadecimal.encode(binaryKey).utf8)))], mismatch),
        Case("a secret that is not hex", "wrong-encoding", [("X-Sum", hex(body))], unusable),
    ]

    private static func basic(_ text: String, scheme: String = "Basic") -> [(String, String)] {
        [("Authorization", scheme + " " + Base64.encode(Array(text.utf8)))]
    }

    static let tokens = [
        Case("user and password", "basic", basic("ann:pass:word")),
        Case("outside ASCII", "basic", basic("bob:schlüssel")),
        Case("scheme in lower case", "basic", basic("ann:pass:word", scheme: "basic")),
        Case("wrong password", "basic", basic("ann:pass"), "401 signature.mismatch"),
        Case("wrong user", "basic", basic("bob:pass:word"), "401 signature.mismatch"),
        Case("without a colon", "basic", basic("ann"), malformed),
        Case("not base64", "basic", [("Authorization", "Basic ann:pass:word")], malformed),
        Case("outside ASCII, not encoded", "basic", [("Authorization", "Basic ü")], malformed),
        Case("no credentials", "basic", [("Authorization", "Basic ")], missing),
        Case("another scheme", "basic", [("Authorization", "Bearer retired")], missing),
        Case("nothing", "basic", [], missing),
        Case("twice", "basic", basic("ann:pass:word") + basic("ann:pass:word"), malformed),
        Case("a secret without a colon", "basic-plain", basic("retired:x"), unusable),
        Case("token", "bearer", [("Authorization", "Bearer retired")]),
        Case("prefix in another case, more blanks", "bearer", [("authorization", "bEARER   retired")]),
        Case("wrong token", "bearer", [("Authorization", "Bearer Retired")], mismatch),
        Case("another scheme", "bearer", [("Authorization", "Basic cmV0aXJlZA==")], missing),
        Case("twice", "bearer", [("Authorization", "Bearer retired"), ("Authorization", "Bearer retired")], malformed),
        Case("nothing", "bearer", [], missing),
        Case("in the query", "bearer-query", [], query: "a=1&key=t%2Fo%2Bk%3D"),
        Case("in the query, outside ASCII", "bearer-query", [], query: "key=schl%C3%BCssel"),
        Case("in the query, wrong", "bearer-query", [], mismatch, query: "key=x"),
        Case("in the query, empty", "bearer-query", [], missing, query: "key="),
        Case("in the query, twice", "bearer-query", [], malformed, query: "key=t%2Fo%2Bk%3D&key=t%2Fo%2Bk%3D"),
        Case("not in the query", "bearer-query", [("Authorization", "Bearer t/o+k=")], missing),
        Case("another header", "bearer-header", [("X-Token", "Token token=t/o+k=")]),
        Case("without the prefix", "bearer-header", [("X-Token", "t/o+k=")], missing),
        Case("another secret outside ASCII", "bearer-header", [("X-Token", "Token token=schlu\u{308}ssel")], mismatch),
        Case("nothing is needed", "none", []),
    ]

    @Test(arguments: lists + times + contents + secrets + tokens) func judged(_ one: Case) throws {
        #expect(try Self.judge().verdict(one.hook, one.request) == one.expected)
    }

    /// What a client needs to know to try again.
    @Test(arguments: [
        ("basic", "", "Basic realm=\"usher\""), ("basic", "Basic !", "Basic realm=\"usher\""),
        ("basic", "Basic YTpi", "Basic realm=\"usher\""), ("bearer", "", "Bearer"),
    ])
    func challenge(_ hook: String, _ authorization: String, _ expected: String) throws {
        let headers: [HookRequest.Header] = authorization.isEmpty ? [] : [.init("Authorization", authorization)]
        let judge = try Self.judge()
        let refusal = try #require(throws: Refusal.self) {
            try judge.proof(hook, HookRequest(path: "/hooks/a", headers: headers))
        }
        #expect(refusal.status == 401)
        #expect(refusal.fields["WWW-Authenticate"] == expected)
    }

    /// A repeat is recognized by what was signed, whichever of several valid codes it brings.
    @Test func proofs() throws {
        let judge = try Self.judge()
        func proof(_ signature: String, at now: Int64 = Self.now) throws -> HookProof {
            try judge.proof(
                "stripe",
                HookRequest(
                    path: "/hooks/stripe", headers: [.init("Stripe-Signature", signature)], body: Array(Self.body.utf8)),
                at: now)
        }
        let retired = Self.v1(key: Array("retired".utf8))
        let first = try proof("t=\(Self.now),\(Self.v1()),\(retired)")
        #expect(first.code?.count == 32)
        #expect(first.validSeconds == 300)
        #expect(try proof("t=\(Self.now),\(retired)").code == first.code)
        #expect(try proof("t=\(Self.now),\(Self.v1())", at: Self.now + 300).validSeconds == 0)
        #expect(try proof("t=\(Self.now),\(Self.v1())", at: Self.now - 300).validSeconds == 600)
        #expect(try proof("t=\(Self.now - 1),\(Self.v1(Self.now - 1))").code != first.code)
        let plain = HookRequest(path: "/", headers: [.init("Authorization", "Bearer retired")])
        #expect(try judge.proof("bearer", plain) == HookProof())
    }

    /// The answer that Zoom wants to its test: the code of its token under the first secret.
    @Test func codesOfValues() throws {
        let zoom = HookSignature(.code(HookCode(header: "x-zm-signature")))
        let check = SignatureCheck(HookRequest(path: "/"), secrets: [Self.key, Array("retired".utf8)], now: 0)
        #expect(try check.hexadecimalCode(of: "plain", zoom) == Self.hex("plain"))
        let sha1 = HookSignature(.code(HookCode(.hmac(.sha1, secrets: .hex), header: "X-Sum")))
        let encoded = SignatureCheck(
            HookRequest(path: "/"), secrets: [Array(Hexadecimal.encode(Self.binaryKey).utf8)], now: 0)
        #expect(
            try encoded.hexadecimalCode(of: "plain", sha1)
                == Hexadecimal.encode(Self.code("plain", key: Self.binaryKey, .sha1)))
        #expect(throws: Refusal.self) {
            try SignatureCheck(HookRequest(path: "/"), secrets: [], now: 0).hexadecimalCode(of: "plain", .none)
        }
    }
}
