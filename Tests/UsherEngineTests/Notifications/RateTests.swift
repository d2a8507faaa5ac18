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

/// `rate`: how often an app's pushes may interrupt.
@Suite("Rate")
struct RateTests {
    typealias Fixture = DispatchFixture

    private static func fixture(_ limit: Int, _ deliver: DeliveryRule = .notify) throws -> Fixture {
        let fixture = try Fixture()
        fixture.app.deliver = deliver
        fixture.app.notifications.rate = InterruptionRate(limit: limit, milliseconds: 60_000)
        return fixture
    }

    private static func desk(_ limit: Int, _ deliver: DeliveryRule = .notify) throws -> Desk {
        try Desk(try fixture(limit, deliver), deliver: deliver)
    }

    private static func words(_ records: [DecisionRecord]) -> [String] {
        records.map { "\($0.action) \($0.outcome) \($0.policy?.rawValue ?? "-")" }
    }

    static let heldBack = "none skipped rate"

    @Test func oneMoreIsHeldBackAndRecorded() throws {
        let desk = try Self.desk(2)
        let records = try desk.daemon.records(of: Array(repeating: Pushes.push(), count: 4))
        #expect(Self.words(records) == ["notify done -", "notify done -", Self.heldBack, Self.heldBack])
        #expect(desk.presenter.with { $0.shown.count } == 2)
        let last = try #require(records.last)
        #expect(last.error == nil && last.reason == .opens && last.target == Fixture.crusty)
        #expect(last.warnings.map(\.name) == ["notification.rate"])
        #expect(last.warnings.first?.message.contains("2 in 1m") == true)
        let stored = try #require(try desk.daemon.store.delivery(last.id))
        #expect(stored.state == .done && stored.record?.contains(#""policy":"rate""#) == true)
        #expect(desk.fixture.log.lines.contains { $0.contains("held back") && $0.contains(last.id) })
        #expect(desk.fixture.windows.performed.isEmpty)
    }

    struct Case: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var lines: [String]
        var deliver: DeliveryRule
        /// After one push that was shown, of an app that lets one do so.
        var result: [String]

        init(_ id: String, _ deliver: DeliveryRule, _ lines: [String], _ result: [String]) {
            testDescription = id
            self.lines = lines
            self.deliver = deliver
            self.result = result
        }

