import Testing
import UsherConfiguration
import UsherCrypto
import UsherHTTP
import UsherIngress
import UsherJSON
import UsherLog
import UsherText

/// Requests that are signed by every scheme, and what is done to them on the way.
@Suite struct SignatureTests {
    static let body = #"{"a":1}"#
    static let now = WebhookFixture.now
    static let key = Array("0123456789abcdef0123456789abcdef".utf8)
    static let seed = Array("fedcba9876543210fedcba9876543210".utf8)
    static let secret = "whsec_" + Base64.encode(key)

    static let settings = """
        [hooks.github]
        title = "x"
        signature = { scheme = "github", secret-file = "plain" }
        [hooks.gitlab]
        title = "x"
        signature = { scheme = "gitlab", secret-file = "plain" }
        [hooks.bearer]
        title = "x"
        signature = { scheme = "bearer", secret-file = "plain" }
        [hooks.standard]
        title = "x"
        signature = { scheme = "standard", secret-file = "standard" }
        [hooks.strict]
        title = "x"
        signature = { scheme = "standard", secret-file = "standard", tolerance = 5 }
        [hooks.chat]
        title = "x"
        signature = { scheme = "hmac", secret-file = "plain", header = "X-Sum", prefix = "v0=", timestamp-header = "X-Time", content = "v0:{timestamp}:{body}" }
        [hooks.sha1]
        title = "x"
        signature = { scheme = "hmac", secret-file = "plain", header = "X-Sum", algorithm = "sha1", encoding = "base64" }
        [hooks.sha512]
        title = "x"
        signature = { scheme = "hmac", secret-file = "plain", header = "X-Sum", algorithm = "sha512", encoding = "base64url" }
        [hooks.missing]
        title = "x"
        signature = { scheme = "github", secret-file = "missing" }
        [hooks.broken]
        title = "x"
        signature = { scheme = "standard", secret-file = "broken" }
        [hooks.credential]
        title = "x"
        signature = { scheme = "gitlab", secret-credential = "github" }
        """

    static func fixture() throws -> WebhookFixture {
        let publicKey = try Ed25519.PrivateKey(seed: seed).publicKey()
        return try WebhookFixture(
            settings,
            files: [
                "plain": "retired\nIt's a Secret to Everybody\n",
                "standard":
                    "whsec_\(Base64.encode(Array("retired".utf8)))\n\(secret)\nwhpk_\(Base64.encode(publicKey))\n",
                "broken": "whsec_***\n", "credentials/github": "from systemd",
            ])
    }

    static func code(_ algorithm: HashAlgorithm, _ key: [UInt8], _ text: String) -> [UInt8] {
        (try? MessageAuthenticator.code(algorithm, key: key, Array(text.utf8))) ?? []
    }

    static let plain = Array("It's a Secret to Everybody".utf8)

    static func standard(
        id: String = "msg_1", time: Int64 = now, body: String = body, key: [UInt8] = key, prefix: String = "webhook-",
        signature: ((String) -> String)? = nil
    ) -> [(String, String)] {
        let v1 = "v1," + Base64.encode(code(.sha256, key, "\(id).\(time).\(body)"))
        return [
            (prefix + "id", id), (prefix + "timestamp", String(time)), (prefix + "signature", signature?(v1) ?? v1),
        ]
    }

    static func asymmetric(_ seed: [UInt8] = seed, body: String = body) -> String {
        guard let key = try? Ed25519.PrivateKey(seed: seed),
            let signature = try? key.sign(Array("msg_1.\(now).\(body)".utf8))
        else { return "" }
        return "v1a," + Base64.encode(signature)
    }

    static func many(_ entry: String, _ count: Int) -> String {
        Array(repeating: entry, count: count).joined(separator: " ")
    }

    static func chat(_ time: String, key: [UInt8] = plain) -> [(String, String)] {
        [("X-Sum", "v0=" + Hexadecimal.encode(code(.sha256, key, "v0:\(time):\(body)"))), ("X-Time", time)]
    }

    static func github(_ body: String = body, key: [UInt8] = plain) -> [(String, String)] {
        [("X-Hub-Signature-256", "sha256=" + Hexadecimal.encode(code(.sha256, key, body)))]
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var hook: String
        var fields: [(String, String)]
        var expected: String

        init(_ id: String, _ hook: String, _ fields: [(String, String)], _ expected: String = "202 ") {
            testDescription = hook + ": " + id
            self.hook = hook
            self.fields = fields
            self.expected = expected
        }
    }

