/// What the clocks of a place show. The one of the process, `LocalClock.system`, is in `UsherSystem`.
public struct LocalClock: Sendable {
    /// How far they are ahead of UTC at a moment, both in seconds; the moment since 1970.
    private let offset: @Sendable (Int64) -> Int64

    public init(offset: @escaping @Sendable (Int64) -> Int64) { self.offset = offset }

    public static let utc = LocalClock { _ in 0 }

    /// Farther from UTC than any clock, in seconds.
    private static let reach: Int64 = 16 * 3600

    /// The day that they show at an instant, counted from 1970-01-01.
    func day(of instant: Instant) -> Int64 {
        let seconds = LocalClock.floor(instant.microseconds, 1_000_000)
        return LocalClock.floor(seconds + offset(seconds), 86_400)
    }

    /// When they show a time of a day: the first time where they do so twice, and the first moment after the gap where
    /// they skip it.
    ///
    /// - Parameters:
    ///   - day: counted from 1970-01-01.
    ///   - minute: of the day.
    func instant(ofDay day: Int64, minute: Int) -> Instant {
        let shown = day * 86_400 + Int64(minute) * 60
        let (before, after) = (offset(shown - LocalClock.reach), offset(shown + LocalClock.reach))
        func instant(_ seconds: Int64) -> Instant { Instant(microseconds: seconds * 1_000_000) }
        if offset(shown - before) == before { return instant(shown - before) }
        if offset(shown - after) == after { return instant(shown - after) }
        // Skipped: the change is between these two.
        var (early, late) = (shown - max(before, after), shown - min(before, after))
        while late - early > 1 {
            let middle = early + (late - early) / 2
            if offset(middle) == before { early = middle } else { late = middle }
        }
        return instant(late)
    }

    /// RFC 3339 with their distance from UTC: `2027-03-28T03:00:00+02:00`. Milliseconds are shown where there are any.
    public func text(_ instant: Instant) -> String {
        let minutes = offset(LocalClock.floor(instant.microseconds, 1_000_000)) / 60
        var text = Substring(Instant(microseconds: instant.microseconds + minutes * 60_000_000).text.dropLast())
        if text.hasSuffix(".000") { text.removeLast(4) }
        func pair(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let (hours, rest) = (abs(minutes) / 60, abs(minutes) % 60)
        return "\(text)\(minutes < 0 ? "-" : "+")\(pair(hours)):\(pair(rest))"
    }

    private static func floor(_ value: Int64, _ divisor: Int64) -> Int64 {
        let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
