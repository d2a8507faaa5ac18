/// An instant of the wall clock, in microseconds since 1970-01-01T00:00:00Z. `Instant.now` is in `UsherSystem`.
public struct Instant: Hashable, Comparable, Sendable {
    public var microseconds: Int64

    @inlinable
    public init(microseconds: Int64) { self.microseconds = microseconds }

    @inlinable
    public static func < (one: Instant, other: Instant) -> Bool { one.microseconds < other.microseconds }

    /// RFC 3339 in UTC with milliseconds: `2026-11-21T09:00:00.123Z`.
    public var text: String {
        var bytes: [UInt8] = []
        bytes.append(addingCapacity: 24) { append(to: &$0) }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends `text`: 24 bytes.
    public func append(to text: inout OutputSpan<UInt8>) {
        let milliseconds = microseconds.flooredDivision(by: 1000)
        let seconds = milliseconds.flooredDivision(by: 1000)
        let days = seconds.flooredDivision(by: 86_400)
        let (year, month, day) = Instant.civil(days)
        let ofDay = seconds - days * 86_400
        let ofSecond = milliseconds - seconds * 1000
        Instant.append(year / 100, to: &text)
        Instant.append(year, "-", to: &text)
        Instant.append(month, "-", to: &text)
        Instant.append(day, "T", to: &text)
        Instant.append(ofDay / 3600, ":", to: &text)
        Instant.append(ofDay / 60 % 60, ":", to: &text)
        Instant.append(ofDay % 60, ".", to: &text)
        Instant.append(ofSecond / 10, to: &text)
        text.append(Instant.digit(ofSecond))
        text.append(UInt8(ascii: "Z"))
    }

    /// Appends the last two digits of a number.
    private static func append(_ value: Int64, to text: inout OutputSpan<UInt8>) {
        let pair = UInt8(truncatingIfNeeded: (value % 100).magnitude)
        text.append(0x30 + pair / 10)
        text.append(0x30 + pair % 10)
    }

    private static func append(_ value: Int64, _ separator: Unicode.Scalar, to text: inout OutputSpan<UInt8>) {
        append(value, to: &text)
        text.append(UInt8(ascii: separator))
    }

    private static func digit(_ value: Int64) -> UInt8 { 0x30 + UInt8(truncatingIfNeeded: (value % 10).magnitude) }

    /// Days since 1970 as a date of the Gregorian calendar; years are counted from March, so that a leap day is the last.
    private static func civil(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let fromMarch = days + 719_468
        let era = fromMarch.flooredDivision(by: 146_097)
        let dayOfEra = fromMarch - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
    }

    public static func - (later: Instant, earlier: Instant) -> Duration {
        .microseconds(later.microseconds - earlier.microseconds)
    }

    /// How long ago something was, for people: `3 s`, `12 min`, `1 h`, `5 d`.
    public static func age(_ duration: Duration) -> String {
        let seconds = max(0, duration.components.seconds)
        return switch seconds {
        case ..<60: "\(seconds) s"
        case ..<3600: "\(seconds / 60) min"
        case ..<86_400: "\(seconds / 3600) h"
        default: "\(seconds / 86_400) d"
        }
    }
}

/// An instant of a clock that only goes forward, in nanoseconds since some fixed one.
public struct MonotonicInstant: Hashable, Comparable, Sendable {
    package let nanoseconds: Int64

    package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    public static let distantFuture = MonotonicInstant(nanoseconds: .max)

    public static func < (one: MonotonicInstant, other: MonotonicInstant) -> Bool {
        one.nanoseconds < other.nanoseconds
    }

    public static func - (later: MonotonicInstant, earlier: MonotonicInstant) -> Duration {
        .nanoseconds(later.nanoseconds - earlier.nanoseconds)
    }

    /// At most `distantFuture`.
    public static func + (instant: MonotonicInstant, duration: Duration) -> MonotonicInstant {
        let sum = instant.nanoseconds.addingReportingOverflow(duration.nanoseconds)
        return MonotonicInstant(nanoseconds: sum.overflow ? .max : sum.partialValue)
    }
}

// Whole units, rounded towards zero; at most what the type holds.
extension Duration {
    public var nanoseconds: Int64 { whole(1_000_000_000) }
    public var microseconds: Int64 { whole(1_000_000) }
    public var milliseconds: Int64 { whole(1000) }

    private func whole(_ perSecond: Int64) -> Int64 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: perSecond)
        if overflow { return seconds < 0 ? .min : .max }
        let sum = product.addingReportingOverflow(attoseconds / (1_000_000_000_000_000_000 / perSecond))
        return sum.overflow ? (seconds < 0 ? .min : .max) : sum.partialValue
    }
}

extension Int64 {
    fileprivate func flooredDivision(by divisor: Int64) -> Int64 {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
