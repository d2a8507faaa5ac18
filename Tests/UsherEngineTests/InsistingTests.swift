import EngineTestSupport
import Foundation
import TestSupport
import Testing
import UsherActivation
import UsherLog
import UsherScene
import UsherSystem
import UsherText

@testable import UsherEngine
@testable import UsherStore

/// What becomes of requests while the store takes nothing: locked by another program, full, or gone.
@Suite("Insisting")
struct InsistingTests {
    typealias Fixture = DispatchFixture

    /// An engine with a background handler that waits for `folder/go`, and the records that are published.
    final class Scene {
        let fixture: Fixture
        let daemon: Daemon
        let records = Locked<[Int: DecisionRecord]>([:])
        let ids = Locked<[Int: String]>([:])

        init(maximumPages: Int? = nil) throws {
            fixture = try Fixture()
            WaitingTests().gate(fixture)
            daemon = try Daemon(fixture) { options in
                options.busyTimeout = 50
                options.maximumPages = maximumPages
            }
        }

        func send(_ number: Int) {
            var arrival = Daemon.arrival(WaitingTests.background(number: number))
            arrival.events.accepted = { [ids] id in ids.with { $0[number] = id } }
            arrival.events.finished = { [records] record in records.with { $0[number] = record } }
            daemon.handle([arrival])
        }

        /// The first has begun, the second waits behind it.
        func begin() throws {
            send(0)
            try waitUntil("it has begun") { !fixture.read("begun").isEmpty }
            send(1)
        }

        func open() { WaitingTests().open(fixture) }

        /// Another program's connection, with a write begun.
        func lock() throws -> Lock { try Lock(fixture.folder + "/usher.db") }

        /// By a connection of its own.
        func state(_ number: Int) throws -> DeliveryState? {
            let id = ids.with { $0[number] ?? "" }
            return try fixture.openStore(.readOnly).delivery(id)?.state
        }

        /// The store refuses, and the engine has gone on since: it has turned a new request away.
        func waitUntilRefused() throws {
            try waitUntil("the store refuses") { daemon.engine.statistics.isRefusing }
            let isRefused = Locked(false)
            let filler = String(repeating: "x", count: 100_000)
            var arrival = Daemon.arrival(#"{"aps":{"content-available":1},"filler":"\#(filler)"}"#)
            arrival.events.refused = { _ in isRefused.with { $0 = true } }
            daemon.handle([arrival])
            #expect(isRefused.with { $0 })
        }
    }

    final class Lock {
        private var connection: SQLiteConnection?

        init(_ path: String) throws {
            connection = try SQLiteConnection(path: path, mode: .readWrite, busyTimeout: 30_000)
            try connection?.execute("BEGIN IMMEDIATE")
        }

        func release() throws {
            try connection?.execute("ROLLBACK")
            connection = nil
        }
    }

    @Test("a record that a lock keeps from the journal is published once it is written")
    func lockedEnd() throws {
        let scene = try Scene()
        try scene.begin()
        let lock = try scene.lock()
        scene.open()
        try scene.waitUntilRefused()
        #expect(scene.records.with { $0.isEmpty }, "no record is published before the journal has it")
        #expect(try scene.state(0) == .acting && scene.state(1) == .resolved)
        #expect(scene.fixture.read("ran") == "0\n", "what could not be journalled does not begin")
        try lock.release()
        scene.daemon.engine.waitUntilIdle()
        #expect(scene.records.with { $0.mapValues(\.outcome) } == [0: .done, 1: .done])
        #expect(scene.records.with { $0.values.allSatisfy { $0.error == nil } })
        #expect(try scene.state(0) == .done && scene.state(1) == .done)
        #expect(scene.fixture.read("ran") == "0\n1\n")
        #expect(!scene.daemon.engine.statistics.isRefusing)
        #expect(scene.daemon.engine.statistics.open == 0)
    }

    @Test("an effect whose beginning cannot be journalled waits, and is neither run nor told")
    func lockedBegin() throws {
        let scene = try Scene()
        try scene.begin()
        let lock = try scene.lock()
        scene.open()
        try scene.waitUntilRefused()
        #expect(scene.records.with { $0.isEmpty })
        #expect(scene.fixture.read("begun") == "begun\n", "the second has not begun")
        try lock.release()
        scene.daemon.engine.waitUntilIdle()
        #expect(scene.records.with { $0[1]?.outcome } == .done)
        #expect(scene.fixture.read("ran") == "0\n1\n")
        #expect(try scene.daemon.store.delivery(scene.ids.with { $0[1] ?? "" })?.attempts == 1)
    }

