import Testing
import UsherText

@Suite("Instants")
struct InstantTests {
    @Test(
        "RFC 3339 in UTC with milliseconds",
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (951_782_400_000_000, "2000-02-29T00:00:00.000Z"),
            (1_795_251_600_123_999, "2026-11-21T09:00:00.123Z"), (-1, "1969-12-31T23:59:59.999Z"),
            (4_107_542_399_999_999, "2100-02-28T23:59:59.999Z"), (4_107_542_400_000_000, "2100-03-01T00:00:00.000Z"),
        ] as [(Int64, String)])
    func text(microseconds: Int64, text: String) {
        #expect(Instant(microseconds: microseconds).text == text)
    }

    @Test("a moment no clock shows is still some text", arguments: [Int64.min, .max])
    func extremes(microseconds: Int64) {
        #expect(Instant(microseconds: microseconds).text.utf8.count == 24)
    }

    @Test(
        "its text is read back",
        arguments: [0, 951_782_400_000_000, 1_795_251_600_123_000, 4_107_542_400_000_000] as [Int64])
    func roundTrip(microseconds: Int64) {
        let instant = Instant(microseconds: microseconds)
        #expect(Instant(text: instant.text) == instant)
    }

    @Test(
        "ages for people",
        arguments: [(-5, "0 s"), (59, "59 s"), (60, "1 min"), (3600, "1 h"), (200_000, "2 d")] as [(Int64, String)])
    func ages(seconds: Int64, text: String) {
        #expect(Instant.age(.seconds(seconds)) == text)
    }
}
