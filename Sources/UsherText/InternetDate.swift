/// Dates and times of RFC 3339, such as `2026-11-21T09:00:00.5+01:00`.
public enum InternetDate {
    /// The time in seconds since 1970, or nil where the text is not such a date.
    public static func secondsSince1970(_ text: String) -> Double? {
        read(text).map { Double($0.seconds) + $0.fraction }
    }

    fileprivate static func read(_ text: String) -> (seconds: Int, fraction: Double)? {
        var rest = text.utf8[...]
        guard let year = number(&rest, digits: 4), skip(&rest, [0x2D]), let month = number(&rest, digits: 2),
            skip(&rest, [0x2D]), let day = number(&rest, digits: 2), skip(&rest, [0x54, 0x74, 0x20]),
            let hour = number(&rest, digits: 2), skip(&rest, [0x3A]), let minute = number(&rest, digits: 2),
            skip(&rest, [0x3A]), let second = number(&rest, digits: 2)
        else { return nil }
        guard (1...12).contains(month), (1...daysInMonth(month, year)).contains(day), hour < 24, minute < 60,
            second <= 60
        else { return nil }
        var fraction = 0.0
        if skip(&rest, [0x2E]) {
            var scale = 0.1
            guard let first = rest.first, isDigit(first) else { return nil }
            while let byte = rest.first, isDigit(byte) {
                fraction += Double(byte - 0x30) * scale
                scale /= 10
                rest.removeFirst()
            }
        }
        guard let offset = zone(&rest), rest.isEmpty else { return nil }
        let seconds = ((days(year, month, day) * 24 + hour) * 60 + minute - offset) * 60 + second
        return (seconds, fraction)
    }

    /// The day, counted from 1970-01-01, and the second of it, of a date and time without a zone: `2026-11-21 09:00`,
    /// `2026-11-21T9:00:30`; nil for any other text.
    static func withoutZone(_ text: String) -> (day: Int64, second: Int64)? {
        var bytes = Array(text.utf8)
        guard (15...19).contains(bytes.count) else { return nil }
        if bytes[12] == 0x3A { bytes.insert(0x30, at: 11) }
        if bytes.count == 16 { bytes += ":00".utf8 }
        guard bytes.count == 19, let seconds = read(String(decoding: bytes, as: UTF8.self) + "Z")?.seconds else {
            return nil
        }
        let second = (seconds % 86_400 + 86_400) % 86_400
        return (Int64((seconds - second) / 86_400), Int64(second))
    }

    /// The offset from UTC in minutes.
    private static func zone(_ rest: inout Substring.UTF8View) -> Int? {
        if skip(&rest, [0x5A, 0x7A]) { return 0 }
        let isNegative = rest.first == 0x2D
        guard skip(&rest, [0x2B, 0x2D]), let hours = number(&rest, digits: 2), skip(&rest, [0x3A]),
            let minutes = number(&rest, digits: 2), hours < 24, minutes < 60
        else { return nil }
        return (isNegative ? -1 : 1) * (hours * 60 + minutes)
    }

    private static func number(_ rest: inout Substring.UTF8View, digits: Int) -> Int? {
        var value = 0
        for _ in 0..<digits {
            guard let byte = rest.first, isDigit(byte) else { return nil }
            value = value * 10 + Int(byte - 0x30)
            rest.removeFirst()
        }
        return value
    }

    private static func skip(_ rest: inout Substring.UTF8View, _ any: [UInt8]) -> Bool {
        guard let byte = rest.first, any.contains(byte) else { return false }
        rest.removeFirst()
        return true
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }

    private static func daysInMonth(_ month: Int, _ year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Days from 1970-01-01 in the proleptic Gregorian calendar; years begin in March so that leap days come last.
    private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let y = month > 2 ? year : year - 1
        let monthFromMarch = (month + 9) % 12
        return 365 * y + y / 4 - y / 100 + y / 400 + (153 * monthFromMarch + 2) / 5 + day - 719_469
    }
}

extension Instant {
    /// The instant of a date and time of RFC 3339, to the microsecond; nil where the text is none.
    public init?(text: String) {
        guard let (seconds, fraction) = InternetDate.read(text) else { return nil }
        // `rounded` would call the C library's mathematics, which a program that uses `UsherTarget` alone is not linked with.
        self.init(microseconds: Int64(seconds) * 1_000_000 + Int64(fraction * 1_000_000 + 0.5))
    }
}
