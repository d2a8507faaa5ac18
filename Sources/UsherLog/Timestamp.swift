internal import Glibc

/// A moment of the wall clock, in microseconds since 1970.
public struct Timestamp: Hashable, Comparable, Sendable {
    public var microseconds: Int64

    public init(microseconds: Int64) { self.microseconds = microseconds }

    public static func now() -> Timestamp {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)
    }

    public static func < (one: Timestamp, other: Timestamp) -> Bool { one.microseconds < other.microseconds }

    /// RFC 3339 in UTC with milliseconds: `2026-11-21T09:00:00.123Z`.
    public var text: String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(24)
        append(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends `text`.
    package func append(to bytes: inout [UInt8]) {
        let milliseconds = microseconds.flooredDivision(by: 1000)
        let seconds = milliseconds.flooredDivision(by: 1000)
        let days = seconds.flooredDivision(by: 86_400)
        let (year, month, day) = Timestamp.civil(days)
        let ofDay = seconds - days * 86_400
        let ofSecond = milliseconds - seconds * 1000
        bytes.append(addingCapacity: 24) { text in
            Timestamp.append(year / 100, to: &text)
            Timestamp.append(year, "-", to: &text)
            Timestamp.append(month, "-", to: &text)
            Timestamp.append(day, "T", to: &text)
            Timestamp.append(ofDay / 3600, ":", to: &text)
            Timestamp.append(ofDay / 60 % 60, ":", to: &text)
            Timestamp.append(ofDay % 60, ".", to: &text)
            Timestamp.append(ofSecond / 10, to: &text)
            text.append(Timestamp.digit(ofSecond))
            text.append(UInt8(ascii: "Z"))
        }
    }

    /// Appends the last two digits of a number.
    private static func append(_ value: Int64, to text: inout OutputSpan<UInt8>) {
        text.append(digit(value / 10))
        text.append(digit(value))
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

    /// How long ago something was, for people: `3 s`, `12 min`, `1 h`, `5 d`.
    public static func age(microseconds: Int64) -> String {
        let seconds = max(0, microseconds / 1_000_000)
        return switch seconds {
        case ..<60: "\(seconds) s"
        case ..<3600: "\(seconds / 60) min"
        case ..<86_400: "\(seconds / 3600) h"
        default: "\(seconds / 86_400) d"
        }
    }
}

/// A clock that only goes forward, for durations: microseconds since some moment.
public enum MonotonicClock {
    public static func microseconds() -> Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
    }
}

extension Int64 {
    fileprivate func flooredDivision(by divisor: Int64) -> Int64 {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
