import Dispatch
import EngineTestSupport
import Foundation
import Glibc
import TestSupport
import Testing
import UsherActivation
import UsherFeatures
import UsherLog
import UsherOperation
import UsherScene
import UsherStore
import UsherSystem
import UsherText

@testable import UsherEngine

/// Senders that wait for the answer to their notification.
@Suite("Answers")
struct AnswerTests {
    typealias Fixture = DispatchFixture

    /// One sender that waits, and the record that it gets.
    private final class Sender {
        let desk: Desk
        let wait: AnswerWait
        let record = Locked<DecisionRecord?>(nil)
        let id: String

        init(_ desk: Desk, _ line: String = Pushes.push(#""category":"ASK""#), timeout: Duration = .seconds(600)) throws
        {
            self.desk = desk
            wait = try #require(desk.daemon.engine.beginWaiting(timeout))
            var arrival = Daemon.arrival(line)
            arrival.wait = wait
            let accepted = Locked<String>("")
            arrival.events.accepted = { [accepted] id in accepted.with { $0 = id } }
            arrival.events.finished = { [record] new in record.with { $0 = new } }
            desk.daemon.handle([arrival])
            desk.daemon.engine.waitUntilIdle()
            id = accepted.with { $0 }
        }

        /// Waits for its record: `action by state`.
        func answer() throws -> String {
            try waitUntil("the sender has its record") { record.with { $0 } != nil }
            let answer = try #require(record.with { $0?.answer })
            return "\(answer.action ?? "-") \(answer.by ?? "-") \(answer.state)"
        }
    }

    private func desk(
        _ fixture: Fixture? = nil, presenter: RecordingPresenter = RecordingPresenter(), answers: Bool = true,
        deliver: DeliveryRule = .notify
    ) throws -> Desk {
        let fixture = try fixture ?? Fixture()
        fixture.app.notifications.categories = [AnswerTests.ask(answers: answers)]
        return try Desk(fixture, presenter, deliver: deliver)
    }

    private static func ask(answers: Bool = true) -> NotificationCategory {
        var category = NotificationCategory(id: "ASK", location: Fixture.location)
        category.actions = ["yes", "no", "later"].map { id in
            NotificationAction(id: id, title: id.capitalized, location: Fixture.location)
        }
        if answers { for place in 0...1 { category.actions[place].isAnswer = true } }
        return category
    }

    private func buttons(_ desk: Desk) -> [[String]] { desk.presenter.with { $0.shown.map { $0.actions.map(\.key) } } }

    @Test func anAnswerIsGivenToTheSenderAndShowsNoWindow() throws {
        let desk = try desk()
        let sender = try Sender(desk)
        #expect(buttons(desk) == [["default", "yes", "no", "later"]])
        #expect(sender.record.with { $0 } == nil)
        desk.presenter.press(1, "yes")
        #expect(try sender.answer() == "yes notification pressed")
        let record = try #require(sender.record.with { $0 })
        #expect("\(record.id == sender.id) \(record.action) \(record.outcome)" == "true notify done")
        #expect(
            record.json.hasSuffix(#""answer":{"action":"yes","by":"notification","message":null,"state":"pressed"}}"#))
        try waitUntil("it is taken away") { desk.presenter.with { $0.closed } == [1] }
        // Once.
        desk.presenter.press(1, "no")
        #expect(throws: ControlError.self) { try desk.answer(sender.id, "no") }
        desk.daemon.engine.waitUntilIdle()
        #expect(desk.presses().isEmpty)
        #expect(try desk.state(of: record) == "pressed")
        let stored = try desk.daemon.store.delivery(sender.id)
        #expect(stored?.notification?.answer == "yes" && stored?.record?.contains("answer") == false)
    }

    /// The press waits for the same commit as the record of its notification.
    @Test("a press in the commit that stores the notification is the answer", arguments: ["yes", "later"])
    func earlyPress(_ action: String) throws {
        let desk = try desk()
        let engine = desk.daemon.engine
        let (shows, mayShow) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        desk.presenter.with {
            $0.haste = { shown in
                shows.signal()
                mayShow.wait()
                return .invoked(shown, action: action, token: nil)
            }
        }
        let wait = try #require(engine.beginWaiting(.seconds(600)))
        let record = Locked<DecisionRecord?>(nil)
        var arrival = Daemon.arrival(Pushes.push(#""category":"ASK""#))
        arrival.wait = wait
        arrival.events.finished = { new in record.with { $0 = new } }
        desk.daemon.handle([arrival])
        shows.wait()
        // The engine's thread is busy until both are there.
        let (isBusy, mayGoOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        Thread.detachNewThread {
            try? engine.edit { (_, _) throws(StoreError) in
                isBusy.signal()
                mayGoOn.wait()
            }
        }
        isBusy.wait()
        mayShow.signal()
        defer { mayGoOn.signal() }
        try waitUntil("the effect's end and the press wait") { engine.mailbox.count == 2 }
        mayGoOn.signal()
        guard action == "yes" else {
            #expect(try desk.presses(1).map(\.action) == [.launch])
            return #expect(record.with { $0 } == nil)
        }
        try waitUntil("the sender has its record") { record.with { $0 } != nil }
        #expect(record.with { $0?.answer } == .pressed("yes"))
        engine.waitUntilIdle()
        #expect(desk.presses().isEmpty)
    }

    @Test func aServerThatIsGoneBeforeItsNotificationIsStored() throws {
        let desk = try desk(answers: false)
        desk.presenter.with {
            $0.haste = { [presenter = desk.presenter] _ in
                presenter.with { ($0.server, $0.haste) = ("bus/:1.9", nil) }
                return .lost(server: "bus/:1.7")
            }
        }
        let sender = try Sender(desk)
        #expect(try sender.answer() == "- - lost")
        #expect(try desk.state(of: #require(sender.record.with { $0 })) == "lost")
    }

    @Test func otherwiseItIsAClickAndTheWaitGoesOn() throws {
        let desk = try desk()
        let sender = try Sender(desk)
        desk.presenter.press(1, "later")
        let click = try #require(try desk.presses(1).first)
        #expect(click.parent == sender.id && click.action == .launch && click.warnings.isEmpty)
        desk.presenter.end(1, .closed)
        #expect(sender.record.with { $0 } == nil)
        #expect(try desk.answer(sender.id, "no", "not today").answer.message == "not today")
        #expect(try sender.answer() == "no command pressed")
        #expect(sender.record.with { $0?.answer?.message } == "not today")
    }

    @Test("without answers among its buttons, whatever is pressed is one", arguments: ["default", "yes"])
    func anyPress(_ action: String) throws {
        let desk = try desk(answers: false)
        let sender = try Sender(desk)
        desk.presenter.press(1, action)
        #expect(try sender.answer() == "\(action) notification pressed")
        #expect(try desk.presses(1).first?.parent == sender.id)
        #expect(throws: ControlError.self) { try desk.answer(sender.id, action) }
    }

    @Test(arguments: NotificationEvent.CloseReason.allCases)
    func anEnd(_ reason: NotificationEvent.CloseReason) throws {
        let desk = try desk(answers: false)
        let sender = try Sender(desk)
        desk.presenter.end(1, reason)
        #expect(try sender.answer() == "- - \(reason.rawValue)")
    }

    @Test func aNewerNotificationAndAServerThatIsGoneEndTheWait() throws {
        let desk = try desk(answers: false)
        let sender = try Sender(desk, Pushes.collapsing("a", alert: "1"))
        let newer = try Sender(desk, Pushes.collapsing("a", alert: "2"))
        #expect(try sender.answer() == "- - replaced")
        desk.presenter.with { $0.server = "bus/:1.9" }
        desk.presenter.tell(.lost(server: "bus/:1.7"))
        #expect(try newer.answer() == "- - lost")
    }

    @Test func theTimeIsOver() throws {
        let desk = try desk()
        let sender = try Sender(desk, timeout: .milliseconds(50))
        #expect(try sender.answer() == "- - timeout")
        try waitUntil("the buttons go") {
            buttons(desk) == [["default", "yes", "no", "later"], ["default", "later"]]
        }
        #expect(desk.presenter.with { $0.numbers } == [1, 1])
        // A press that was on its way.
        desk.presenter.press(1, "yes")
        let click = try #require(try desk.presses(1).first)
        #expect(click.warnings.map(\.name) == ["notification.answer-late"] && click.action == .launch)
        #expect(desk.code(of: sender.id, "yes") == "answer.not-waiting")
    }

    @Test func theTimeBeginsWhenTheNotificationIsShown() throws {
        let desk = try desk()
        let begun = MonotonicClock.now
        desk.presenter.with {
            $0.haste = { _ in
                while MonotonicClock.now - begun < .milliseconds(2100) { usleep(10_000) }
                return nil
            }
        }
        let sender = try Sender(desk, timeout: .seconds(2))
        #expect(MonotonicClock.now - begun > .seconds(2) && sender.record.with { $0 } == nil)
        desk.presenter.press(1, "yes")
        #expect(try sender.answer() == "yes notification pressed")
    }

    @Test func theSenderHasEnded() throws {
        let desk = try desk()
        let sender = try Sender(desk)
        desk.daemon.engine.endWaiting(sender.wait)
        #expect(try sender.answer() == "- - shown")
        try waitUntil("the buttons go") { buttons(desk).last == ["default", "later"] }
        #expect(desk.code(of: sender.id, "yes") == "answer.not-waiting")
        // One that ended before it was shown.
        let early = try #require(desk.daemon.engine.beginWaiting(.seconds(600)))
        desk.daemon.engine.endWaiting(early)
        var arrival = Daemon.arrival(Pushes.push(#""category":"ASK""#, target: Fixture.bozo))
        arrival.wait = early
        _ = try desk.daemon.records(of: [arrival])
        #expect(buttons(desk).last == ["default", "later"])
    }

    @Test func aNotificationThatNoSenderWaitsForHasNoAnswers() throws {
        let desk = try desk()
        _ = try desk.daemon.records(of: [Pushes.push(#""category":"ASK""#)])
        #expect(buttons(desk) == [["default", "later"]])
    }

    @Test func nothingIsShown() throws {
        let focusing = try desk(deliver: .tapped)
        #expect(try Sender(focusing).answer() == "- - not-shown")
        let failing = try desk()
        failing.presenter.with { $0.failure = ActivationFailure(.notificationUnavailable, "none") }
        let sender = try Sender(failing)
        #expect(try sender.answer() == "- - not-shown")
        #expect(sender.record.with { $0?.outcome } == .failed)
        #expect(failing.code(of: sender.id, "yes") == "answer.not-waiting")
    }

    @Test func wrongAnswersAreRefused() throws {
        let desk = try desk()
        let sender = try Sender(desk)
        #expect(desk.code(of: sender.id, "later") == "answer.action")
        #expect(desk.code(of: sender.id, "default") == "answer.action")
        #expect(desk.code(of: "0199d0f2-7a3b-7c11-8f00-3a5d7e9b1c20", "yes") == "control.no-such-delivery")
        #expect(desk.code(of: sender.id, "yes") == nil)
        #expect(desk.code(of: sender.id, "yes") == "answer.given")
        #expect(try sender.answer() == "yes command pressed")
        try waitUntil("it is taken away") { desk.presenter.with { $0.closed } == [1] }
    }

    @Test func noAnswerIsTakenAfterARestart() throws {
        let fixture = try Fixture()
        var first: Desk? = try desk(fixture)
        let answered = try Sender(#require(first))
        let open = try Sender(#require(first), Pushes.push(#""category":"ASK""#, target: Fixture.bozo))
        #expect(try #require(first).code(of: answered.id, "no") == nil)
        first?.daemon.engine.stopWaitingForAnswers()
        #expect(try open.answer() == "- - shown")
        #expect(buttons(try #require(first)).last == ["default", "later"])
        #expect(first?.daemon.engine.stop(within: 30) == true)
        let (given, left) = (answered.id, open.id)
        first = nil
        let second = try desk(fixture)
        #expect(second.code(of: given, "yes") == "answer.given")
        #expect(second.code(of: left, "yes") == "answer.not-waiting")
    }

    @Test("after a crash, what an earlier run asked loses its answers, and nothing else is shown again")
    func buttonsAfterACrash() throws {
        let fixture = try Fixture()
        let presenter = RecordingPresenter()
        let first = try desk(fixture, presenter: presenter)
        let senders = try ["1", "2", "3"].map { name in
            try Sender(first, Pushes.push(#""category":"ASK""#, target: "https://clowntown.example/\(name)"))
        }
        _ = try first.daemon.records(of: [Pushes.push(#""category":"ASK""#, target: Fixture.bozo)])
        // One is answered, and one has ended.
        presenter.press(2, "yes")
        #expect(try senders[1].answer() == "yes notification pressed")
        presenter.end(3, .dismissed)
        try waitUntil("its end is stored") {
            try first.daemon.store.notification(of: senders[2].id)?.state == .dismissed
        }
        // What is on the disk when the process is killed.
        let copy = try Fixture()
        try FileManager.default.createDirectory(atPath: copy.folder, withIntermediateDirectories: true)
        _ = try first.daemon.store.backUp(to: copy.folder + "/usher.db")
        let before = presenter.with { $0.shown.count }
        let second = try desk(copy, presenter: presenter)
        try waitUntil("the buttons go") { presenter.with { $0.shown.count } > before }
        second.daemon.engine.waitUntilIdle()
        second.daemon.engine.stopWaitingForAnswers()
        #expect(presenter.with { $0.shown.count } == before + 1)
        let last = try #require(presenter.with { $0.shown.last })
        #expect(last.replaces?.id == 1 && last.isSilent && last.actions.map(\.key) == ["default", "later"])
        let earlier = try #require(presenter.with { $0.shown.first })
        #expect(last.summary == earlier.summary && last.body == earlier.body)
        #expect(second.code(of: senders[0].id, "yes") == "answer.not-waiting")
        presenter.press(1, "yes")
        #expect(try second.presses(1).first?.warnings.map(\.name) == ["notification.answer-late"])
        #expect(try second.daemon.store.awaitedNotifications().isEmpty)
    }

    @Test func tooManySenders() throws {
        let desk = try desk()
        let waits = (0..<256).compactMap { _ in desk.daemon.engine.beginWaiting(.seconds(1)) }
        #expect(waits.count == 256 && desk.daemon.engine.beginWaiting(.seconds(1)) == nil)
        desk.daemon.engine.endWaiting(waits[0])
        desk.daemon.engine.endWaiting(waits[0])
        #expect(desk.daemon.engine.beginWaiting(.seconds(1)) != nil)
        #expect(desk.daemon.engine.beginWaiting(.seconds(1)) == nil)
        // All of a batch wait, or none.
        for wait in waits[0..<11] { desk.daemon.engine.endWaiting(wait) }
        #expect(desk.daemon.engine.beginWaiting(.seconds(1), count: 11) == nil)
        #expect(desk.daemon.engine.beginWaiting(.seconds(1), count: 10)?.count == 10)
        #expect(desk.daemon.engine.beginWaiting(.seconds(1)) == nil)
    }

    @Test(arguments: [("90s", 90), ("1s", 1), ("10m", 600), (nil, 600)] as [(String?, Int64)])
    func timeouts(_ text: String?, _ seconds: Int64) throws {
        #expect(try AnswerWait.timeout(text, at: "") == .seconds(seconds))
    }

    @Test(arguments: ["0s", "601s", "11m", "soon", "", "-1s"])
    func refusedTimeouts(_ text: String) { #expect(throws: ControlError.self) { try AnswerWait.timeout(text, at: "") } }
}

extension Desk {
    /// As `usher deliveries answer`.
    fileprivate func answer(_ id: String, _ action: String, _ message: String? = nil) throws(ControlError)
        -> GivenAnswer
    {
        let context = OperationContext(
            daemon.store, sessions: daemon.engine, configuration: nil, activator: nil,
            logger: Logger(level: .debug, sink: fixture.log), openings: .all)
        return try context.perform(DeliveriesAnswer(id, action: action, message: message))
    }

    /// The name of the error of an answer; nil where it is taken.
    fileprivate func code(of id: String, _ action: String) -> String? {
        do throws(ControlError) {
            _ = try answer(id, action)
            return nil
        } catch {
            return error.code.name
        }
    }
}
