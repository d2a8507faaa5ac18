import EngineTestSupport
import Foundation
import TestSupport
import Testing
import UsherActivation
import UsherJSON
import UsherLog
import UsherPayload
import UsherScene

@testable import UsherEngine
@testable import UsherStore

/// Requests that do not begin at once: expired, collapsed, tried again, queued, asked for again, dropped.
@Suite("Waiting")
struct WaitingTests {
    typealias Fixture = DispatchFixture

    /// A push in an envelope with headers.
    static func push(_ target: String = Fixture.crusty, _ headers: String) -> String {
        #"{"payload":\#(Fixture.push(target)),"headers":{"apns-topic":"example.clowntown",\#(headers)}}"#
    }

    /// A background push, whose handler the fixture has.
    static func background(_ headers: String = "", number: Int = 0) -> String {
        #"{"payload":{"aps":{"content-available":1},"n":\#(number)},"headers":{"apns-topic":"example.clowntown"\#(headers)}}"#
    }

    /// A background handler that ends when `folder/go` is there, and leaves a line in `folder/ran`.
    func gate(_ fixture: Fixture) {
        var command = fixture.shell(
            "n=$(sed 's/.*\"n\":\\([0-9]*\\).*/\\1/'); echo begun >> \(fixture.folder)/begun;"
                + " while [ ! -e \(fixture.folder)/go ]; do sleep 0.02; done; echo $n >> \(fixture.folder)/ran")
        command.timeLimit = 60_000
        fixture.app.background = command
    }

    func open(_ fixture: Fixture) { _ = FileManager.default.createFile(atPath: fixture.folder + "/go", contents: nil) }

    // MARK: Expiry

