import Foundation
import TestSupport
import Testing
import UsherConfiguration
import UsherHook
import UsherJSON
import UsherPayload
import UsherScene
import UsherTarget
import UsherText

/// Every key of `usher.toml` arrives where it belongs.
@Suite struct SettingsTests {
    private func load(_ text: String) throws -> (settings: Settings, folder: String) {
        let folder = TemporaryFolder()
        try folder.write(text, to: "usher.toml")
        try folder.write(ConfigurationLoaderTests.manifest, to: "apps/a.toml")
        let loaded = ConfigurationLoader.load(path: folder.path, searchPath: Fixtures.searchPath)
        #expect(loaded.diagnostics.map(\.description) == [])
        return (loaded.settings, folder.path)
    }

    @Test func server() throws {
        let (settings, folder) = try load(
            """
            [server]
            listen = ["127.0.0.1:8484", "[::1]:0", "localhost:80", "0.0.0.0:443"]
            socket = "run/usherd.sock"
            token-file = "/etc/usher/token"
            certificate = "cert.pem"
            key = "key.pem"
            allowed-hosts = ["Usher.internal"]
            allowed-origins = ["https://Status.example:8443"]
            trusted-proxies = ["127.0.0.1", "10.0.0.0/8", "FD00::/8", "unix"]
            public-url = "HTTPS://Hooks.example:8443/"
            body-limit = 4096
            unproven-megabytes = 2
            drain-seconds = 3
            [server.rate]
            per-second = 2
            burst = 5
            """)
        let server = settings.server
        #expect(server.listen.map(\.description) == ["127.0.0.1:8484", "[::1]:0", "127.0.0.1:80", "0.0.0.0:443"])
        #expect(server.listen.map(\.isLoopback) == [true, true, true, false])
        #expect(server.socket == folder + "/run/usherd.sock")
        #expect(server.tokens == .file("/etc/usher/token"))
        #expect(server.certificate == folder + "/cert.pem")
        #expect(server.key == folder + "/key.pem")
        #expect(server.allowedHosts == ["usher.internal"])
        #expect(server.allowedOrigins == ["https://status.example:8443"])
        #expect(server.trustedProxies.ranges.map(\.description) == ["127.0.0.1/32", "10.0.0.0/8", "fd00::/8"])
        #expect(server.trustedProxies.includesUnixSocket)
        #expect(server.publicURL?.origin == "https://hooks.example:8443")
        #expect(server.publicURL?.host == "hooks.example")
        #expect(server.bodyLimit == 4096)
        #expect(server.unprovenMegabytes == 2)
        #expect(server.drainSeconds == 3)
        #expect(server.rate.perSecond == 2)
        #expect(server.rate.burst == 5)
    }

