import Glibc

/// A moment on the monotonic clock, which no change of the time of day moves.
public struct Deadline: Sendable {
    private let nanoseconds: Int64

    public init(inMilliseconds milliseconds: Int) {
        let wait = Int64(clamping: max(milliseconds, 0)).multipliedReportingOverflow(by: 1_000_000)
        let moment = Self.now.addingReportingOverflow(wait.overflow ? .max : wait.partialValue)
        nanoseconds = moment.overflow ? .max : moment.partialValue
    }

    private init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    public static func earlier(_ one: Deadline, _ other: Deadline) -> Deadline {
        Deadline(nanoseconds: min(one.nanoseconds, other.nanoseconds))
    }

    public var isOver: Bool { Self.now >= nanoseconds }

    /// Rounded up, so that waiting this long ends at or after the deadline.
    public var remainingMilliseconds: Int32 {
        let left = nanoseconds - Self.now
        return left <= 0 ? 0 : Int32(clamping: left / 1_000_000 + (left % 1_000_000 == 0 ? 0 : 1))
    }

    /// Nanoseconds since some fixed moment.
    static var now: Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
