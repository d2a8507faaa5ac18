import StoreTestSupport
import Testing
import UsherScene
import UsherSystem
import UsherText

@testable import UsherStore

@Suite struct DeliveriesTests {
    let folder = TemporaryDirectory()

    @Test func theNewestComeFirstAPageAtATime() throws {
        let store = try folder.open()
        for index in 0..<10 {
            try store.record(.sample("id-\(index)"), state: index % 2 == 0 ? .done : .failed, record: "\(index)")
        }
        #expect(try store.deliveries(limit: 3).map(\.id) == ["id-9", "id-8", "id-7"])
        #expect(try store.deliveries(limit: 3, before: "id-7").map(\.id) == ["id-6", "id-5", "id-4"])
        #expect(try store.deliveries(limit: 2, states: [.failed], before: "id-7").map(\.id) == ["id-5", "id-3"])
        #expect(try store.deliveries(states: [.failed, .done]).count == 10)
        #expect(try store.deliveries(states: [.acting]).isEmpty)
        #expect(try store.deliveries(limit: -1).isEmpty)
        #expect(try store.deliveries(before: "nobody").isEmpty)
        let first = try #require(try store.deliveries(limit: 1).first)
        #expect(first.record == "9")
        #expect(first.input.isEmpty)
        #expect(first.evidence == nil)
    }

    @Test func aPageGoesOnAfterADeliveryThatWasForgotten() throws {
        let folder = TemporaryDirectory()
        let store = try folder.open()
        let ids = (0..<10).map { _ in UUIDv7.next() }
        for id in ids { try store.record(.sample(id), state: .done, record: "{}") }
        func page(before place: Int) throws -> [Int?] {
            try store.deliveries(limit: 2, before: ids[place]).map { ids.firstIndex(of: $0.id) }
        }
        for place in [5, 9] { _ = try store.drop(delivery: ids[place]) { _ in "{}" } }
        #expect(try page(before: 5) == [4, 3])
        #expect(try page(before: 9) == [8, 7])
        // The number of the newest is given again: what is newer still comes first.
        let newer = UUIDv7.next()
        try store.record(.sample(newer), state: .done, record: "{}")
        #expect(try store.deliveries(limit: 1).map(\.id) == [newer])
        #expect(try page(before: 9) == [8, 7])
        for id in ids { _ = try store.drop(delivery: id) { _ in "{}" } }
        #expect(try page(before: 3).isEmpty)
    }

    @Test func eitherIDFindsADelivery() throws {
        let store = try folder.open()
        try store.record(.sample("ours-1", sender: "theirs"), state: .done, record: "1")
        try store.record(.sample("ours-2", sender: "theirs"), state: .done, record: "2")
        try store.record(.sample("ours-3", sender: "theirs"), state: .duplicate, record: "3")
        try store.record(.sample("theirs-too", sender: "ours-1"), state: .done, record: "4")
        #expect(try store.delivery("theirs")?.id == "ours-2")
        #expect(try store.delivery("ours-3")?.id == "ours-3")
        #expect(try store.delivery("ours-1")?.id == "ours-1")
        #expect(try store.delivery("nobody") == nil)
    }

    @Test(arguments: [[], [0], [0, 10, 13, 255, 254, 128], Array(repeating: 65, count: 1 << 20)] as [[UInt8]])
    func anyInputComesBackByteForByte(input: [UInt8]) throws {
        let store = try folder.open()
        var delivery = Store.NewDelivery.sample()
        delivery.input = input
        try store.record(delivery, state: .done, record: "{}")
        #expect(try store.delivery(delivery.id)?.input == input)
    }

    @Test func whatIsNotFinishedIsFoundOldestFirst() throws {
        let store = try folder.open()
        try store.accept([.sample("a")])
        _ = try store.claim(.sample("b"), .none, expecting: 0)
        _ = try store.claim(.sample("c"), .none, expecting: 0, begin: false)
        _ = try store.claim(.sample("d"), .none, expecting: 0)
        try store.finish(delivery: "d", state: .done, record: "{}")
        #expect(try store.unfinished() == ["a", "b", "c"])
        let found = try store.deliveries(ids: store.unfinished())
        #expect(found.map(\.state) == [.accepted, .acting, .resolved])
        #expect(found[1].nonce == "nonce")
        #expect(found[1].evidence == [1, 2])
        #expect(found[1].delivery == .sample("b"))
    }

    /// As an earlier version wrote it, which noted the process that carries a delivery out.
    @Test func theProcessThatAnEarlierVersionNotedDoesNotCount() throws {
        let store = try folder.open()
        _ = try store.claim(.sample("a"), .none, expecting: 0)
        try folder.sql("UPDATE delivery SET owner = 'file', owner_boot = 'boot', owner_pid = 1, owner_start = 1")
        #expect(try store.unfinished() == ["a"])
        #expect(try store.begin(delivery: "a", attempt: 2, nonce: "n") == .begun)
        guard case .finished = try store.finish(delivery: "a", state: .done, record: "{}") else {
            Issue.record("not finished")
            return
        }
    }
}
