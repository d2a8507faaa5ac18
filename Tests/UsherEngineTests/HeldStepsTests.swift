import Testing
import UsherLog
import UsherNotes
import UsherScene
import UsherStore
import UsherText

@testable import UsherEngine

/// Steps that the store refused, with a clock of their own.
@Suite("Held steps")
struct HeldStepsTests {
    private func step(_ number: Int) -> Journal.Step {
        .giveUp(
            number,
            DecisionRecord(
                id: "d\(number)", sequence: number, time: Instant(microseconds: 0), source: "test", configuration: ""))
    }

    private func time(_ milliseconds: Int64) -> MonotonicInstant {
        MonotonicInstant(nanoseconds: 1_000_000_000 + milliseconds * 1_000_000)
    }

    private let full = StoreError(.storeFull, "there is no space left", path: "/s")

    @Test("a refused step is due after a pause that doubles up to two seconds, and at once when the store accepts one")
    func pauses() {
        var held = HeldSteps()
        func due(_ milliseconds: Int64) -> [Int] { held.removeDue(at: time(milliseconds)).map(\.number) }
        #expect(!held.isRefusing && held.isEmpty && held.due == nil)
        var now: Int64 = 0
        for pause: Int64 in [50, 100, 200, 400, 800, 1600, 2000, 2000] {
            let isKept = held.add(step(1), full, patience: nil, at: time(now))
            #expect(isKept && held.isRefusing)
            held.reschedule(isTaken: false, at: time(now))
            #expect(held.due == time(now + pause))
            #expect(due(now + pause - 1) == [])
            #expect(due(now + pause) == [1])
            now += pause
        }
        let isKept = held.add(step(2), full, patience: nil, at: time(now))
        held.reschedule(isTaken: true, at: time(now))
        #expect(isKept && !held.isRefusing && held.due == time(now))
        #expect(due(now) == [2])
        held.reschedule(isTaken: true, at: time(now))
        #expect(held.due == nil)
    }

    @Test("steps are written in their order; one is not kept beyond the patience or if it would always be refused")
    func patience() {
        var held = HeldSteps()
        func isKept(_ number: Int, _ error: StoreError, _ patience: Duration?, at milliseconds: Int64) -> Bool {
            held.add(step(number), error, patience: patience, at: time(milliseconds))
        }
        let corrupt = StoreError(.storeCorrupt, "the store is damaged", path: "/s")
        #expect(isKept(1, full, .seconds(1), at: 0))
        #expect(isKept(2, full, .seconds(1), at: 999))
        #expect(!isKept(3, full, .seconds(1), at: 1000))
        #expect(!isKept(4, full, .zero, at: 1000))
        #expect(!isKept(5, corrupt, nil, at: 1000))
        let left = held.removeAll().map(\.number)
        #expect(left == [1, 2] && held.isEmpty && held.isRefusing && held.due == nil)
    }
}
