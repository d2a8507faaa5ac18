import Foundation
import StoreTestSupport
import Testing
import UsherScene

@testable import UsherStore

@Suite struct RedrivingTests {
    let folder = TemporaryDirectory()

    /// A session that was made for a delivery is gone with it if nothing was launched, whatever the reason was.
    @Test(arguments: [Reason.opens, .default, .requested])
    func aSessionEndsWithTheDeliveryThatItWasMadeFor(reason: Reason) throws {
        let store = try folder.open()
        var decision = Store.DecisionText.launch
        decision.reason = reason
        _ = try store.claim(
            .sample("a"), .create(.clown("crusty")), expecting: 0, begin: false, decision: decision)
        #expect(try store.sessions().sessions.count == 1)
        #expect(try store.drop(delivery: "a") { _ in "{}" } == .dropped)
        #expect(try store.sessions().sessions.isEmpty)
    }

    @Test(arguments: DeliveryState.allCases.filter(\.isTerminal))
    func whatDidNotHappenIsAskedForAgain(state: DeliveryState) throws {
        let store = try folder.open { $0.now = { 7000 } }
        var delivery = Store.NewDelivery.sample(sender: "S")
        delivery.expires = 5
        _ = try store.claim(delivery, .none, expecting: 0)
        try store.finish(delivery: delivery.id, state: state, record: "1")
        let result = try store.retry(delivery: delivery.id)
        let stored = try #require(try store.delivery(delivery.id))
        if state == .done {
            #expect(result == .refused(.done))
            #expect(stored.record == "1")
            #expect(try folder.number("SELECT count(*) FROM delivery_history") == 0)
            return
        }
        #expect(result == .accepted)
        #expect(stored.state == .accepted)
        #expect(stored.record == nil && stored.expires == nil && stored.finished == nil)
        #expect(stored.attempts == 1)
        #expect(stored.redriven == 1)
        let first = "state = '\(state.rawValue)' AND finished = 7000 AND record = '1' AND delivery = '\(delivery.id)'"
        #expect(try folder.number("SELECT count(*) FROM delivery_history WHERE \(first)") == 1)
        #expect(try store.unfinished() == [delivery.id])
        #expect(try store.retry(delivery: delivery.id) == .refused(.accepted))
        #expect(try store.retry(delivery: "nobody") == .unknown)
        // Not its own duplicate, nor that of one that came before it.
        guard case .claimed = try store.claim(stored.delivery, .none, expecting: 0) else {
            Issue.record("not claimed")
            return
        }
        try store.finish(delivery: delivery.id, state: .failed, record: "2")
        #expect(try store.retry(delivery: delivery.id) == .accepted)
        #expect(try folder.number("SELECT group_concat(record, '') FROM delivery_history ORDER BY number") == 12)
    }

