import Foundation
import StoreTestSupport
import Testing
import UsherScene
import UsherSystem
import UsherText

@testable import UsherStore

/// What the journal takes on disk, at any time.
@Suite struct JournalBoundsTests {
    let folder = TemporaryDirectory()

    private func delivery(_ bytes: Int, id: String = UUIDv7.next(), sender: String? = nil) -> Store.NewDelivery {
        var delivery = Store.NewDelivery.sample(id, sender: sender)
        delivery.input = [UInt8](repeating: 120, count: bytes)
        return delivery
    }

    private func finished(_ bytes: Int, record: String = "{}") -> Store.Finished {
        Store.Finished(delivery(bytes), state: .done, record: record)
    }

    private var size: Int {
        ["", "-wal"].reduce(0) { sum, ending in
            let attributes = try? FileManager.default.attributesOfItem(atPath: folder.database + ending)
            return sum + ((attributes?[.size] as? Int) ?? 0)
        }
    }

    @Test func totalsAreSumsWhateverHappens() throws {
        let store = try folder.open()
        let record = String(repeating: "r", count: 500)
        for round in 0..<30 {
            let one = delivery(round * 300)
            switch round % 6 {
            case 0: try store.record(one, state: .done, record: record)
            case 1:
                try store.accept([one])
                try store.record(one, state: .failed, record: record)
                #expect(try store.retry(delivery: one.id) == .accepted)
            case 2:
                _ = try store.claim(one, .none, expecting: try store.generation())
                try store.finish(delivery: one.id, state: .done, record: record)
            case 3:
                try store.accept([one])
                #expect(try store.drop(delivery: one.id) { _ in record } == .dropped)
                #expect(try store.drop(delivery: one.id) { _ in record } == .removed)
            case 4:
                // Taken back: as if it had never been.
                _ = storeError {
                    try store.write { (state) throws(StoreError) in
                        try state.accept(one)
                        throw .closed(path: "")
                    }
                }
            default: try store.accept([one])
            }
            try folder.expectTotals(store)
        }
        #expect(store.totals.openCount == 10)
        store.close()
        #expect(try folder.open().totals.openCount == 10)
    }

    @Test(arguments: [20, 341, 1000, 3000, 5000, 9000, 70_000])
    func totalsSayWhatDeliveriesTakeInTheFile(input: Int) throws {
        let store = try folder.open()
        let empty = try folder.number("PRAGMA page_count") ?? 0
        let record = String(repeating: "r", count: 550)
        for _ in 0..<(max(200, min(2000, 4_000_000 / input)) / 100) {
            try store.record(
                (0..<100).map { _ in
                    Store.Finished(delivery(input), state: .done, record: record, decision: .launch)
                })
        }
        let kept = store.totals.keptBytes
        store.close()
        let bytes = ((try folder.number("PRAGMA page_count") ?? 0) - empty) * 8192
        #expect(Double(bytes) < Double(kept) * 1.1, "\(bytes) bytes in the file, \(kept) by the totals")
        #expect(Double(bytes) > Double(kept) * 0.75, "\(bytes) bytes in the file, \(kept) by the totals")
    }

    @Test func aFloodOfAnySizeStaysWithinTheBounds() throws {
        let store = try folder.open()
        var keep = Store.Retention.default
        keep.megabytes = 24
        store.keepWithin(keep)
        let record = String(repeating: "r", count: 600)
        var largest = 0
        // Small ones, then large ones, then all kinds: a few large ones push very many small ones out.
        for (rounds, count, sizes) in [
            (60, 400, [341]), (40, 4, [400_000, 1 << 20]), (60, 4, [20, 3000, 9000, 100_000]),
        ] {
            for round in 0..<rounds {
                try store.record((0..<count).map { finished(sizes[($0 + round) % sizes.count], record: record) })
                largest = max(largest, size)
                #expect(store.totals.keptBytes <= 24 << 20)
            }
        }
        #expect(largest <= (24 << 20) * 11 / 10 + (64 << 20), "\(largest)")
        store.close()
        #expect(size <= (24 << 20) * 11 / 10 + (2 << 20), "\(size)")
        #expect(try folder.open().deliveries().isEmpty == false)
    }

    @Test func noCommitForgetsMuchMoreThanItAdds() throws {
        let store = try folder.open()
        try store.record((0..<1000).map { _ in finished(300) })
        var keep = Store.Retention.default
        keep.deliveries = 100
        store.keepWithin(keep)
        try store.record((0..<5).map { _ in finished(300) })
        #expect(try folder.number("SELECT count(*) FROM delivery") == 995)
        for _ in 0..<200 { try store.record((0..<5).map { _ in finished(300) }) }
        #expect(try folder.number("SELECT count(*) FROM delivery") == 100)
    }