    @Test("a full disk that has room again takes the end that waited")
    func fullDisk() throws {
        let scene = try Scene(maximumPages: 120)
        try scene.begin()
        // Up to the last byte: what is written there later finds no room.
        var failure: StoreError?
        for _ in 0..<10_000 where failure == nil {
            do {
                let filler = Store.NewDelivery(id: UUIDv7.next(), source: "filler", accepted: 1, input: [])
                try scene.daemon.store.record(filler, state: .done, record: "{}")
            } catch {
                failure = error
            }
        }
        #expect(failure?.code == .storeFull)
        scene.open()
        try scene.waitUntilRefused()
        #expect(scene.records.with { $0.isEmpty })
        #expect(try scene.state(0) == .acting)
        let store = scene.daemon.store
        // Changing how large the file may be writes nothing.
        try store.write { (state) throws(StoreError) in _ = try state.run("PRAGMA max_page_count = 100000") }
        scene.daemon.engine.waitUntilIdle()
        #expect(scene.records.with { $0.mapValues(\.outcome) } == [0: .done, 1: .done])
        #expect(try scene.state(0) == .done && scene.state(1) == .done)
        #expect(scene.fixture.read("ran") == "0\n1\n")
    }

    @Test("a record that a stop leaves unwritten is not published, and the next run recovers it")
    func stopped() throws {
        let scene = try Scene()
        try scene.begin()
        let lock = try scene.lock()
        scene.open()
        try scene.waitUntilRefused()
        #expect(scene.daemon.engine.stop(within: 30))
        #expect(scene.records.with { $0.isEmpty })
        scene.daemon.store.close()
        try lock.release()
        let next = try Daemon(scene.fixture)
        let told = Locked<[String: DecisionRecord]>([:])
        next.engine.observe { record in told.with { $0[record.id] = record } }
        #expect(try next.engine.recover() == 2)
        try waitUntil("both are published") { told.with { $0.count == 2 } }
        let ids = scene.ids.with { $0 }
        #expect(told.with { $0[ids[0] ?? ""]?.outcome } == .unverified)
        #expect(told.with { $0[ids[1] ?? ""]?.outcome } == .done)
        #expect(scene.fixture.read("ran") == "0\n1\n")
    }

    @Test("a run with a waiting caller ends: its record has the store's error")
    func withoutQueue() throws {
        let fixture = try Fixture()
        WaitingTests().gate(fixture)
        let daemon = try Daemon(fixture, patience: .milliseconds(200)) { $0.busyTimeout = 50 }
        let told = Locked<[DecisionRecord]>([])
        daemon.engine.observe { record in told.with { $0.append(record) } }
        for number in 0..<2 {
            daemon.handle([Daemon.arrival(WaitingTests.background(number: number))])
            if number == 0 { try waitUntil("it has begun") { !fixture.read("begun").isEmpty } }
        }
        let lock = try Lock(fixture.folder + "/usher.db")
        WaitingTests().open(fixture)
        daemon.engine.waitUntilIdle()
        try lock.release()
        #expect(told.with { $0.map { $0.error?.code } } == [.storeBusy, .storeBusy])
        // The one that never began says that it is still open.
        #expect(told.with { $0.last?.warnings.map(\.name) } == ["store.busy"])
        #expect(fixture.read("ran") == "0\n")
    }

    @Test("a store whose folder was removed takes nothing, and says so; moved back it goes on")
    func gone() throws {
        let scene = try Scene()
        scene.open()
        let away = scene.fixture.folder + "-away"
        try FileManager.default.moveItem(atPath: scene.fixture.folder, toPath: away)
        let refusals = Locked<[String]>([])
        var arrival = Daemon.arrival(WaitingTests.background())
        arrival.events.accepted = { _ in refusals.with { $0.append("accepted") } }
        arrival.events.refused = { problem in refusals.with { $0.append("\(problem.code.code) \(problem.code.name)") } }
        scene.daemon.handle([arrival])
        #expect(refusals.with { $0 } == ["U4105 store.gone"])
        #expect(scene.daemon.engine.statistics.isRefusing)
        try FileManager.default.moveItem(atPath: away, toPath: scene.fixture.folder)
        scene.send(0)
        #expect(!scene.daemon.engine.statistics.isRefusing)
        scene.daemon.engine.waitUntilIdle()
        #expect(scene.records.with { $0[0]?.outcome } == .done)
    }
}
