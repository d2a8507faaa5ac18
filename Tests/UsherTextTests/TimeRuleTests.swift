import Testing

@testable import UsherText

/// Times and rules by the clocks of a place.
@Suite("Times and rules")
struct TimeRuleTests {
    /// Summer time of 2027 in Berlin: +01:00, and +02:00 from 28 March 01:00Z to 31 October 01:00Z.
    private static let berlin = LocalClock { seconds in
        (1_806_195_600..<1_824_944_400).contains(seconds) ? 7200 : 3600
    }

    /// A zone that skipped 30 December 2011, as Samoa did.
    private static let apia = LocalClock { $0 < 1_325_239_200 ? -36_000 : 50_400 }

    /// Half an hour of summer time, west of Greenwich: 1 January to 1 July 2027.
    private static let half = LocalClock { (1_798_772_400..<1_814_410_800).contains($0) ? -9_000 : -10_800 }

    private static func clock(_ name: String) -> LocalClock {
        switch name {
        case "berlin": berlin
        case "apia": apia
        case "half": half
        default: .utc
        }
    }

    struct Case: CustomTestStringConvertible {
        var text: String
        var now: String
        var clock = "utc"
        var times: [String]
        var testDescription: String { "\(text) from \(now) (\(clock))" }
    }

    static let times = [
        Case(
            text: "2020-01-01T00:00:00.25+01:00", now: "2027-01-01T00:00:00Z",
            times: ["2019-12-31T23:00:00.250+00:00"]),
        Case(text: "09:00", now: "2027-01-01T08:59:59Z", times: ["2027-01-01T09:00:00+00:00"]),
        Case(text: "09:00", now: "2027-01-01T09:00:00Z", times: ["2027-01-02T09:00:00+00:00"]),
        Case(text: "9:00", now: "2027-01-01T08:59:59Z", times: ["2027-01-01T09:00:00+00:00"]),
        Case(text: "mon 9:05", now: "2027-01-01T08:00:00Z", times: ["2027-01-04T09:05:00+00:00"]),
        Case(text: "today 23:59", now: "2027-01-01T08:00:00Z", times: ["2027-01-01T23:59:00+00:00"]),
        Case(text: "today 09:00", now: "2027-01-01T10:00:00Z", times: ["2027-01-01T09:00:00+00:00"]),
        Case(text: "2027-07-01 09:00", now: "2027-01-01T10:00:00Z", times: ["2027-07-01T09:00:00+00:00"]),
        Case(
            text: "2027-07-01T09:00", now: "2027-01-01T10:00:00Z", clock: "berlin",
            times: ["2027-07-01T09:00:00+02:00"]),
        Case(
            text: "2027-01-02 9:00:30", now: "2027-01-01T10:00:00Z", clock: "berlin",
            times: ["2027-01-02T09:00:30+01:00"]),
        Case(
            text: "2027-03-28 02:30", now: "2027-01-01T10:00:00Z", clock: "berlin",
            times: ["2027-03-28T03:00:00+02:00"]),
        Case(text: "00:00", now: "2027-12-31T23:59:00Z", times: ["2028-01-01T00:00:00+00:00"]),
        Case(text: "tomorrow 09:00", now: "2027-02-28T23:00:00Z", times: ["2027-03-01T09:00:00+00:00"]),
        // In Berlin it is tomorrow already.
        Case(
            text: "Tomorrow 09:00", now: "2027-02-27T23:00:00Z", clock: "berlin", times: ["2027-03-01T09:00:00+01:00"]),
        // A Friday.
        Case(text: "friday 09:00", now: "2027-01-01T08:00:00Z", times: ["2027-01-01T09:00:00+00:00"]),
        Case(text: "FRI 09:00", now: "2027-01-01T10:00:00Z", times: ["2027-01-08T09:00:00+00:00"]),
        Case(text: " thursday  23:59 ", now: "2027-01-01T10:00:00Z", times: ["2027-01-07T23:59:00+00:00"]),
        // Skipped: the first moment after the gap. Twice: the first.
        Case(text: "02:30", now: "2027-03-27T23:00:00Z", clock: "berlin", times: ["2027-03-28T03:00:00+02:00"]),
        Case(text: "02:30", now: "2027-10-30T23:00:00Z", clock: "berlin", times: ["2027-10-31T02:30:00+02:00"]),
        Case(text: "02:30", now: "2027-10-31T00:45:00Z", clock: "berlin", times: ["2027-11-01T02:30:00+01:00"]),
        Case(text: "00:10", now: "2026-12-31T12:00:00Z", clock: "half", times: ["2027-01-01T00:30:00-02:30"]),
    ]