        init(_ id: String, _ lines: [String], _ result: [String]) { self.init(id, .notify, lines, result) }
    }

    static let cases = [
        Case("what would bring a window forward", .tapped, [Pushes.push()], [heldBack]),
        Case(
            "a passive one", [Pushes.push(#""interruption-level":"passive""#)], [heldBack]),
        Case(
            "time-sensitive", [Pushes.push(#""interruption-level":"time-sensitive""#)], [heldBack]),
        Case("critical", [Pushes.push(#""interruption-level":"critical""#)], ["notify done -"]),
        Case("a shortcut", [#"{"shortcutItem":{"type":"order-crusty"}}"#], ["launch verified -"]),
        Case("a link", [#"{"url":"https://clowntown.example/clowns/crusty"}"#], ["launch verified -"]),
        Case("a background push", [Pushes.push(#""content-available":1"#, alert: nil)], ["background done background"]),
        Case("a badge alone", [Pushes.push(#""badge":1"#, alert: nil, target: nil)], ["none skipped background"]),
        Case(
            "silenced by its level", DeliveryRule(.notify, levels: [.active: .none, .timeSensitive: .notify]),
            [Pushes.push()], ["none skipped -"]),
    ]

    @Test(arguments: cases) func afterTheLimit(_ given: Case) throws {
        let fixture = try Self.fixture(1, given.deliver)
        fixture.app.background = Fixture.command("true")
        let desk = try Desk(fixture, deliver: given.deliver)
        let first = try desk.daemon.records(of: [Pushes.push(#""interruption-level":"time-sensitive""#)])
        #expect(first.first?.policy == nil && first.first?.action != Action.none)
        #expect(Self.words(try desk.daemon.records(of: given.lines)) == given.result)
    }

    @Test func aPressIsNotLimited() throws {
        let desk = try Self.desk(1)
        _ = try desk.daemon.records(of: [Pushes.push()])
        desk.presenter.press(1)
        let press = try #require(try desk.presses(1).first)
        #expect(press.action == .launch && press.policy == nil && press.warnings.isEmpty)
    }

    @Test func theyAreForgottenWithTime() throws {
        let fixture = try Self.fixture(2)
        let now = Locked<Int64>(1_800_000_000_000_000)
        let daemon = try Daemon(fixture, presenter: RecordingPresenter()) { $0.now = { now.with { $0 } } }
        func policies(after seconds: Int64, _ count: Int) throws -> [String] {
            now.with { $0 += seconds * 1_000_000 }
            return try daemon.records(of: Array(repeating: Pushes.push(), count: count))
                .map { $0.policy?.rawValue ?? "-" }
        }
        #expect(try policies(after: 0, 1) == ["-"])
        #expect(try policies(after: 30, 2) == ["-", "rate"])
        #expect(try policies(after: 29, 1) == ["rate"])
        // A minute after the first; the second still counts.
        #expect(try policies(after: 2, 2) == ["-", "rate"])
        #expect(try policies(after: 61, 3) == ["-", "-", "rate"])
        // A clock that is set back holds nothing back for ever.
        #expect(try policies(after: -7200, 3) == ["-", "-", "rate"])
    }

    @Test func aRestartForgetsNothing() throws {
        let fixture = try Self.fixture(1)
        var desk: Desk? = try Desk(fixture)
        #expect(Self.words(try #require(try desk?.daemon.records(of: [Pushes.push()]))) == ["notify done -"])
        desk = nil
        let next = try Desk(fixture)
        #expect(Self.words(try next.daemon.records(of: [Pushes.push()])) == [Self.heldBack])
    }

    @Test func runsWithoutADaemonShareTheCount() throws {
        let fixture = try Self.fixture(2, .tapped)
        #expect(try fixture.dispatch([Pushes.push()]).map { $0.summary("action", "policy") } == ["launch -"])
        // What is only looked at counts nothing.
        for _ in 0..<3 {
            let rehearsed = try fixture.dispatch([Pushes.push()], isDryRun: true)
            #expect(rehearsed.map { $0.summary("action", "policy") } == ["focus -"])
        }
        let more = try fixture.dispatch([Pushes.push(), Pushes.push()])
        #expect(more.map { $0.summary("action", "policy") } == ["focus -", "none rate"])
        let rehearsed = try fixture.dispatch([Pushes.push()], isDryRun: true)
        #expect(rehearsed.map { $0.summary("action", "policy", "outcome") } == ["none rate skipped"])
    }

    @Test func whatTakesThePlaceOfAnotherIsNoneMore() throws {
        let desk = try Self.desk(1)
        let daemon = desk.daemon
        func push(_ id: String, _ alert: String) throws -> [String] {
            Self.words(try daemon.records(of: [Pushes.collapsing(id, alert: alert)]))
        }
        #expect(try push("a", "1") == ["notify done -"])
        #expect(try push("a", "2") == ["notify done -"])
        #expect(try push("a", "3") == ["notify done -"])
        #expect(try push("b", "4") == [Self.heldBack])
        #expect(desk.presenter.with { $0.numbers } == [1, 1, 1])
        // It is shown no more: the next one would be another.
        desk.presenter.end(1, .dismissed)
        let shown = desk.records.with { $0 }
        try waitUntil("it is noted") { try desk.state(of: shown[2]) == "dismissed" }
        #expect(try push("a", "5") == [Self.heldBack])
    }

    @Test func manyAtOnceThatTakeEachOthersPlace() throws {
        let desk = try Self.desk(1)
        let lines = (1...20).map { Pushes.collapsing("a", alert: "\($0)") }
        let records = try desk.daemon.records(of: lines)
        #expect(records.allSatisfy { $0.policy == nil })
        #expect(records.last.map { "\($0.action) \($0.outcome)" } == "notify done")
        #expect(desk.presenter.with { $0.shown.last?.body } == "20")
    }

    @Test func whatFailedDoesNotCount() throws {
        let desk = try Self.desk(1)
        desk.presenter.with { $0.failure = ActivationFailure(.notificationUnavailable, "no server", help: "start one") }
        #expect(Self.words(try desk.daemon.records(of: [Pushes.push(), Pushes.push()])).contains("notify failed -"))
        desk.presenter.with { $0.failure = nil }
        #expect(Self.words(try desk.daemon.records(of: [Pushes.push()])) == ["notify done -"])
        #expect(Self.words(try desk.daemon.records(of: [Pushes.push()])) == [Self.heldBack])
    }

    @Test func appsHaveLimitsOfTheirOwn() throws {
        let fixture = try Self.fixture(1)
        let desk = try Desk(fixture)
        _ = try desk.daemon.records(of: [Pushes.push()])
        func others(_ app: String) throws -> Int {
            try desk.daemon.store.interruptions(of: app, within: 60_000, for: nil, collapse: nil).others
        }
        #expect(try others(fixture.app.id) == 1 && others("example.other") == 0)
    }
}
