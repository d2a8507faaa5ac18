package import UsherOperation
package import UsherScene
internal import UsherSystem
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

    /// A time that has passed: RFC 3339, a time of day by the clocks of this process, or so long before a moment.
    package static func instant(
        orBefore now: Instant, _ text: String, at place: String
    ) throws(ControlError) -> Instant {
        guard let seconds = DurationText.seconds(text) else {
            if let instant = TimeText.instant(text, before: now, by: .system) { return instant }
            let meant = MeantTime.time(text, isPast: true) ?? MeantTime.duration(text)
            throw .argument(
                "\(QuotedText.text(text)) is no time", at: place,
                help: meant.map { "write \(QuotedText.text($0))" }
                    ?? "such as 2026-11-21T09:00:00+01:00, 09:00, \"yesterday 09:00\", \"friday 09:00\", or 2h: so long ago"
            )
        }
        let (length, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
        return Instant(microseconds: overflow ? 0 : now.microseconds - length)
    }

    /// A time that is still to come, or the next one: RFC 3339, or a time of day by the clocks of this process.
    ///
    /// - Parameters:
    ///   - past: the code of a time that has passed.
    ///   - wrong: that of a text that is no time.
    package static func next(
        _ text: String, after now: Instant, past: DiagnosticCode = .schedulePast, wrong: DiagnosticCode = .scheduleTime,
        at place: String
    ) throws(ControlError) -> Instant {
        let instant = try time(text, after: now, wrong: wrong, at: place)
        guard instant >= now else {
            throw ControlError(
                past, "\(LocalClock.system.text(instant)) has passed", at: place,
                help: "now is \(LocalClock.system.text(now))")
        }
        return instant
    }

    /// The same, or a time that has passed.
    package static func time(
        _ text: String, after now: Instant, wrong: DiagnosticCode = .scheduleTime, at place: String
    ) throws(ControlError) -> Instant {
        if let instant = TimeText.instant(text, after: now, by: .system) { return instant }
        var help = MeantTime.time(text).map { "write \(QuotedText.text($0))" }
        if help == nil, let duration = DurationText.seconds(text).map({ _ in text }) ?? MeantTime.duration(text) {
            help = "a duration goes with --in: --in \(duration)"
        } else if TimeRule(text) != nil {
            help = "a rule goes with --every: --every \(QuotedText.text(text))"
        }
        throw ControlError(
            wrong, "\(QuotedText.text(text)) is no time", at: place,
            help: help ?? "such as \"2026-11-21 09:00\", 09:00, \"tomorrow 09:00\" or \"friday 09:00\"")
    }

    /// `15m`: so long after a moment.
    package static func instant(
        in text: String, after now: Instant, wrong: DiagnosticCode = .scheduleTime, at place: String
    ) throws(ControlError) -> Instant {
        if DurationText.seconds(text) == 0 { return now }
        if let rule = TimeRule(text), case .interval = rule, let next = rule.next(after: now, by: .system) {
            return next
        }
        var help = MeantTime.duration(text).map { "write \($0)" }
        if help == nil, TimeText.instant(text, after: now, by: .system) != nil {
            help = "a time goes with --at: --at \(QuotedText.text(text))"
        }
        throw ControlError(
            wrong, "\(QuotedText.text(text)) is no duration", at: place,
            help: help ?? "numbers, each with s, m, h or d: 90s, 15m, 1h30m, 7d")
    }
}

/// When something is to happen: once, or again and again.
package struct Timing: Sendable {
    /// nil for once.
    package let rule: TimeRule?
    /// The first time.
    package let first: Instant

    /// Reads one of three texts.
    ///
    /// - Parameters:
    ///   - time: as `TimeArgument.next` reads it.
    ///   - delay: so long after `now`.
    ///   - rule: the text of a `TimeRule`.
    package init(
        at time: String?, in delay: String?, every rule: String?, now: Instant
    ) throws(ControlError) {
        let given = [time, delay, rule].compactMap { $0 }.count
        guard given == 1 else {
            throw ControlError(
                .scheduleWhen, given == 0 ? "nothing says when" : "\(given) times are given, and one is meant",
                help: "give one of --at TIME, --in DURATION and --every RULE")
        }
        if let rule {
            guard let read = TimeRule(rule), let first = read.next(after: now, by: .system) else {
                throw ControlError(
                    .scheduleRule, "\(QuotedText.text(rule)) is no rule", at: "/every",
                    help: MeantTime.rule(rule).map { "write \(QuotedText.text($0))" }
                        ?? "such as 15m, \"day 09:00\" or \"mon,thu 09:00\"; at least 1s")
            }
            (self.rule, self.first) = (read, first)
        } else if let time {
            (self.rule, first) = (nil, try TimeArgument.next(time, after: now, at: "/at"))
        } else {
            (self.rule, first) = (nil, try TimeArgument.instant(in: delay ?? "", after: now, at: "/in"))
        }
    }

    /// The first times, at most so many.
    package func times(_ count: Int) -> [Instant] {
        var times = [first]
        while let rule, times.count < count, let next = rule.next(after: times[times.count - 1], by: .system) {
            times.append(next)
        }
        return times
    }
}