    @Test func whatIsOpenAgainHasItsInputApart() throws {
        let store = try folder.open()
        let first = Store.NewDelivery.sample("first")
        try store.record(first, state: .failed, record: "{}")
        #expect(try folder.number("SELECT count(input) FROM delivery") == 1)
        try store.write { (state) throws(StoreError) in
            _ = try state.record(
                .sample("second"), target: nil, state: .duplicate, record: "{}", decision: nil, original: "first")
        }
        #expect(try store.retry(delivery: "first") == .accepted)
        #expect(try folder.number("SELECT count(input) FROM delivery") == 0)
        #expect(try folder.number("SELECT count(*) FROM delivery_input") == 1)
        for id in ["first", "second"] { #expect(try store.delivery(id)?.input == first.input) }
        try folder.expectTotals(store)
        // It ends, and is asked for once more.
        try store.finish(delivery: "first", state: .failed, record: "{}")
        #expect(try store.retry(delivery: "first") == .accepted)
        #expect(try store.delivery("first")?.input == first.input)
        try folder.expectTotals(store)
    }

    @Test func aDuplicateThatIsAskedForIsNoDuplicateAnyMore() throws {
        let store = try folder.open()
        _ = try store.claim(.sample("first", sender: "S"), .none, expecting: 0)
        try store.record(.sample("second", sender: "S"), state: .duplicate, record: "{}")
        #expect(try store.retry(delivery: "second") == .accepted)
        let second = try #require(try store.delivery("second"))
        guard case .claimed = try store.claim(second.delivery, .none, expecting: 0) else {
            Issue.record("still a duplicate")
            return
        }
    }

    @Test func whatIsFinishedIsForgottenWithItsHistory() throws {
        let store = try folder.open()
        try store.record(.sample("a"), state: .failed, record: "1")
        _ = try store.retry(delivery: "a")
        _ = try store.claim(.sample("a"), .none, expecting: 0)
        #expect(try store.drop(delivery: "a") { _ in "" } == .acting)
        try store.finish(delivery: "a", state: .done, record: "2")
        #expect(try store.drop(delivery: "a") { _ in "" } == .removed)
        #expect(try store.delivery("a") == nil)
        #expect(try folder.number("SELECT count(*) FROM delivery_history") == 0)
        #expect(try store.drop(delivery: "a") { _ in "" } == .unknown)
    }

    @Test func whatHasNotBegunIsDroppedWithItsSession() throws {
        let store = try folder.open()
        _ = try store.claim(.sample("a"), .create(.clown("crusty")), expecting: 0, begin: false)
        #expect(try store.drop(delivery: "a") { "\($0.id) dropped" } == .dropped)
        #expect(try store.delivery("a")?.state == .failed)
        #expect(try store.delivery("a")?.record == "a dropped")
        #expect(try store.sessions().sessions.isEmpty)
        #expect(try store.begin(delivery: "a", attempt: 1, nonce: "n") == .finished(.failed))
        _ = try store.connect([.clown("bozo", id: "b", state: .disconnected)])
        let generation = try store.generation()
        let decision = Store.DecisionText(action: .launch, reason: .prefers)
        _ = try store.claim(
            .sample("c"), .activate(session: "b"), expecting: generation, begin: false, decision: decision)
        #expect(try store.session(id: "b")?.state == .connecting)
        #expect(try store.drop(delivery: "c") { _ in "" } == .dropped)
        #expect(try store.session(id: "b")?.state == .disconnected)
    }

    @Test func aStoreOfVersionOneIsBroughtUpToDate() throws {
        do {
            let connection = try folder.makeStore(version: 1)
            try connection.execute(
                """
                INSERT INTO condition VALUES (1, 'TRUEPREDICATE');
                INSERT INTO session VALUES
                    (1, 'main-1', 'example.clowntown', 'main', 'windowApplication', NULL, 1, 0, 1, 0, 'connected', NULL, 1, 1,
                     NULL, NULL, NULL, 9);
                """)
            for (id, end) in [("open", "acting"), ("done", "done"), ("failed", "failed")] {
                try connection.execute(
                    """
                    INSERT INTO delivery (id, source, accepted, state, attempts, owner_boot, owner_pid, owner_start, input)
                    VALUES ('\(id)', 'stdin', 1, '\(end)', 1, 'boot', 1, 1, x'7b7d')
                    """)
            }
        }
        let store = try folder.open()
        #expect(try store.unfinished() == ["open"])
        #expect(try folder.number("SELECT count(*) FROM delivery WHERE finished IS NULL") == 1)
        #expect(try store.retry(delivery: "failed") == .accepted)
        #expect(try store.sessions().sessions.count == 1)
        #expect(try folder.number("PRAGMA foreign_key_check") == nil)
        try store.check()
    }

    @Test func notesTakeNoRoomFromDeliveries() throws {
        let store = try folder.open()
        let text = String(repeating: "x ", count: 400_000)
        try store.write { (state) throws(StoreError) in
            for number in 0..<4 {
                try state.run(
                    "INSERT INTO note (id, text, state, line, created, changed) VALUES (?, ?, 'done', 1, 1, 1)",
                    .blob([UInt8](repeating: UInt8(number), count: 16)), .text(text))
            }
        }
        try store.record((0..<50).map { Store.Finished(.sample("d-\($0)"), state: .done, record: "{}") })
        var keep = Store.Retention.default
        keep.megabytes = 2
        #expect(try store.pruneDeliveries(now: 1_000_000_000, keeping: keep) == 0)
        #expect(try store.deliveries(limit: 100).count == 50)
    }

    @Test func theOldestGoWhereTheStoreIsTooLarge() throws {
        let store = try folder.open()
        try store.accept([.sample("open")])
        let record = String(repeating: "x", count: 20_000)
        try store.record((0..<300).map { Store.Finished(.sample("d-\($0)"), state: .done, record: record) })
        let now = Int64(1_000_000_000)
        var keep = Store.Retention.default
        keep.megabytes = 3
        let pruned = try store.pruneDeliveries(now: now, keeping: keep)
        let left = try store.deliveries(limit: 1000).map(\.id)
        #expect(pruned > 100 && pruned < 250, "\(pruned)")
        #expect(left.first == "d-299" && left.last == "open")
        #expect(left.count == 301 - pruned)
        #expect(try store.pruneDeliveries(now: now, keeping: keep) == 0)
        keep.megabytes = 0
        try store.pruneDeliveries(now: now, keeping: keep)
        #expect(try store.deliveries().map(\.id) == ["open"])
    }
}