    @Test(
        arguments: [
            ("https://hooks.example", "hooks.example"), ("http://127.0.0.1:8484", "127.0.0.1"),
            ("https://[2001:db8::1]:443/", "[2001:db8::1]"), ("https://[2001:db8::1]", "[2001:db8::1]"),
            ("hooks.example", nil), ("https://", nil), ("https:///", nil), ("ftp://hooks.example", nil),
            ("https://hooks.example/path", nil), ("https://hooks.example?a", nil), ("https://user@hooks.example", nil),
            ("https://hooks.example:0", nil), ("https://hooks.example:99999", nil), ("https://hooks.example:", nil),
            ("https://hooks.example:+8", nil),
            ("https://hooks example", nil), ("https://[::g]", nil), ("https://::1", nil),
        ] as [(String, String?)])
    func publicURL(_ text: String, _ host: String?) { #expect(PublicURL(text)?.host == host) }

    @Test func deliveries() throws {
        let (settings, _) = try load(
            """
            [server]
            token-credential = "usher-token"
            [server.rate]
            per-second = 0.5
            [deliveries]
            duplicate-hours = 1
            keep-days = 2
            keep-count = 3
            keep-megabytes = 4
            queue = 5
            queue-megabytes = 6
            """)
        var expected = DeliverySettings()
        expected.duplicateHours = 1
        expected.keepDays = 2
        expected.keepCount = 3
        expected.keepMegabytes = 4
        expected.queue = 5
        expected.queueMegabytes = 6
        #expect(settings.deliveries == expected)
        #expect(settings.server.tokens == .credential("usher-token"))
        #expect(settings.server.rate.perSecond == 0.5)
    }

    @Test("a key of an earlier version names what takes its place")
    func retiredKey() throws {
        let folder = TemporaryFolder()
        try folder.write("[browser]\ndevtools = [\"127.0.0.1:9222\"]\n", to: "usher.toml")
        try folder.write(ConfigurationLoaderTests.manifest, to: "apps/a.toml")
        let loaded = ConfigurationLoader.load(path: folder.path, searchPath: Fixtures.searchPath)
        let found = try #require(loaded.diagnostics.first)
        #expect(loaded.hasErrors && loaded.diagnostics.count == 1 && found.code == .unknownKey)
        #expect(found.message == "the [browser] table has no key `devtools` any more")
        #expect(found.help?.contains("extension") == true)
    }

    @Test func changesThatNeedARestart() {
        var settings = Settings()
        settings.server.key = "key.pem"
        settings.server.drainSeconds += 1
        settings.server.rate.burst += 1
        settings.deliveries.keepDays += 1
        settings.deliveries.queue += 1
        #expect(settings.keysThatNeedRestart(since: Settings()) == ["server.key", "deliveries.queue"])
        #expect(settings.keysThatNeedRestart(since: settings) == [])
    }

    @Test func hook() throws {
        let (settings, folder) = try load(
            """
            [hooks.reviews]
            app = "example.app"
            signature = { scheme = "github", secret-file = "github.secret" }
            when = [
                { header = "X-GitHub-Event", equals = "pull_request" },
                { pointer = "/action", in = ["opened", 7, true] },
                { query = "room", exists = true },
                { pointer = "/ref", prefix = "refs/" },
            ]
            each = "/alerts"
            id = { header = "X-GitHub-Delivery" }
            target = "https://github.example/{+repo}/pull/{number}"
            title = "{repo}"
            subtitle = "s"
            body = "b"
            level = "time-sensitive"
            thread = "t"
            collapse = "{repo}-{number}"
            [hooks.reviews.values]
            repo = "/repository/full~1name"
            number = { body-pointer = "/number", default = "0" }
            event = { header = "X-GitHub-Event" }
            """)
        let hook = try #require(settings.hook(named: "reviews"))
        #expect(hook.location.description == "usher.toml:1:8")
        #expect(hook.app?.text == "example.app")
        #expect(hook.signature.name == "github")
        #expect(hook.signature.secret == .file(folder + "/github.secret"))
        #expect(
            hook.conditions.map(\.form) == [
                .test(.header("X-GitHub-Event"), .equals([.string("pull_request")])),
                .test(
                    .bodyPointer(try #require(JSONReference("/action"))),
                    .equals([.string("opened"), .integer(7), .boolean(true)])),
                .test(.query("room"), .exists(true)),
                .test(.bodyPointer(try #require(JSONReference("/ref"))), .startsWith("refs/")),
            ])
        #expect(hook.each?.pointer.tokens == ["alerts"])
        #expect(hook.values.map(\.name) == ["repo", "number", "event"])
        #expect(
            hook.values[0].sources
                == [HookSource([.pointer(try #require(JSONReference("/repository/full~1name")))])])
        #expect(
            hook.values[1]
                == HookValue(
                    name: "number",
                    sources: [HookSource([.bodyPointer(try #require(JSONReference("/number")))], fallback: "0")]))
        #expect(hook.id == .place(.header("X-GitHub-Delivery")))
        #expect(hook.target?.text == "https://github.example/{+repo}/pull/{number}")
        #expect(hook.level?.text == "time-sensitive")
        #expect(hook.collapse?.expand(["repo": "a/b", "number": "7"]) == "a/b-7")
    }

    @Test(
        arguments: [
            ("{a}", ["a": "1"], "1"), ("{{a}}", ["a": "1"], "{a}"), ("{a}{b}", ["b": "2"], "2"),
            ("{ a }", [:], "{ a }"),
            ("{a", ["a": "1"], "{a"), ("}{", [:], "}{"), ("{a} {{{a}}}", ["a": "{a}"], "{a} {{a}}"), ("", [:], ""),
        ] as [(String, [String: String], String)])
    func hookText(_ template: String, _ values: [String: String], _ expected: String) {
        #expect(HookText(template).expand(values) == expected)
    }
}
