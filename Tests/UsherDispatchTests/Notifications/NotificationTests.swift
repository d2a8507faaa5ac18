import Foundation
import Testing
import UsherActivation
import UsherJSON
import UsherLog
import UsherPayload
import UsherScene
import UsherStore

@testable import UsherDispatch

/// Notifications from the payload to the click, with a server in the test itself.
@Suite("Notifications")
struct NotificationTests {
    typealias Fixture = DispatchFixture

    /// A daemon that shows notifications, and everything that it recorded.
    final class Desk {
        let fixture: Fixture
        let presenter: RecordingPresenter
        let daemon: Daemon
        let records = Locked<[DecisionRecord]>([])

        init(
            _ fixture: Fixture? = nil, _ presenter: RecordingPresenter = RecordingPresenter(),
            deliver: DeliveryRule = .notify, windows: (any WindowSystem)? = nil
        ) throws {
            self.fixture = try fixture ?? Fixture()
            self.fixture.app.deliver = deliver
            self.presenter = presenter
            daemon = try Daemon(self.fixture, presenter: presenter, windows: windows)
            daemon.dispatcher.observe { [records] record in records.with { $0.append(record) } }
        }

        func presses() -> [DecisionRecord] { records.with { $0.filter { $0.source == "notification" } } }

        /// Waits for as many records of presses.
        func presses(_ count: Int) throws -> [DecisionRecord] {
            try wait("there are \(count) presses") { presses().count >= count }
            return presses()
        }

        func state(of record: DecisionRecord) throws -> String? {
            try daemon.store.delivery(record.id)?.notification?.state.rawValue
        }

        func wait(_ what: String, until isTrue: () throws -> Bool) throws {
            let deadline = Date(timeIntervalSinceNow: 30)
            while try !isTrue() {
                guard Date() < deadline else {
                    Issue.record("waited in vain until \(what)")
                    return
                }
                usleep(2000)
            }
        }
    }