    @Test(arguments: times)
    func oneTime(_ one: Case) throws {
        let now = try #require(Instant(text: one.now))
        let clock = Self.clock(one.clock)
        let found = try #require(TimeText.instant(one.text, after: now, by: clock))
        #expect([clock.text(found)] == one.times)
    }

    @Test(arguments: [
        "", ":00", "9:0", "009:00", "+9:00", "24:00", "12:60", "noon", "tomorrow", "today", "fr 09:00",
        "to morrow 09:00", "mon,thu 09:00", "day 09:00", "09:00 friday", "2027-01-01", "2027-02-29 09:00",
        "2027-01-01 24:00", "2027-01-01T09", "2027-01-01T09:00+", "2027-01-01x09:00", "09-00", "0900", "15m",
        "tomorrow friday 09:00",
        "٠٩:٠٠", "09:00\u{0}", "friday 09:00:00",
    ])
    func noTime(_ text: String) {
        #expect(TimeText.instant(text, after: Instant(microseconds: 0), by: .utc) == nil)
    }

    static let pastTimes = [
        Case(text: "2030-01-01T00:00:00Z", now: "2027-01-01T08:00:00Z", times: ["2030-01-01T00:00:00+00:00"]),
        Case(text: "09:00", now: "2027-01-01T09:00:00Z", times: ["2027-01-01T09:00:00+00:00"]),
        Case(text: "9:00", now: "2027-01-01T08:59:59Z", times: ["2026-12-31T09:00:00+00:00"]),
        Case(text: "today 9:00", now: "2027-01-01T10:00:00Z", times: ["2027-01-01T09:00:00+00:00"]),
        Case(
            text: "2026-12-01 09:00", now: "2027-01-01T10:00:00Z", clock: "berlin",
            times: ["2026-12-01T09:00:00+01:00"]),
        Case(text: "Yesterday 23:00", now: "2027-01-01T08:00:00Z", times: ["2026-12-31T23:00:00+00:00"]),
        // A Friday.
        Case(text: "friday 09:00", now: "2027-01-01T10:00:00Z", times: ["2027-01-01T09:00:00+00:00"]),
        Case(text: "fri 09:00", now: "2027-01-01T08:00:00Z", times: ["2026-12-25T09:00:00+00:00"]),
        Case(text: "02:30", now: "2027-03-28T02:00:00Z", clock: "berlin", times: ["2027-03-28T03:00:00+02:00"]),
        Case(text: "02:30", now: "2027-03-28T00:30:00Z", clock: "berlin", times: ["2027-03-27T02:30:00+01:00"]),
    ]

    @Test(arguments: pastTimes)
    func lastTime(_ one: Case) throws {
        let now = try #require(Instant(text: one.now))
        let clock = Self.clock(one.clock)
        let found = try #require(TimeText.instant(one.text, before: now, by: clock))
        #expect([clock.text(found)] == one.times)
    }

    @Test(arguments: ["", "tomorrow 09:00", "9", "today", "mon,thu 09:00", "yesterday", "15m"])
    func noLastTime(_ text: String) {
        #expect(TimeText.instant(text, before: Instant(microseconds: 0), by: .utc) == nil)
    }

    static let rules = [
        Case(
            text: "15m", now: "2027-03-28T00:50:00Z", clock: "berlin",
            times: ["2027-03-28T03:05:00+02:00", "2027-03-28T03:20:00+02:00", "2027-03-28T03:35:00+02:00"]),
        Case(
            text: "day 02:30", now: "2027-03-27T00:00:00Z", clock: "berlin",
            times: [
                "2027-03-27T02:30:00+01:00", "2027-03-28T03:00:00+02:00", "2027-03-29T02:30:00+02:00",
            ]),
        Case(
            text: "day 02:30", now: "2027-10-30T00:00:00Z", clock: "berlin",
            times: [
                "2027-10-30T02:30:00+02:00", "2027-10-31T02:30:00+02:00", "2027-11-01T02:30:00+01:00",
            ]),
        // A day that is not there: its time is the first moment after it.
        Case(
            text: "day 12:00", now: "2011-12-29T00:00:00Z", clock: "apia",
            times: [
                "2011-12-29T12:00:00-10:00", "2011-12-31T00:00:00+14:00", "2011-12-31T12:00:00+14:00",
            ]),
        Case(
            text: "mon,THU 09:00", now: "2027-01-01T00:00:00Z",
            times: ["2027-01-04T09:00:00+00:00", "2027-01-07T09:00:00+00:00", "2027-01-11T09:00:00+00:00"]),
        Case(
            text: "day 9:00", now: "2027-01-01T00:00:00Z",
            times: ["2027-01-01T09:00:00+00:00", "2027-01-02T09:00:00+00:00", "2027-01-03T09:00:00+00:00"]),
        Case(
            text: "1h30m", now: "2027-01-01T00:00:00Z",
            times: ["2027-01-01T01:30:00+00:00", "2027-01-01T03:00:00+00:00", "2027-01-01T04:30:00+00:00"]),
        Case(
            text: "Saturday, sun,sat 00:00", now: "2027-01-02T00:00:00Z",
            times: ["2027-01-03T00:00:00+00:00", "2027-01-09T00:00:00+00:00", "2027-01-10T00:00:00+00:00"]),
        Case(
            text: "7d", now: "1969-12-25T00:00:00Z",
            times: ["1970-01-01T00:00:00+00:00", "1970-01-08T00:00:00+00:00", "1970-01-15T00:00:00+00:00"]),
        // Never beyond the year 9999.
        Case(text: "900000d", now: "7000-01-01T00:00:00Z", times: ["9464-02-13T00:00:00+00:00"]),
        Case(text: "999999999d", now: "2027-01-01T00:00:00Z", times: []),
    ]

