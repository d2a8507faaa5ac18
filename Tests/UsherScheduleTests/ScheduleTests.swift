import EngineTestSupport
import Foundation
import StoreTestSupport
import TestSupport
import Testing
import UsherEngine
import UsherFeatures
import UsherJSON
import UsherLog
import UsherOperation
import UsherScene
import UsherStore
import UsherSystem
import UsherText

@testable import UsherSchedule

/// Notifications that wait for a time, and what becomes of them.
@Suite("Scheduled notifications")
struct ScheduleTests {
    typealias Fixture = DispatchFixture

    private static let hour: Int64 = 3_600_000_000
    private static let day = 24 * hour

    private static func payload(_ text: String = "hi") -> String {
        #"{"app":"example.clowntown","payload":{"aps":{"alert":"\#(text)","target-content-id":"\#(Fixture.crusty)"}}}"#
    }

    /// Puts one into the store, due so long from now.
    @discardableResult
    private func wait(
        _ store: Store, _ id: String, in microseconds: Int64, every rule: String? = nil, app: String? = nil,
        _ payload: String = ScheduleTests.payload()
    ) throws -> Int64 {
        let next = Instant.now.microseconds + microseconds
        let made = try store.schedule(
            Store.ScheduledNotification(
                id: id, app: app, next: next, rule: rule, created: 0, payload: Array(payload.utf8)))
        #expect(made)
        return next
    }

    private func fire(_ desk: Desk, clock: LocalClock = .utc) -> DueTimer {
        let timer = DueTimer(
            DueNotifications(engine: desk.daemon.engine, clock: clock), named: "test", desk.daemon.engine.logger)
        timer.look()
        timer.flush()
        return timer
    }

    private func records(_ desk: Desk, _ count: Int) throws -> [DecisionRecord] {
        try waitUntil("there are \(count) records") { desk.records.with { $0.count } >= count }
        return desk.records.with { $0 }
    }

    // MARK: Firing

    @Test("one that is due becomes a delivery by the app's deliver, with its id, and is in the other list")
    func fires() throws {
        let desk = try Desk()
        let store = desk.daemon.store
        let payload = #"{"headers":{"apns-id":"0a0a0a0a-0000-4000-8000-000000000001"},"# + Self.payload().dropFirst()
        let due = try wait(store, "one", in: -1_000_000, app: "example.clowntown", payload)
        try wait(store, "later", in: Self.hour)
        let timer = fire(desk)
        let record = try #require(try records(desk, 1).first)
        #expect(record.source == "schedule" && record.action == .notify && record.outcome == .done)
        #expect(record.schedule?.id == "one" && record.warnings.isEmpty && record.senderID == nil)
        #expect(record.json.contains(#","schedule":"one""#))
        let fired = try store.firedNotifications(app: nil)
        #expect(fired.map(\.id) == ["one"] && fired.map(\.due) == [due] && fired.map(\.delivery) == [record.id])
        #expect(try store.scheduledNotifications(app: nil).map(\.id) == ["later"])
        // Nothing comes twice.
        timer.look()
        timer.flush()
        #expect(desk.records.with { $0.count } == 1)
        #expect(desk.fixture.log.lines.filter { $0.contains("schedule-fired") }.count == 1)
    }

    @Test("what was missed comes once, with a warning, and a rule goes on in the future")
    func late() throws {
        let desk = try Desk()
        let store = desk.daemon.store
        let missed = 3 * Self.day + Self.hour / 2
        let due = try wait(store, "hourly", in: -missed, every: "1h")
        try wait(store, "daily", in: -missed + 1, every: "day 09:00")
        let before = Instant.now.microseconds
        _ = fire(desk)
        let found = try records(desk, 2)
        #expect(found.map { $0.schedule?.id } == ["hourly", "daily"])
        #expect(found.map { $0.warnings.map(\.name) } == [["schedule.late"], ["schedule.late"]])
        let answers = try store.firedNotifications(app: nil).map(FiredAnswer.init)
        #expect(answers.map(\.late) == [3 * 86_400 + 1800, 3 * 86_400 + 1800])
        #expect(answers.last?.due.microseconds == due)
        let waiting = try store.scheduledNotifications(app: nil)
        let next = try #require(waiting.first { $0.id == "hourly" }?.next)
        #expect(next == due + 73 * Self.hour && next > before)
        let daily = try #require(waiting.first { $0.id == "daily" }?.next)
        #expect(daily > before && daily <= before + Self.day + 60_000_000 && daily % Self.day == 9 * Self.hour)
    }

