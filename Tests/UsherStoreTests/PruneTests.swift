import StoreTestSupport
import Synchronization
import Testing
import UsherScene
import UsherSystem
import UsherText

@testable import UsherStore

@Suite struct PruneTests {
    let folder = TemporaryDirectory()
    static let day: Int64 = 86_400_000_000

    @Test func oldDisconnectedSessionsGo() throws {
        let store = try folder.open { $0.now = { 40 * PruneTests.day } }
        _ = try store.connect([.main(id: "old", state: .disconnected), .main(id: "open")])
        let pruned = try store.prune(now: 71 * PruneTests.day)
        #expect(pruned == Store.Pruned(sessions: 1, deliveries: 0, conditions: 0))
        #expect(try store.sessions().sessions.map(\.id) == ["open"])
        #expect(try store.generation() == 2)
        // Nothing more to do, nothing bumped.
        #expect(try store.prune(now: 71 * PruneTests.day) == Store.Pruned())
        #expect(try store.generation() == 2)
    }

    @Test func theLastDisconnectedSessionsOfEachAppStay() throws {
        let store = try folder.open()
        _ = try store.connect((0..<5).map { .main(id: "m-\($0)", state: .disconnected) })
        _ = try store.connect((0..<2).map { .clown("a", id: "c-\($0)", app: "other", state: .disconnected) })
        _ = try store.change(session: "m-0", .init(used: true))
        let keep = Store.Retention(sessionsPerApp: 2, sessionDays: 30, deliveries: 100, deliveryDays: 30)
        #expect(try store.prune(keeping: keep).sessions == 3)
        // The one that was used, and the newest of the others.
        #expect(try store.sessions().sessions.map(\.id) == ["m-0", "m-4", "c-0", "c-1"])
    }

    @Test func theSessionOfAnOpenDeliveryStays() throws {
        let store = try folder.open { $0.now = { 0 } }
        _ = try store.claim(.sample("d"), .create(.main()), expecting: 0)
        _ = try store.change(session: "main-1", .init(state: .disconnected))
        #expect(try store.prune(now: 100 * PruneTests.day).sessions == 0)
        try store.finish(delivery: "d", state: .done, record: "{}")
        #expect(try store.prune(now: 100 * PruneTests.day).sessions == 1)
    }

    @Test func oldDeliveriesGoAndOpenOnesStay() throws {
        let store = try folder.open()
        try store.record(.sample("old", accepted: 0), state: .done, record: "{}")
        try store.record(.sample("new", accepted: 70 * PruneTests.day), state: .done, record: "{}")
        try store.accept([.sample("open", accepted: 0)])
        #expect(try store.prune(now: 71 * PruneTests.day).deliveries == 1)
        #expect(try store.deliveries().map(\.id) == ["open", "new"])
    }

    @Test func aClockThatJumpsTakesNothingAlongAtOnce() throws {
        let clock = Clock(100 * PruneTests.day)
        let store = try folder.open { $0.now = { clock.now } }
        try store.record(.sample("old", accepted: 71 * PruneTests.day), state: .done, record: "{}")
        try store.record(.sample("new", accepted: 100 * PruneTests.day), state: .done, record: "{}")
        #expect(try store.prune() == Store.Pruned())
        clock.now += 60 * PruneTests.day
        try store.record(.sample("wrong", accepted: clock.now), state: .done, record: "{}")
        for _ in 0..<5 { #expect(try store.pruneDeliveries() == 0) }
        // Set right again: as if nothing had been.
        clock.now -= 60 * PruneTests.day
        #expect(try store.prune() == Store.Pruned())
        #expect(try store.deliveries().count == 3)
        // In its own time each goes.
        clock.now += PruneTests.day
        #expect(try store.prune().deliveries == 0)
        clock.now += 1
        #expect(try store.prune().deliveries == 1)
        #expect(try store.deliveries().map(\.id) == ["wrong", "new"])
    }

    @Test func aStoreThatWasUnusedForLongCatchesUp() throws {
        let clock = Clock(100 * PruneTests.day)
        do {
            let store = try folder.open { $0.now = { clock.now } }
            try store.record(.sample("old", accepted: 100 * PruneTests.day), state: .done, record: "{}")
            #expect(try store.prune() == Store.Pruned())
        }
        clock.now = 160 * PruneTests.day
        let store = try folder.open { $0.now = { clock.now } }
        var looks = 0
        while try store.deliveries().count > 0, looks < 100 {
            try store.prune()
            looks += 1
            clock.now += PruneTests.day / 24
        }
        #expect(looks > 25 && looks < 35, "a day for every hour: \(looks)")
        // A clock that was not set when the store was made: what came later is not held up by that.
        clock.now = 20_000 * PruneTests.day
        try store.record(.sample("a", accepted: clock.now), state: .done, record: "{}")
        try store.prune()
        clock.now += 31 * PruneTests.day
        try store.record(.sample("b", accepted: clock.now), state: .done, record: "{}")
        for _ in 0..<40 {
            try store.prune()
            clock.now += PruneTests.day / 24
        }
        #expect(try store.deliveries().map(\.id) == ["b"])
    }

    @Test func noMoreDeliveriesThanAllowedStay() throws {
        let store = try folder.open()
        let now = Instant.now.microseconds
        try store.accept([.sample("open", accepted: now)])
        try store.record(
            (0..<12_000).map {
                Store.Finished(.sample("d-\($0)", accepted: now), state: .done, record: "{}")
            })
        let keep = Store.Retention(sessionsPerApp: 100, sessionDays: 30, deliveries: 100, deliveryDays: 30)
        #expect(try store.prune(keeping: keep).deliveries == 11_900)
        let left = try store.deliveries(limit: 1000).map(\.id)
        #expect(left.count == 101)
        #expect(left.first == "d-11999")
        #expect(left.last == "open")
    }

    @Test func unusedConditionsAreRemoved() throws {
        let store = try folder.open()
        _ = try store.connect([.clown("a"), .clown("b"), .main()])
        try store.end(session: "clown-1")
        #expect(try store.prune().conditions == 1)
        #expect(try store.prune().conditions == 0)
        _ = try store.connect([.clown("c")])
        // A number that was given once is not given again: other processes may remember what it meant.
        #expect(try folder.number("SELECT max(id) FROM condition") == 5)
        #expect(
            try store.session(id: "clown-3")?.conditions.canActivate.predicate
                == equals("https://clowntown.example/clowns/c"))
    }
}