    @Test(arguments: rules)
    func rule(_ one: Case) throws {
        let rule = try #require(TimeRule(one.text))
        let clock = Self.clock(one.clock)
        var now = try #require(Instant(text: one.now))
        var times: [String] = []
        while times.count < 3, let next = rule.next(after: now, by: clock) {
            times.append(clock.text(next))
            now = next
        }
        #expect(times == one.times)
    }

    @Test("an interval goes on from its beginning, whatever was missed")
    func interval() throws {
        let rule = try #require(TimeRule("1h"))
        let (start, now) = (Instant(text: "2027-01-01T00:10:00Z"), Instant(text: "2027-01-04T12:00:00Z"))
        let next = rule.next(after: try #require(now), from: start, by: .utc)
        #expect(next?.text == "2027-01-04T12:10:00.000Z")
    }

    @Test(arguments: [
        "", "0s", "-1s", "1w", "day", "day 9", "30m1h", "1h1h", "1h30", "09:00", "daily 09:00", "mon,,thu 09:00",
        "mon, 09:00", ",mon 09:00",
        "day,mon 09:00", "mon thu 09:00", "1000000000s", "every day 09:00", "2027-01-01T00:00:00Z",
    ])
    func noRule(_ text: String) { #expect(TimeRule(text) == nil) }

    @Test(
        "what is near a time has the form that is taken",
        arguments: [
            ("9am", "09:00"), ("9 pm", "21:00"), ("9:30 pm", "21:30"), ("12am", "00:00"), ("0900", "09:00"),
            ("9.00", "09:00"),
            ("noon", "12:00"), ("tomorrow", "tomorrow 09:00"), ("09:00 tomorrow", "tomorrow 09:00"),
            ("tomorrow at 9am", "tomorrow 09:00"), ("next friday 9pm", "friday 21:00"), ("fri", "fri 09:00"),
            ("2027-01-01", "2027-01-01 09:00"), ("25:00", nil), ("13pm", nil), ("soon", nil), ("", nil), ("15m", nil),
            ("2 hours", nil),
        ])
    func meantTime(_ text: String, _ meant: String?) { #expect(MeantTime.time(text) == meant) }

    @Test(arguments: [
        ("daily", "day 09:00"), ("daily 9am", "day 09:00"), ("09:00", "day 09:00"), ("every day at 15:00", "day 15:00"),
        ("mondays 9:00", "monday 09:00"), ("mon and thu 9am", "mon,thu 09:00"), ("mon thu 09:00", "mon,thu 09:00"),
        ("weekdays 08:30", "mon,tue,wed,thu,fri 08:30"), ("every 2 hours", "2h"), ("hourly", "1h"), ("2 weeks", "14d"),
        ("monthly", nil), ("", nil), ("fortnight", nil),
    ])
    func meantRule(_ text: String, _ meant: String?) { #expect(MeantTime.rule(text) == meant) }

    @Test(arguments: [
        ("2 hours", "2h"), ("90 min", "90m"), ("in 5 minutes", "5m"), ("1 h 30 min", "1h30m"), ("1w", "7d"), ("2", nil),
        ("1.5h", nil), ("a while", nil), ("", nil), ("99999999999h", nil),
    ])
    func meantDuration(_ text: String, _ meant: String?) { #expect(MeantTime.duration(text) == meant) }

    @Test("every minute of a year is a time, and none comes before the one before it")
    func order() throws {
        for clock in [Self.berlin, Self.half, Self.apia] {
            for minute in stride(from: 0, to: 1440, by: 7) {
                let rule = TimeRule.days(.every, minute: minute)
                var now = try #require(Instant(text: "2027-01-01T00:00:00Z"))
                for _ in 0..<370 {
                    let next = try #require(rule.next(after: now, by: clock))
                    #expect(next > now && next - now <= .seconds(26 * 3600))
                    now = next
                }
            }
        }
    }
}