    static let cases = [
        Case("signed", "github", github()),
        Case("with the retired secret", "github", github(key: Array("retired".utf8))),
        Case(
            "upper case", "github", [("X-Hub-Signature-256", github()[0].1.uppercased().replacing("SHA", with: "sha"))]),
        Case("another body", "github", github(body + " "), "403 signature.mismatch"),
        Case("another secret", "github", github(key: Array("x".utf8)), "403 signature.mismatch"),
        Case("not signed", "github", [], "401 signature.missing"),
        Case(
            "SHA-1 alone", "github", [("X-Hub-Signature", "sha1=" + Hexadecimal.encode(code(.sha1, plain, body)))],
            "401 signature.missing"),
        Case("without prefix", "github", [("X-Hub-Signature-256", "00")], "401 signature.malformed"),
        Case("not hexadecimal", "github", [("X-Hub-Signature-256", "sha256=zz")], "401 signature.malformed"),
        Case("empty", "github", [("X-Hub-Signature-256", "sha256=")], "403 signature.mismatch"),
        Case(
            "cut", "github", [("X-Hub-Signature-256", String(github()[0].1.dropLast(2)))], "403 signature.mismatch"),
        Case("twice", "github", github() + github(), "401 signature.malformed"),

        Case("token", "gitlab", [("X-Gitlab-Token", "It's a Secret to Everybody")]),
        Case("retired token", "gitlab", [("x-gitlab-token", "retired")]),
        Case("wrong token", "gitlab", [("X-Gitlab-Token", "it's a secret to everybody")], "403 signature.mismatch"),
        Case("empty token", "gitlab", [("X-Gitlab-Token", "")], "403 signature.mismatch"),
        Case("no token", "gitlab", [], "401 signature.missing"),

        Case("token", "bearer", [("Authorization", "Bearer retired")]),
        Case("wrong token", "bearer", [("Authorization", "Bearer nothing")], "403 signature.mismatch"),
        Case("no token", "bearer", [], "401 signature.missing"),

        Case("signed", "standard", standard()),
        Case("with the retired secret", "standard", standard(key: Array("retired".utf8))),
        Case("under the older names", "standard", standard(prefix: "svix-")),
        Case("299 s old", "standard", standard(time: now - 299)),
        Case("at the edge", "standard", standard(time: now - 300)),
        Case("too old", "standard", standard(time: now - 301), "403 signature.stale"),
        Case("a little ahead", "standard", standard(time: now + 300)),
        Case("too far ahead", "standard", standard(time: now + 301), "403 signature.stale"),
        Case("too old for it", "strict", standard(time: now - 6), "403 signature.stale"),
        Case("one of several", "standard", standard { "v1,AAAA v2,AAAA \($0) v1,BBBB" }),
        Case("public key", "standard", standard { _ in asymmetric() }),
        Case("public key among others", "standard", standard { _ in "v1,AAAA \(asymmetric())" }),
        Case("another key", "standard", standard { _ in asymmetric(key) }, "403 signature.mismatch"),
        Case(
            "public key, another body", "standard", standard { _ in asymmetric(body: "{}") }, "403 signature.mismatch"),
        Case(
            "Ed25519 called v1", "standard", standard { _ in asymmetric().replacing("v1a", with: "v1") },
            "403 signature.mismatch"),
        Case("HMAC called v1a", "standard", standard { $0.replacing("v1,", with: "v1a,") }, "403 signature.mismatch"),
        Case(
            "unknown version only", "standard", standard { $0.replacing("v1,", with: "v9,") }, "403 signature.mismatch"),
        Case("another body", "standard", standard(body: "{}"), "403 signature.mismatch"),
        Case("another secret", "standard", standard(key: Array("x".utf8)), "403 signature.mismatch"),
        Case("no version", "standard", standard { String($0.dropFirst(3)) }, "401 signature.malformed"),
        Case("not base64", "standard", standard { _ in "v1,!!" }, "401 signature.malformed"),
        Case("empty list", "standard", standard { _ in " " }, "401 signature.malformed"),
        Case("the last of sixteen", "standard", standard { many("v1,AAAA", 15) + " " + $0 }),
        Case(
            "the last of seventeen", "standard", standard { many("v1,AAAA", 16) + " " + $0 }, "401 signature.malformed"),
        Case(
            "unknown ones count, too", "standard", standard { many("v9,AAAA", 16) + " " + $0 },
            "401 signature.malformed"),
        Case("the fourth public one", "standard", standard { _ in many("v1a,AAAA", 3) + " " + asymmetric() }),
        Case(
            "the fifth public one", "standard", standard { _ in many("v1a,AAAA", 4) + " " + asymmetric() },
            "401 signature.malformed"),
        Case("not signed", "standard", [], "401 signature.missing"),
        Case("no id", "standard", Array(standard().dropFirst()), "401 signature.missing"),
        Case("no signature", "standard", Array(standard().dropLast()), "401 signature.missing"),
        Case("two ids", "standard", standard() + [("webhook-id", "msg_1")], "401 signature.malformed"),
        // id "msg_1.5" and time T sign the same bytes as id "msg_1", time "5.T" would.
        Case("an id with a dot", "standard", standard(id: "msg_1.5"), "401 signature.malformed"),

        Case("signed", "chat", chat(String(now))),
        Case("too old", "chat", chat(String(now - 301)), "403 signature.stale"),
        Case("not a time", "chat", chat("yesterday"), "401 signature.malformed"),
        Case("a negative time", "chat", chat("-1"), "401 signature.malformed"),
        Case("a huge time", "chat", chat("99999999999999999999"), "401 signature.malformed"),
        Case("another time", "chat", [chat(String(now))[0], ("X-Time", String(now - 1))], "403 signature.mismatch"),
        Case("no time", "chat", [chat(String(now))[0]], "401 signature.missing"),

        Case("signed", "sha1", [("X-Sum", Base64.encode(code(.sha1, plain, body)))]),
        Case(
            "hexadecimal", "sha1", [("X-Sum", Hexadecimal.encode(code(.sha1, plain, body)))], "403 signature.mismatch"),
        Case("signed", "sha512", [("X-Sum", Base64.encode(code(.sha512, plain, body), .url))]),
        Case("other alphabet", "sha512", [("X-Sum", "+/+/")], "401 signature.malformed"),

        Case("secret is not there", "missing", github(), "503 signature.secret"),
        Case("secret is none", "broken", standard(), "503 signature.secret"),
        Case("credential", "credential", [("X-Gitlab-Token", "from systemd")]),
    ]