    static func push(_ more: String = "", alert: String? = #""hi""#, target: String? = Fixture.crusty) -> String {
        let members = [
            alert.map { #""alert":\#($0)"# }, target.map { #""target-content-id":"\#($0)""# },
            more.isEmpty ? nil : more,
        ].compactMap { $0 }
        return #"{"payload":{"aps":{\#(members.joined(separator: ","))}},"headers":{"apns-topic":"example.clowntown"}}"#
    }

    static func collapsing(_ id: String, alert: String) -> String {
        let payload = #"{"aps":{"alert":"\#(alert)","target-content-id":"\#(Fixture.crusty)"}}"#
        return #"{"payload":\#(payload),"headers":{"apns-topic":"example.clowntown","apns-collapse-id":"\#(id)"}}"#
    }

    // MARK: What is shown

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
        Case("active", push(), "notify done - normal"),
        Case("passive", push(#""interruption-level":"passive""#), "notify done passive low"),
        Case("time-sensitive", push(#""interruption-level":"time-sensitive""#), "notify done - normal"),
        Case("critical", push(#""interruption-level":"critical""#), "notify done - critical"),
        Case("a target and nothing to read", push(#""badge":1"#, alert: nil), "notify done - normal"),
        Case("badge alone", push(#""badge":1"#, alert: nil, target: nil), "none skipped background none"),
        Case("sound alone", push(#""sound":"default""#, alert: nil, target: nil), "none skipped background none"),
        Case("content-available alone", push(#""content-available":1"#, alert: nil), "background done background none"),
        Case("content-available with text", push(#""content-available":1"#), "notify done - normal"),
        Case("nobody's window", push(target: nil), "notify done - normal"),
        Case("a shortcut was chosen already", #"{"shortcutItem":{"type":"order-crusty"}}"#, "launch verified - none"),
        Case(
            "a link was followed already", #"{"url":"https://clowntown.example/clowns/crusty"}"#,
            "launch verified - none"),
        Case("by default a payload stands for a tap", push(), .tapped, "launch verified - none"),
        Case(
            "and a passive one too", push(#""interruption-level":"passive""#), .tapped, "launch verified - none"),
        Case("by level: default", push(#""interruption-level":"passive""#), byLevel, "notify done passive low"),
        Case("by level: focus", push(), byLevel, "launch verified - none"),
        Case("by level: none", push(#""interruption-level":"time-sensitive""#), byLevel, "none skipped - none"),
        Case(
            "by level: passive never interrupts", push(#""interruption-level":"passive""#),
            DeliveryRule(.tapped, levels: [.critical: .notify]), "notify done passive low"),
        Case("silenced", push(), DeliveryRule(.none), "none skipped - none"),
        Case(
            "silenced and passive", push(#""interruption-level":"passive""#), DeliveryRule(.none),
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
        _ = try desk.daemon.records(of: [Self.push(alert: given.alert)])
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
        fixture.app.notifications.categories = [Self.order()]
        let desk = try Desk(fixture)
        _ = try desk.daemon.records(of: [Self.push(#""sound":"default","category":"ORDER""#)])
        let shown = try #require(desk.presenter.with { $0.shown.first })
        #expect(shown.icon == "clown" && shown.image == "/clown.png" && shown.desktopEntry == "example.Clown")
        #expect(shown.sound == "honk" && !shown.isSilent && shown.expires == 0)
        #expect(shown.category == "im.received")
        #expect(
            shown.actions.map { "\($0.key) \($0.label)" } == ["default Open", "track Track", "bozo Bozo", "mute Mute"])
    }

    static func order() -> NotificationCategory {
        var category = NotificationCategory(id: "ORDER", location: Fixture.location)
        category.desktopCategory = "im.received"
        category.actions = ["track", "bozo", "mute"].map { id in
            NotificationAction(id: id, title: id.capitalized, location: Fixture.location)
        }
        category.actions[1].target = TargetContentIdentifier(Fixture.bozo)
        category.actions[2].background = Fixture.command(
            "sh", "-c", #"echo "$1 $USHER_NOTIFICATION_ACTION" >> "$HOME/muted""#, "-", "{notification-action}")
        return category
    }

    @Test func aServerWithoutButtonsOrBody() throws {
        let desk = try Desk()
        desk.presenter.with { $0.capabilities = [] }
        let record = try #require(
            try desk.daemon.records(of: [Self.push(alert: #"{"title":"T","body":"B"}"#)]).first)
        #expect(record.outcome == .done && record.warnings.map(\.name) == ["notification.no-actions"])
        let shown = try #require(desk.presenter.with { $0.shown.first })
        #expect(shown.summary == "T – B" && shown.actions.isEmpty)
    }

    @Test func aServerThatIsNotThere() throws {
        let desk = try Desk()
        desk.presenter.with { $0.failure = ActivationFailure(.notificationUnavailable, "no server", help: "start one") }
        let record = try #require(try desk.daemon.records(of: [Self.push()]).first)
        #expect(record.action == .notify && record.outcome == .failed && record.error?.code == .notificationUnavailable)
        desk.presenter.with { $0.failure = nil }
        #expect(try desk.daemon.records(of: [Self.push()]).first?.outcome == .done)
    }

    @Test func withoutADaemonItFailsAndSaysWhoDoesIt() throws {
        let fixture = try Fixture()
        fixture.app.deliver = .notify
        let record = try #require(try fixture.dispatch([Self.push()]).first)
        #expect(record.summary("action", "outcome") == "notify failed")
        #expect(record["error"]?["name"]?.string == "activation.no-handler")
        #expect(record["error"]?["help"]?.string?.contains("usherd") == true)
        let rehearsed = try #require(try fixture.dispatch([Self.push()], isDryRun: true).first)
        #expect(rehearsed.summary("action", "outcome", "reason") == "notify skipped opens")
    }

    // MARK: What is pressed

    @Test func aClickIsADeliveryOfItsOwn() throws {
        let windows = TokenWindows()
        let desk = try Desk(windows: windows)
        let shown = try #require(try desk.daemon.records(of: [Self.push()]).first)
        #expect(try desk.state(of: shown) == "shown")
        // Decided anew at that moment: nothing was open when it was shown.
        #expect(shown.session == nil && shown.reason == .opens)
        let session = try #require(
            try desk.daemon.store.connect([
                .init(
                    app: "example.clowntown", scene: "clown", target: TargetContentIdentifier(Fixture.crusty),
                    conditions: .init(), handle: windows.open())
            ]).first)
        desk.presenter.press(1, token: "token-1")
        let click = try #require(try desk.presses(1).first)
        #expect(click.parent == shown.id && click.notificationAction == "default")
        #expect("\(click.action) \(click.reason) \(click.outcome)" == "focus can verified", "\(click.json)")
        #expect(click.session == session.id && click.senderID == nil && !click.isRecovered)
        #expect(click.json.contains(#""parent":"\#(shown.id)""#))
        #expect(windows.tokens.with { $0 } == ["token-1"])
        #expect(try desk.state(of: shown) == "pressed")
        let stored = try #require(try desk.daemon.store.delivery(click.id))
        #expect(stored.parent == shown.id && stored.response == "default" && stored.state == .done)
        #expect(try desk.daemon.store.delivery(shown.id)?.notification?.response == "default")
        try desk.wait("it is taken away") { desk.presenter.with { $0.closed } == [1] }

        // The next request has no token: it was for one window, once.
        let next = try desk.daemon.records(of: [#"{"url":"https://clowntown.example/clowns/crusty"}"#])
        #expect(next.first?.action == .focus)
        #expect(windows.tokens.with { $0 } == ["token-1", nil])
    }

    @Test func buttons() throws {
        let fixture = try Fixture()
        fixture.app.notifications.categories = [Self.order()]
        let desk = try Desk(fixture)
        let shown = try desk.daemon.records(of: Array(repeating: Self.push(#""category":"ORDER""#), count: 4))
        #expect(shown.map(\.outcome) == [.done, .done, .done, .done])
        for (number, action) in [(1, "track"), (2, "bozo"), (3, "mute"), (4, "no such button")] {
            desk.presenter.press(UInt32(number), action)
            _ = try desk.presses(number)
        }
        let presses = desk.presses()
        #expect(
            presses.map {
                "\($0.action) \($0.target == Fixture.bozo ? "bozo" : "crusty") \($0.notificationAction ?? "-")"
            }
                == ["launch crusty track", "launch bozo bozo", "background crusty mute", "focus crusty no such button"])
        #expect(presses.map { $0.policy?.rawValue ?? "-" } == ["-", "-", "background", "-"])
        #expect(fixture.read("muted") == "mute mute\n")
        #expect(Set(presses.map(\.parent)) == Set(shown.map(\.id)))
    }

    @Test func onePressCounts() throws {
        let desk = try Desk()
        let shown = try #require(try desk.daemon.records(of: [Self.push()]).first)
        for _ in 0..<5 { desk.presenter.press(1) }
        desk.presenter.press(1, "default", server: "bus/:1.8")
        desk.presenter.press(77)
        // What comes after them is seen to after them.
        _ = try desk.daemon.records(of: [Self.push(target: Fixture.bozo)])
        desk.presenter.press(2)
        _ = try desk.presses(2)
        #expect(desk.presses().map(\.parent).filter { $0 == shown.id }.count == 1)
        #expect(desk.presses().count == 2)
        #expect(desk.daemon.dispatcher.statistics.presses == 2)
    }

    @Test func aClickThatIsFasterThanTheStore() throws {
        let desk = try Desk()
        desk.presenter.with { $0.haste = { .invoked($0, action: "default", token: "t") } }
        let shown = try #require(try desk.daemon.records(of: [Self.push()]).first)
        #expect(try desk.presses(1).first?.parent == shown.id)
        desk.presenter.with { $0.haste = { .closed($0, .expired) } }
        let second = try #require(try desk.daemon.records(of: [Self.push()]).first)
        try desk.wait("it has expired") { try desk.state(of: second) == "expired" }
    }

    @Test func anActivityDecidedWhereItWouldBeShownIsNot() throws {
        let desk = try Desk()
        let line = #"{"activityType":"x","targetContentIdentifier":"\#(Fixture.crusty)"}"#
        _ = try desk.daemon.records(of: [line])
        #expect(desk.presenter.with { $0.shown }.isEmpty)
    }

    // MARK: What becomes of them

    @Test(arguments: NotificationEvent.CloseReason.allCases)
    func closed(_ reason: NotificationEvent.CloseReason) throws {
        let desk = try Desk()
        let shown = try #require(try desk.daemon.records(of: [Self.push()]).first)
        desk.presenter.end(1, reason)
        try desk.wait("it is noted") { try desk.state(of: shown) == reason.rawValue }
        var json = JSONWriter()
        DeliveryAnswer.write(try #require(try desk.daemon.store.delivery(shown.id)), to: &json)
        let answer = try JSONValue(parsing: json.bytes)
        #expect(answer["notification"]?["state"]?.string == reason.rawValue)
        #expect(answer["notification"]?["ended"]?.string?.hasSuffix("Z") == true)
        // Some servers say so first, and some show it again out of their history.
        desk.presenter.press(1)
        #expect(try desk.presses(1).first?.parent == shown.id)
        #expect(try desk.state(of: shown) == "pressed")
        desk.presenter.end(1, .closed)
        desk.presenter.press(1)
        _ = try desk.daemon.records(of: [Self.push()])
        desk.presenter.press(2)
        _ = try desk.presses(2)
        #expect(try desk.state(of: shown) == "pressed")
    }

    @Test func aNewerOneTakesThePlaceOfTheOlder() throws {
        let desk = try Desk()
        let lines = [("a", "1"), ("a", "2"), ("b", "3")].map { Self.collapsing($0.0, alert: $0.1) }
        var records: [DecisionRecord] = []
        for line in lines { records += try desk.daemon.records(of: [line]) }
        #expect(desk.presenter.with { $0.numbers } == [1, 1, 2])
        #expect(desk.presenter.with { $0.shown.map(\.body) } == ["1", "2", "3"])
        #expect(try records.map { try desk.state(of: $0) } == ["replaced", "shown", "shown"])
        desk.presenter.press(1)
        #expect(try desk.presses(1).first?.parent == records[1].id)
        // That one is gone: the next is another.
        records += try desk.daemon.records(of: [lines[0]])
        #expect(desk.presenter.with { $0.numbers } == [1, 1, 2, 3])
    }

    @Test func aClickAfterARestart() throws {
        let fixture = try Fixture()
        let presenter = RecordingPresenter()
        var first: Desk? = try Desk(fixture, presenter)
        let shown = try #require(try first?.daemon.records(of: [Self.push(), Self.push()]))
        #expect(first?.daemon.dispatcher.stop(within: 30) == true)
        first = nil
        // Nobody listens.
        presenter.press(1)
        let second = try Desk(fixture, presenter)
        _ = try second.daemon.dispatcher.recover()
        presenter.press(2, token: "t")
        #expect(try second.presses(1).map(\.parent) == [shown[1].id])
        #expect(second.presses().first?.action == .launch)
        #expect(try second.state(of: shown[0]) == "shown")
    }

    @Test func aServerThatRestarts() throws {
        let desk = try Desk()
        let shown = try #require(try desk.daemon.records(of: [Self.push()]).first)
        desk.presenter.with { $0.server = "bus/:1.9" }
        desk.presenter.tell(.lost(server: "bus/:1.7"))
        try desk.wait("it is lost") { try desk.state(of: shown) == "lost" }
        // The new server begins with 1 as well.
        desk.presenter.with { $0.next = 1 }
        let second = try #require(try desk.daemon.records(of: [Self.push(target: Fixture.bozo)]).first)
        desk.presenter.press(1)
        desk.presenter.press(1, server: "bus/:1.9")
        #expect(try desk.presses(1).map(\.parent) == [second.id])
        #expect(try desk.state(of: second) == "pressed" && desk.state(of: shown) == "lost")
    }

    @Test func aServerThatIsGoneAtTheStart() throws {
        let fixture = try Fixture()
        let presenter = RecordingPresenter()
        var first: Desk? = try Desk(fixture, presenter)
        let shown = try #require(try first?.daemon.records(of: [Self.push()]).first)
        first = nil
        presenter.with { $0.server = nil }
        let second = try Desk(fixture, presenter)
        try second.wait("it is lost") { try second.state(of: shown) == "lost" }
    }

    @Test func aPressThatAKilledRunLeftIsCarriedOut() throws {
        let fixture = try Fixture()
        var desk: Desk? = try Desk(fixture)
        let shown = try #require(try desk?.daemon.records(of: [Self.push()]).first)
        // As a run does that is killed right after.
        _ = try desk?.daemon.store.press(
            "default", onNumber: 1, of: "bus/:1.7", as: "0199d0f2-7a3b-7c11-8f00-3a5d7e9b1c20", owner: nil)
        desk = nil
        let next = try Desk(fixture)
        #expect(try next.daemon.dispatcher.recover() == 1)
        let press = try #require(try next.presses(1).first)
        #expect(press.parent == shown.id && press.action == .launch && press.isRecovered)
    }

    @Test(arguments: [false, true]) func aNotificationThatAKilledRunLeftIsShown(hasBegun: Bool) throws {
        let fixture = try Fixture()
        fixture.app.deliver = .notify
        let line = Self.push(#""interruption-level":"passive""#)
        let store = try fixture.openStore()
        let delivery = Store.NewDelivery(
            id: UUIDv7.next(), source: "webhook", format: "apns", accepted: 1, input: Array(line.utf8),
            app: fixture.app.id, target: Fixture.crusty)
        _ = try store.claim(
            delivery, decision: .init(action: .notify, reason: .opens, app: fixture.app.id, scene: "clown"),
            claim: .none, expectedGeneration: try store.generation(), begin: hasBegun, nonce: "n",
            owner: RecoveryTests.dead)
        store.close()
        let desk = try Desk(fixture)
        #expect(try desk.daemon.dispatcher.recover() == 1)
        try desk.wait("it is recorded") { desk.records.with { $0.count } == 1 }
        let record = try #require(desk.records.with { $0.first })
        #expect("\(record.id == delivery.id) \(record.action) \(record.outcome)" == "true notify done")
        #expect(record.policy == .passive && record.isRecovered)
        #expect(desk.presenter.with { $0.shown.map(\.urgency) } == [.low])
        desk.presenter.press(1)
        #expect(try desk.presses(1).first?.parent == delivery.id)
    }

    @Test func aServerThatHangsHoldsNoPressBack() throws {
        let desk = try Desk()
        let shown = try desk.daemon.records(of: [Self.push(), Self.push(target: Fixture.bozo)])
        let gate = DispatchSemaphore(value: 0)
        desk.presenter.with { $0.beforeClosing = { gate.wait() } }
        desk.presenter.press(1)
        desk.presenter.press(2)
        #expect(try Set(desk.presses(2).map(\.parent)) == Set(shown.map(\.id)))
        gate.signal()
        gate.signal()
    }

    @Test func aStorm() throws {
        let desk = try Desk()
        let targets = (0..<200).map { "https://clowntown.example/clowns/\($0)" }
        let shown = try desk.daemon.records(of: targets.map { Self.push(target: $0) })
        #expect(shown.map(\.outcome) == Array(repeating: .done, count: 200))
        // In the order in which they came.
        #expect(desk.presenter.with { $0.numbers } == (1...200).map(UInt32.init))
        for number in 1...200 {
            desk.presenter.press(UInt32(number))
            desk.presenter.press(UInt32(number))
            desk.presenter.end(UInt32(number), .dismissed)
        }
        let presses = try desk.presses(200)
        #expect(presses.count == 200)
        #expect(Set(presses.compactMap(\.target)) == Set(targets))
        #expect(presses.allSatisfy { $0.action == .launch && $0.error == nil })
        #expect(desk.daemon.dispatcher.finish().errors == 0)
        try desk.wait("all is noted") { desk.daemon.dispatcher.statistics.open == 0 }
        #expect(desk.presses().count == 200)
    }
}

/// Windows that note the token with which they were brought forward.
final class TokenWindows: WindowSystem {
    let inner = DryRunWindowSystem()
    let tokens = Locked<[String?]>([])

    func open() -> String? { try? inner.launch(WindowLaunch(program: "x")).handle }

    var name: String { inner.name }
    var isAvailable: Bool { true }
    var support: WindowSupport { inner.support }
    func recognizes(handle: String) -> Bool { inner.recognizes(handle: handle) }
    func windows() throws(ActivationFailure) -> WindowList { try inner.windows() }
    func presence(of window: WindowReference) throws(ActivationFailure) -> WindowPresence {
        try inner.presence(of: window)
    }
    func launch(_ launch: WindowLaunch) throws(ActivationFailure) -> WindowSighting { try inner.launch(launch) }
    func focus(_ request: FocusRequest) throws(ActivationFailure) -> WindowSighting {
        tokens.with { $0.append(request.token) }
        return try inner.focus(request)
    }
    func type(_ keys: WindowKeys, into window: WindowReference) throws(ActivationFailure) {
        try inner.type(keys, into: window)
    }
    func isOnItsWay(nonce: String) -> Bool { false }
    func find(processes: [Int32]) throws(ActivationFailure) -> WindowSighting? { nil }
    func plan(_ step: WindowStep) -> String { inner.plan(step) }
}
