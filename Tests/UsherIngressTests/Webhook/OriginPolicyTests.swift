import Testing
import UsherConfiguration
import UsherEngine
import UsherHTTP
import UsherIngress

/// No web page gets through, whatever a browser can be made to send.
@Suite struct OriginPolicyTests {
    private func policy(_ change: (inout ServerSettings) -> Void = { _ in }) -> OriginPolicy {
        var settings = ServerSettings()
        settings.listen = [ListenAddress("127.0.0.1:8484"), ListenAddress("127.0.0.2:0")].compactMap(\.self)
        settings.allowedHosts = ["usher.internal"]
        settings.allowedOrigins = ["https://status.example"]
        change(&settings)
        return OriginPolicy(settings, addresses: settings.listen)
    }

    private func status(_ fields: [(String, String)], _ peer: HTTPPeer = WebhookFixture.tcp) -> Int {
        let request = HTTPRequest(
            method: "POST", target: "/v1/notifications", fields: HTTPFields(fields.map { .init($0.0, $0.1) }),
            peer: peer
        )
        do throws(Refusal) {
            try policy().judge(request)
            return 200
        } catch {
            return error.status
        }
    }

    @Test(arguments: [
        ("localhost", 200), ("LocalHost:8484", 200), ("localhost.", 200), ("127.0.0.1", 200), ("127.0.0.1:1", 200),
        ("[::1]:8484", 200), ("127.0.0.2", 200), ("usher.internal:8484", 200), ("USHER.internal", 200),
        ("attacker.example", 421), ("attacker.example:8484", 421), ("localhost.attacker.example", 421),
        ("127.0.0.1.attacker.example", 421), ("127.0.0.3", 421), ("192.168.1.5", 421), ("0.0.0.0", 421), ("", 421),
        ("[::1", 421), ("[::2]", 421), ("user@localhost", 421), ("localhost/", 421), (" localhost", 421),
        ("2130706433", 421), ("usher.internal..", 421), ("localhost:65535", 200), ("localhost:00080", 200),
        ("localhost:65536", 421), ("127.0.0.1:99999", 421), ("localhost:000080", 421), ("localhost:", 200),
        ("localhost:80:attacker", 421), ("localhost:attacker.example", 421), ("localhost:80 ", 421),
        ("localhost:-1", 421), ("localhost:+1", 421), ("LOCALHOST:80:1", 421), ("[::1].attacker.example", 421),
        ("[::1]attacker", 421), ("[::1]:", 200), ("[::1]:99999", 421), ("[::1]:1:1", 421), ("[::1]:65535", 200),
        ("[::1].", 421),
    ])
    func host(_ host: String, _ expected: Int) { #expect(status([("Host", host)]) == expected) }

    @Test func hostIsThereOnce() {
        #expect(status([]) == 400)
        #expect(status([("Host", "localhost"), ("host", "localhost")]) == 400)
    }

    @Test(arguments: [
        ("https://status.example", 200), ("HTTPS://Status.example", 200), ("https://status.example:443", 403),
        ("http://status.example", 403), ("null", 403), ("", 403), ("http://localhost:8484", 403),
        ("http://127.0.0.1:8484", 403), ("https://status.example.attacker.example", 403),
    ])
    func origin(_ origin: String, _ expected: Int) {
        #expect(status([("Host", "localhost"), ("Origin", origin)]) == expected)
    }

    @Test func twoOrigins() {
        let good = ("Origin", "https://status.example")
        #expect(status([("Host", "localhost"), good, ("Origin", "https://attacker.example")]) == 403)
    }

    @Test(
        arguments: [
            ("none", nil, 200), ("same-origin", nil, 200), ("cross-site", nil, 403), ("same-site", nil, 403),
            ("other", nil, 403), ("cross-site", "https://status.example", 200),
            ("cross-site", "https://attacker.example", 403),
        ] as [(String, String?, Int)])
    func site(_ site: String, _ origin: String?, _ expected: Int) {
        let origins = origin.map { [("Origin", $0)] } ?? []
        #expect(status([("Host", "localhost"), ("Sec-Fetch-Site", site)] + origins) == expected)
    }

    /// The second of two fields counts as the first does.
    @Test func fieldsThatAreThereTwice() {
        let host = ("Host", "localhost")
        #expect(status([host, ("Sec-Fetch-Site", "none"), ("Sec-Fetch-Site", "cross-site")]) == 403)
        #expect(status([host, ("Content-Type", "application/json"), ("Content-Type", "text/plain")]) == 400)
    }

    /// No page reaches a Unix socket.
    @Test func unixSocketTakesAll() {
        #expect(status([("Host", "attacker.example"), ("Origin", "null")], WebhookFixture.unix) == 200)
        #expect(status([], WebhookFixture.unix) == 200)
    }

    /// What a command line or a service manager opened is ours as well.
    @Test func boundAddresses() {
        let policy = OriginPolicy(ServerSettings(), addresses: [ListenAddress(host: "127.0.0.5", port: 80)])
        func isTaken(_ host: String) -> Bool {
            (try? policy.judge(WebhookFixture.request("/v1/notifications", "", [("Host", host)]))) != nil
        }
        #expect(isTaken("127.0.0.5:80"))
        #expect(!isTaken("127.0.0.6:80"))
        #expect(!isTaken("192.168.1.5"))
        let open = OriginPolicy(ServerSettings(), addresses: [ListenAddress(host: "192.168.1.5", port: 80)])
        let request = WebhookFixture.request("/v1/notifications", "", [("Host", "192.168.1.5:80")])
        #expect((try? open.judge(request)) != nil)
    }

    /// Behind a listener that others reach, numbers are names too.
    @Test(arguments: [("192.168.1.5:443", true), ("[fe80::1]", true), ("attacker.example", false), ("1.2.3", false)])
    func openListener(_ host: String, _ isTaken: Bool) {
        let policy = policy { $0.listen = [ListenAddress("0.0.0.0:443")].compactMap(\.self) }
        let request = WebhookFixture.request("/v1/notifications", "", [("Host", host)])
        #expect(((try? policy.judge(request)) != nil) == isTaken)
    }

    @Test func preflight() throws {
        let question = [
            ("Host", "localhost"), ("Access-Control-Request-Method", "POST"), ("Origin", "https://status.example"),
        ]
        let request = WebhookFixture.request("/v1/notifications", "", question, method: "OPTIONS")
        let answer = try #require(policy().preflight(request))
        #expect(answer.status == 204)
        #expect(answer.fields["Access-Control-Allow-Origin"] == "https://status.example")
        var other = question
        other[2].1 = "https://attacker.example"
        #expect(policy().preflight(WebhookFixture.request("/", "", other, method: "OPTIONS"))?.status == nil)
        #expect(policy().preflight(WebhookFixture.request("/", "", question))?.status == nil)
    }
}
