import Foundation
import StoreTestSupport
import Testing
import UsherFeatures
import UsherScene

@testable import UsherStore

@Suite struct ClaimTests {
    let folder = TemporaryDirectory()

    @Test func creatingMakesAConnectingSessionAndAnActingDelivery() throws {
        let store = try folder.open()
        let delivery = Store.NewDelivery.sample(sender: "s-1")
        let result = try store.claim(delivery, .create(.clown("crusty")), expecting: 0)
        guard case .claimed(let session?, 1) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(session.id == "clown-1")
        #expect(session.state == .connecting)
        #expect(try store.session(id: "clown-1")?.state == .connecting)
        let stored = try #require(try store.delivery(delivery.id))
        #expect(stored.delivery == delivery)
        #expect(stored.state == .acting)
        #expect(stored.attempts == 1)
        #expect(stored.nonce == "nonce")
        #expect(stored.action == .launch)
        #expect(stored.reason == .opens)
        #expect(stored.scene == "clown")
        #expect(stored.resolved == "https://clowntown.example/clowns/crusty")
        #expect(stored.configuration == "sha256:00")
        #expect(stored.evidence == [1, 2])
        #expect(stored.session == "clown-1")
        #expect(stored.record == nil)
        #expect(stored.finished == nil)
    }

    @Test func withoutBeginItIsResolvedAndBegunLater() throws {
        let store = try folder.open()
        let delivery = Store.NewDelivery.sample()
        _ = try store.claim(delivery, .none, expecting: 0, begin: false)
        var stored = try #require(try store.delivery(delivery.id))
        #expect(stored.state == .resolved)
        #expect(stored.attempts == 0)
        #expect(stored.nonce == nil)
        #expect(try store.begin(delivery: delivery.id, attempt: 1, nonce: "n1") == .begun)
        stored = try #require(try store.delivery(delivery.id))
        #expect(stored.state == .acting)
        #expect(stored.attempts == 1)
        #expect(stored.nonce == "n1")
        // Again after an interruption.
        #expect(try store.begin(delivery: delivery.id, attempt: 2, nonce: "n2") == .begun)
        #expect(try store.delivery(delivery.id)?.nonce == "n2")
        try store.finish(delivery: delivery.id, state: .done, record: "{}")
        #expect(try store.begin(delivery: delivery.id, attempt: 3, nonce: "n3") == .finished(.done))
        #expect(try store.begin(delivery: "nobody", attempt: 1, nonce: "n") == .unknown)
        #expect(try store.delivery(delivery.id)?.state == .done)
    }

    @Test func aChangeSinceTheDecisionMakesItStale() throws {
        let store = try folder.open()
        _ = try store.connect([.main()])
        let delivery = Store.NewDelivery.sample()
        for claim in [Store.Claim.none, .create(.clown("a")), .activate(session: "main-1")] {
            guard case .stale = try store.claim(delivery, claim, expecting: 0) else {
                Issue.record("\(claim)")
                continue
            }
        }
        #expect(try store.delivery(delivery.id) == nil)
        #expect(try store.sessions().sessions.count == 1)
        #expect(try store.generation() == 1)
    }

    @Test(arguments: [
        (SceneSession.State.connected, SceneSession.State.connected, Int64(1)),
        (.connecting, .connecting, 1), (.disconnected, .connecting, 2),
    ])
    func activatingMarksADisconnectedSession(
        before: SceneSession.State, after: SceneSession.State, generation: Int64
    ) throws {
        let store = try folder.open()
        _ = try store.connect([.main(state: before)])
        guard
            case .claimed(let session, let now) = try store.claim(
                .sample(), .activate(session: "main-1"), expecting: 1)
        else {
            Issue.record("not claimed")
            return
        }
        #expect(session?.state == after)
        #expect(now == generation)
        #expect(try store.generation() == generation)
        #expect(try store.session(id: "main-1")?.state == after)
    }

    @Test func aSessionThatIsClosingOrGoneIsStale() throws {
        let store = try folder.open()
        _ = try store.connect([.main(state: .closing)])
        for id in ["main-1", "nobody"] {
            guard case .stale = try store.claim(.sample(), .activate(session: id), expecting: 1) else {
                Issue.record("\(id)")
                continue
            }
        }
    }

    @Test(arguments: [
        ("the same", "stdin", "apns", Int64(2_000_000), true), ("another source", "webhook", "apns", 2_000_000, false),
        ("another format", "stdin", "ntfy", 2_000_000, false), ("no format", "stdin", nil, 2_000_000, false),
        ("the last moment of the window", "stdin", "apns", 86_400_999_999, true),
        ("after the window", "stdin", "apns", 86_401_000_000, false),
    ])
    func aSenderIDCountsOnceAWindow(
        _ name: String, source: String, format: String?, accepted: Int64, isDuplicate: Bool
    ) throws {
        let store = try folder.open()
        let first = Store.NewDelivery.sample(sender: "S", accepted: 1_000_000)
        _ = try store.claim(first, .none, expecting: 0)
        let second = Store.NewDelivery.sample(sender: "S", source: source, format: format, accepted: accepted)
        #expect(try store.original(of: second) == (isDuplicate ? first.id : nil))
    }

    @Test func aDuplicateIsNotAnOriginal() throws {
        let store = try folder.open()
        let first = Store.NewDelivery.sample(sender: "S", accepted: 0)
        _ = try store.claim(first, .none, expecting: 0)
        let second = Store.NewDelivery.sample(sender: "S", accepted: 80_000_000_000)
        try store.record(second, state: .duplicate, record: "{}")
        let third = Store.NewDelivery.sample(sender: "S", accepted: 90_000_000_000)
        #expect(try store.original(of: third) == nil, "prolonged by a duplicate")
        _ = try store.claim(third, .none, expecting: 0)
        #expect(try store.delivery("S")?.id == third.id)
    }

    @Test func anAcceptedDeliveryIsMovedOnOnce() throws {
        let store = try folder.open()
        let delivery = Store.NewDelivery.sample(sender: "S")
        try store.accept([delivery])
        try store.accept([delivery])
        #expect(try store.deliveries().count == 1)
        #expect(try store.delivery(delivery.id)?.state == .accepted)
        guard case .claimed = try store.claim(delivery, .none, expecting: 0) else {
            Issue.record("not moved on")
            return
        }
        #expect(try store.delivery(delivery.id)?.state == .acting)
        try store.finish(delivery: delivery.id, state: .done, record: "{}")
        guard case .finished = try store.claim(delivery, .none, expecting: 0) else {
            Issue.record("claimed after it was finished")
            return
        }
    }

    @Test func ofTwoAcceptedWithOneSenderIDTheFirstIsCarriedOut() throws {
        let store = try folder.open()
        let (first, second) = (Store.NewDelivery.sample(sender: "S"), Store.NewDelivery.sample(sender: "S"))
        try store.accept([first, second])
        #expect(try store.original(of: second) == first.id, "carried out twice")
        #expect(try store.original(of: first) == nil, "not carried out at all")
    }

    @Test func twoStoresThatClaimAtOnceMakeOneSession() async throws {
        let path = folder.path
        _ = try folder.open()
        for round in 0..<20 {
            let outcomes = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        let store = try Store(directory: path, access: .readWrite, features: .all)
                        let result = try store.claim(
                            .sample(), .create(.clown("crusty")), expecting: Int64(round))
                        guard case .claimed = result else { return 0 }
                        return 1
                    }
                }
                return try await group.reduce(0, +)
            }
            #expect(outcomes == 1)
        }
        #expect(try folder.open().sessions().sessions.count == 20)
    }
}
