import EngineTestSupport
import Foundation
import TestSupport
import Testing
import UsherLog
import UsherPayload
import UsherResolution
import UsherScene
import UsherStore
import UsherText

@testable import UsherActivation
@testable import UsherEngine

/// A click after which the user sees nothing of what was meant is told of by a notification, which offers it once more.
@Suite("Clicks that fail")
struct FailedClickTests {
    typealias Fixture = DispatchFixture

    private static let alert = #"{"title":"hi","body":"there"}"#

    /// The button `pay` runs a program that fails until a file is there.
    private func desk() throws -> Desk {
        let fixture = try Fixture()
        var category = NotificationCategory(id: "BILL", location: Fixture.location)
        category.actions = [NotificationAction(id: "pay", title: "Pay", location: Fixture.location)]
        category.actions[0].background = fixture.shell(
            #"test -e "$HOME/money" && echo "$USHER_NOTIFICATION_ACTION" >>"$HOME/paid""#)
        fixture.app.notifications.categories = [category]
        return try Desk(fixture)
    }

    private func waitForShown(_ count: Int, _ desk: Desk) throws -> [DesktopNotification] {
        try waitUntil("\(count) are shown") { desk.presenter.with { $0.shown.count } >= count }
        return desk.presenter.with { $0.shown }
    }

    private func waitForState(_ state: String, of record: DecisionRecord, _ desk: Desk) throws {
        try waitUntil("it is \(state)") { try desk.state(of: record) == state }
    }

    @Test func isToldOfAndOfferedOnceMore() throws {
        let desk = try desk()
        let push = Pushes.push(#""category":"BILL""#, alert: Self.alert)
        let first = try #require(try desk.daemon.records(of: [push]).first)
        desk.presenter.press(1, "pay")
        let click = try #require(try desk.presses(1).first)
        let error = try #require(click.error)
        #expect(click.outcome == .failed && click.parent == first.id && click.notificationAction == "pay")
        let notice = try waitForShown(2, desk)[1]
        #expect(notice.summary == desk.presenter.with { $0.shown[0].summary } && notice.summary == "hi")
        #expect(notice.application == "Clown Town" && notice.error == error.code.name)
        #expect(notice.body == [error.message, error.help].compactMap(\.self).joined(separator: "\n"))
        #expect(notice.actions == [.init(key: "retry", label: "Try again")] && notice.replaces == nil)
        try waitForState("shown", of: click, desk)

        desk.presenter.press(2, "retry")
        let second = try #require(try desk.presses(2).last)
        #expect(second.parent == click.id && second.notificationAction == "retry" && second.action == .background)
        #expect(second.error?.code == error.code)
        let again = try waitForShown(3, desk)[2]
        #expect(again.replaces?.id == 2 && again.error == error.code.name && again.body == notice.body)
        try waitForState("shown", of: second, desk)
        #expect(try desk.state(of: click) == "pressed")
        #expect(try desk.daemon.store.delivery(second.id)?.button == "retry")

        try Data().write(to: URL(fileURLWithPath: desk.fixture.folder + "/money"))
        desk.presenter.press(2, "retry")
        let third = try #require(try desk.presses(3).last)
        #expect(third.parent == second.id && third.outcome == .done && third.error == nil)
        // The program was run as for the button that was pressed first.
        #expect(desk.fixture.read("paid") == "pay\n")
        try waitUntil("it is taken away") { desk.presenter.with { $0.closed } == [1, 2, 2] }
        #expect(try desk.state(of: third) == nil && desk.presenter.with { $0.shown.count } == 3)
    }

    @Test func isToldOfWithoutItsApp() throws {
        let desk = try desk()
        _ = try desk.daemon.records(of: [Pushes.push(alert: Self.alert)])
        try desk.daemon.engine.replaceConfiguration(Configuration(apps: []), missingPrograms: [])
        desk.presenter.press(1)
        let click = try #require(try desk.presses(1).first)
        let notice = try waitForShown(2, desk)[1]
        #expect(notice.error == click.error?.code.name && notice.error != nil)
        #expect(notice.summary == "hi" && notice.application == "Usher")
    }

    @Test func isNotToldOfByAServerThatFails() throws {
        let desk = try desk()
        let shown = try desk.daemon.records(of: [Pushes.push(#""category":"BILL""#), Pushes.push(target: Fixture.bozo)])
        #expect(shown.count == 2)
        desk.presenter.with { $0.failure = ActivationFailure(.notificationUnavailable, "none") }
        desk.presenter.press(1, "pay")
        #expect(try desk.presses(1).first?.outcome == .failed)
        try waitUntil("it is logged") {
            desk.fixture.log.lines.contains { $0.contains("notifications cannot be shown") }
        }
        // Later ones are shown.
        desk.presenter.with { $0.failure = nil }
        desk.presenter.press(2)
        #expect(try desk.presses(2).last?.outcome != .failed)
    }

    /// What a tmux of the test's own says.
    @discardableResult
    private func tmux(_ desk: Desk, _ arguments: String...) throws -> String {
        let request = SpawnRequest(
            program: "/usr/bin/tmux",
            arguments: ["tmux", "-f", "/dev/null", "-S", desk.fixture.folder + "/tmux"] + arguments,
            environment: [EnvironmentVariable("PATH", "/usr/bin:/bin"), EnvironmentVariable("TERM", "xterm")],
            captureLimit: 1 << 20)
        let output = try Spawner.run(request, timeLimit: 30_000).output
        return String(decoding: output, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    @Test("by a session of tmux that no client shows it is offered to open a terminal")
    func noClient() throws {
        let desk = try desk()
        let pid = try tmux(desk, "new-session", "-d", "-P", "-F", "#{pane_pid}", "sleep 1000")
        defer { _ = try? tmux(desk, "kill-server") }
        let session = try #require(
            try desk.daemon.engine.connect([
                .init(
                    app: "example.clowntown", scene: "clown", target: TargetContentIdentifier(Fixture.crusty),
                    conditions: .init(), handle: "process:\(pid)")
            ]).first)
        _ = try desk.daemon.records(of: [Pushes.push(alert: Self.alert)])
        desk.presenter.press(1)
        for (count, button) in [(1, "default"), (2, "terminal"), (3, "retry")] {
            let click = try #require(try desk.presses(count).last)
            #expect(click.session == session.id && click.notificationAction == button)
            #expect(click.warnings.map(\.name) == ["seen.no-client"], "\(click.json)")
            let notice = try waitForShown(count + 1, desk)[count]
            #expect(notice.error == "seen.no-client" && notice.actions.map(\.key) == ["retry", "terminal"])
            #expect(notice.replaces?.id == (count == 1 ? nil : 2))
            try waitForState("shown", of: click, desk)
            desk.presenter.press(2, count == 1 ? "terminal" : "retry")
        }
        _ = try desk.presses(4)
    }

    @Test(
        "is one whose window the user does not see",
        arguments: [
            (["seen.no-client"], ["retry", "terminal"]), (["seen.no-window"], ["retry"]),
            (["x.y", "seen.not-front"], ["retry"]), (["seen.other-pane"], nil), ([], nil),
        ] as [([String], [String]?)])
    func warnings(_ names: [String], _ buttons: [String]?) throws {
        var record = DecisionRecord(
            id: "one", sequence: 1, time: Instant(microseconds: 0), source: "notification", configuration: "",
            action: .focus, outcome: .unverified)
        record.notificationAction = "default"
        record.warnings = names.map { .init(name: $0, message: "about \($0)", help: "do it") }
        let notice = FailedClick(record, of: nil)?.notification(["body", "actions"])
        #expect(notice?.actions.map(\.key) == buttons)
        #expect(notice?.error == (buttons == nil ? nil : names.last))
        #expect(notice?.body == names.last.flatMap { buttons == nil ? nil : "about \($0)\ndo it" })
        record.notificationAction = nil
        #expect(FailedClick(record, of: nil) == nil)
    }

    @Test("a server without bodies has all in one line, and one without actions no buttons")
    func poorServer() throws {
        var record = DecisionRecord(
            id: "one", sequence: 1, time: Instant(microseconds: 0), source: "notification", configuration: "",
            action: .focus, outcome: .unverified)
        record.notificationAction = "default"
        record.title = "hi"
        record.warnings = [.init(name: "seen.no-client", message: "why")]
        let notice = try #require(FailedClick(record, of: nil)).notification([])
        #expect(notice.summary == "hi – why" && notice.actions.isEmpty)
    }

    @Test(
        "what is done once more is what was pressed first",
        arguments: [
            ("default", "default", nil), ("retry/default", "default", .retry), ("terminal/pay", "pay", .terminal),
            ("retry", "retry", nil), ("a/b", "a/b", nil), ("retry/a/b", "a/b", .retry),
        ] as [(String, String, NotificationResponse.Again?)])
    func responses(_ stored: String, _ action: String, _ again: NotificationResponse.Again?) {
        let response = NotificationResponse(stored: stored)
        #expect(response.action == action && response.again == again && response.stored == stored)
        #expect(response.button == again?.rawValue ?? action)
    }

    @Test("the button for it opens a terminal", arguments: ["terminal/default", "retry/default", "default"])
    func terminal(_ response: String) throws {
        let fixture = try Fixture()
        let configuration = Configuration(apps: [fixture.app])
        let payload = try Daemon.arrival(Pushes.push()).reading.get()
        let request = PayloadRequest.of(
            payload, in: configuration, source: "notification", response: response)
        let resolver = Resolver(Snapshot(configuration: configuration, sessions: SessionTable([])))
        let decision = Decision.of(request, following: .none, in: resolver) { _, _ in [] }
        let task = ActivationTask(decision, delivery: "one", nonce: "", payload: [])
        #expect(task.notificationAction == "default")
        #expect(task.terminal.detached == (response.hasPrefix("terminal") ? .open : .switch))
    }
}
