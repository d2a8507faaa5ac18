import Testing
import UsherConfiguration
import UsherHTTP
import UsherIngress
import UsherText

/// Whose request it is that a proxy passes on.
@Suite struct ForwardedRequestTests {
    private func policy(_ proxies: [String], publicURL: String? = nil) -> OriginPolicy {
        var settings = ServerSettings()
        settings.allowedHosts = ["usher.internal"]
        settings.trustedProxies.ranges = proxies.compactMap { AddressRange($0) }
        settings.trustedProxies.includesUnixSocket = proxies.contains("unix")
        settings.publicURL = publicURL.flatMap { PublicURL($0) }
        return OriginPolicy(settings, addresses: [ListenAddress(host: "127.0.0.1", port: 8484)])
    }

    private func request(
        _ fields: [(String, String)], from host: String? = "127.0.0.1", name: String = "localhost:8484"
    ) -> HTTPRequest {
        let address: HTTPPeer.Address =
            host.map { .internet(host: $0, port: 4711) } ?? .local(user: 1000, group: 1000, process: 1)
        return HTTPRequest(
            method: "POST", target: "/hooks/h",
            fields: HTTPFields(([("Host", name)] + fields).map { .init($0.0, $0.1) }),
            peer: HTTPPeer(address: address, listener: "webhook"))
    }

    private func client(_ request: HTTPRequest) -> String {
        switch request.peer.address {
        case .internet(let host, _): host
        case .local(let user, _, _): "user:\(user)"
        }
    }

    static let chains: [(header: String, value: String, client: String)] = [
        ("X-Forwarded-For", "203.0.113.7", "203.0.113.7"), ("x-forwarded-for", " 203.0.113.7 ", "203.0.113.7"),
        ("X-Forwarded-For", "1.1.1.1, 203.0.113.7", "203.0.113.7"),
        ("X-Forwarded-For", "1.1.1.1, 203.0.113.7, 10.0.0.5, 127.0.0.1", "203.0.113.7"),
        ("X-Forwarded-For", "10.0.0.5, 127.0.0.1", "10.0.0.5"),
        ("X-Forwarded-For", "garbage, 203.0.113.7", "203.0.113.7"),
        ("X-Forwarded-For", "203.0.113.7, garbage", "127.0.0.1"), ("X-Forwarded-For", "203.0.113.7,", "127.0.0.1"),
        ("X-Forwarded-For", "", "127.0.0.1"), ("X-Forwarded-For", "203.0.113.7, unknown, 10.0.0.5", "127.0.0.1"),
        ("X-Forwarded-For", "2001:db8::7", "2001:db8::7"), ("X-Forwarded-For", "[2001:DB8::7]:443", "2001:db8::7"),
        ("X-Forwarded-For", "203.0.113.7:5000", "203.0.113.7"), ("X-Forwarded-For", "203.0.113.7:x", "127.0.0.1"),
        ("X-Forwarded-For", "203.0.113.007", "127.0.0.1"), ("X-Forwarded-For", "::ffff:203.0.113.7", "203.0.113.7"),
        ("Forwarded", "for=203.0.113.7", "203.0.113.7"),
        ("Forwarded", "FOR=\"203.0.113.7:81\";proto=https", "203.0.113.7"),
        ("Forwarded", "for=\"[2001:db8::7]:4711\"", "2001:db8::7"), ("Forwarded", "for=\"2001:db8::7\"", "127.0.0.1"),
        ("Forwarded", "for=1.1.1.1, for=203.0.113.7;by=10.0.0.5, for=10.0.0.5", "203.0.113.7"),
        ("Forwarded", "for=\"203.0.113.\\7\"", "203.0.113.7"),
        ("Forwarded", "for=\"_port:_x\", for=203.0.113.7", "203.0.113.7"),
        ("Forwarded", "for=\"203.0.113.7:_secret\"", "203.0.113.7"), ("Forwarded", "for=unknown", "127.0.0.1"),
        ("Forwarded", "for=_hidden", "127.0.0.1"), ("Forwarded", "for=203.0.113.7;for=1.1.1.1", "127.0.0.1"),
        ("Forwarded", "for=\"203.0.113.7", "127.0.0.1"), ("Forwarded", "proto=https", "127.0.0.1"),
        ("Forwarded", "203.0.113.7", "127.0.0.1"), ("Forwarded", "for=\"a, for=203.0.113.7", "127.0.0.1"),
        ("Forwarded", "for = 203.0.113.7", "127.0.0.1"), ("Forwarded", "for=203.0.113.7;", "203.0.113.7"),
        ("Forwarded", "\"", "127.0.0.1"), ("Forwarded", "for=\"\\", "127.0.0.1"), ("Forwarded", "for=", "127.0.0.1"),
    ]

    @Test(arguments: chains) func ofAProxy(_ header: String, _ value: String, _ expected: String) {
        let request = request([(header, value)])
        #expect(client(policy(["127.0.0.1", "10.0.0.0/8"]).withoutProxy(request)) == expected)
        // Of a client that is no proxy, nothing is believed.
        #expect(client(policy(["10.0.0.0/8"]).withoutProxy(request)) == "127.0.0.1")
        #expect(client(policy([]).withoutProxy(request)) == "127.0.0.1")
    }

