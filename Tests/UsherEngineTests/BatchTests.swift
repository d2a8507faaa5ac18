import EngineTestSupport
import Foundation
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

/// Arrivals that are submitted together to a daemon.
@Suite("Batches")
struct BatchTests {
    typealias Fixture = DispatchFixture

    @Test("a batch is on disk before its events, and the events are in order")
    func events() throws {
        let fixture = try Fixture()
        let daemon = try Daemon(fixture)
        let seen = Locked<[String]>([])
        let lines = [Fixture.push(Fixture.crusty), #"{"aps":{"badge":1}}"#, "nonsense", Fixture.push(Fixture.crusty)]
        let arrivals = lines.enumerated().map { number, line in
            var arrival = Daemon.arrival(line)
            arrival.events.accepted = { [store = daemon.store] id in
                let state = (try? store.delivery(id))?.map(\.state)
                seen.with { $0.append("\(number) accepted \(state == nil ? "nowhere" : "stored")") }
            }
            arrival.events.finished = { [store = daemon.store] record in
                let state = (try? store.delivery(record.id))?.map(\.state)
                seen.with { $0.append("\(number) finished \(state?.isTerminal == true) \(record.action)") }
            }
            return arrival
        }
        #expect(daemon.engine.submit(arrivals))
        daemon.engine.closeIntake()
        daemon.engine.waitUntilIdle()
        let all = seen.with { $0 }
        #expect(all.filter { $0.hasSuffix("stored") }.count == 4)
        #expect(
            Set(all.filter { $0.contains("finished") }) == [
                "0 finished true launch", "1 finished true none", "2 finished true none", "3 finished true focus",
            ])
        for number in 0..<4 {
            let own = all.filter { $0.hasPrefix("\(number) ") }
            #expect(own.first?.contains("accepted") == true && own.count == 2, "\(own)")
        }
        #expect(daemon.engine.statistics.open == 0)
        #expect(!daemon.engine.submit([Daemon.arrival("{}")]), "closed")
    }

    @Test("one transaction takes a whole batch")
    func oneTransaction() throws {
        let fixture = try Fixture()
        let daemon = try Daemon(fixture)
        daemon.handle((0..<100).map { _ in Daemon.arrival(#"{"aps":{"badge":1}}"#) })
        #expect(daemon.engine.statistics.batches == 1)
        #expect(try daemon.store.deliveries(limit: 1000, states: [.done]).count == 100)
    }

    @Test("as many as one request may bring are taken")
    func largestBatch() throws {
        let daemon = try Daemon(try Fixture())
        let arrival = Daemon.arrival(#"{"aps":{"badge":1}}"#)
        #expect(daemon.engine.submit(Array(repeating: arrival, count: 10_000)))
        daemon.engine.closeIntake()
        daemon.engine.waitUntilIdle()
        #expect(try daemon.store.counts() == [.done: 10_000])
    }

    @Test("a change by another process is seen before a batch is decided")
    func staleWorld() throws {
        let fixture = try Fixture()
        let daemon = try Daemon(fixture)
        let other = try fixture.openStore()
        _ = try other.connect([.init(app: fixture.app.id, scene: "main")])
        let records = try daemon.records(of: [#"{"aps":{"alert":"hi"}}"#])
        #expect(records.map { "\($0.action) \($0.session ?? "-")" } == ["focus main-1"])
    }

    @Test("the same sender's id counts once, effect or none; what failed may be sent again")
    func duplicates() throws {
        let fixture = try Fixture()
        let daemon = try Daemon(fixture)
        func arrival(_ line: String, _ id: String) -> Arrival {
            var arrival = Daemon.arrival(line)
            arrival.senderID = id
            return arrival
        }
        let badge = #"{"aps":{"badge":1}}"#
        let records = try daemon.records(of: [
            arrival(badge, "a"), arrival(badge, "a"), arrival("nonsense", "b"), arrival(badge, "b"),
            arrival(Fixture.push(Fixture.crusty), "c"), arrival(Fixture.push(Fixture.crusty), "c"),
        ])
        #expect(
            records.map { "\($0.action) \($0.reason.rawValue)" } == [
                "none default", "none duplicate", "none invalid", "none default", "launch opens", "none duplicate",
            ])
        #expect(records.map(\.senderID) == ["a", "a", "b", "b", "c", "c"])
        let again = try daemon.records(of: [arrival(badge, "a")])
        #expect(again.first?.reason == .duplicate)
    }

    @Test("the same sender's id for another app is another request, for the same one a duplicate")
    func duplicatesOfApps() throws {
        let fixture = try Fixture()
        var other = fixture.app
        other.id = "example.other"
        other.domains = []
        let daemon = try Daemon(fixture)
        try daemon.engine.replaceConfiguration(
            Configuration(apps: [fixture.app, other], digest: "sha256:2"), missingPrograms: [])
        func arrival(_ app: String?, _ line: String = Fixture.push(Fixture.crusty)) -> Arrival {
            var arrival = Daemon.arrival(line)
            arrival.senderID = "same"
            arrival.app = app
            return arrival
        }
        func reasons(_ arrivals: [Arrival]) throws -> [String] {
            try daemon.records(of: arrivals).map { "\($0.app ?? "-") \($0.reason)" }
        }
        // The third asks for no app, and is the first one's by its domain.
        #expect(
            try reasons([arrival(fixture.app.id), arrival(other.id), arrival(nil), arrival(other.id)]) == [
                "example.clowntown opens", "example.other opens", "example.clowntown duplicate",
                "example.other duplicate",
            ])
        #expect(try reasons([arrival(other.id)]) == ["example.other duplicate"])
    }

    @Test("a store that refuses refuses the arrival")
    func refused() throws {
        let fixture = try Fixture()
        let daemon = try Daemon(fixture)
        let refusals = Locked<[String]>([])
        var arrival = Daemon.arrival(Fixture.push(Fixture.crusty))
        arrival.events.accepted = { _ in refusals.with { $0.append("accepted") } }
        arrival.events.refused = { problem in refusals.with { $0.append(problem.code.name) } }
        daemon.store.close()
        daemon.handle([arrival])
        #expect(refusals.with { $0 } == ["store.failed"])
        daemon.engine.waitUntilIdle()
    }
}

@Suite struct QueueBytesTests {
    @Test func openDeliveriesAreBoundedByWhatTheyTakeInTheStore() throws {
        let daemon = try Daemon(DispatchFixture(), queueBytes: 1 << 20)
        let small = Daemon.arrival(#"{"aps":{"badge":1}}"#)
        var large = small
        large.input += [UInt8](repeating: 32, count: 2 << 20)
        let id = UUIDv7.next()
        _ = try daemon.store.write { (state) throws(StoreError) in
            try state.accept(
                .init(
                    id: id, source: "test", accepted: 1, input: [UInt8](repeating: 32, count: (1 << 20) - 2000)))
        }
        #expect(daemon.store.totals.openBytes > (1 << 20) - 2000)
        #expect(!daemon.engine.submit([large]))
        #expect(!daemon.engine.submit([Arrival](repeating: small, count: 10)))
        #expect(try daemon.store.drop(delivery: id) { _ in "{}" } == .dropped)
        // One that is larger than all that is allowed would never be taken otherwise.
        #expect(daemon.engine.submit([large]))
        daemon.engine.closeIntake()
        daemon.engine.waitUntilIdle()
        #expect(daemon.store.totals.openCount == 0 && daemon.store.totals.openBytes == 0)
    }
}
