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

/// A clock that only goes forward, for durations.
public enum MonotonicClock {
    /// Since some fixed moment.
    public static func microseconds() -> Int64 { nanoseconds() / 1000 }

    /// The same in milliseconds: cheaper to ask for, and a few milliseconds late.
    package static func coarseMilliseconds() -> UInt64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
        return UInt64(time.tv_sec) * 1000 + UInt64(time.tv_nsec) / 1_000_000
    }

    package static func nanoseconds() -> Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}

/// A moment on the monotonic clock, which no change of the time of day moves.
public struct Deadline: Sendable {
    private let nanoseconds: Int64

    public init(inMilliseconds milliseconds: Int) {
        let wait = Int64(clamping: max(milliseconds, 0)).multipliedReportingOverflow(by: 1_000_000)
        let moment = MonotonicClock.nanoseconds().addingReportingOverflow(wait.overflow ? .max : wait.partialValue)
        nanoseconds = moment.overflow ? .max : moment.partialValue
    }

    private init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    public static func earlier(_ one: Deadline, _ other: Deadline) -> Deadline {
        Deadline(nanoseconds: min(one.nanoseconds, other.nanoseconds))
    }

    public var isOver: Bool { MonotonicClock.nanoseconds() >= nanoseconds }

    /// Rounded up, so that waiting this long ends at or after the deadline.
    public var remainingMilliseconds: Int32 {
        let left = nanoseconds - MonotonicClock.nanoseconds()
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
