/// Times as people give them: a date and time of RFC 3339, or without its zone, `09:00`, `tomorrow 09:00`, `friday 09:00`.
public enum TimeText {
    /// The end of the year 9999: no text has more digits.
    public static let latest = Instant(microseconds: 253_402_300_799_000_000)

    /// nil where the text is no time. A time of day is one after `now`; a date may be in the past.
    public static func instant(_ text: String, after now: Instant, by clock: LocalClock) -> Instant? {
        if let instant = instant(ofDate: text, by: clock) { return instant }
        guard let (word, minute) = DayWords.split(text) else { return nil }
        let today = clock.day(of: now)
        switch word {
        case "today": return clock.instant(ofDay: today, minute: minute)
        case "tomorrow": return clock.instant(ofDay: today + 1, minute: minute)
        case "": return TimeRule.days(.every, minute: minute).next(after: now, by: clock)
        default: return Weekdays(word).flatMap { TimeRule.days($0, minute: minute).next(after: now, by: clock) }
        }
    }

    /// nil where the text is no time. A time of day is the last one before `now`: `09:00`, `yesterday 09:00`, `friday 09:00`.
    public static func instant(_ text: String, before now: Instant, by clock: LocalClock) -> Instant? {
        if let instant = instant(ofDate: text, by: clock) { return instant }
        guard let (word, minute) = DayWords.split(text) else { return nil }
        let today = clock.day(of: now)
        if word == "today" { return clock.instant(ofDay: today, minute: minute) }
        if word == "yesterday" { return clock.instant(ofDay: today - 1, minute: minute) }
        guard let days = word.isEmpty ? .every : Weekdays(word) else { return nil }
        // Today's may be still to come.
        return (today - 7...today).last { days.contains(day: $0) && clock.instant(ofDay: $0, minute: minute) <= now }
            .map { clock.instant(ofDay: $0, minute: minute) }
    }

    /// RFC 3339; without a zone by the clock.
    private static func instant(ofDate text: String, by clock: LocalClock) -> Instant? {
        if let instant = Instant(text: text) { return instant }
        guard let (day, second) = InternetDate.withoutZone(text) else { return nil }
        let minute = clock.instant(ofDay: day, minute: Int(second / 60))
        return Instant(microseconds: minute.microseconds + second % 60 * 1_000_000)
    }
}

/// When something happens again: `15m`, `day 09:00`, `mon,thu 09:00`.
public enum TimeRule: Sendable, Hashable {
    /// So long after the time before.
    case interval(seconds: Int64)
    /// At a time of these days, by the clocks of a place.
    case days(Weekdays, minute: Int)

    /// nil where the text is no rule.
    public init?(_ text: String) {
        if let seconds = DurationText.seconds(text) {
            guard seconds > 0 else { return nil }
            self = .interval(seconds: seconds)
        } else if let (words, minute) = DayWords.split(text), !words.isEmpty {
            var days = Weekdays()
            for word in words.split(separator: ",", omittingEmptySubsequences: false) {
                guard let day = words == "day" ? .every : Weekdays(word) else { return nil }
                days.formUnion(day)
            }
            self = .days(days, minute: minute)
        } else {
            return nil
        }
    }

    /// The first time after an instant; nil where that is beyond `TimeText.latest`.
    ///
    /// - Parameter start: an interval's time before, or when it began; `instant` if nil.
    public func next(after instant: Instant, from start: Instant? = nil, by clock: LocalClock) -> Instant? {
        switch self {
        case .interval(let seconds):
            let start = start ?? instant
            let (length, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
            guard !overflow, length <= TimeText.latest.microseconds else { return nil }
            let passed = max(0, instant.microseconds - start.microseconds) / length
            let next = Instant(microseconds: start.microseconds + (passed + 1) * length)
            return next <= TimeText.latest ? next : nil
        case .days(let days, let minute):
            // From the day before: a time that was skipped may be one of today.
            let first = clock.day(of: instant) - 1
            for day in first...first + 9 where days.contains(day: day) {
                let time = clock.instant(ofDay: day, minute: minute)
                if time > instant { return time <= TimeText.latest ? time : nil }
            }
            return nil
        }
    }
}

/// Some days of the week.
public struct Weekdays: OptionSet, Sendable, Hashable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }

    static let every = Weekdays(rawValue: 0x7F)

    private static let names = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"]

    /// One day by its name, or the first three letters of it, in lower case.
    init?(_ name: some StringProtocol) {
        guard let place = Weekdays.names.firstIndex(where: { $0 == name || $0.prefix(3) == name }) else { return nil }
        self.init(rawValue: 1 << UInt8(place))
    }

    /// - Parameter day: counted from 1970-01-01, which was a Thursday.
    func contains(day: Int64) -> Bool { rawValue >> UInt8(((day + 4) % 7 + 7) % 7) & 1 == 1 }
}

/// Words before a time of day.
private enum DayWords {
    /// The words in lower case without blanks, and the minute of the day; nil where there is no time at the end.
    static func split(_ text: String) -> (words: String, minute: Int)? {
        let parts = text.split(separator: " ")
        guard let time = parts.last, text.utf8.count <= 100 else { return nil }
        let numbers = time.split(separator: ":", omittingEmptySubsequences: false)
        let isPlain = time.utf8.allSatisfy { $0 &- 0x30 < 10 || $0 == UInt8(ascii: ":") }
        guard isPlain, numbers.count == 2, (1...2).contains(numbers[0].utf8.count), numbers[1].utf8.count == 2,
            let hour = Int(numbers[0]), let minute = Int(numbers[1]), hour < 24, minute < 60
        else { return nil }
        // A blank may follow a comma.
        let words = parts.dropLast().reduce("") {
            $0 + ($0.isEmpty || $0.utf8.last == UInt8(ascii: ",") ? "" : " ") + $1
        }
        return (words.lowercased(), hour * 60 + minute)
    }
}
