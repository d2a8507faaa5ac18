import Testing
import UsherHook
import UsherJSON
import UsherText

@testable import UsherIngress

/// Signatures with private keys, and JSON Web Tokens, made by the packages `cryptography` and `PyJWT`.
@Suite struct PublicKeyTests {
    static let now = WebhookFixture.now
    static let body = #"{"type":1}"#

    /// Keys in every form, signatures of the body, and a token for each row of the input.
    private static let program = #"""
        import base64, json, sys
        import jwt
        from cryptography.hazmat.primitives import hashes, serialization
        from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
        from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature, encode_dss_signature

        request = json.load(sys.stdin)
        keys = {
            "rsa": rsa.generate_private_key(65537, 2048), "rsa2": rsa.generate_private_key(65537, 2048),
            "rsa-short": rsa.generate_private_key(65537, 1024),
            "p256": ec.generate_private_key(ec.SECP256R1()), "p384": ec.generate_private_key(ec.SECP384R1()),
            "ed25519": ed25519.Ed25519PrivateKey.generate(), "ed25519-2": ed25519.Ed25519PrivateKey.generate(),
        }
        spki = serialization.PublicFormat.SubjectPublicKeyInfo
        answer = {"pem": {}, "der": {}, "raw": {}, "jwk": {}, "tokens": {}}
        for name, key in keys.items():
            public = key.public_key()
            answer["pem"][name] = public.public_bytes(serialization.Encoding.PEM, spki).decode()
            answer["der"][name] = base64.b64encode(public.public_bytes(serialization.Encoding.DER, spki)).decode()
            algorithm = {"r": jwt.algorithms.RSAAlgorithm, "p": jwt.algorithms.ECAlgorithm,
                         "e": jwt.algorithms.OKPAlgorithm}[name[0]]
            jwk = json.loads(algorithm.to_jwk(public))
            jwk.pop("key_ops", None)
            answer["jwk"][name] = {**jwk, "kid": name}
        raw = serialization.Encoding.Raw, serialization.PublicFormat.Raw
        answer["raw"]["ed25519"] = keys["ed25519"].public_key().public_bytes(*raw).hex()
        answer["private"] = keys["rsa"].private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()).decode()

        message = request["message"].encode()
        der = keys["p256"].sign(message, ec.ECDSA(hashes.SHA256()))
        r, s = decode_dss_signature(der)
        order = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
        answer["signatures"] = {
            "ed25519": keys["ed25519"].sign(message).hex(), "ed25519-2": keys["ed25519-2"].sign(message).hex(),
            "der": base64.b64encode(der).decode(),
            "fixed": base64.b64encode(r.to_bytes(32, "big") + s.to_bytes(32, "big")).decode(),
            "other-s": base64.b64encode(encode_dss_signature(r, order - s)).decode(),
            "p384": base64.b64encode(keys["p384"].sign(message, ec.ECDSA(hashes.SHA256()))).decode(),
        }

        def encoded(value):
            return base64.urlsafe_b64encode(value).rstrip(b"=").decode()
        for name, row in request["tokens"].items():
            key = "secret" * 8 if row["alg"].startswith("HS") else keys.get(row["key"])
            if row["key"] == "public":
                # What is known as an attack: the public key as the secret of an HMAC.
                pem = answer["pem"]["rsa"].encode()
                import hashlib, hmac
                head = encoded(json.dumps({"alg": "HS256", **row["header"]}).encode())
                text = head + "." + encoded(json.dumps(row["claims"]).encode())
                token = text + "." + encoded(hmac.new(pem, text.encode(), hashlib.sha256).digest())
            elif row["alg"] == "none":
                token = jwt.encode(row["claims"], None, algorithm="none", headers=row["header"])
            else:
                token = jwt.encode(row["claims"], key, algorithm=row["alg"], headers=row["header"])
            answer["tokens"][name] = token
        print(json.dumps(answer))
        """#

    static let message = "\(now)\(body)"

    private static let made: JSONValue? = try? PythonLibrary.run(
        program,
        [
            "message": .string(message),
            "tokens": .object(tokens.map { JSONValue.Member($0.testDescription, $0.input) }),
        ])

    private static func text(_ group: String, _ name: String) throws -> String {
        try #require(made?[group]?[name]?.string)
    }

    private static func keySet(_ names: [String]) throws -> String {
        let keys = try names.map { name in try #require(made?["jwk"]?[name]) }
        return JSONValue.object([.init("keys", .array(keys))]).text()
    }

    // MARK: Signatures

    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var hook: String
        var keys: [(group: String, name: String)]
        var signature: String
        var expected: String

        init(
            _ id: String, _ hook: String, _ keys: [(String, String)], _ signature: String, _ expected: String = "valid"
        ) {
            testDescription = id
            self.hook = hook
            self.keys = keys.map { (group: $0.0, name: $0.1) }
            self.signature = signature
            self.expected = expected
        }
    }

    static let cases = [
        Case("Ed25519, a hexadecimal line", "discord", [("raw", "ed25519")], "ed25519"),
        Case("Ed25519, PEM", "discord", [("pem", "ed25519")], "ed25519"),
        Case("Ed25519, DER", "discord", [("der", "ed25519")], "ed25519"),
        Case("Ed25519, the second of two lines", "discord", [("der", "ed25519-2"), ("raw", "ed25519")], "ed25519"),
        Case("Ed25519, the second of two blocks", "discord", [("pem", "p256"), ("pem", "ed25519")], "ed25519"),
        Case("Ed25519, another key", "discord", [("pem", "ed25519-2")], "ed25519", "401 signature.mismatch"),
        Case("Ed25519, only a key of P-256", "discord", [("pem", "p256")], "ed25519", "503 signature.secret"),
        Case("P-256, DER", "sendgrid", [("der", "p256")], "der"),
        Case("P-256, 64 bytes", "sendgrid", [("pem", "p256")], "fixed"),
        Case("P-256, another signature", "sendgrid", [("pem", "p256")], "p384", "403 signature.mismatch"),
        Case("P-256, only a key of P-384", "sendgrid", [("pem", "p384")], "p384", "503 signature.secret"),
        Case("P-256, only a key of RSA", "sendgrid", [("pem", "rsa")], "der", "503 signature.secret"),
        Case("a private key", "discord", [], "ed25519", "503 signature.secret"),
    ]

    private static let hooks = [
        "discord": #"scheme = "discord" | key-file = "keys""#, "sendgrid": #"scheme = "sendgrid" | key-file = "keys""#,
    ]

    private static func request(_ hook: String, _ signature: String, time: Int64 = now, body: String = body)
        -> HookRequest
    {
        let names =
            hook == "discord"
            ? ("X-Signature-Ed25519", "X-Signature-Timestamp")
            : ("X-Twilio-Email-Event-Webhook-Signature", "X-Twilio-Email-Event-Webhook-Timestamp")
        return HookRequest(
            path: "/hooks/" + hook, headers: [.init(names.0, signature), .init(names.1, String(time))],
            body: Array(body.utf8))
    }

    @Test(arguments: cases) func signatures(_ one: Case) throws {
        let keys = one.keys.isEmpty ? [try #require(Self.made?["private"]?.string)] : try one.keys.map(Self.text)
        let judge = try SignatureJudge(Self.hooks, ["keys": keys.joined(separator: "\n") + "\n"])
        let signature = try Self.text("signatures", one.signature)
        #expect(judge.verdict(one.hook, Self.request(one.hook, signature)) == one.expected)
    }

    @Test func changedRequests() throws {
        let judge = try SignatureJudge(
            Self.hooks, ["keys": try Self.text("pem", "ed25519") + "\n" + Self.text("pem", "p256")])
        for (hook, signature, wrong) in [
            ("discord", try Self.text("signatures", "ed25519"), "401 signature.mismatch"),
            ("sendgrid", try Self.text("signatures", "der"), "403 signature.mismatch"),
        ] {
            #expect(judge.verdict(hook, Self.request(hook, signature)) == "valid")
            #expect(judge.verdict(hook, Self.request(hook, signature, body: "{}")) == wrong)
            #expect(judge.verdict(hook, Self.request(hook, signature, time: Self.now - 1)) == wrong)
            #expect(judge.verdict(hook, Self.request(hook, signature), at: Self.now + 301) == "403 signature.stale")
            #expect(judge.verdict(hook, Self.request(hook, "")) == "401 signature.malformed")
            #expect(judge.verdict(hook, Self.request(hook, "!")) == "401 signature.malformed")
        }
    }

    /// A second valid signature of P-256 can be made from the first without the key: it is a repeat all the same.
    @Test func repeatsWithAnotherSignature() throws {
        let judge = try SignatureJudge(Self.hooks, ["keys": try Self.text("pem", "p256")])
        let codes = try ["der", "fixed", "other-s"].map { name in
            try judge.proof("sendgrid", Self.request("sendgrid", Self.text("signatures", name))).code
        }
        #expect(codes[0] != nil)
        #expect(codes.allSatisfy { $0 == codes[0] })
    }

    static let brokenKeys = [
        ("nothing", ""), ("no key", "!"), ("too short", "00ff"), ("no JSON", "{"), ("no keys", #"{"keys":[]}"#),
        ("an RSA key without its modulus", #"{"keys":[{"kty":"RSA","e":"AQAB"}]}"#),
        (
            "a point that is not on the curve",
            #"{"keys":[{"kty":"EC","crv":"P-256","x":"\#(String(repeating: "A", count: 43))","y":"\#(String(repeating: "A", count: 43))"}]}"#
        ),
        ("a secret", #"{"keys":[{"kty":"oct","k":"c2VjcmV0"}]}"#),
        ("a block without an end", "-----BEGIN PUBLIC KEY-----\nAAAA\n"),
        ("a certificate", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"),
        ("too many", String(repeating: String(repeating: "ab", count: 32) + "\n", count: 65)),
    ]

    @Test(arguments: brokenKeys) func unusableFiles(_ id: String, _ content: String) throws {
        try expectUnusable(content, "503 signature.secret")
    }

    /// A file of that size is not read to its end.
    @Test func aKeySetOf5MB() throws {
        let filling = String(repeating: " ", count: 5_000_000)
        try expectUnusable(try Self.keySet(["p256"]) + filling, "no secrets")
    }

    private func expectUnusable(_ content: String, _ expected: String) throws {
        let judge = try SignatureJudge(
            Self.hooks.merging(["jwt": #"scheme = "jwt" | key-file = "keys" | audience = "us""#]) { one, _ in one },
            ["keys": content])
        #expect(judge.verdict("discord", Self.request("discord", String(repeating: "00", count: 64))) == expected)
        let token = HookRequest(
            path: "/hooks/jwt", headers: [.init("Authorization", "Bearer eyJhbGciOiJFUzI1NiJ9.e30.AAAA")])
        #expect(judge.verdict("jwt", token) == expected)
    }

    // MARK: Tokens

    struct Token: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var key: String
        var algorithm: String
        var header: JSONValue
        var claims: [(String, JSONValue)]
        var expected: String

        init(
            _ id: String, key: String = "rsa", algorithm: String = "RS256", header: JSONValue = [:],
            claims: [(String, JSONValue)] = [], _ expected: String = "valid"
        ) {
            testDescription = id
            self.key = key
            self.algorithm = algorithm
            self.header = header
            self.claims = claims
            self.expected = expected
        }

        /// The claims of a good token, with those of this one in their places; null takes one away.
        var input: JSONValue {
            var all: [(String, JSONValue)] = [
                ("aud", "us"), ("iss", "https://accounts.example"), ("email", "a@example"), ("email_verified", true),
                ("n", 7), ("exp", .number(String(PublicKeyTests.now + 60))),
            ]
            for (name, value) in claims {
                all.removeAll { $0.0 == name }
                if value != .null { all.append((name, value)) }
            }
            return [
                "key": .string(key), "alg": .string(algorithm), "header": header,
                "claims": .object(all.map { JSONValue.Member($0.0, $0.1) }),
            ]
        }
    }

    private static func time(_ offset: Int64) -> JSONValue { .number(String(now + offset)) }

    private static let malformed = "401 signature.malformed"
    private static let mismatch = "403 signature.mismatch"
    private static let stale = "403 signature.stale"

    static let tokens = [
        Token("RS256"), Token("ES256", key: "p256", algorithm: "ES256"),
        Token("with the id of its key", header: ["kid": "rsa"]),
        Token("with the id of another key", header: ["kid": "p256"], mismatch),
        Token("with an unknown id", header: ["kid": "x"], mismatch),
        Token("with another type", header: ["typ": "at+jwt"]),
        Token("signed with a key that is not there", key: "rsa2", mismatch),
        Token("another RSA algorithm", key: "rsa", algorithm: "RS512", malformed),
        Token("RSASSA-PSS", key: "rsa", algorithm: "PS256", malformed),
        Token("P-384", key: "p384", algorithm: "ES384", malformed),
        Token("Ed25519", key: "ed25519", algorithm: "EdDSA", malformed),
        Token("HS256", key: "", algorithm: "HS256", malformed),
        Token("HS256 with the public key as its secret", key: "public", algorithm: "HS256", malformed),
        Token("none", key: "", algorithm: "none", malformed),
        Token("a critical extension", header: ["crit": ["x"], "x": true], malformed),
        Token("one of several audiences", claims: [("aud", ["them", "us"])]),
        Token("another audience", claims: [("aud", "them")], mismatch),
        Token("no audience", claims: [("aud", .null)], mismatch),
        Token("an audience that is a number", claims: [("aud", 7)], mismatch),
        Token("another issuer", claims: [("iss", "https://accounts.example/")], mismatch),
        Token("no issuer", claims: [("iss", .null)], mismatch),
        Token("another claim", claims: [("email", "b@example")], mismatch),
        Token("a claim of another type", claims: [("email_verified", "true")], mismatch),
        Token("a claim that is another number", claims: [("n", 8)], mismatch),
        Token("a missing claim", claims: [("n", .null)], mismatch),
        Token("expired within the clock skew", claims: [("exp", time(-59))]),
        Token("expired", claims: [("exp", time(-60))], stale),
        Token("no end", claims: [("exp", .null)], mismatch),
        Token("an end with a fraction", claims: [("exp", .number("\(now).5"))]),
        Token("an end far away", claims: [("exp", .number("1e300"))]),
        Token("not yet valid within the clock skew", claims: [("nbf", time(60))]),
        Token("not yet valid", claims: [("nbf", time(61))], stale),
        Token("issued within the clock skew", claims: [("iat", time(60))]),
        Token("issued in the future", claims: [("iat", time(61))], stale),
        Token("issued long ago", claims: [("iat", time(-1_000_000))]),
    ]

    private static let jwt =
        #"scheme = "jwt" | key-file = "keys" | audience = ["us", "you"] | issuer = "https://accounts.example""#
        + #" | claims = { email = "a@example", email_verified = true, n = 7 }"#

    private static func request(_ token: String) -> HookRequest {
        HookRequest(path: "/hooks/jwt", headers: [.init("Authorization", "Bearer " + token)], body: Array(body.utf8))
    }

    @Test(arguments: tokens) func webTokens(_ one: Token) throws {
        let token = try Self.text("tokens", one.testDescription)
        let judge = try SignatureJudge(["jwt": Self.jwt], ["keys": Self.keySet(["rsa", "p256", "p384", "ed25519"])])
        #expect(judge.verdict("jwt", Self.request(token)) == one.expected)
        #expect(judge.verdict("jwt", Self.request(token + "A")) != "valid")
        if one.expected == "valid" { #expect(try judge.proof("jwt", Self.request(token)) == HookProof()) }
    }

    /// PEM has no ids, so every key is tried.
    @Test func keysWithoutIDs() throws {
        let judge = try SignatureJudge(
            ["jwt": Self.jwt],
            ["keys": try Self.text("pem", "p256") + Self.text("pem", "rsa2") + Self.text("pem", "rsa")])
        #expect(try judge.verdict("jwt", Self.request(Self.text("tokens", "RS256"))) == "valid")
        #expect(try judge.verdict("jwt", Self.request(Self.text("tokens", "with the id of another key"))) == "valid")
        #expect(try judge.verdict("jwt", Self.request(Self.text("tokens", "ES256"))) == "valid")
    }

    @Test func keysOfTheWrongKind() throws {
        for (keys, expected) in [(["p256"], "403 signature.mismatch"), (["rsa-short"], "503 signature.secret")] {
            let judge = try SignatureJudge(["jwt": Self.jwt], ["keys": Self.keySet(keys)])
            #expect(try judge.verdict("jwt", Self.request(Self.text("tokens", "RS256"))) == expected)
        }
    }

    @Test func oneAlgorithmOnly() throws {
        let judge = try SignatureJudge(
            ["jwt": Self.jwt + #" | algorithm = "ES256""#], ["keys": Self.keySet(["rsa", "p256"])])
        #expect(try judge.verdict("jwt", Self.request(Self.text("tokens", "RS256"))) == "401 signature.malformed")
        #expect(try judge.verdict("jwt", Self.request(Self.text("tokens", "ES256"))) == "valid")
    }

    @Test(arguments: ["", "a", "a.b", "a.b.c.d", "..", "e30.e30.", "W10.e30.AAAA", "ü.ü.ü", "eyJhbGciOjF9.e30.AAAA"])
    func noTokens(_ token: String) throws {
        let judge = try SignatureJudge(["jwt": Self.jwt], ["keys": Self.keySet(["rsa"])])
        let expected = token.isEmpty ? "401 signature.missing" : "401 signature.malformed"
        #expect(judge.verdict("jwt", Self.request(token)) == expected)
    }

    /// An everyday change of keys: the file is replaced, and nothing is started anew.
    @Test func tokensInTheQuery() throws {
        let judge = try SignatureJudge(["jwt": Self.jwt + #" | query = "token""#], ["keys": Self.keySet(["rsa"])])
        let token = try Self.text("tokens", "RS256")
        #expect(judge.verdict("jwt", HookRequest(path: "/hooks/jwt", query: "token=" + token)) == "valid")
        #expect(judge.verdict("jwt", Self.request(token)) == "401 signature.missing")
    }
}
