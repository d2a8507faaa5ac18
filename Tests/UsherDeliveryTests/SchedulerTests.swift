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
        var scheduler = Scheduler(capacity: capacity)
        var known: [Int: Known] = [:]
        var claims: [String: [Int]] = [:]
        var arrivals: [Int] = []
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
            apply(.claimed(number, lane: lane, width: width, hasBegun: begins))
        }
        for _ in 0..<400 {
            now = now + .nanoseconds(Int64.random(in: 0...3, using: &random))
            switch Int.random(in: 0..<8, using: &random) {
            case 0 where scheduler.room > 0:
                newest += 1
                claim(newest)
            case 1:
                newest += 1
                arrivals.append(newest)
                known[newest] = .queued
                apply(.queued(newest))
            case 2:
                let room = scheduler.room
                let taken = scheduler.dequeue(now: now, limit: 4)
                expect(taken.count <= max(0, room), "more are taken up than there is room for")
                for number in taken {
                    switch known[number] {
                    case .queued:
                        expect(arrivals.first == number, "\(number) is taken up before \(arrivals.first ?? 0)")
                        arrivals.removeFirst()
                    case .retrying(let due): expect(due <= now, "\(number) is tried before its time")
                    default: expect(false, "\(number) is taken up and did not wait")
                    }
                    known[number] = .dequeued
                }
                if taken.count < 4, room > taken.count {
                    expect(!known.values.contains(.queued), "one waits although there is room")
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
                arrivals.removeAll { $0 == number }
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
