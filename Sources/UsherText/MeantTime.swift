/// The form in which times, rules and durations are given, of what people write instead: `friday 21:00` of `9pm on Friday`.
public enum MeantTime {
    /// For a text that `TimeText` does not take; nil where nothing is near.
    ///
    /// - Parameter isPast: a time that has passed is meant.
    public static func time(_ text: String, isPast: Bool = false) -> String? {
        let (words, time) = split(text, without: ["at", "on", "next", "last", "this"])
        guard time != nil || !words.isEmpty else { return nil }
        let meant = (words + [time ?? "09:00"]).reduce("") { $0.isEmpty ? $1 : "\($0) \($1)" }
        let start = Instant(microseconds: 0)
        let instant =
            isPast ? TimeText.instant(meant, before: start, by: .utc) : TimeText.instant(meant, after: start, by: .utc)
        return instant.map { _ in meant }
    }

    /// For a text that is no `TimeRule`.
    public static func rule(_ text: String) -> String? {
        let (given, time) = split(text, without: ["at", "on", "every", "each", "and"])
        guard time != nil || !given.isEmpty else { return nil }
        let words = given.flatMap { $0.split(separator: ",").map { day($0) } }
        if words == ["hourly"] { return "1h" }
        if time == nil, let duration = duration(words.reduce("", +)) { return duration }
        let days = words.isEmpty ? "day" : words.reduce("") { $0.isEmpty ? $1 : "\($0),\($1)" }
        let meant = "\(days) \(time ?? "09:00")"
        return TimeRule(meant).map { _ in meant }
    }

    /// For a text that is no `DurationText`.
    public static func duration(_ text: String) -> String? {
        var meant = ""
        var rest = text.lowercased().utf8.filter { $0 != UInt8(ascii: " ") }[...]
        if rest.starts(with: "in".utf8) { rest = rest.dropFirst(2) }
        while !rest.isEmpty {
            let digits = rest.prefix { $0 &- 0x30 < 10 }
            let unit = rest.dropFirst(digits.count).prefix { $0 &- 0x30 >= 10 }
            guard let number = Int64(String(decoding: digits, as: UTF8.self)), number < 1_000_000 else { return nil }
            switch String(decoding: unit, as: UTF8.self) {
            case "s", "sec", "secs", "second", "seconds": meant += "\(number)s"
            case "m", "min", "mins", "minute", "minutes": meant += "\(number)m"
            case "h", "hr", "hrs", "hour", "hours": meant += "\(number)h"
            case "d", "day", "days": meant += "\(number)d"
            case "w", "week", "weeks": meant += "\(number * 7)d"
            default: return nil
            }
            rest = rest.dropFirst(digits.count + unit.count)
        }
        return DurationText.seconds(meant).map { _ in meant }
    }

    /// The words of a text, and its time of day: `HH:MM`.
    private static func split(_ text: String, without fillers: [String]) -> (words: [String], time: String?) {
        guard text.utf8.count <= 100 else { return ([], nil) }
        var words: [String] = []
        var time: String?
        for word in text.lowercased().split(separator: " ").map(String.init) where !fillers.contains(word) {
            if word == "am" || word == "pm", let last = words.last, let found = self.time(of: last + word) {
                words.removeLast()
                time = found
            } else if time == nil, let found = self.time(of: word) {
                time = found
            } else if let before = time, word == "am" || word == "pm", let found = self.time(of: before + word) {
                time = found
            } else {
                words.append(word)
            }
        }
        return (words, time)
    }

    /// `HH:MM` of `9:00`, `9.00`, `0900`, `9am`, `9:00pm` or `noon`.
    private static func time(of word: String) -> String? {
        if word == "noon" { return "12:00" }
        if word == "midnight" { return "00:00" }
        let half = word.hasSuffix("am") || word.hasSuffix("pm") ? word.suffix(2) : ""
        let parts = word.dropLast(half.count).split(omittingEmptySubsequences: false) { $0 == ":" || $0 == "." }
        guard (1...2).contains(parts.count), parts.allSatisfy({ $0.utf8.allSatisfy { $0 &- 0x30 < 10 } }),
            var hour = Int(parts[0])
        else { return nil }
        var minute = 0
        if parts.count == 2 {
            guard parts[1].utf8.count == 2, let number = Int(parts[1]) else { return nil }
            minute = number
        } else if parts[0].utf8.count == 4 {
            (hour, minute) = hour.quotientAndRemainder(dividingBy: 100)
        } else if half.isEmpty {
            return nil
        }
        if !half.isEmpty {
            guard (1...12).contains(hour) else { return nil }
            hour = hour % 12 + (half == "pm" ? 12 : 0)
        }
        guard hour < 24, minute < 60 else { return nil }
        return "\(hour < 10 ? "0" : "")\(hour):\(minute < 10 ? "0" : "")\(minute)"
    }

    /// A word for days as rules have it.
    private static func day(_ word: Substring) -> String {
        switch word {
        case "daily", "days", "everyday": "day"
        case "weekdays", "weekday": "mon,tue,wed,thu,fri"
        case "weekends", "weekend": "sat,sun"
        default: word.last == "s" && Weekdays(word.dropLast()) != nil ? String(word.dropLast()) : String(word)
        }
    }
}
