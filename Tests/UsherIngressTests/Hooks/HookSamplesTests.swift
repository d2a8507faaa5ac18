import Foundation
import TestSupport
import Testing
import UsherConfiguration
import UsherCrypto
import UsherEngine
import UsherHook
import UsherIngress
import UsherJSON
import UsherPayload
import UsherText

/// The hooks of `Config/hooks` with the bodies of `Payloads/hooks`, signed as their senders sign.
@Suite struct HookSamplesTests {
    static let configuration = Repository.path + "/Config"
    static let bodies = Repository.path + "/Payloads/hooks/"
    static let secret = "whsec_" + Base64.encode(Array("the secret of all sample senders".utf8))

    /// What a notification should come out as, in short.
    struct Expected: Sendable, Equatable {
        var target, title: String
        var subtitle: String?
        var body: String?
        var thread: String?
        var level: UsherPayload.Notification.InterruptionLevel?
        var collapse: String?
        var senderID: String?
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var body: String
        var hook: String
        var app: String
        var fields: [(String, String)]
        var expected: [Expected]
        var testDescription: String { body }
    }

    static let delivery = "72d3162e-cc78-11e3-81ab-4c9367dc0958"

    static let cases = [
        Case(
            body: "github-pull-request", hook: "github-pull-requests", app: "example.reviews",
            fields: [("X-GitHub-Event", "pull_request"), ("X-GitHub-Delivery", delivery)],
            expected: [
                Expected(
                    target: "https://github.com/clown-town/tent/pull/7", title: "Red noses for \"everybody\" 🤡",
                    subtitle: "clown-town/tent #7", body: "bozo: review_requested", thread: "clown-town/tent",
                    level: .timeSensitive, collapse: "clown-town/tent#7", senderID: delivery)
            ]),
        Case(
            body: "github-issue", hook: "github-issues", app: "example.reviews",
            fields: [("X-GitHub-Event", "issues"), ("X-GitHub-Delivery", delivery)],
            expected: [
                Expected(
                    target: "https://github.com/clown-town/tent/issues/12", title: "The ring is too small",
                    subtitle: "clown-town/tent #12", body: "crusty: opened ", thread: "clown-town/tent",
                    senderID: delivery)
            ]),
        Case(
            body: "alertmanager", hook: "alertmanager", app: "example.status", fields: [],
            expected: [
                Expected(
                    target: "https://status.example/alerts/DiskFull?instance=db1%3A9100", title: "DiskFull",
                    subtitle: "db1:9100", body: "2 % left on /var", thread: "usher", level: .timeSensitive,
                    senderID: "a1b2c3d4e5f60718-2026-11-21T09:00:00.000Z-firing")
            ]),
        Case(
            body: "grafana", hook: "grafana", app: "example.status", fields: [],
            expected: [
                Expected(
                    target: "https://status.example/alerts/Queue%20is%20long?instance=", title: "Queue is long",
                    subtitle: "Tent", body: "Visitors wait [ var='A' labels={} value=120 ]",
                    thread: "{}/{}:{alertname=\"Queue is long\"}", level: .timeSensitive,
                    senderID: "c6eadffa33fcdf37-2026-11-21T10:00:00+01:00-firing")
            ]),
        Case(
            body: "standard-order", hook: "orders", app: "example.orders", fields: [],
            expected: [
                Expected(
                    target: "https://orders.example/orders/7", title: "Order 7", body: "on its way", thread: "orders",
                    senderID: "msg_1")
            ]),
    ]

    /// The configuration with the secrets that a checkout does not have.
    private func fixture() throws -> WebhookFixture {
        let fixture = try WebhookFixture("")
        let folder = fixture.folder + "/Config"
        try FileManager.default.copyItem(atPath: Self.configuration, toPath: folder)
        for name in ["github", "alertmanager", "grafana", "orders"] {
            try WebhookFixture.write(Self.secret + "\n", to: "\(folder)/hooks/\(name).secret")
        }
        return fixture
    }

    private func access(_ fixture: WebhookFixture) throws -> WebhookAccess {
        let loaded = ConfigurationLoader.load(path: fixture.folder + "/Config", searchPath: "/usr/bin:/bin")
        #expect(loaded.diagnostics.map(\.description) == [])
        return fixture.access(settings: loaded.settings)
    }

