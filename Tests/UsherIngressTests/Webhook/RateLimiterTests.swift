import Synchronization
import Testing
import UsherConfiguration
import UsherIngress
import UsherText

@Suite struct RateLimiterTests {
    /// A clock that is moved by hand.
    private final class Clock: Sendable {
        let time = Mutex(MonotonicInstant(nanoseconds: 5_000_000_000))
        func move(_ microseconds: Int64) { time.withLock { $0 = $0 + .microseconds(microseconds) } }
    }

    private func limiter(
        _ perSecond: Double, _ burst: Int, capacity: Int = 4096
    ) -> (limiter: RateLimiter, clock: Clock) {
        var settings = RateSettings()
        settings.perSecond = perSecond
        settings.burst = burst
        let clock = Clock()
        return (RateLimiter(settings, capacity: capacity) { clock.time.withLock { $0 } }, clock)
    }

    @Test func burstAndThenTheRate() {
        let (limiter, clock) = limiter(2, 3)
        #expect((0..<3).map { _ in limiter.consume("a") } == [nil, nil, nil])
        #expect(limiter.consume("a") == .microseconds(500_000))
        clock.move(100_000)
        #expect(limiter.consume("a") == .microseconds(400_000))
        clock.move(400_000)
        #expect(limiter.consume("a") == nil)
        #expect(limiter.consume("a") != nil)
    }

    @Test func neverMoreThanTheBurst() {
        let (limiter, clock) = limiter(100, 2)
        #expect(limiter.consume("a") == nil)
        clock.move(3_600_000_000)
        #expect((0..<3).map { _ in limiter.consume("a") == nil } == [true, true, false])
    }

    @Test func lookingTakesNothing() {
        let (limiter, clock) = limiter(2, 1)
        #expect(limiter.wait(of: "a") == nil)
        #expect(limiter.count == 0, "a look at a client stores nothing")
        #expect(limiter.consume("a") == nil)
        #expect(limiter.wait(of: "a") == .microseconds(500_000))
        clock.move(500_000)
        #expect((0..<3).map { _ in limiter.wait(of: "a") } == [nil, nil, nil])
        #expect(limiter.consume("a") == nil)
        #expect(limiter.wait(of: "a") == .microseconds(500_000))
    }

    @Test func sendersDoNotShare() {
        let (limiter, _) = limiter(1, 1)
        #expect(limiter.consume("a") == nil)
        #expect(limiter.consume("b") == nil)
        #expect(limiter.consume("a") != nil)
    }

    @Test func aClockThatGoesBackGivesNothing() {
        let (limiter, clock) = limiter(1, 1)
        #expect(limiter.consume("a") == nil)
        clock.move(-4_000_000)
        #expect(limiter.consume("a") == .seconds(1))
    }

    @Test func zeroSetsNoLimit() {
        let (limiter, _) = limiter(0, 1)
        for _ in 0..<1000 { #expect(limiter.consume("a") == nil) }
        #expect(limiter.count == 0)
    }

    /// The sender that was quiet for longest makes room; those in use keep their buckets.
    @Test func boundedByTheOldest() {
        let (limiter, _) = limiter(1, 1, capacity: 3)
        for sender in ["a", "b", "c"] { #expect(limiter.consume(sender) == nil) }
        #expect(limiter.consume("a") != nil)
        #expect(limiter.consume("d") == nil)
        #expect(limiter.count == 3)
        #expect(limiter.consume("a") != nil)
        #expect(limiter.consume("c") != nil)
        #expect(limiter.consume("b") == nil, "b was forgotten, and its bucket is new")
    }

    @Test func manySenders() {
        let (limiter, _) = limiter(1, 1, capacity: 100)
        for sender in 0..<100_000 { #expect(limiter.consume(String(sender)) == nil) }
        #expect(limiter.count == 100)
    }

    @Test func newSettings() {
        let (limiter, clock) = limiter(1, 1)
        #expect(limiter.consume("a") == nil)
        var settings = RateSettings()
        settings.perSecond = 1000
        settings.burst = 10
        limiter.update(settings)
        clock.move(1000)
        #expect(limiter.consume("a") == nil)
        #expect(limiter.consume("a") != nil)
    }

    @Test func fromManyThreads() async {
        let (limiter, _) = limiter(1, 500)
        let taken = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<8 {
                group.addTask { (0..<200).count { _ in limiter.consume("a") == nil } }
            }
            return await group.reduce(0, +)
        }
        #expect(taken == 500)
    }
}
