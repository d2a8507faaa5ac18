import Dispatch
import EngineTestSupport
import Foundation
import TestSupport
import Testing
import UsherActivation
import UsherLog
import UsherScene
import UsherStore
import UsherSystem

@testable import UsherEngine

/// What is known holds, and not all is known.
private let partly: SeenEvidence = {
    var evidence = SeenEvidence()
    evidence.unknown = [.cover]
    return evidence
}()
private let whole = SeenEvidence()
private let hidden: SeenEvidence = {
    var evidence = SeenEvidence()
    evidence.reason = "seen.not-front"
    return evidence
}()

/// Notifications that are not needed any more: the user has come to what they lead to, or a newer one takes their place.
@Suite("Notification visits")
struct VisitTests {
    typealias Fixture = DispatchFixture

    private func desk(_ rule: (inout NoticeRule) -> Void = { _ in }) throws -> Desk {
        let fixture = try Fixture()
        rule(&fixture.app.notifications.need)
        let desk = try Desk(fixture)
        desk.daemon.engine.look { _ in partly }
        return desk
    }

    private func session(
        _ desk: Desk, target: String? = Fixture.crusty, handle: String = UUID().uuidString
    ) throws -> SceneSession {
        try #require(
            try desk.daemon.engine.connect([
                .init(
                    app: "example.clowntown", scene: target == nil ? "main" : "clown",
                    target: target.map(TargetContentIdentifier.init), conditions: .init(),
                    handle: handle)
            ]).first)
    }

    private func shown(_ desk: Desk, _ lines: String...) throws -> [DecisionRecord] {
        try lines.flatMap { try desk.daemon.records(of: [$0]) }
    }

    private func states(_ desk: Desk, _ records: [DecisionRecord]) throws -> [String?] {
        try records.map { try desk.state(of: $0) }
    }

    @Test("what has the session's target, or was decided for it, is taken away", arguments: [true, false])
    func visit(isOpenBefore: Bool) throws {
        let desk = try desk()
        let early = isOpenBefore ? try session(desk) : nil
        let records = try shown(desk, Pushes.push(), Pushes.push(target: Fixture.bozo), Pushes.push())
        // The only session there is takes the other target, too.
        #expect(records.map(\.session) == [early?.id, early?.id, early?.id])
        let second = isOpenBefore ? "visited" : "shown"
        let session = try early ?? session(desk)
        desk.daemon.engine.noteFront(session, true)
        try waitUntil("they are taken away") { desk.presenter.with { $0.closed.count } == (isOpenBefore ? 3 : 2) }
        #expect(try states(desk, records) == ["visited", second, "visited"])
        #expect(try desk.daemon.store.delivery(records[0].id)?.notification?.ended != nil)
        #expect(desk.daemon.engine.statistics.closings[.visited] == (isOpenBefore ? 3 : 2))
        // Not a second time, and a click that was on its way counts.
        desk.presenter.end(1, .closed)
        desk.presenter.press(3)
        #expect(try desk.presses(1).first?.parent == records[2].id)
        #expect(try states(desk, records) == ["visited", second, "pressed"])
    }

    @Test func onlyComingToItIsAVisit() throws {
        let desk = try desk()
        let session = try session(desk)
        desk.daemon.engine.noteFront(session, true)
        let records = try shown(desk, Pushes.push())
        desk.daemon.engine.noteFront(session, true)
        // It is another session that the user comes to.
        desk.daemon.engine.noteFront(try self.session(desk, target: nil), true)
        let other = try shown(desk, Pushes.push(target: Fixture.bozo))
        desk.daemon.engine.noteFront(try self.session(desk, target: Fixture.bozo), true)
        try waitUntil("the other one is taken away") { try desk.state(of: other[0]) == "visited" }
        #expect(try desk.state(of: records[0]) == "shown")
        desk.daemon.engine.noteFront(session, false)
        desk.daemon.engine.noteFront(session, true)
        try waitUntil("it is taken away") { try desk.state(of: records[0]) == "visited" }
    }

    @Test func whatIsShownAfterTheUserHasComeStays() throws {
        let desk = try desk()
        let session = try session(desk)
        let before = try shown(desk, Pushes.push())
        // The visit is seen to later than the next notification is stored.
        let mayGoOn = DispatchSemaphore(value: 0)
        desk.daemon.engine.executor.notifications?.thread.submit { mayGoOn.wait() }
        desk.daemon.engine.noteFront(session, true)
        let after = try shown(desk, Pushes.push())
        mayGoOn.signal()
        try waitUntil("the earlier one is taken away") { try desk.state(of: before[0]) == "visited" }
        #expect(try desk.state(of: after[0]) == "shown")
    }

    @Test func otherContentInTheSameWindowIsAVisit() throws {
        let desk = try desk()
        var session = try session(desk)
        desk.daemon.engine.noteFront(session, true)
        let records = try shown(desk, Pushes.push(target: Fixture.bozo))
        session.target = TargetContentIdentifier(Fixture.bozo)
        desk.daemon.engine.noteFront(session, true)
        try waitUntil("it is taken away") { try desk.state(of: records[0]) == "visited" }
    }

    @Test("a place of a process, or a pane, is visited when it comes to be seen", arguments: ["process:1:2", "%5"])
    func place(handle: String) throws {
        let desk = try desk()
        let (isSeen, looks) = (Locked(true), Locked(0))
        desk.daemon.engine.look { _ in
            looks.with { $0 += 1 }
            return isSeen.with { $0 } ? partly : hidden
        }
        func look(_ seen: Bool) throws {
            let before = looks.with { $0 }
            isSeen.with { $0 = seen }
            desk.daemon.engine.noteOtherFront()
            try waitUntil("it is looked at") { looks.with { $0 } > before }
        }
        let session = try session(desk, handle: handle)
        let records = try shown(desk, Pushes.push())
        #expect(records.first?.session == session.id && looks.with { $0 } == 1)
        // Its window says nothing of it, and the user has seen it all the time.
        desk.daemon.engine.noteFront(session, true)
        try look(true)
        try look(false)
        #expect(try states(desk, records) == ["shown"])
        try look(true)
        try waitUntil("it is taken away") { try desk.state(of: records[0]) == "visited" }
        // Nothing is looked at without a notification.
        let (before, isOver) = (looks.with { $0 }, Locked(false))
        var openings = WindowOpenings()
        openings.awaitingVisit = {
            isOver.with { $0 = true }
            return []
        }
        desk.daemon.engine.tellOfVisits(openings)
        desk.daemon.engine.noteOtherFront()
        try waitUntil("there was nothing to look at") { isOver.with { $0 } }
        let second = try shown(desk, Pushes.push())
        desk.presenter.press(2)
        _ = try desk.presses(1)
        #expect(try states(desk, second) == ["pressed"] && looks.with { $0 } == before + 1)
    }

    @Test func aPlaceThatAFeatureAwaitsIsLookedAtWithoutANotification() throws {
        let desk = try desk()
        let (isSeen, looks, came, asked) = (Locked(false), Locked(0), Locked<[String]>([]), Locked(0))
        desk.daemon.engine.look { _ in
            looks.with { $0 += 1 }
            return isSeen.with { $0 } ? partly : hidden
        }
        let session = try session(desk, handle: "process:1:2")
        _ = try self.session(desk, target: Fixture.bozo, handle: "process:1:3")
        var openings = WindowOpenings()
        openings.awaitingVisit = {
            asked.with { $0 += 1 }
            return came.with { $0.isEmpty } ? [session.id] : []
        }
        openings.tookFocus = { id, _ in came.with { $0.append(id) } }
        desk.daemon.engine.tellOfVisits(openings)
        desk.daemon.engine.noteOtherFront()
        try waitUntil("it is looked at") { looks.with { $0 } == 1 }
        isSeen.with { $0 = true }
        desk.daemon.engine.noteOtherFront()
        try waitUntil("the visit is told") { came.with { $0 } == [session.id] }
        // Once, and nothing more is looked at.
        desk.daemon.engine.noteOtherFront()
        try waitUntil("there was nothing to look at") { asked.with { $0 } == 3 }
        _ = try shown(desk, Pushes.push(target: Fixture.bozo))
        #expect(came.with { $0.count } == 1 && looks.with { $0 } == 3)
    }

    @Test("it stays", arguments: ["never", "unseen", "unknown", "for all apps"])
    func stays(_ why: String) throws {
        let desk = try desk { if why == "never" { $0.withdraw = .never } }
        if why == "unseen" || why == "unknown" {
            desk.daemon.engine.look { _ in why == "unseen" ? hidden : nil }
        }
        if why == "for all apps" {
            var configuration = desk.daemon.engine.configuration
            configuration.notices.withdraw = .never
            try desk.daemon.engine.replaceConfiguration(configuration, missingPrograms: [])
        }
        let records = try shown(desk, Pushes.push())
        desk.daemon.engine.noteFront(try session(desk), true)
        let isOver = Locked(false)
        // What comes after it on the same thread.
        desk.daemon.engine.executor.notifications?.looks.submit { isOver.with { $0 = true } }
        try waitUntil("it was looked at") { isOver.with { $0 } }
        #expect(try states(desk, records) == ["shown"])
    }

    @Test("a slow look holds no press back", arguments: ["%5", "window"])
    func slowLook(handle: String) throws {
        let desk = try desk()
        let session = try session(desk, handle: handle)
        desk.daemon.engine.look { _ in hidden }
        let records = try shown(desk, Pushes.push(), Pushes.push())
        let (looks, goesOn) = (Locked(0), DispatchSemaphore(value: 0))
        desk.daemon.engine.look { _ in
            looks.with { $0 += 1 }
            goesOn.wait()
            return partly
        }
        if handle == "window" {
            desk.daemon.engine.noteFront(session, true)
        } else {
            desk.daemon.engine.noteOtherFront()
        }
        try waitUntil("it is looked at") { looks.with { $0 } == 1 }
        desk.presenter.press(1)
        try waitUntil("it is pressed") { try desk.state(of: records[0]) == "pressed" }
        goesOn.signal()
        try waitUntil("the other one is taken away") { try desk.state(of: records[1]) == "visited" }
    }

    @Test func oneThatWaitsForAnAnswerStays() throws {
        let desk = try desk()
        let wait = try #require(desk.daemon.engine.beginWaiting(.seconds(60)))
        var arrival = Daemon.arrival(Pushes.push())
        arrival.wait = wait
        let answer = Locked<DecisionRecord.Answer?>(nil)
        arrival.events.finished = { record in answer.with { $0 = record.answer } }
        desk.daemon.handle([arrival])
        desk.daemon.engine.waitUntilIdle()
        let records = try shown(desk, Pushes.push())
        let session = try session(desk)
        desk.daemon.engine.noteFront(session, true)
        try waitUntil("the other one is taken away") { desk.presenter.with { $0.closed } == [2] }
        #expect(try states(desk, records) == ["visited"])
        desk.presenter.press(1)
        try waitUntil("it is answered") { answer.with { $0 } == .pressed("default") }
    }

    /// The user has used a key or the pointer so long ago.
    private struct Presence: UserPresence {
        var time: Duration?

        func isDoNotDisturb() -> Bool { false }
        func isLocked() -> Bool { false }
        func timeSinceInput() -> Duration? { time }
    }

    @Test(
        "what the user looks at is not shown",
        arguments: [
            ("", 60, whole, true), ("", 61, whole, false),
            ("", nil, whole, false), ("", 0, partly, false),
            ("", 0, hidden, false), ("", 0, nil, false),
            (#""interruption-level":"critical""#, 0, whole, false),
            ("show", 0, whole, false), ("no session", 0, whole, false),
        ] as [(String, Int64?, SeenEvidence?, Bool)])
    func seen(_ more: String, _ seconds: Int64?, _ evidence: SeenEvidence?, _ isSkipped: Bool) throws {
        let fixture = try Fixture()
        if more == "show" { fixture.app.notifications.need.whenSeen = .show }
        fixture.app.notifications.rate = InterruptionRate(limit: 1, milliseconds: 60_000)
        let desk = try Desk(fixture, presence: Presence(time: seconds.map { .seconds($0) }))
        desk.daemon.engine.look { _ in evidence }
        if more != "no session" { _ = try session(desk) }
        let line = Pushes.push(more.hasPrefix("\"") ? more : "")
        let record = try #require(try shown(desk, line).first)
        let summary = "\(record.action) \(record.outcome) \(record.policy?.rawValue ?? "-")"
        #expect(summary == (isSkipped ? "none skipped seen" : "notify done -"))
        #expect(desk.presenter.with { $0.shown.count } == (isSkipped ? 0 : 1))
        // What was not shown has not interrupted.
        guard isSkipped else { return }
        desk.daemon.engine.look { _ in hidden }
        #expect(try shown(desk, line).first?.action == .notify)
    }

    @Test(
        "where nothing else tells when the user was active, a key in tmux does",
        arguments: [(nil, 0, true), (nil, 59, true), (nil, 120, false), (120, 0, false), (0, 120, true)]
            as [(Int64?, Int64, Bool)])
    func keys(_ presence: Int64?, _ keys: Int64, _ isSkipped: Bool) throws {
        let desk = try Desk(try Fixture(), presence: Presence(time: presence.map { .seconds($0) }))
        _ = try session(desk)
        desk.daemon.engine.look { _ in
            var evidence = SeenEvidence()
            evidence.keyTime = Int64(Date().timeIntervalSince1970) - keys
            return evidence
        }
        #expect(try shown(desk, Pushes.push()).first?.outcome == (isSkipped ? .skipped : .done))
    }

    @Test func ofOneTargetTheNewestIsShown() throws {
        let desk = try desk { $0.replace = .target }
        let records = try shown(desk, Pushes.push(), Pushes.push(target: Fixture.bozo), Pushes.push())
        #expect(desk.presenter.with { $0.numbers } == [1, 2, 1])
        #expect(try states(desk, records) == ["replaced", "shown", "shown"])
        // The collapse id goes before.
        let others = try shown(
            desk, Pushes.collapsing("a", alert: "1"), Pushes.push(target: Fixture.bozo),
            Pushes.collapsing("a", alert: "2"))
        #expect(desk.presenter.with { Array($0.numbers.suffix(3)) } == [1, 2, 1])
        #expect(try states(desk, others) == ["replaced", "shown", "shown"])
    }

    @Test func aSecondOneHidesNoFirst() throws {
        let desk = try desk()
        let records = try shown(desk, Pushes.push(), Pushes.push())
        #expect(try states(desk, records) == ["shown", "shown"])
    }

    @Test func rulesOfAppsGoBeforeThoseForAll() {
        var (own, general) = (NoticeRule(), NoticeRule())
        #expect(own.skipsSeen && own.withdrawsOnVisit && !own.replacesTarget)
        general.whenSeen = .show
        general.replace = .target
        own.replace = NoticeRule.Replacement.none
        let rule = own.over(general)
        #expect(!rule.skipsSeen && rule.withdrawsOnVisit && !rule.replacesTarget)
    }
}
