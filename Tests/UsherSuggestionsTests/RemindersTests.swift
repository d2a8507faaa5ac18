import EngineTestSupport
import TestSupport
import Testing
import UsherActivation
import UsherEngine
import UsherLog
import UsherScene
import UsherStore
import UsherSystem
import UsherText

@testable import UsherSuggestions

/// Reminders that are due become notifications, each once.
@Suite("Reminders")
struct RemindersTests {
    typealias Fixture = DispatchFixture

    private func remind(
        _ desk: Desk, _ text: String, target: String? = Fixture.crusty, app: String? = "example.clowntown",
        in seconds: Int64 = -1
    ) throws {
        _ = try desk.daemon.store.addReminder(
            text, when: .time(Instant.now.microseconds + seconds * 1_000_000), about: .init(app: app, target: target))
    }

    private func records(_ desk: Desk, _ count: Int) throws -> [(text: String, action: String)] {
        try waitUntil("there are \(count) records") { desk.records.with { $0.count } >= count }
        return desk.records.with { $0.map { ($0.title ?? "", "\($0.source) \($0.action) \($0.outcome)") } }
    }

    @Test("one that is due is shown, whatever its app's deliver says, and a click opens its target")
    func click() throws {
        let desk = try Desk(deliver: DeliveryRule(.tapped))
        try remind(desk, "Call Crusty")
        let reminders = Reminders(desk.daemon.engine)
        reminders.look()
        #expect(try records(desk, 1).map(\.action) == ["reminder notify done"])
        let shown = try #require(desk.presenter.with { $0.shown }.first)
        #expect(shown.summary == "Call Crusty" && shown.actions.map(\.key) == ["default"] && !shown.isSilent)
        desk.presenter.press(1)
        let press = try #require(try desk.presses(1).first)
        #expect(press.action == .launch && press.target == Fixture.crusty)
        #expect(try desk.daemon.store.reminders().map(\.state) == [.fired])
        reminders.look()
        reminders.flush()
        #expect(desk.presenter.with { $0.shown.count } == 1)
    }

    @Test("those whose time came while nothing ran are shown late, the earliest first, and others wait")
    func late() throws {
        let desk = try Desk()
        try remind(desk, "second", in: -3600)
        try remind(desk, "first", in: -86_400)
        try remind(desk, "tomorrow", in: 86_400)
        let reminders = Reminders(desk.daemon.engine)
        reminders.look()
        _ = try records(desk, 2)
        try waitUntil("two are shown") { desk.presenter.with { $0.shown.count } == 2 }
        #expect(try desk.daemon.store.reminders().map(\.state) == [.fired, .fired, .waiting])
        try remind(desk, "soon", in: 1)
        reminders.look()
        try waitUntil("the next is shown") { desk.presenter.with { $0.shown.last?.summary } == "soon" }
    }

    @Test("a reminder of nothing, or of what no app shows, is shown too")
    func ofNothing() throws {
        let desk = try Desk()
        try remind(desk, "of nothing", target: nil, app: nil)
        try remind(desk, "of something", target: "unknown-scheme:1")
        let reminders = Reminders(desk.daemon.engine)
        reminders.look()
        // It is gone with the last that holds it, and what it was to do.
        defer { withExtendedLifetime(reminders) {} }
        #expect(Set(try records(desk, 2).map(\.action)) == ["reminder notify done"])
        let shown = desk.presenter.with { $0.shown }
        #expect(shown.first { $0.summary == "of nothing" }?.actions.isEmpty == true)
        #expect(shown.first { $0.summary == "of something" }?.actions.count == 1)
    }

    @Test("one that waits for content is shown when that is opened")
    func opening() throws {
        let desk = try Desk()
        _ = try desk.daemon.store.addReminder("open", when: .opening(Fixture.bozo), about: .init())
        let reminders = Reminders(desk.daemon.engine)
        reminders.look()
        reminders.flush()
        reminders.noteOpened([Fixture.crusty])
        reminders.flush()
        #expect(try desk.daemon.store.reminders().map(\.state) == [.waiting])
        reminders.noteOpened([Fixture.crusty, Fixture.bozo])
        #expect(try records(desk, 1).map(\.text) == ["open"])
    }

    @Test("what was opened just before the process ends is in the store")
    func openedAtTheEnd() throws {
        let desk = try Desk()
        _ = try desk.daemon.store.addReminder("open", when: .opening(Fixture.bozo), about: .init())
        let reminders = Reminders(desk.daemon.engine, shows: false)
        #expect(try desk.daemon.store.nextReminder() == nil)
        reminders.noteOpened([Fixture.bozo])
        reminders.stop()
        #expect(try desk.daemon.store.nextReminder() != nil)
    }

    @Test("without a notification server it waits")
    func noServer() throws {
        let fixture = try Fixture()
        let desk = try Desk(fixture)
        desk.presenter.with { $0.failure = ActivationFailure(.notificationUnavailable, "there is none") }
        try remind(desk, "later")
        let reminders = Reminders(desk.daemon.engine)
        reminders.look()
        reminders.flush()
        #expect(try desk.daemon.store.reminders().map(\.state) == [.waiting])
        desk.presenter.with { $0.failure = nil }
        reminders.look()
        #expect(try records(desk, 1).map(\.text) == ["later"])
    }
}