    @Test func whatFinishesLateIsForgottenFirst() throws {
        let store = try folder.open()
        try store.accept((0..<20).map { .sample("late-\($0)") })
        var keep = Store.Retention.default
        keep.deliveries = 10
        store.keepWithin(keep)
        for index in 0..<15 { try store.record(.sample("d-\(index)"), state: .done, record: "{}") }
        for index in 0..<20 { try store.finish(delivery: "late-\(index)", state: .done, record: "{}") }
        try store.record(.sample("newest"), state: .done, record: "{}")
        let kept = try store.deliveries(limit: 100).map(\.id)
        #expect(kept.count == 10 && kept.first == "newest" && !kept.contains("late-0"))
        try folder.expectTotals(store)
    }

    @Test func openDeliveriesStayHoweverOldTheyAre() throws {
        let store = try folder.open()
        try store.accept([.sample("open")])
        var keep = Store.Retention.default
        keep.deliveries = 10
        store.keepWithin(keep)
        for index in 0..<40 { try store.record(.sample("d-\(index)"), state: .done, record: "{}") }
        #expect(try store.deliveries(limit: 100).map(\.id).suffix(2) == ["d-30", "open"])
        try store.finish(delivery: "open", state: .done, record: "{}")
        #expect(try store.deliveries(limit: 100).count == 10)
        keep.deliveries = 9
        _ = try store.pruneDeliveries(now: 1_000_000_000, keeping: keep)
        #expect(try store.deliveries(limit: 100).map(\.id) == (31..<40).reversed().map { "d-\($0)" })
    }

    // MARK: Duplicates

    private func record(_ duplicate: Store.NewDelivery, of original: String, in store: Store) throws {
        try store.write { (state) throws(StoreError) in
            _ = try state.record(
                duplicate, target: nil, state: .duplicate, record: "{}", decision: nil, original: original)
        }
    }

    /// How many inputs are kept, in rows of deliveries and apart.
    private let inputs = "SELECT count(input) + (SELECT count(*) FROM delivery_input) FROM delivery"

    @Test func aDuplicateSharesTheInputOfItsOriginal() throws {
        let store = try folder.open()
        let first = delivery(50_000, id: "first", sender: "s")
        try store.record(first, state: .done, record: "{}")
        let alone = store.totals.keptBytes
        try record(delivery(50_000, id: "second", sender: "s"), of: "first", in: store)
        #expect(store.totals.keptBytes - alone < 1000)
        #expect(try folder.number(inputs) == 1)
        let stored = try #require(try store.delivery("second"))
        #expect(stored.original == "first" && stored.input == first.input)
        // Asked for again, it goes its own way.
        #expect(try store.retry(delivery: "second") == .accepted)
        #expect(try store.drop(delivery: "first") { _ in "" } == .removed)
        let again = try #require(try store.delivery("second"))
        #expect(again.original == nil && again.input == first.input)
        try folder.expectTotals(store)
    }

    @Test(arguments: [true, false])
    func duplicatesPushOutNeitherTheirOriginalNorOthers(wasAccepted: Bool) throws {
        let store = try folder.open()
        var keep = Store.Retention.default
        keep.deliveries = 100
        store.keepWithin(keep)
        for id in ["other", "first"] {
            try store.record(delivery(500, id: id, sender: id), state: .done, record: "{}")
        }
        for number in 0..<500 {
            let duplicate = delivery(500, id: "d-\(number)", sender: "first")
            if wasAccepted { try store.accept([duplicate]) }
            try record(duplicate, of: "first", in: store)
        }
        let kept = try store.deliveries(limit: 1000).map(\.id)
        #expect(kept.suffix(2) == ["first", "other"])
        #expect(Array(kept.dropLast(2)) == (475..<500).reversed().map { "d-\($0)" })
        let known = try store.write { (state) throws(StoreError) in
            try state.original(of: delivery(500, id: "again", sender: "first"), app: nil, window: .seconds(60))
        }
        #expect(known == "first")
        try folder.expectTotals(store)
    }

    private func recordInvalid(_ count: Int, bytes: Int, in store: Store) throws {
        for number in 0..<count {
            let text = Store.DecisionText(action: .none, reason: .invalid)
            try store.record(
                delivery(bytes, id: "i-\(number)"), state: .failed, record: "{}", decision: text)
        }
    }

