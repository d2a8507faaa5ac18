import TestSupport
import Testing
import UsherConfiguration
import UsherHook
import UsherJSON
import UsherScene

/// What the keys of a `signature` table mean, and what is wrong with those that mean nothing.
@Suite struct SignatureReaderTests {
    private static func load(_ signature: String, hookKeys: String = "") throws -> (LoadedConfiguration, String) {
        let folder = TemporaryFolder()
        try folder.write(
            "[hooks.a]\ntitle = \"x\"\n\(hookKeys)\n[hooks.a.signature]\n\(signature)\n", to: "usher.toml")
        try folder.write(ConfigurationLoaderTests.manifest, to: "apps/a.toml")
        return (ConfigurationLoader.load(path: folder.path, searchPath: Fixtures.searchPath), folder.path)
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var text: String
        var scheme: HookSignature.Scheme
        var replays: HookReplays

        init(_ id: String, _ text: String, _ scheme: HookSignature.Scheme, _ replays: HookReplays) {
            testDescription = id
            self.text = text
            self.scheme = scheme
            self.replays = replays
        }

        init(_ id: String, _ text: String, _ code: HookCode, _ replays: HookReplays) {
            self.init(id, text, .code(code), replays)
        }
    }

    static let pointer = JSONReference("/t").map { SignedTime.Source.pointer($0) }