    /// Several lines are one list.
    @Test func severalLines() {
        let request = request([("X-Forwarded-For", "1.1.1.1"), ("X-Forwarded-For", "203.0.113.7")])
        #expect(client(policy(["127.0.0.1"]).withoutProxy(request)) == "203.0.113.7")
    }

    /// A proxy that writes one header may pass on the other one as its client wrote it.
    @Test(arguments: [("203.0.113.7", "203.0.113.7"), ("1.1.1.1", "127.0.0.1"), ("unknown", "127.0.0.1")])
    func bothHeaders(_ other: String, _ expected: String) {
        for (standard, older) in [(other, "203.0.113.7"), ("203.0.113.7", other)] {
            let request = request([("Forwarded", "for=\(standard)"), ("X-Forwarded-For", older)])
            #expect(client(policy(["127.0.0.1"]).withoutProxy(request)) == expected)
        }
    }

    static let origins: [(fields: [(String, String)], origin: String, isTaken: Bool)] = [
        ([], "http://localhost:8484", true),
        ([("X-Forwarded-Proto", "https")], "https://localhost:8484", true),
        ([("X-Forwarded-Proto", "https"), ("X-Forwarded-Host", "usher.internal")], "https://usher.internal", true),
        ([("X-Forwarded-Host", "Usher.Internal:444")], "http://Usher.Internal:444", true),
        (
            [("Forwarded", "for=203.0.113.7;proto=https;host=\"usher.internal:444\"")], "https://usher.internal:444",
            true
        ),
        ([("Forwarded", "for=1.1.1.1;host=x;proto=http, for=203.0.113.7;proto=https")], "https://localhost:8484", true),
        ([("X-Forwarded-Proto", "https, http")], "http://localhost:8484", true),
        ([("X-Forwarded-Proto", "javascript")], "http://localhost:8484", true),
        ([("X-Forwarded-Host", "")], "http://localhost:8484", true),
        // The Host was checked; the host that a trusted proxy names need not be one of the daemon's.
        ([("X-Forwarded-Host", "hooks.example")], "http://hooks.example", true),
        ([("X-Forwarded-Host", "client.example, hooks.example")], "http://hooks.example", true),
        ([("X-Forwarded-Host", "hooks.example/path, a b")], "http://localhost:8484", true),
    ]

    @Test(arguments: origins.indices) func origin(_ index: Int) {
        let (fields, origin, isTaken) = Self.origins[index]
        let policy = policy(["127.0.0.1"])
        let request = policy.withoutProxy(request(fields))
        #expect(policy.origin(of: request) == origin)
        #expect(((try? policy.judge(request)) != nil) == isTaken)
        // A client that is no proxy says nothing about the origin.
        let plain = self.policy(["10.0.0.0/8"])
        #expect(plain.origin(of: plain.withoutProxy(self.request(fields))) == "http://localhost:8484")
    }

    /// A page that DNS rebinding has led to a trusted address writes any header but the Host.
    @Test func rebinding() {
        let policy = policy(["127.0.0.1"], publicURL: "https://hooks.example")
        for fields in [[("X-Forwarded-Host", "localhost")], [("Forwarded", "for=1.1.1.1;host=localhost")]] {
            let request = policy.withoutProxy(request(fields, name: "attacker.example"))
            #expect((try? policy.judge(request)) == nil)
        }
        #expect((try? policy.judge(policy.withoutProxy(request([], name: "hooks.example")))) != nil)
        #expect((try? policy.judge(policy.withoutProxy(request([("X-Forwarded-Host", "hooks.example")])))) != nil)
    }

    @Test func publicURL() {
        let policy = policy(["127.0.0.1"], publicURL: "https://Hooks.example:8443/")
        let request = policy.withoutProxy(
            request([("X-Forwarded-Proto", "http"), ("X-Forwarded-Host", "usher.internal")]))
        #expect(policy.origin(of: request) == "https://hooks.example:8443")
    }

    /// What a proxy passes on by the Unix socket has none of the rights of a local user, whatever the header says.
    @Test(arguments: [
        ("X-Forwarded-For", "203.0.113.7", "203.0.113.7"), ("X-Forwarded-For", "garbage", "unix"),
        ("Forwarded", "\"", "unix"),
        ("X-Forwarded-Host", "localhost", "unix"), ("X-Forwarded-Proto", "https", "unix"),
    ])
    func unixSocket(_ header: String, _ value: String, _ expected: String) {
        let request = request([(header, value)], from: nil)
        #expect(client(policy(["unix"]).withoutProxy(request)) == expected)
        #expect(client(policy(["127.0.0.1"]).withoutProxy(request)) == "user:1000")
        let foreign = self.request([(header, value)], from: nil, name: "attacker.example")
        #expect((try? policy(["unix"]).judge(policy(["unix"]).withoutProxy(foreign))) == nil)
        #expect(client(policy(["unix"]).withoutProxy(self.request([], from: nil))) == "user:1000")
    }
}
