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

/// Presses on a notification and their effects.
@Suite("Notification presses")
struct NotificationPressTests {
    typealias Fixture = DispatchFixture

    @Test func aClickIsADeliveryOfItsOwn() throws {
        let windows = TokenWindows()
        let desk = try Desk(windows: windows)
        let shown = try #require(try desk.daemon.records(of: [Pushes.push()]).first)
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
        try waitUntil("it is taken away") { desk.presenter.with { $0.closed } == [1] }

        // The next request has no token: it was for one window, once.
        let next = try desk.daemon.records(of: [#"{"url":"https://clowntown.example/clowns/crusty"}"#])
        #expect(next.first?.action == .focus)
        #expect(windows.tokens.with { $0 } == ["token-1", nil])
    }

    @Test func buttons() throws {
        let fixture = try Fixture()
        fixture.app.notifications.categories = [Pushes.order()]
        let desk = try Desk(fixture)
        let shown = try desk.daemon.records(of: Array(repeating: Pushes.push(#""category":"ORDER""#), count: 4))
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
        let shown = try #require(try desk.daemon.records(of: [Pushes.push()]).first)
        for _ in 0..<5 { desk.presenter.press(1) }
        desk.presenter.press(1, "default", server: "bus/:1.8")
        desk.presenter.press(77)
        // What comes after them is seen to after them.
        _ = try desk.daemon.records(of: [Pushes.push(target: Fixture.bozo)])
        desk.presenter.press(2)
        _ = try desk.presses(2)
        #expect(desk.presses().map(\.parent).filter { $0 == shown.id }.count == 1)
        #expect(desk.presses().count == 2)
        #expect(desk.daemon.engine.statistics.presses == 2)
    }

    @Test func aClickThatIsFasterThanTheStore() throws {
        let desk = try Desk()
        desk.presenter.with { $0.haste = { .invoked($0, action: "default", token: "t") } }
        let shown = try #require(try desk.daemon.records(of: [Pushes.push()]).first)
        #expect(try desk.presses(1).first?.parent == shown.id)
        desk.presenter.with { $0.haste = { .closed($0, .expired) } }
        let second = try #require(try desk.daemon.records(of: [Pushes.push()]).first)
        try waitUntil("it has expired") { try desk.state(of: second) == "expired" }
    }

    @Test func anActivityDecidedWhereItWouldBeShownIsNot() throws {
        let desk = try Desk()
        let line = #"{"activityType":"x","targetContentIdentifier":"\#(Fixture.crusty)"}"#
        _ = try desk.daemon.records(of: [line])
        #expect(desk.presenter.with { $0.shown }.isEmpty)
    }

    @Test func aServerThatHangsHoldsNoPressBack() throws {
        let desk = try Desk()
        let shown = try desk.daemon.records(of: [Pushes.push(), Pushes.push(target: Fixture.bozo)])
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
        let shown = try desk.daemon.records(of: targets.map { Pushes.push(target: $0) })
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
        desk.daemon.engine.waitUntilIdle()
        #expect(desk.daemon.engine.statistics.errors == 0)
        try waitUntil("all is noted") { desk.daemon.engine.statistics.open == 0 }
        #expect(desk.presses().count == 200)
    }
}
