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
import UsherSystem
import UsherText

@testable import UsherEngine

/// What becomes of notifications: closed, replaced, lost with a server, left by a killed run.
@Suite("Notification ends")
struct NotificationEndTests {
    typealias Fixture = DispatchFixture

    @Test(arguments: NotificationEvent.CloseReason.allCases)
    func closed(_ reason: NotificationEvent.CloseReason) throws {
        let desk = try Desk()
        let shown = try #require(try desk.daemon.records(of: [Pushes.push()]).first)
        desk.presenter.end(1, reason)
        try waitUntil("it is noted") { try desk.state(of: shown) == reason.rawValue }
        let answer = DeliveryAnswer(
            try #require(try desk.daemon.store.delivery(shown.id)), short: shown.id, explanation: nil)
        #expect(answer.notification?.state.rawValue == reason.rawValue)
        #expect(answer.notification?.ended != nil)
        // Some servers say so first, and some show it again out of their history.
        desk.presenter.press(1)
        #expect(try desk.presses(1).first?.parent == shown.id)
        #expect(try desk.state(of: shown) == "pressed")
        desk.presenter.end(1, .closed)
        desk.presenter.press(1)
        _ = try desk.daemon.records(of: [Pushes.push()])
        desk.presenter.press(2)
        _ = try desk.presses(2)
        #expect(try desk.state(of: shown) == "pressed")
    }

    @Test func aNewerOneTakesThePlaceOfTheOlder() throws {
        let desk = try Desk()
        let lines = [("a", "1"), ("a", "2"), ("b", "3")].map { Pushes.collapsing($0.0, alert: $0.1) }
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
        let shown = try #require(try first?.daemon.records(of: [Pushes.push(), Pushes.push()]))
        #expect(first?.daemon.engine.stop(within: 30) == true)
        first = nil
        // No process observes the notification.
        presenter.press(1)
        let second = try Desk(fixture, presenter)
        _ = try second.daemon.engine.recover()
        presenter.press(2, token: "t")
        #expect(try second.presses(1).map(\.parent) == [shown[1].id])
        #expect(second.presses().first?.action == .launch)
        #expect(try second.state(of: shown[0]) == "shown")
    }

    @Test func aServerThatRestarts() throws {
        let desk = try Desk()
        let shown = try #require(try desk.daemon.records(of: [Pushes.push()]).first)
        desk.presenter.with { $0.server = "bus/:1.9" }
        desk.presenter.tell(.lost(server: "bus/:1.7"))
        try waitUntil("it is lost") { try desk.state(of: shown) == "lost" }
        // The new server begins with 1 as well.
        desk.presenter.with { $0.next = 1 }
        let second = try #require(try desk.daemon.records(of: [Pushes.push(target: Fixture.bozo)]).first)
        desk.presenter.press(1)
        desk.presenter.press(1, server: "bus/:1.9")
        #expect(try desk.presses(1).map(\.parent) == [second.id])
        #expect(try desk.state(of: second) == "pressed" && desk.state(of: shown) == "lost")
    }

    @Test func aServerThatIsGoneAtTheStart() throws {
        let fixture = try Fixture()
        let presenter = RecordingPresenter()
        var first: Desk? = try Desk(fixture, presenter)
        let shown = try #require(try first?.daemon.records(of: [Pushes.push()]).first)
        first = nil
        presenter.with { $0.server = nil }
        let second = try Desk(fixture, presenter)
        try waitUntil("it is lost") { try second.state(of: shown) == "lost" }
    }

    @Test func aPressThatAKilledRunLeftIsCarriedOut() throws {
        let fixture = try Fixture()
        var desk: Desk? = try Desk(fixture)
        let shown = try #require(try desk?.daemon.records(of: [Pushes.push()]).first)
        // As a run does that is killed right after.
        _ = try desk?.daemon.store.write { (state) throws(StoreError) in
            try state.press("default", onNumber: 1, of: "bus/:1.7", as: "0199d0f2-7a3b-7c11-8f00-3a5d7e9b1c20")
        }
        desk = nil
        let next = try Desk(fixture)
        #expect(try next.daemon.engine.recover() == 1)
        let press = try #require(try next.presses(1).first)
        #expect(press.parent == shown.id && press.action == .launch && press.isRecovered)
    }

    @Test(arguments: [false, true]) func aNotificationThatAKilledRunLeftIsShown(hasBegun: Bool) throws {
        let fixture = try Fixture()
        fixture.app.deliver = .notify
        let line = Pushes.push(#""interruption-level":"passive""#)
        let store = try fixture.openStore()
        let delivery = Store.NewDelivery(
            id: UUIDv7.next(), source: "webhook", format: "apns", accepted: 1, input: Array(line.utf8),
            app: fixture.app.id, target: Fixture.crusty)
        try store.claim(
            delivery, .none,
            decision: .init(action: .notify, reason: .opens, app: fixture.app.id, scene: "clown"), begin: hasBegun,
            nonce: "n")
        store.close()
        let desk = try Desk(fixture)
        #expect(try desk.daemon.engine.recover() == 1)
        try waitUntil("it is recorded") { desk.records.with { $0.count } == 1 }
        let record = try #require(desk.records.with { $0.first })
        #expect("\(record.id == delivery.id) \(record.action) \(record.outcome)" == "true notify done")
        #expect(record.policy == .passive && record.isRecovered)
        #expect(desk.presenter.with { $0.shown.map(\.urgency) } == [.low])
        desk.presenter.press(1)
        #expect(try desk.presses(1).first?.parent == delivery.id)
    }
}
