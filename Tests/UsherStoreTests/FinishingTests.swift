import StoreTestSupport
import Testing
import UsherScene

@testable import UsherStore

@Suite struct FinishingTests {
    let folder = TemporaryDirectory()

    @Test func finishingWritesTheRecordAndChangesTheSession() throws {
        let store = try folder.open { $0.now = { 7000 } }
        let delivery = Store.NewDelivery.sample()
        _ = try store.claim(delivery, .create(.clown("crusty")), expecting: 0)
        let result = try store.finish(
            delivery: delivery.id, state: .done, record: #"{"outcome":"verified"}"#,
            session: ("clown-1", .init(state: .connected, used: true, handle: "@3", handleServer: "s")))
        guard case .finished(let session?, 2) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(session.state == .connected)
        #expect(session.used == 7000)
        #expect(session.generation == 2)
        #expect(try store.session(id: "clown-1")?.handle == "@3")
        let stored = try #require(try store.delivery(delivery.id))
        #expect(stored.state == .done)
        #expect(stored.record == #"{"outcome":"verified"}"#)
        #expect(stored.finished == 7000)
        #expect(stored.evidence == [1, 2])
        #expect(stored.input == delivery.input)
    }

    @Test func finishingAgainChangesNothing() throws {
        let store = try folder.open()
        let delivery = Store.NewDelivery.sample()
        _ = try store.claim(delivery, .create(.clown("crusty")), expecting: 0)
        try store.finish(delivery: delivery.id, state: .failed, record: "1")
        let before = try store.delivery(delivery.id)
        let result = try store.finish(
            delivery: delivery.id, state: .done, record: "2", session: ("clown-1", .init(used: true)),
            endSession: "clown-1")
        guard case .alreadyFinished(.failed) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(try store.delivery(delivery.id) == before)
        #expect(try store.session(id: "clown-1")?.used == nil)
        #expect(try store.generation() == 1)
        guard case .unknown = try store.finish(delivery: "nobody", state: .done, record: "3") else {
            Issue.record("finished what is not there")
            return
        }
    }

    @Test func aSessionEndsWithTheDelivery() throws {
        let store = try folder.open()
        let delivery = Store.NewDelivery.sample()
        _ = try store.claim(delivery, .create(.clown("crusty")), expecting: 0)
        try store.finish(delivery: delivery.id, state: .failed, record: "{}", endSession: "clown-1")
        #expect(try store.session(id: "clown-1") == nil)
        #expect(try store.delivery(delivery.id)?.session == "clown-1")
    }

    @Test(arguments: DeliveryState.allCases.filter(\.isTerminal))
    func aDeliveryWithoutEffectIsTerminalAtOnce(state: DeliveryState) throws {
        let store = try folder.open()
        let delivery = Store.NewDelivery.sample(sender: "S")
        #expect(
            try store.record(
                delivery, state: state, record: "1",
                decision: .init(action: .none, reason: .noApp, evidence: .init([3])))
                == 1)
        #expect(try store.record(delivery, state: .done, record: "2") == 0)
        let stored = try #require(try store.delivery(delivery.id))
        #expect(stored.state == state)
        #expect(stored.record == "1")
        #expect(stored.evidence == [3])
        #expect(stored.attempts == 0)
        #expect(try store.unfinished().isEmpty)
    }

    @Test func recordsOfABatchAreWrittenTogether() throws {
        let store = try folder.open()
        let accepted = Store.NewDelivery.sample("00-accepted")
        try store.accept([accepted])
        let batch =
            [Store.Finished(accepted, state: .failed, record: "a")]
            + (0..<50).map { Store.Finished(.sample("id-\($0)"), state: .done, record: "\($0)") }
        #expect(try store.record(batch) == 51)
        #expect(try store.deliveries(limit: 100).count == 51)
        #expect(try store.delivery(accepted.id)?.record == "a")
        #expect(try store.record([Store.Finished]()) == 0)
    }
}