    /// As each sender signs.
    private func signature(_ hook: HookDefinition, _ body: String) -> [(String, String)] {
        let key = Array(Self.secret.utf8)
        let now = String(WebhookFixture.now)
        func code(_ text: String) -> String { Hexadecimal.encode(SignatureTests.code(.sha256, key, text)) }
        return switch hook.signature.name {
        case "github": [("X-Hub-Signature-256", "sha256=" + code(body))]
        case "bearer": [("Authorization", "Bearer " + Self.secret)]
        case "hmac":
            [("X-Grafana-Alerting-Signature", code(now + ":" + body)), ("X-Grafana-Alerting-Timestamp", now)]
        case "standard":
            SignatureTests.standard(body: body, key: Array("the secret of all sample senders".utf8))
        default: []
        }
    }

    @Test(arguments: cases) func mapped(_ one: Case) throws {
        let fixture = try fixture()
        let access = try access(fixture)
        let hook = try #require(access.settings.hook(named: one.hook))
        let body = try String(contentsOfFile: Self.bodies + one.body + ".json", encoding: .utf8)
        let intake = RecordingIntake(.accept)
        let request = WebhookFixture.request(
            "/hooks/\(hook.path)", body, one.fields + signature(hook, body))
        let answer = fixture.send(request, intake, access)
        #expect(answer.status == 202, "\(answer.text)")
        let accepted = answer.json.elements.map { $0.count { $0["status"]?.string == "accepted" } }
        #expect(accepted == (hook.each == nil ? nil : one.expected.count))
        #expect(intake.arrivals.map(\.app) == one.expected.map { _ in one.app })
        #expect(intake.arrivals.map(\.source) == one.expected.map { _ in "hook:\(one.hook)" })
        let found = try intake.arrivals.map { arrival in
            let payload = try arrival.reading.get()
            #expect(payload.warnings == [])
            #expect(payload.app == one.app)
            return Expected(
                target: payload.targetContentIdentifier ?? "", title: payload.title ?? "", subtitle: payload.subtitle,
                body: payload.body, thread: payload.notification?.threadIdentifier,
                level: payload.notification?.interruptionLevel, collapse: payload.headers.apnsCollapseID,
                senderID: arrival.senderID)
        }
        #expect(found == one.expected)
    }

    @Test func everyBodyAndEveryHookIsTried() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.bodies).filter { $0.hasSuffix(".json") }
        #expect(Set(names) == Set(Self.cases.map { $0.body + ".json" }))
        let loaded = ConfigurationLoader.load(path: Self.configuration, searchPath: "/usr/bin:/bin")
        #expect(Set(loaded.settings.hooks.map(\.name)) == Set(Self.cases.map(\.hook)))
    }

    /// A ping of GitHub and a resolved alert are ignored, with the reason.
    @Test(arguments: [
        (
            "github-pull-requests", "{\"zen\":\"x\"}", "ping",
            "the header X-GitHub-Event is \"ping\", and \"pull_request\" is wanted"
        ),
        (
            "github-pull-requests", #"{"action":"closed"}"#, "pull_request",
            #"/action is "closed", and one of "opened", "reopened", "ready_for_review", "review_requested" is wanted"#
        ),
        (
            "github-pull-requests", #"{"action":"opened","pull_request":{"draft":true}}"#, "pull_request",
            "/pull_request/draft is true, and false is wanted"
        ),
        (
            "alertmanager", #"{"version":"4","alerts":[{"status":"resolved"}]}"#, "",
            "/status is \"resolved\", and \"firing\" is wanted"
        ),
    ])
    func notForUs(_ name: String, _ body: String, _ event: String, _ message: String) throws {
        let fixture = try fixture()
        let access = try access(fixture)
        let hook = try #require(access.settings.hook(named: name))
        let intake = RecordingIntake()
        let fields = [("X-GitHub-Event", event), ("X-GitHub-Delivery", Self.delivery)]
        let answer = fixture.send(
            WebhookFixture.request("/hooks/\(hook.path)", body, fields + signature(hook, body)), intake, access)
        #expect(answer.status == 200)
        #expect(answer.json["why"]?.elements?.first?["message"]?.string == message)
        #expect(intake.arrivals.count == 0)
    }
}