    @Test(
        "what has expired is not begun",
        arguments: [("1", "expired"), ("99999999999", "opens"), ("0", "opens"), ("soon", "opens")])
    func expiry(_ expiration: String, reason: String) throws {
        let fixture = try Fixture()
        let daemon = try Daemon(fixture)
        let record = try #require(
            try daemon.records(of: [Self.push(Fixture.crusty, #""apns-expiration":"\#(expiration)""#)]).first)
        #expect(record.reason.rawValue == reason)
        #expect(record.error == nil)
        let stored = try #require(try daemon.store.delivery(record.id))
        if reason == "expired" {
            #expect("\(record.action) \(record.outcome)" == "none skipped")
            #expect(stored.state == .expired)
            #expect(fixture.windows.performed.isEmpty)
            #expect(try daemon.store.sessions().sessions.isEmpty)
        } else {
            #expect(stored.state == .done)
        }
    }

    @Test("what is to be tried at once or never expires where it has to wait")
    func onceOrNever() throws {
        let fixture = try Fixture()
        gate(fixture)
        let daemon = try Daemon(fixture)
        let records = Locked<[Int: DecisionRecord]>([:])
        for number in 0..<3 {
            var arrival = Daemon.arrival(Self.background(number == 1 ? #","apns-expiration":"0""# : "", number: number))
            arrival.events.finished = { record in records.with { $0[number] = record } }
            daemon.handle([arrival])
        }
        open(fixture)
        daemon.engine.waitUntilIdle()
        #expect(records.with { $0[1]?.reason } == .expired)
        #expect(fixture.read("ran") == "0\n2\n")
    }

    // MARK: Collapse

    @Test("of those that wait with one collapse id, the newest counts")
    func collapse() throws {
        let fixture = try Fixture()
        gate(fixture)
        let daemon = try Daemon(fixture)
        let records = Locked<[Int: DecisionRecord]>([:])
        let headers = [#","apns-collapse-id":"a""#, "", #","apns-collapse-id":"a""#, #","apns-collapse-id":"b""#]
        // The first begins; of the others, three have the same collapse id as one that waits.
        let order = [0, 0, 1, 3, 2, 2]
        for (number, kind) in order.enumerated() {
            var arrival = Daemon.arrival(Self.background(headers[kind], number: number))
            arrival.events.finished = { record in records.with { $0[number] = record } }
            daemon.handle([arrival])
            if number == 0 { try waitUntil("it has begun") { !fixture.read("begun").isEmpty } }
        }
        // Told at once, while the first one is still at it.
        #expect(records.with { $0.keys.sorted() } == [1, 4])
        open(fixture)
        daemon.engine.waitUntilIdle()
        #expect(fixture.read("ran") == "0\n2\n3\n5\n")
        for (number, record) in records.with({ $0 }) {
            let isCollapsed = number == 1 || number == 4
            #expect((record.reason == .collapsed) == isCollapsed, "\(number)")
            #expect(try daemon.store.delivery(record.id)?.state == (isCollapsed ? .collapsed : .done))
            if isCollapsed { #expect(record.action == .none && record.outcome == .skipped && record.error == nil) }
        }
    }

    @Test("a collapsed launch takes the session along that was made for it")
    func collapsedLaunch() throws {
        let fixture = try Fixture()
        let daemon = try Daemon(fixture, lanes: 1)
        gate(fixture)
        fixture.app.scenes[1].launch = LaunchHandler(method: .exec, command: Fixture.command("true", "{target}"))
        try daemon.engine.replaceConfiguration(
            Configuration(apps: [fixture.app], digest: "sha256:2"), missingPrograms: [])
        daemon.handle([Daemon.arrival(Self.background())])
        let records = Locked<[Int: DecisionRecord]>([:])
        for number in 0..<2 {
            var arrival = Daemon.arrival(Self.push(Fixture.crusty, #""apns-collapse-id":"x""#))
            arrival.events.finished = { record in records.with { $0[number] = record } }
            daemon.handle([arrival])
        }
        #expect(records.with { $0[0]?.reason } == .collapsed)
        open(fixture)
        daemon.engine.waitUntilIdle()
        #expect(records.with { $0[1]?.reason } == .opens)
        #expect(try daemon.store.sessions().sessions.count == 1)
    }

    // MARK: Tries

    /// Fails a given number of times, then succeeds.
    func failing(_ fixture: Fixture, _ count: Int, attempts: Int) -> Command {
        var command = fixture.shell(
            "echo x >> \(fixture.folder)/tries; [ $(wc -l < \(fixture.folder)/tries) -gt \(count) ]")
        command.retry = RetryPolicy(attempts: attempts, first: 20, limit: 50)
        return command
    }

    @Test("a handler that fails twice is tried again, and done at the third try")
    func retry() throws {
        let fixture = try Fixture()
        fixture.app.background = failing(fixture, 2, attempts: 5)
        let daemon = try Daemon(fixture)
        let record = try #require(try daemon.records(of: [Self.background()]).first)
        #expect(record.outcome == .done)
        #expect(record.warnings.map(\.name) == ["delivery.tried-again", "delivery.tried-again"])
        #expect(fixture.read("tries") == "x\nx\nx\n")
        let stored = try #require(try daemon.store.delivery(record.id))
        #expect(stored.state == .done)
        #expect(stored.attempts == 3)
        #expect(daemon.engine.statistics.retries == 2)
        // The same for a run of the program: its record waits for the last try.
        let records = try fixture.dispatch([#"{"aps":{"content-available":1}}"#])
        #expect(records.map { $0["outcome"]?.string } == ["done"])
    }

    @Test("a delivery that is cancelled before it is taken up ends as interrupted, and its handler is not run")
    func cancelled() throws {
        let fixture = try Fixture()
        fixture.app.background = fixture.shell("touch \(fixture.folder)/begun")
        let daemon = try Daemon(fixture)
        let cancellation = Cancellation()
        var arrival = Daemon.arrival(Self.background())
        arrival.cancellation = cancellation
        daemon.engine.cancel(cancellation)
        daemon.handle([arrival])
        daemon.engine.waitUntilIdle()
        let stored = try #require(try daemon.store.deliveries().first)
        #expect(stored.state == .failed)
        let record = try JSONValue(parsing: Array((stored.record ?? "").utf8))
        #expect(record["error"]?["name"]?.string == "activation.interrupted")
        #expect(!FileManager.default.fileExists(atPath: fixture.folder + "/begun"))
    }

    @Test("a cancelled run ends every delivery that waits, however many wait for one handler")
    func manyCancelled() throws {
        let fixture = try Fixture()
        gate(fixture)
        let daemon = try Daemon(fixture)
        let cancellation = Cancellation()
        daemon.handle(
            (0..<1000).map { number in
                var arrival = Daemon.arrival(Self.background(number: number))
                arrival.cancellation = cancellation
                return arrival
            })
        try waitUntil("the first has begun") { !fixture.read("begun").isEmpty }
        daemon.engine.cancel(cancellation)
        open(fixture)
        daemon.engine.waitUntilIdle()
        // The one that had begun may end as it likes.
        let states = try daemon.store.deliveries(limit: 2000).map(\.state)
        #expect(states.count == 1000)
        #expect(states.filter { $0 == .failed }.count >= 999)
        #expect(!states.contains { !$0.isTerminal })
        #expect(fixture.read("begun") == "begun\n")
    }

    @Test("a launch that fails leaves no session between its tries")
    func retryLaunch() throws {
        let fixture = try Fixture()
        var command = failing(fixture, 2, attempts: 3)
        // It runs until the test ends: the session lives as long as its process. A busy machine may need more than the usual
        // grace until it says that it is there, or fails.
        let sign = "'\(fixture.folder)/up'"
        command.arguments[2] += " && touch \(sign) && while [ -e \(sign) ]; do sleep 1; done"
        command.arguments += ["sh", "{target}"]
        command.timeLimit = 120_000
        var launch = LaunchHandler(method: .exec, command: command)
        launch.ready = .exec(fixture.shell("[ -e \(sign) ]"))
        launch.grace = 120_000
        fixture.app.scenes[1].launch = launch
        let daemon = try Daemon(fixture)
        let record = try #require(try daemon.records(of: [Fixture.push(Fixture.crusty)]).first)
        #expect("\(record.action) \(record.outcome)" == "launch done")
        let left = try daemon.store.sessions().sessions
        #expect(left.map(\.state) == [.connected], "\(left)")
    }

    @Test("what fails at its last try is a dead letter, which can be asked for again")
    func deadLetter() throws {
        let fixture = try Fixture()
        fixture.app.background = failing(fixture, 5, attempts: 3)
        let daemon = try Daemon(fixture)
        let record = try #require(try daemon.records(of: [Self.background()]).first)
        #expect(record.outcome == .failed)
        #expect(record.error?.code == .exitStatus)
        #expect(try daemon.store.delivery(record.id)?.state == .failed)
        let seen = Locked<[DecisionRecord]>([])
        daemon.engine.observe { record in seen.with { $0.append(record) } }
        #expect(try daemon.engine.retry(delivery: record.id) == .accepted)
        try waitUntil("it is done") { try daemon.store.delivery(record.id)?.state == .done }
        try waitUntil("it is published") { seen.with { $0.count } == 1 }
        let stored = try #require(try daemon.store.delivery(record.id))
        #expect(stored.attempts == 6)
        #expect(try daemon.engine.retry(delivery: record.id) == .refused(.done))
        #expect(try daemon.engine.retry(delivery: "nobody") == .unknown)
    }

    /// A flood of requests whose sender is not known cannot fill the screen with windows.
    @Test("windows that unknown senders open are limited by app and minute")
    func newWindows() throws {
        let fixture = try Fixture()
        let daemon = try Daemon(fixture)
        func arrivals(_ numbers: Range<Int>, limit: Int?) -> [Arrival] {
            numbers.map { number in
                var arrival = Daemon.arrival(Fixture.push("https://clowntown.example/clowns/new-\(number)"))
                arrival.newWindowLimit = limit
                return arrival
            }
        }
        let records = try daemon.records(of: arrivals(0..<5, limit: 3))
        #expect(records.map(\.action) == [.launch, .launch, .launch, .none, .none])
        #expect(records.map(\.policy).suffix(2) == [.rate, .rate])
        #expect(records.last?.warnings.map(\.name) == ["activation.too-many-windows"])
        #expect(records.last?.outcome == .skipped && records.last?.error == nil)
        // A window that is there is brought forward all the same, and a known sender opens as many as it wants.
        #expect(try daemon.records(of: arrivals(0..<1, limit: 3)).map(\.action) == [.focus])
        #expect(try daemon.records(of: arrivals(3..<5, limit: nil)).map(\.action) == [.launch, .launch])
    }

    @Test("a time limit is tried again only where that does no harm", arguments: [true, false])
    func timeLimit(isIdempotent: Bool) throws {
        let fixture = try Fixture()
        var command = fixture.shell(
            "echo x >> \(fixture.folder)/tries; [ $(wc -l < \(fixture.folder)/tries) -gt 1 ] || sleep 20")
        command.timeLimit = 200
        command.idempotent = isIdempotent
        command.retry = RetryPolicy(attempts: 3, first: 10)
        fixture.app.background = command
        let record = try #require(try Daemon(fixture).records(of: [Self.background()]).first)
        #expect(record.outcome == (isIdempotent ? .done : .unverified))
    }

    @Test("waits double up to the limit, give or take a quarter")
    func backoff() {
        let policy = RetryPolicy(attempts: 9, first: 1000, limit: 5000)
        #expect(
            (1...5).map { policy.delay(afterTry: $0, jitter: 0.5) } == [1, 2, 4, 5, 5].map { .seconds($0) })
        #expect(policy.delay(afterTry: 1, jitter: 0) == .milliseconds(750))
        #expect(policy.delay(afterTry: 1, jitter: 1) == .milliseconds(1250))
        #expect(policy.delay(afterTry: .max, jitter: 1) == .milliseconds(6250))
    }

    @Test("a try that was due when its engine died is made by the next one")
    func retryAfterDeath() throws {
        let fixture = try Fixture()
        fixture.app.background = failing(fixture, 1, attempts: 3)
        if var command = fixture.app.background {
            command.retry?.first = 60_000
            command.retry?.limit = 60_000
            fixture.app.background = command
        }
        var id = ""
        do {
            let daemon = try Daemon(fixture)
            daemon.handle([Daemon.arrival(Self.background())])
            try waitUntil("it waits for its try") { daemon.engine.statistics.retrying == 1 }
            let waiting = try #require(try daemon.store.deliveries().first)
            #expect(waiting.state == .accepted)
            #expect(waiting.due != nil)
            #expect(waiting.attempts == 1)
            id = waiting.id
            #expect(daemon.engine.stop(within: 30))
        }
        // An hour later, as it were.
        let store = try fixture.openStore()
        try store.write { (state) throws(StoreError) in _ = try state.run("UPDATE delivery SET due = 1") }
        store.close()
        let daemon = try Daemon(fixture)
        #expect(try daemon.engine.recover() == 1)
        try waitUntil("it is done") { try daemon.store.delivery(id)?.state == .done }
        #expect(try daemon.store.delivery(id)?.attempts == 2)
    }

    // MARK: The queue

    @Test("when lanes are full arrivals wait in the journal, are taken up in order, and then turned away")
    func backpressure() throws {
        let fixture = try Fixture()
        gate(fixture)
        // One source and app has half of the places.
        let daemon = try Daemon(fixture, queue: 12, lanes: 4)
        #expect(daemon.engine.submit((0..<10).map { Daemon.arrival(Self.background(number: $0)) }))
        try waitUntil("it is journalled") { try daemon.store.counts().values.reduce(0, +) == 10 }
        try waitUntil("lanes are full") { daemon.engine.statistics.waiting == 8 }
        #expect(try daemon.store.counts()[.accepted] == 8)
        #expect(daemon.engine.statistics.open == 10)
        #expect(daemon.engine.submit([Daemon.arrival(Self.background(number: 10))]))
        try waitUntil("it is journalled") { daemon.engine.statistics.open == 11 }
        #expect(!daemon.engine.submit([Daemon.arrival(Self.background()), Daemon.arrival(Self.background())]))
        #expect(daemon.engine.statistics.oldestWaiting > .zero)
        open(fixture)
        daemon.engine.closeIntake()
        daemon.engine.waitUntilIdle()
        #expect(fixture.read("ran") == (0...10).map { "\($0)\n" }.joined())
        #expect(try daemon.store.counts() == [.done: 11])
        #expect(daemon.engine.statistics.open == 0)
    }

    @Test("what is left in the journal is taken up by the next engine, in order")
    func afterRestart() throws {
        let fixture = try Fixture()
        gate(fixture)
        do {
            let daemon = try Daemon(fixture, lanes: 2)
            daemon.handle((0..<10).map { Daemon.arrival(Self.background(number: $0)) })
            try waitUntil("it has begun") { !fixture.read("begun").isEmpty }
            #expect(!daemon.engine.stop(within: 0.05))
            open(fixture)
            #expect(daemon.engine.stop(within: 30))
        }
        #expect(fixture.read("ran") == "0\n")
        let daemon = try Daemon(fixture)
        #expect(try daemon.engine.recover() == 9)
        try waitUntil("all are done") { try daemon.store.counts() == [.done: 10] }
        #expect(fixture.read("ran") == (0..<10).map { "\($0)\n" }.joined())
    }

    @Test("what has arrived in this run is not taken up as the work of an earlier one")
    func living() throws {
        let fixture = try Fixture()
        gate(fixture)
        let daemon = try Daemon(fixture, lanes: 1)
        daemon.handle((0..<4).map { Daemon.arrival(Self.background(number: $0)) })
        #expect(try daemon.engine.recover() == 0)
        open(fixture)
        daemon.engine.waitUntilIdle()
        #expect(fixture.read("ran") == "0\n1\n2\n3\n")
    }

    @Test("what waits can be dropped, what acts cannot, what is done is forgotten")
    func drop() throws {
        let fixture = try Fixture()
        gate(fixture)
        let daemon = try Daemon(fixture, lanes: 2)
        let records = Locked<[Int: DecisionRecord]>([:])
        let ids = Locked<[Int: String]>([:])
        daemon.handle(
            (0..<4).map { number in
                var arrival = Daemon.arrival(Self.background(number: number))
                arrival.events.accepted = { id in ids.with { $0[number] = id } }
                arrival.events.finished = { record in records.with { $0[number] = record } }
                return arrival
            })
        try waitUntil("it has begun") { !fixture.read("begun").isEmpty }
        let id = ids.with { $0 }
        #expect(try daemon.engine.drop(delivery: id[0] ?? "") == .acting)
        // The second waits in its lane, the third in the journal.
        #expect(try daemon.engine.drop(delivery: id[1] ?? "") == .dropped)
        #expect(try daemon.engine.drop(delivery: id[2] ?? "") == .dropped)
        open(fixture)
        daemon.engine.waitUntilIdle()
        #expect(fixture.read("ran") == "0\n3\n")
        #expect(records.with { $0[1]?.error?.code } == .deliveryDropped)
        #expect(records.with { $0[2]?.error?.code } == .deliveryDropped)
        #expect(try daemon.store.counts() == [.done: 2, .failed: 2])
        #expect(try daemon.engine.drop(delivery: id[0] ?? "") == .removed)
        #expect(try daemon.engine.drop(delivery: id[0] ?? "") == .unknown)
    }

    // MARK: While it runs

    @Test("a configuration replaced is decided by from then on; what is on its way is done as it was decided")
    func replacedConfiguration() throws {
        let fixture = try Fixture()
        gate(fixture)
        let daemon = try Daemon(fixture)
        let records = Locked<[DecisionRecord]>([])
        daemon.engine.observe { record in records.with { $0.append(record) } }
        daemon.handle([Daemon.arrival(Self.background()), Daemon.arrival(Self.background())])
        fixture.app.background = fixture.shell("echo new >> \(fixture.folder)/ran")
        try daemon.engine.replaceConfiguration(
            Configuration(apps: [fixture.app], digest: "sha256:2"), missingPrograms: [])
        #expect(daemon.engine.configuration.digest == "sha256:2")
        daemon.handle([Daemon.arrival(Self.background())])
        open(fixture)
        daemon.engine.waitUntilIdle()
        #expect(fixture.read("ran") == "0\n0\nnew\n")
        #expect(records.with { $0.map(\.configuration) } == ["sha256:1", "sha256:1", "sha256:2"])
    }

    @Test("sessions that change through the engine are decided on at once")
    func sessions() throws {
        let fixture = try Fixture()
        let daemon = try Daemon(fixture)
        let made = try daemon.engine.connect([.init(app: fixture.app.id, scene: "main")])
        #expect(made.map(\.id) == ["main-1"])
        #expect(try daemon.records(of: [#"{"aps":{"alert":"hi"}}"#]).first?.session == "main-1")
        #expect(try daemon.engine.change(session: "main-1", .init(state: .closing))?.state == .closing)
        #expect(try daemon.records(of: [#"{"aps":{"alert":"hi"}}"#]).first?.session == "main-2")
        #expect(try daemon.engine.end(session: "main-1"))
        #expect(try daemon.engine.sessions().map(\.id) == ["main-2"])
        #expect(try daemon.store.sessions().sessions.map(\.id) == ["main-2"])
        #expect(try daemon.engine.end(session: "main-1") == false)
    }
}
