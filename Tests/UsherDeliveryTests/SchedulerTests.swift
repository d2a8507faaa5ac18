import TestSupport
import Testing
import UsherScene
import UsherText

@testable import UsherDelivery

/// The scheduler against a slow, obvious model of it, over random events.
@Suite struct SchedulerTests {
    /// What is known of each delivery from the outside.
    private enum Known: Equatable {
        case queued
        case retrying(due: MonotonicInstant)
        case dequeued
        case waiting(lane: String)
        /// The scheduler ordered that it begins.
        case beginning(lane: String)
        case running(lane: String)
    }

    /// No order is lost or given twice; a lane runs at most its width, in the order of the claims; no more are taken up than
    /// there is room for, in the order of arrival.
    @Test("no step is lost, and every lane keeps its order", arguments: 0..<200 as Range<UInt64>)
    func model(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let capacity = Int.random(in: 1...12, using: &random)
        let widths = ["a": 1, "b": 1, "c": 3]
        let shares = ["x", "y", "z"].map { Scheduler.Share(source: $0) }
        var scheduler = Scheduler(capacity: capacity)
        var known: [Int: Known] = [:]
        var claims: [String: [Int]] = [:]
        var arrivals: [Scheduler.Share: [Int]] = [:]
        var shareOf: [Int: Scheduler.Share] = [:]
        var newest = 0
        var now = MonotonicInstant(nanoseconds: 0)

        func expect(_ condition: Bool, _ what: String) { #expect(condition, "seed \(seed): \(what)") }
        func apply(_ event: Scheduler.Event) {
            for action in scheduler.handle(event) {
                switch action {
                case .journalBegin(let number):
                    guard case .waiting(let lane) = known[number] else {
                        return expect(false, "\(number) begins and does not wait")
                    }
                    expect(claims[lane]?.first == number, "\(number) overtakes in lane \(lane)")
                    claims[lane]?.removeFirst()
                    known[number] = .beginning(lane: lane)
                case .runEffect(let number):
                    guard case .beginning(let lane) = known[number] else {
                        return expect(false, "\(number) runs and did not begin")
                    }
                    known[number] = .running(lane: lane)
                }
            }
        }
        func active(_ lane: String) -> Int {
            known.values.count { $0 == .beginning(lane: lane) || $0 == .running(lane: lane) }
        }
        func claim(_ number: Int) {
            let lane = ["a", "b", "c"].randomElement(using: &random) ?? "a"
            let width = widths[lane] ?? 1
            let begins = scheduler.places(in: lane, width: width) > 0 && Bool.random(using: &random)
            if begins {
                known[number] = .beginning(lane: lane)
            } else {
                claims[lane, default: []].append(number)
                known[number] = .waiting(lane: lane)
            }
            apply(.claimed(number, lane: lane, width: width, hasBegun: begins, share: shareOf[number] ?? shares[0]))
        }
        func held(_ share: Scheduler.Share?) -> Int {
            known.count { number, known in
                switch known {
                case .queued, .retrying: false
                case .dequeued, .waiting, .beginning, .running: share == nil || shareOf[number] == share
                }
            }
        }
        /// At most half of what others leave free, rounded up.
        func allowed(_ share: Scheduler.Share) -> Int {
            let free = capacity - held(nil) + held(share)
            return min(capacity - held(nil), max(1, (free + 1) / 2) - held(share))
        }
        for _ in 0..<400 {
            now = now + .nanoseconds(Int64.random(in: 0...3, using: &random))
            switch Int.random(in: 0..<8, using: &random) {
            case 0 where scheduler.room > 0:
                newest += 1
                shareOf[newest] = shares.randomElement(using: &random)
                claim(newest)
            case 1:
                newest += 1
                let share = shares.randomElement(using: &random) ?? shares[0]
                shareOf[newest] = share
                arrivals[share, default: []].append(newest)
                known[newest] = .queued
                apply(.queued(newest, share: share))
            case 2:
                let room = scheduler.room
                let taken = scheduler.dequeue(now: now, limit: 4)
                expect(taken.count <= max(0, room), "more are taken up than there is room for")
                for number in taken {
                    switch known[number] {
                    case .queued:
                        let share = shareOf[number] ?? shares[0]
                        expect(arrivals[share]?.first == number, "\(number) overtakes in its share")
                        expect(allowed(share) > 0, "\(number) is more than its share")
                        arrivals[share]?.removeFirst()
                    case .retrying(let due): expect(due <= now, "\(number) is tried before its time")
                    default: expect(false, "\(number) is taken up and did not wait")
                    }
                    known[number] = .dequeued
                }
                if taken.count < 4, room > taken.count {
                    for share in shares where allowed(share) > 0 {
                        expect(arrivals[share]?.isEmpty ?? true, "one waits although there is room")
                    }
                }
            case 3:
                if let number = known.filter({ $0.value == .dequeued }).keys.min() { claim(number) }
            case 4, 5:
                let running = known.filter { if case .running = $0.value { true } else { false } }.keys.sorted()
                guard let number = running.randomElement(using: &random) else { break }
                if Bool.random(using: &random) {
                    known[number] = nil
                    apply(.leftLane(number))
                } else {
                    let due = now + .nanoseconds(Int64.random(in: 0...20, using: &random))
                    known[number] = .retrying(due: due)
                    apply(.retryScheduled(number, due: due))
                }
            case 6:
                let beginning = known.filter { if case .beginning = $0.value { true } else { false } }.keys.sorted()
                if let number = beginning.randomElement(using: &random) { apply(.began(number)) }
            default:
                guard let number = known.keys.sorted().randomElement(using: &random) else { break }
                if case .waiting(let lane) = known[number] { claims[lane]?.removeAll { $0 == number } }
                for share in shares { arrivals[share]?.removeAll { $0 == number } }
                known[number] = nil
                apply(.withdrawn(number))
            }
            for (lane, width) in widths {
                expect(active(lane) <= width, "lane \(lane) runs \(active(lane))")
                if active(lane) < width { expect(claims[lane]?.isEmpty ?? true, "lane \(lane) is free and one waits") }
            }
            let inLanes = known.values.count {
                switch $0 {
                case .waiting, .beginning, .running: true
                case .queued, .retrying, .dequeued: false
                }
            }
            expect(scheduler.inLanes == inLanes && scheduler.queued == known.values.count { $0 == .queued }, "counts")
            expect(scheduler.isEmpty == known.isEmpty, "empty")
        }
        let left = scheduler.stop()
        let expected = known.filter {
            switch $0.value {
            case .beginning, .running: false
            case .waiting, .queued, .retrying, .dequeued: true
            }
        }
        #expect(left == expected.keys.sorted(), "seed \(seed): what had not begun is left")
        #expect(scheduler.dequeue(now: .distantFuture, limit: 100).isEmpty)
    }

    /// A handler that sleeps behind a hundred requests of one app stops no other app.
    @Test("a flood leaves room for others, which take turns")
    func shares() {
        var scheduler = Scheduler(capacity: 8)
        let (flood, other) = (Scheduler.Share(source: "w", app: "a"), Scheduler.Share(source: "w", app: "b"))
        for number in 1...100 { _ = scheduler.handle(.queued(number, share: flood)) }
        let now = MonotonicInstant(nanoseconds: 0)
        #expect(scheduler.dequeue(now: now, limit: 100) == [1, 2, 3, 4])
        for number in 1...4 {
            _ = scheduler.handle(.claimed(number, lane: "a", width: 1, hasBegun: false, share: flood))
        }
        #expect(!scheduler.hasWork(at: now) && scheduler.room == 4)
        #expect(scheduler.room(for: other) == 2)
        for number in 101...103 { _ = scheduler.handle(.queued(number, share: other)) }
        #expect(scheduler.oldestQueued == 5)
        #expect(scheduler.dequeue(now: now, limit: 100) == [101, 102])
        // A place that is free again goes to the one whose turn it is.
        _ = scheduler.handle(.withdrawn(101))
        _ = scheduler.handle(.withdrawn(1))
        #expect(scheduler.dequeue(now: now, limit: 1) == [5])
        #expect(scheduler.dequeue(now: now, limit: 1) == [103])
    }

    /// As pushes with one collapse id do while the handler of their app sleeps.
    @Test("what is queued and withdrawn again and again leaves nothing behind")
    func withdrawn() {
        var scheduler = Scheduler(capacity: 4)
        let share = Scheduler.Share(source: "w", app: "a")
        for number in 1...2 {
            _ = scheduler.handle(.claimed(number, lane: "a", width: 1, hasBegun: false, share: share))
        }
        let now = MonotonicInstant(nanoseconds: 0)
        for number in 3...5000 {
            _ = scheduler.handle(.queued(number, share: share))
            #expect(scheduler.dequeue(now: now, limit: 10).isEmpty)
            #expect(scheduler.oldestQueued == number)
            if number < 5000 { _ = scheduler.handle(.withdrawn(number)) }
        }
        #expect(scheduler.backlogSize <= 2)
        _ = scheduler.handle(.withdrawn(1))
        #expect(scheduler.dequeue(now: now, limit: 10) == [5000])
    }

    @Test("a terminal delivery never changes")
    func terminal() throws {
        for end in DeliveryState.allCases where end.isTerminal {
            for event: Delivery.Event in [.accepted, .claimed, .began, .decidedAgain, .retryScheduled, .ended(.done)] {
                var delivery = Delivery(id: "x", number: 1)
                try delivery.apply(.ended(end))
                #expect(throws: Delivery.IllegalTransition.self) { try delivery.apply(event) }
                #expect(delivery.state == .ended(end))
            }
        }
    }

    @Test("an effect does not begin before it was claimed, and attempts are counted")
    func order() throws {
        var delivery = Delivery(id: "x", number: 1)
        #expect(throws: Delivery.IllegalTransition(from: .arriving, event: .began)) { try delivery.apply(.began) }
        for event: Delivery.Event in [
            .accepted, .claimed, .began, .retryScheduled, .claimed, .began, .decidedAgain, .claimed,
        ] {
            try delivery.apply(event)
        }
        #expect(delivery.attempts == 2 && delivery.state == .resolved)
    }
}