    @Test("a retry has the id and the warning still, and another firing takes the place of the first")
    func again() throws {
        let desk = try Desk()
        let store = desk.daemon.store
        try wait(store, "one", in: -Self.hour, #"{"app":"example.none","payload":{"aps":{"alert":"hi"}}}"#)
        _ = fire(desk)
        let failed = try #require(try records(desk, 1).first)
        #expect(failed.error != nil)
        _ = try desk.daemon.engine.retry(delivery: failed.id)
        let retried = try #require(try records(desk, 2).last)
        #expect(retried.id == failed.id && retried.schedule?.id == "one")
        #expect(retried.warnings.contains { $0.name == "schedule.late" })
        try wait(store, "one", in: -1)
        _ = fire(desk)
        let other = try #require(try records(desk, 3).last)
        #expect(try store.firedNotifications(app: nil).map(\.delivery) == [other.id])
    }

    @Test("a thousand of them, of a megabyte in all, come once each")
    func thousand() throws {
        let desk = try Desk(deliver: DeliveryRule(.none))
        let store = desk.daemon.store
        let payload = Self.payload(String(repeating: "x", count: 1000))
        for number in 0..<1000 { try wait(store, "n\(number)", in: Int64(number) - 10_000_000, payload) }
        let more = Store.ScheduledNotification(id: "more", app: nil, next: 0, rule: nil, created: 0, payload: [])
        #expect(try !store.schedule(more))
        // In the place of one that waits.
        try wait(store, "n0", in: -20_000_000)
        _ = fire(desk)
        let ids = try records(desk, 1000).map { $0.schedule?.id ?? "" }
        #expect(ids.count == 1000 && Set(ids).count == 1000)
        #expect(try store.scheduledNotifications(app: nil).isEmpty)
        #expect(try store.firedNotifications(app: nil).count == 1000)
    }

    @Test("a payload that expired before it was due does not come, and one that is for now or never does")
    func expiration() throws {
        let desk = try Desk()
        func payload(_ expiration: String) -> String {
            #"{"app":"example.clowntown","headers":{"apns-expiration":"\#(expiration)"},"payload":{"aps":{"alert":"hi"}}}"#
        }
        try wait(desk.daemon.store, "old", in: -2, payload("1"))
        try wait(desk.daemon.store, "now", in: -1, payload("0"))
        _ = fire(desk)
        #expect(try records(desk, 2).map { "\($0.schedule?.id ?? "") \($0.reason)" }.first == "old expired")
        #expect(desk.records.with { $0.last?.reason } != .expired)
    }

    // MARK: Clocks

    struct Clock: CustomTestStringConvertible {
        var rule: String
        var next: String
        var fired: String?
        var now: String
        var then: String
        var testDescription: String { "\(rule) at \(now)" }
    }

    /// In a zone two hours east, where times were computed by UTC before.
    static let clocks = [
        // The zone is another one.
        Clock(
            rule: "day 09:00", next: "2027-01-02T09:00:00Z", now: "2027-01-01T10:00:00Z", then: "2027-01-02T07:00:00Z"),
        // What was missed stays.
        Clock(
            rule: "day 09:00", next: "2027-01-02T09:00:00Z", now: "2027-01-05T10:00:00Z", then: "2027-01-02T09:00:00Z"),
        // Set back by an hour after it came: not again on this day.
        Clock(
            rule: "day 09:00", next: "2027-01-02T07:00:00Z", fired: "2027-01-01T07:00:01Z", now: "2027-01-01T06:00:00Z",
            then: "2027-01-02T07:00:00Z"),
        // Set right after it was ahead by years.
        Clock(
            rule: "fri 09:00", next: "2040-01-06T07:00:00Z", fired: "2040-01-01T07:00:01Z", now: "2027-01-01T06:00:00Z",
            then: "2027-01-01T07:00:00Z"),
        Clock(rule: "1h", next: "2027-01-01T10:00:00Z", now: "2027-01-01T09:30:00Z", then: "2027-01-01T10:00:00Z"),
        Clock(rule: "1h", next: "2027-01-01T10:00:00Z", now: "2027-01-01T08:30:00Z", then: "2027-01-01T09:30:00Z"),
        Clock(
            rule: "a newer rule", next: "2027-01-01T10:00:00Z", now: "2027-01-01T08:30:00Z",
            then: "2027-01-01T10:00:00Z"),
    ]

    @Test(arguments: clocks)
    func rulesAreAdjusted(_ one: Clock) throws {
        let folder = TemporaryDirectory(features: .all)
        let store = try folder.open()
        func time(_ text: String) throws -> Int64 { try #require(Instant(text: text)).microseconds }
        _ = try store.schedule(
            Store.ScheduledNotification(
                id: "one", app: nil, next: try time(one.next), rule: one.rule, created: 0, payload: []))
        let fired = try one.fired.map(time)
        try store.write { (state) throws(StoreError) in
            _ = try state.run("UPDATE scheduled_notification SET fired = ?", SQLiteValue(fired))
        }
        try store.adjustRules(now: try time(one.now), by: LocalClock { _ in 7200 })
        let next = try store.scheduledNotifications(app: nil).map { Instant(microseconds: $0.next).text }
        #expect(next == [one.then.replacingOccurrences(of: "Z", with: ".000Z")])
    }

    // MARK: Operations

    struct Refused: CustomTestStringConvertible {
        var arguments: String
        var code: DiagnosticCode
        var testDescription: String { arguments }
    }

    static let refused = [
        Refused(arguments: #"{"payload":"{}"}"#, code: .scheduleWhen),
        Refused(arguments: #"{"payload":"{}","in":"1h","every":"1h"}"#, code: .scheduleWhen),
        Refused(arguments: #"{"payload":"{}","at":"2020-01-01T00:00:00Z"}"#, code: .schedulePast),
        Refused(arguments: #"{"payload":"{}","at":"noon"}"#, code: .scheduleTime),
        Refused(arguments: #"{"payload":"{}","in":"soon"}"#, code: .scheduleTime),
        Refused(arguments: #"{"payload":"{}","in":"999999999d"}"#, code: .scheduleTime),
        Refused(arguments: #"{"payload":"{}","every":"0s"}"#, code: .scheduleRule),
        Refused(arguments: #"{"payload":"{\"aps\":{}}","in":"1h","id":""}"#, code: .scheduleID),
        Refused(arguments: #"{"payload":"{\"aps\":{}}","in":"1h","id":"a\nb"}"#, code: .scheduleID),
        Refused(
            arguments: #"{"payload":"{\"aps\":{}}","in":"1h","id":"\#(String(repeating: "é", count: 65))"}"#,
            code: .scheduleID),
        Refused(arguments: #"{"payload":"[]","in":"1h"}"#, code: DiagnosticCode("U1002", "json.top-level-not-object")),
    ]

    @Test(arguments: refused)
    func refuses(_ one: Refused) throws {
        let fixture = try ContentFixture()
        let context = fixture.service()
        let arguments = try JSONValue(parsing: Array(one.arguments.utf8))
        do throws(ControlError) {
            let call = try NotificationSchedule(reading: arguments)
            _ = try context.perform(call)
            Issue.record("it was taken")
        } catch {
            #expect(error.code.name == one.code.name)
        }
        #expect(try fixture.store.scheduledNotifications(app: nil).isEmpty)
    }

    @Test("entries are listed by app, replaced by id, and removed all together or not at all")
    func lists() throws {
        let fixture = try ContentFixture()
        let context = fixture.service()
        func schedule(_ id: String?, in delay: String, app: String? = nil, _ payload: String = Self.payload()) throws
            -> ScheduledAnswer
        {
            var call = NotificationSchedule(payload, in: delay)
            (call.id, call.app) = (id, app)
            return try context.perform(call)
        }
        _ = try schedule("b", in: "2h")
        _ = try schedule("a", in: "3h", app: "example.orders")
        let first = try schedule("b", in: "1h", #"{"aps":{}, "own":1.50}"#)
        #expect(first.app == nil && first.every == nil)
        #expect(String(decoding: first.payload.jsonText, as: UTF8.self) == #"{"aps":{},"own":1.50}"#)
        let made = try schedule(nil, in: "4h")
        #expect(made.app == "example.clowntown" && made.id.utf8.count == 36)
        #expect(try context.perform(NotificationPending()).map(\.id) == ["b", "a", made.id])
        #expect(try context.perform(NotificationPending(app: "example.orders")).map(\.id) == ["a"])
        for (ids, app) in [(["a", "none"], nil), (["a", "b"], "example.orders")] as [([String], String?)] {
            do throws(ControlError) {
                _ = try context.perform(NotificationRemove(.pending, ids, app: app))
                Issue.record("it was removed")
            } catch {
                #expect(error.code == .scheduleUnknown)
            }
        }
        #expect(try context.perform(NotificationRemove(.pending, ["b", "a", "b"])).map(\.id) == ["b", "a"])
        #expect(try context.perform(NotificationRemove(.pending, all: true)).map(\.id) == [made.id])
        #expect(try context.perform(NotificationRemove(.delivered, all: true)).isEmpty)
    }

    @Test("what came is kept for 30 days")
    func prunes() throws {
        let desk = try Desk(deliver: DeliveryRule(.none))
        let store = desk.daemon.store
        try wait(store, "one", in: -1)
        _ = fire(desk)
        let now = Instant.now.microseconds
        try store.prune(now: now + 29 * Self.day)
        #expect(try store.firedNotifications(app: nil).count == 1)
        try store.prune(now: now + 31 * Self.day)
        #expect(try store.firedNotifications(app: nil).isEmpty)
    }
}
