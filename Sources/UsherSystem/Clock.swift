internal import Glibc
internal import Synchronization
public import UsherText

extension Instant {
    /// By the wall clock.
    public static var now: Instant {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Instant(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)
    }
}

/// A clock that only goes forward, whatever is done to the time of day: for durations.
public enum MonotonicClock {
    public static var now: MonotonicInstant {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return MonotonicInstant(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }

    /// The same in whole microseconds, as it is given to other programs.
    public static func microseconds() -> Int64 { now.nanoseconds / 1000 }

    /// The same in milliseconds: cheaper to ask for, and a few milliseconds late.
    package static func coarseMilliseconds() -> UInt64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
        return UInt64(time.tv_sec) * 1000 + UInt64(time.tv_nsec) / 1_000_000
    }
}

/// When waiting ends, by the monotonic clock.
public struct Deadline: Sendable {
    private let instant: MonotonicInstant

    public init(inMilliseconds milliseconds: Int) { self.init(in: .milliseconds(max(milliseconds, 0))) }

    public init(in duration: Duration) { instant = MonotonicClock.now + duration }

    private init(_ instant: MonotonicInstant) { self.instant = instant }

    public static func earlier(_ one: Deadline, _ other: Deadline) -> Deadline {
        Deadline(min(one.instant, other.instant))
    }

    public var isOver: Bool { MonotonicClock.now >= instant }

    /// Rounded up, so that waiting this long ends at or after the deadline.
    public var remainingMilliseconds: Int32 {
        let left = instant.nanoseconds - MonotonicClock.now.nanoseconds
        return left <= 0 ? 0 : Int32(clamping: left / 1_000_000 + (left % 1_000_000 == 0 ? 0 : 1))
    }
}

extension UUIDv7 {
    private struct State: Sendable {
        var generator = Generator()
        var random = RandomWords()
    }

    private static let state = Mutex(State())

    /// A new identifier, greater than every one this process made before: 36 characters, lower case.
    public static func next() -> String {
        state.withLock { state in
            let now = UInt64(clamping: Instant.now.microseconds / 1000)
            return state.generator.next(milliseconds: now, using: &state.random)
        }
    }
}

/// The system's randomness, asked for many words at once.
private struct RandomWords: RandomNumberGenerator, Sendable {
    private var words: InlineArray<32, UInt64> = .init(repeating: 0)
    private var left = 0

    mutating func next() -> UInt64 {
        if left == 0 { refill() }
        left -= 1
        let word = words[left]
        words[left] = 0
        return word
    }

    private mutating func refill() {
        left = words.count
        var span = words.mutableSpan
        let result = unsafe span.withUnsafeMutableBytes { unsafe getentropy($0.baseAddress!, $0.count) }
        if result == 0 { return }
        var system = SystemRandomNumberGenerator()
        for i in words.indices { words[i] = system.next() }
    }
}
