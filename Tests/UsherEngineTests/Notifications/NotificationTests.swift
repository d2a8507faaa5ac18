import EngineTestSupport
import Foundation
import TestSupport
import Testing
import UsherActivation
import UsherJSON
import UsherLog
import UsherPayload
import UsherScene
import UsherStore

@testable import UsherEngine

/// Notifications from the payload to what is shown, with a server in the test itself.
@Suite("Notifications")
struct NotificationTests {
    typealias Fixture = DispatchFixture

    struct Case: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var line: String
        var deliver: DeliveryRule
        /// Action, outcome, policy, and how many were shown with which urgency.
        var result: String

        init(_ id: String, _ line: String, _ deliver: DeliveryRule, _ result: String) {
            testDescription = id
            self.line = line
            self.deliver = deliver
            self.result = result
        }

        init(_ id: String, _ line: String, _ result: String) { self.init(id, line, .notify, result) }
    }

    static let byLevel = DeliveryRule(.notify, levels: [.active: .tapped, .timeSensitive: .none, .critical: .notify])

    static let cases = [
        Case("active", Pushes.push(), "notify done - normal"),
        Case("passive", Pushes.push(#""interruption-level":"passive""#), "notify done passive low"),
        Case("time-sensitive", Pushes.push(#""interruption-level":"time-sensitive""#), "notify done - normal"),
        Case("critical", Pushes.push(#""interruption-level":"critical""#), "notify done - critical"),
        Case("a target and nothing to read", Pushes.push(#""badge":1"#, alert: nil), "notify done - normal"),
        Case("badge alone", Pushes.push(#""badge":1"#, alert: nil, target: nil), "none skipped background none"),
        Case(
            "sound alone", Pushes.push(#""sound":"default""#, alert: nil, target: nil), "none skipped background none"),
        Case(
            "content-available alone", Pushes.push(#""content-available":1"#, alert: nil),
            "background done background none"),
        Case("content-available with text", Pushes.push(#""content-available":1"#), "notify done - normal"),
        Case("without a target", Pushes.push(target: nil), "notify done - normal"),
        Case("a shortcut was chosen already", #"{"shortcutItem":{"type":"order-crusty"}}"#, "launch verified - none"),
        Case(
            "a link was followed already", #"{"url":"https://clowntown.example/clowns/crusty"}"#,
            "launch verified - none"),
        Case("by default a payload stands for a tap", Pushes.push(), .tapped, "launch verified - none"),
        Case(
            "and a passive one too", Pushes.push(#""interruption-level":"passive""#), .tapped, "launch verified - none"),
        Case("by level: default", Pushes.push(#""interruption-level":"passive""#), byLevel, "notify done passive low"),
        Case("by level: focus", Pushes.push(), byLevel, "launch verified - none"),
        Case("by level: none", Pushes.push(#""interruption-level":"time-sensitive""#), byLevel, "none skipped - none"),
        Case(
            "by level: passive never interrupts", Pushes.push(#""interruption-level":"passive""#),
            DeliveryRule(.tapped, levels: [.critical: .notify]), "notify done passive low"),
        Case("silenced", Pushes.push(), DeliveryRule(.none), "none skipped - none"),
        Case(
            "silenced and passive", Pushes.push(#""interruption-level":"passive""#), DeliveryRule(.none),
            "none skipped passive none"),
    ]

    @Test(arguments: cases) func delivered(_ given: Case) throws {
        let fixture = try Fixture()
        fixture.app.background = Fixture.command("true")
        let desk = try Desk(fixture, deliver: given.deliver)
        let record = try #require(try desk.daemon.records(of: [given.line]).first)
        let urgency = desk.presenter.with { $0.shown.map { "\($0.urgency)" }.joined(separator: " ") }
        #expect(
            "\(record.action) \(record.outcome) \(record.policy?.rawValue ?? "-") \(urgency.isEmpty ? "none" : urgency)"
                == given.result, "\(record.json)")
        #expect(record.error == nil)
        // What is only shown touches no window.
        if record.action == .notify || record.action == .none { #expect(fixture.windows.performed.isEmpty) }
        let isSilenced = record.warnings.contains { $0.name == "notification.silenced" }
        #expect(isSilenced == (record.action == .none && record.policy != .background))
    }

    static let texts: [(alert: String, summary: String, body: String)] = [
        (#""hi""#, "Clown Town", "hi"),
        (#"{"title":"T","body":"B"}"#, "T", "B"),
        (#"{"title":"T","subtitle":"S","body":"B"}"#, "T", "S\nB"),
        (#"{"title-loc-key":"KEY","loc-key":"BODY"}"#, "KEY", "BODY"),
        (#"{"title":"T"}"#, "T", ""),
        (#"{"title":"","body":"B"}"#, "Clown Town", "B"),
        (#"{"body":"<b>&amp; #(x)"}"#, "Clown Town", "<b>&amp; #(x)"),
    ]

    @Test(arguments: texts) func text(_ given: (alert: String, summary: String, body: String)) throws {
        let desk = try Desk()
        _ = try desk.daemon.records(of: [Pushes.push(alert: given.alert)])
        let shown = try #require(desk.presenter.with { $0.shown.first })
        #expect(shown.summary == given.summary)
        #expect(shown.body == given.body)
        #expect(shown.application == "Clown Town")
        #expect(shown.isSilent, "there is no sound in it")
        #expect(shown.actions == [.init(key: "default", label: "Open")])
    }

    @Test func looks() throws {
        let fixture = try Fixture()
        fixture.app.notifications.icon = "clown"
        fixture.app.notifications.image = "/clown.png"
        fixture.app.notifications.desktopEntry = "example.Clown"
        fixture.app.notifications.sound = "honk"
        fixture.app.notifications.expires = 0
        fixture.app.notifications.categories = [Pushes.order()]
        let desk = try Desk(fixture)
        _ = try desk.daemon.records(of: [Pushes.push(#""sound":"default","category":"ORDER""#)])
        let shown = try #require(desk.presenter.with { $0.shown.first })
        #expect(shown.icon == "clown" && shown.image == "/clown.png" && shown.desktopEntry == "example.Clown")
        #expect(shown.sound == "honk" && !shown.isSilent && shown.expires == 0)
        #expect(shown.category == "im.received")
        #expect(
            shown.actions.map { "\($0.key) \($0.label)" } == ["default Open", "track Track", "bozo Bozo", "mute Mute"])
    }

    @Test func aServerWithoutButtonsOrBody() throws {
        let desk = try Desk()
        desk.presenter.with { $0.capabilities = [] }
        let record = try #require(
            try desk.daemon.records(of: [Pushes.push(alert: #"{"title":"T","body":"B"}"#)]).first)
        #expect(record.outcome == .done && record.warnings.map(\.name) == ["notification.no-actions"])
        let shown = try #require(desk.presenter.with { $0.shown.first })
        #expect(shown.summary == "T – B" && shown.actions.isEmpty)
    }

    @Test func aServerThatIsNotThere() throws {
        let desk = try Desk()
        desk.presenter.with { $0.failure = ActivationFailure(.notificationUnavailable, "no server", help: "start one") }
        let record = try #require(try desk.daemon.records(of: [Pushes.push()]).first)
        #expect(record.action == .notify && record.outcome == .failed && record.error?.code == .notificationUnavailable)
        desk.presenter.with { $0.failure = nil }
        #expect(try desk.daemon.records(of: [Pushes.push()]).first?.outcome == .done)
    }

    @Test func withoutADaemonItFailsAndNamesUsherd() throws {
        let fixture = try Fixture()
        fixture.app.deliver = .notify
        let record = try #require(try fixture.dispatch([Pushes.push()]).first)
        #expect(record.summary("action", "outcome") == "notify failed")
        #expect(record["error"]?["name"]?.string == "activation.no-handler")
        #expect(record["error"]?["help"]?.string?.contains("usherd") == true)
        let rehearsed = try #require(try fixture.dispatch([Pushes.push()], isDryRun: true).first)
        #expect(rehearsed.summary("action", "outcome", "reason") == "notify skipped opens")
    }
}