    static let cases = [
        Case("hmac", #"scheme = "hmac" | secret-file = "s" | header = "X-Sum""#, HookCode(header: "X-Sum"), .id),
        Case(
            "every key of hmac",
            #"scheme = "hmac" | secret-credential = "s" | header = "X-Sum" | algorithm = "sha512" | encoding = "base64url" |"#
                + #" prefix = "v0=" | separator = ";" | timestamp-prefix = "ts=" | timestamp-format = "rfc3339" |"#
                + #" tolerance = 60 | secret-encoding = "base64" |"#
                + #" content = "{method}{path}{query}{url}{header.X-Id}{form}{{{timestamp}:{body}""#,
            HookCode(
                .hmac(.sha512, secrets: .base64), header: "X-Sum", encoding: .base64url, prefix: "v0=", separator: ";",
                time: SignedTime(.item(prefix: "ts="), format: .rfc3339, tolerance: 60),
                content: [
                    .method, .path, .query, .url, .header("X-Id"), .form, .literal("{"), .timestamp, .literal(":"),
                    .body,
                ]), .code),
        Case(
            "a time in a header",
            #"scheme = "hmac" | secret-file = "s" | header = "X-Sum" | timestamp-header = "X-Time""#,
            HookCode(header: "X-Sum", time: SignedTime(.header("X-Time"))), .code),
        Case(
            "a time in the body", #"scheme = "hmac" | secret-file = "s" | header = "X-Sum" | timestamp-pointer = "/t""#,
            HookCode(header: "X-Sum", time: pointer.map { SignedTime($0) }), .code),
        Case(
            "replays by code", #"scheme = "hmac" | secret-file = "s" | header = "X-Sum" | replays = "code""#,
            HookCode(header: "X-Sum"), .code),
        Case(
            "public-key", #"scheme = "public-key" | key-file = "k" | header = "X-Sum""#,
            HookCode(.publicKey(), header: "X-Sum"), .id),
        Case(
            "public-key on P-256",
            #"scheme = "public-key" | key-credential = "k" | header = "X-Sum" | algorithm = "ecdsa-p256" | encoding = "base64""#,
            HookCode(.publicKey(.p256), header: "X-Sum", encoding: .base64), .id),
        Case("jwt", #"scheme = "jwt" | key-file = "k" | audience = "a""#, .jwt(HookWebToken(audience: ["a"])), .id),
        Case(
            "every key of jwt",
            #"scheme = "jwt" | key-file = "k" | audience = ["a", "b"] | issuer = "i" | algorithm = ["ES256"] | query = "token" |"#
                + #" tolerance = 5 | claims = { email = "x", n = 7, email_verified = true }"#,
            .jwt(
                HookWebToken(
                    place: .query("token"), algorithms: [.es256], audience: ["a", "b"], issuer: ["i"],
                    claims: ["email": .string("x"), "n": .integer(7), "email_verified": .boolean(true)], tolerance: 5)),
            .id),
        Case("basic", #"scheme = "basic" | secret-file = "s""#, .basic, .id),
        Case("bearer", #"scheme = "bearer" | secret-file = "s" | replays = "id""#, .bearer(.authorization), .id),
        Case(
            "bearer in another header", #"scheme = "bearer" | secret-file = "s" | header = "X-Token" | prefix = """#,
            .bearer(.header("X-Token", prefix: "")), .id),
        Case(
            "bearer in the query", #"scheme = "bearer" | secret-file = "s" | query = "key""#, .bearer(.query("key")),
            .id),
        Case("standard", #"scheme = "standard" | secret-file = "s""#, .standard(tolerance: 300), .code),
        Case(
            "standard by id", #"scheme = "standard" | secret-file = "s" | replays = "id""#, .standard(tolerance: 300),
            .id
        ),
        Case("none", #"scheme = "none""#, HookSignature.Scheme.none, .id),
        Case(
            "keys beside a vendor's name",
            #"scheme = "stripe" | secret-file = "s" | header = "X-Sum" | prefix = "v2=" | tolerance = 5 | algorithm = "sha512""#,
            HookCode(
                .hmac(.sha512), header: "X-Sum", prefix: "v2=", separator: ",",
                time: SignedTime(.item(prefix: "t="), tolerance: 5)), .code),
        Case(
            "a vendor's time in another place", #"scheme = "linear" | secret-file = "s" | timestamp-header = "X-Time""#,
            HookCode(
                header: "Linear-Signature", time: SignedTime(.header("X-Time"), format: .milliseconds, tolerance: 60)),
            .code),
        Case(
            "a time for a vendor without one", #"scheme = "github" | secret-file = "s" | timestamp-header = "X-Time""#,
            HookCode(
                header: "X-Hub-Signature-256", prefix: "sha256=", time: SignedTime(.header("X-Time")),
                weakHeader: "X-Hub-Signature"), .code),
        Case(
            "a vendor by id", #"scheme = "github" | secret-file = "s" | replays = "id""#,
            HookCode(header: "X-Hub-Signature-256", prefix: "sha256=", weakHeader: "X-Hub-Signature"), .id),
    ]

    /// The keys of an example, which are on one line between bars.
    private static func lines(_ text: String) -> String { text.replacing(" | ", with: "\n") }

    @Test(arguments: cases) func keys(_ one: Case) throws {
        let (loaded, _) = try Self.load(Self.lines(one.text))
        #expect(loaded.diagnostics.map(\.description) == [])
        let signature = try #require(loaded.settings.hook(named: "a")).signature
        #expect(signature.scheme == one.scheme)
        #expect(signature.replays == one.replays)
        #expect(one.text.hasPrefix("scheme = \"\(signature.name)\""))
        #expect((signature.secret == nil) == (one.scheme == .none))
    }

    /// Every vendor's name alone is a usable signature, with what the vendor's row says.
    @Test(arguments: HookVendor.all.map(\.name)) func vendors(_ name: String) throws {
        let vendor = try #require(HookVendor.named(name))
        let file = vendor.scheme.hasPublicKeys ? "key-file" : "secret-file"
        let (loaded, folder) = try Self.load("scheme = \"\(name)\"\n\(file) = \"f\"")
        #expect(loaded.diagnostics.map(\.description) == [])
        let signature = try #require(loaded.settings.hook(named: "a")).signature
        #expect(signature == HookSignature(vendor.scheme, vendor: vendor, secret: .file(folder + "/f")))
        #expect(signature.replays == (name == "gitlab" ? .id : .code))
    }

    @Test func replaysOfTheHook() throws {
        let hmac = #"scheme = "hmac" | secret-file = "s" | header = "X-Sum""#
        let (loaded, _) = try Self.load(Self.lines(hmac), hookKeys: "replays = \"code\"")
        #expect(loaded.diagnostics.map(\.description) == [])
        #expect(loaded.settings.hook(named: "a")?.signature.replays == .code)
    }

    /// The text of a `signature` table, and what is said of it.
    private static func said(_ text: String, _ expected: String...) -> (text: String, expected: [String]) {
        (text, expected)
    }

    private static func hmac(_ more: String, _ expected: String...) -> (text: String, expected: [String]) {
        (#"scheme = "hmac" | secret-file = "s" | header = "X-A" | "# + more, expected)
    }

    static let mistakes = [
        said(
            #"scheme = "hmac" | key-file = "k" | header = "X-A""#,
            "rule.no-effect: `key-file` has no effect with the scheme `hmac`",
            "key.missing: the scheme `hmac` needs a secret"),
        said(
            #"scheme = "public-key" | secret-file = "k" | header = "X-A""#,
            "rule.no-effect: `secret-file` has no effect with the scheme `public-key`",
            "key.missing: the scheme `public-key` needs the sender's public key"),
        said(
            #"scheme = "discord" | key-file = "k" | secret-encoding = "hex""#,
            "rule.no-effect: `secret-encoding` has no effect with the scheme `discord`"),
        said(
            #"scheme = "discord" | key-file = "k" | algorithm = "sha256""#,
            "key.value: `algorithm` cannot be \"sha256\""),
        hmac(#"algorithm = ["sha256"]"#, "key.type: `algorithm` is a list only with the scheme `jwt`"),
        said(
            #"scheme = "jwt" | key-file = "k""#,
            "key.missing: the scheme `jwt` needs the `audience` that tokens for this hook have"),
        said(#"scheme = "jwt" | key-file = "k" | audience = []"#, "key.value: `audience` must not be empty"),
        said(#"scheme = "jwt" | key-file = "k" | audience = """#, "key.value: `audience` must not be empty"),
        said(
            #"scheme = "jwt" | key-file = "k" | audience = ["a", ""]"#,
            "key.value: `audience` must not have an empty string"),
        said(
            #"scheme = "jwt" | key-file = "k" | audience = "a" | algorithm = ["RS256", "HS256"]"#,
            "key.value: `algorithm` cannot be \"HS256\""),
        said(
            #"scheme = "jwt" | key-file = "k" | audience = "a" | algorithm = "none""#,
            "key.value: `algorithm` cannot be \"none\""),
        said(
            #"scheme = "jwt" | key-file = "k" | audience = "a" | claims = { a = [1] }"#,
            "key.type: a claim is compared with a string, an integer or a boolean, found a list"),
        said(
            #"scheme = "jwt" | key-file = "k" | audience = "a" | content = "{body}""#,
            "rule.no-effect: `content` has no effect with the scheme `jwt`"),
        said(
            #"scheme = "bearer" | secret-file = "s" | query = "key" | header = "X-A""#,
            "rule.no-effect: `header` has no effect with `query`"),
        said(
            #"scheme = "basic" | secret-file = "s" | header = "X-A""#,
            "rule.no-effect: `header` has no effect with the scheme `basic`"),
        said(
            #"scheme = "bearer" | secret-file = "s" | replays = "code""#,
            "rule.no-effect: the scheme `bearer` signs no body, so it has no code by which repeats are recognized"),
        said(
            #"scheme = "standard" | secret-file = "s" | replays = "never""#, "key.value: `replays` cannot be \"never\""),
        hmac(
            #"timestamp-header = "X-B" | timestamp-pointer = "/t""#,
            "hooks.condition: there cannot be both `timestamp-header` and `timestamp-pointer`"),
        hmac(
            #"timestamp-prefix = "t=""#,
            "key.missing: `timestamp-prefix` needs a `separator`: the time is an item of a list"),
        said(
            #"scheme = "github" | secret-file = "s" | timestamp-format = "seconds" | tolerance = 5"#,
            "rule.no-effect: `timestamp-format` has no effect without a signed time",
            "rule.no-effect: `tolerance` has no effect without a signed time"),
        said(
            #"scheme = "linear" | secret-file = "s" | content = "{timestamp}{body}""#,
            "hooks.template: `content` has {timestamp}, and no header with the time is named"),
        said(
            #"scheme = "stripe" | secret-file = "s" | content = "{body}""#,
            "hooks.template: `content` has no {timestamp}, so the time is not signed and proves nothing"),
        hmac(
            #"content = "{body}{headers.X}{header.}""#, "hooks.template: `content` has no {headers.X}",
            "hooks.template: `content` has no {header.}"),
        hmac(
            #"content = "{url}{query}""#, "hooks.template: `content` without {body} or {form} does not protect the body"
        ),
        hmac(#"format = "stripe""#, "key.misplaced: a `signature` table has no key `format`"),
        said(
            #"scheme = "hmac" | header = "X-A" | secret = "hunter2""#,
            "settings.inline-secret: a secret never stands in the configuration itself"),
        hmac(#"algorithm = "ed25519""#, "key.value: `algorithm` cannot be \"ed25519\""),
        hmac(#"encoding = "base32""#, "key.value: `encoding` cannot be \"base32\""),
        hmac(#"secret-encoding = "rot13""#, "key.value: `secret-encoding` cannot be \"rot13\""),
        hmac(#"payload = "body""#, "key.unknown: a `signature` table has no key `payload`"),
        hmac(#"audience = "x""#, "rule.no-effect: `audience` has no effect with the scheme `hmac`"),
        hmac(
            #"timestamp-header = "X-B" | timestamp-format = "unix""#, "key.value: `timestamp-format` cannot be \"unix\""
        ),
        hmac(
            #"content = "{timestamp}.{body}""#,
            "hooks.template: `content` has {timestamp}, and no header with the time is named"),
        said(
            #"scheme = "bearer" | secret-file = "s" | algorithm = "sha256""#,
            "rule.no-effect: `algorithm` has no effect with the scheme `bearer`"),
        said(
            #"scheme = "bearer" | secret-file = "s" | secret-encoding = "hex""#,
            "rule.no-effect: `secret-encoding` has no effect with the scheme `bearer`"),
        said(
            #"scheme = "none" | secret-file = "s""#,
            "rule.no-effect: `secret-file` has no effect with the scheme `none`"),
        said(
            #"scheme = "standard" | secret-file = "s" | audience = "x""#,
            "rule.no-effect: `audience` has no effect with the scheme `standard`"),
        said(
            #"scheme = "public-key" | key-file = "k" | header = "X-A" | algorithm = "sha256""#,
            "key.value: `algorithm` cannot be \"sha256\""),
        said(#"scheme = "strip" | secret-file = "s""#, "key.value: `scheme` cannot be \"strip\""),
    ]

    @Test(arguments: mistakes) func mistake(_ text: String, _ expected: [String]) throws {
        let (loaded, _) = try Self.load(Self.lines(text))
        #expect(loaded.diagnostics.map { "\($0.code.name): \($0.message)" }.sorted() == expected.sorted())
        #expect(loaded.hasErrors)
        #expect(!loaded.diagnostics.contains { $0.description.contains("hunter2") })
    }

    @Test func replaysTwice() throws {
        let (loaded, _) = try Self.load(
            "scheme = \"standard\"\nsecret-file = \"s\"\nreplays = \"id\"", hookKeys: "replays = \"code\"")
        #expect(loaded.diagnostics.map(\.message) == ["`replays` is both in the hook and in its `signature`"])
    }
}