    /// A sender of what cannot be read has a quarter of the room.
    @Test func invalidDeliveriesPushOutNoOthers() throws {
        let store = try folder.open()
        var keep = Store.Retention.default
        keep.deliveries = 100
        store.keepWithin(keep)
        for number in 0..<70 { try store.record(delivery(500, id: "d-\(number)"), state: .done, record: "{}") }
        try recordInvalid(300, bytes: 500, in: store)
        let kept = try store.deliveries(limit: 1000).map(\.id)
        #expect(kept == (275..<300).reversed().map { "i-\($0)" } + (0..<70).reversed().map { "d-\($0)" })
        try folder.expectTotals(store)
    }

    @Test func invalidDeliveriesTakeAQuarterOfTheBytes() throws {
        let store = try folder.open()
        var keep = Store.Retention.default
        keep.megabytes = 4
        store.keepWithin(keep)
        try store.record(delivery(500, id: "first"), state: .done, record: "{}")
        try recordInvalid(80, bytes: 50_000, in: store)
        #expect(store.totals.invalidBytes <= 1 << 20)
        #expect(store.totals.invalidBytes > 900_000)
        #expect(try store.delivery("first") != nil)
        try folder.expectTotals(store)
    }

    // MARK: Outcomes

    /// As records have them, in any of their texts.
    @Test func deliveriesByOutcomeAndTime() throws {
        let store = try folder.open()
        let records = [
            ("verified", #"{"title":"\"outcome\":\"failed\"","outcome":"verified","warnings":[]}"#),
            ("lost", #"{"outcome":"unverified","warnings":["resolution.new","activation.interrupted"]}"#),
            ("quiet", #"{"outcome":"unverified","warnings":[],"error":{"name":"activation.interrupted"}}"#),
            ("failed", #"{"outcome":"failed","warnings":["activation.interrupted"]}"#),
        ]
        for (place, (id, record)) in records.enumerated() {
            var one = delivery(10, id: id)
            one.accepted = Int64(place) * 1000
            try store.record(one, state: id == "failed" ? .failed : .done, record: record)
        }
        func ids(_ outcome: Outcome?, since: Int64? = nil) throws -> [String] {
            try store.deliveries(outcome: outcome, since: since).map(\.id)
        }
        #expect(try ids(.unverified) == ["quiet", "lost"])
        #expect(try ids(.unverified, since: 2000) == ["quiet"])
        #expect(try ids(.failed) == ["failed"])
        #expect(try ids(nil, since: 1001) == ["failed", "quiet"])
        let all = try store.deliveries()
        #expect(all.map(\.outcome) == [.failed, .unverified, .unverified, .verified])
        #expect(all.map(\.isInterrupted) == [true, false, true, false])
        // What nothing confirmed is tried again where that is asked for; what was confirmed never is.
        #expect(try store.retry(delivery: "lost") == .unverified)
        #expect(try store.retry(delivery: "lost", again: true) == .accepted)
        #expect(try store.retry(delivery: "verified", again: true) == .refused(.done))
    }

    @Test func aDuplicateThatOutlivesItsOriginalCannotBeTriedAgain() throws {
        let store = try folder.open()
        try store.record(delivery(500, id: "first", sender: "s"), state: .done, record: "{}")
        // One that waited in the journal, and had an input of its own until it was found to be one.
        let second = delivery(500, id: "second", sender: "s")
        try store.accept([second])
        try record(second, of: "first", in: store)
        #expect(try folder.number(inputs) == 1)
        try folder.expectTotals(store)
        #expect(try store.drop(delivery: "first") { _ in "" } == .removed)
        #expect(try store.delivery("second")?.input == [])
        #expect(try store.retry(delivery: "second") == .refused(.duplicate))
        #expect(try store.delivery("second")?.state == .duplicate)
    }

    @Test func aChangeOfStateDoesNotWriteTheInputAgain() throws {
        let store = try folder.open()
        let large = delivery(1 << 20)
        _ = try store.claim(large, .none, expecting: 0, begin: false)
        try folder.sql("PRAGMA wal_checkpoint(TRUNCATE)")
        #expect(try store.begin(delivery: large.id, attempt: 1, nonce: "n") == .begun)
        try store.finish(delivery: large.id, state: .done, record: "{}")
        let log = try FileManager.default.attributesOfItem(atPath: folder.database + "-wal")[.size] as? Int
        #expect(try #require(log) < 100_000)
    }
}
