package import UsherOperation
package import UsherText

/// Times and durations as requests give them.
package enum TimeArgument {
    /// RFC 3339: `2026-11-21T09:00:00Z`.
    package static func instant(_ text: String, at place: String) throws(ControlError) -> Instant {
        guard let instant = Instant(text: text) else {
            throw .argument(
                "\(QuotedText.text(text)) is no time", at: place,
                help: "a time is a date, a time of day and a zone: 2026-11-21T09:00:00+01:00")
        }
        return instant
    }

    /// `15m`: so long after a moment.
    package static func instant(in text: String, after now: Instant, at place: String) throws(ControlError) -> Instant {
        guard let seconds = DurationText.seconds(text) else {
            throw .argument(
                "\(QuotedText.text(text)) is no duration", at: place,
                help: "a number and s, m, h or d: 90s, 15m, 2h, 7d")
        }
        return Instant(microseconds: now.microseconds + seconds * 1_000_000)
    }

    /// A time, or so long before a moment.
    package static func instant(orBefore now: Instant, _ text: String, at place: String) throws(ControlError) -> Instant
    {
        if let seconds = DurationText.seconds(text) {
            return Instant(microseconds: now.microseconds - seconds * 1_000_000)
        }
        return try instant(text, at: place)
    }
}