    @Test(arguments: cases) func judged(_ one: Case) throws {
        let fixture = try Self.fixture()
        let intake = RecordingIntake()
        let access = fixture.access(credentials: fixture.folder + "/credentials")
        let answer = fixture.send(WebhookFixture.request("/hooks/\(one.hook)", Self.body, one.fields), intake, access)
        #expect(answer.summary == one.expected, "\(answer.text)")
        #expect(intake.arrivals.count == (one.expected == "202 " ? 1 : 0))
        // No answer and no log line has a secret in it.
        for secret in ["Everybody", "retired", Base64.encode(Self.key)] {
            #expect(!answer.text.contains(secret))
            #expect(!fixture.log.lines.contains { $0.contains(secret) })
        }
    }

    /// GitHub's published example.
    @Test func publishedExample() throws {
        #expect(
            Self.github("Hello, World!")[0].1
                == "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17")
    }

    /// Every bit counts, of the body and of the signature.
    @Test func everyBit() throws {
        let fixture = try Self.fixture()
        let access = fixture.access(
            RateLimiter(
                {
                    var rate = RateSettings()
                    rate.perSecond = 0
                    return rate
                }()))
        var request = WebhookFixture.request("/hooks/standard", Self.body, Self.standard())
        #expect(fixture.send(request, RecordingIntake(), access).status == 202)
        for index in request.body.indices {
            for bit in 0..<8 {
                request.body[index] ^= 1 << UInt8(bit)
                #expect(fixture.send(request, RecordingIntake(), access).summary == "403 signature.mismatch")
                request.body[index] ^= 1 << UInt8(bit)
            }
        }
    }

    @Test func missingSecretIsNamedInTheLog() throws {
        let fixture = try Self.fixture()
        let answer = fixture.send(WebhookFixture.request("/hooks/missing", Self.body, Self.github()), RecordingIntake())
        #expect(answer.error["message"]?.string == "the secrets of the hook missing cannot be read")
        #expect(
            fixture.log.lines.contains { $0.contains("the hook missing") && $0.contains(fixture.folder + "/missing") })
    }
}
