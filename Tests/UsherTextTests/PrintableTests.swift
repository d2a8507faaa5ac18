import Testing
import UsherText

/// One class of characters that are never shown raw, wherever text of unknown origin is shown.
@Suite struct PrintableTests {
    /// Each character that disturbs, and neighbours that do not.
    @Test func whatDisturbs() {
        var found: [ClosedRange<UInt32>] = []
        for value in UInt32(0)...0x10FFFF {
            guard let scalar = Unicode.Scalar(value), Printable.disturbs(scalar) else { continue }
            if let last = found.last, last.upperBound == value - 1 {
                found[found.count - 1] = last.lowerBound...value
            } else {
                found.append(value...value)
            }
        }
        #expect(
            found == [
                0x00...0x1F, 0x7F...0x9F, 0x061C...0x061C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069,
                0xFEFF...0xFEFF,
            ])
    }

    @Test(arguments: [
        ("plain é 🤡 漢字", "plain é 🤡 漢字", "plain é 🤡 漢字"), ("\u{1B}[31mred\u{7}", "\\u{1b}[31mred\\u{7}", " [31mred "),
        ("a\u{202E}b\u{2066}c\u{200F}\u{061C}", "a\\u{202e}b\\u{2066}c\\u{200f}\\u{61c}", "abc"),
        ("a\u{9B}31mb\u{85}", "a\\u{9b}31mb\\u{85}", "a 31mb "), ("a\r\nb\tc", "a\\u{d}\\u{a}b\\u{9}c", "a  b c"),
        ("👨\u{200D}👩\u{200D}👧", "👨\u{200D}👩\u{200D}👧", "👨\u{200D}👩\u{200D}👧"), ("", "", ""),
    ])
    func text(_ text: String, _ escaped: String, _ plain: String) {
        #expect(Printable.escaped(text) == escaped)
        #expect(Printable.text(text) == escaped)
        #expect(Printable.text(text, as: .plain) == plain)
    }

    @Test func oneCharacterMayBeKept() {
        #expect(Printable.escaped("a\nb\r", keeping: "\n") == "a\nb\\u{d}")
        #expect(Printable.text("a\nb\r", as: .plain, keeping: "\n") == "a\nb ")
    }

    @Test func whatIsCutSaysSo() {
        #expect(Printable.text("\u{1B}bcd", limit: 3) == "\\u{1b}bc…")
        #expect(Printable.text("abc", limit: 3) == "abc")
        #expect(Printable.text(String(repeating: "x", count: 300)).count == 201)
        #expect(Printable.escaped("\u{1B}" + String(repeating: "x", count: 300)).count == 306)
    }

    @Test(arguments: [
        ("", nil), ("\n \r\n\t", nil), ("one", "one"), ("Traceback:\n  File\nKeyError: 'x'\n\n", "KeyError: 'x'"),
        ("a\r\u{1B}[2K", "\\u{1b}[2K"),
    ])
    func lastLine(_ text: String, _ line: String?) { #expect(Printable.lastLine(of: text) == line) }
}

@Suite struct TextTailTests {
    @Test(
        arguments: [
            (Array("abc".utf8), 3, "abc"), (Array("cdef".utf8), 6, "cdef"), (Array("abcdef".utf8), 6, "cdef"),
            ([], 0, ""),
            // Cut within a character of two, three and four bytes.
            ([0xA9] + Array("ab".utf8), 9, "ab"), (Array("€€".utf8), 6, "€"), (Array("🤡a".utf8), 5, "a"),
            // No UTF-8: repaired, and still no longer than the limit.
            ([0x61, 0xFF, 0x62], 3, "\u{FFFD}b"), ([0xFF, 0xFF], 2, "\u{FFFD}"),
            // Continuation bytes at the beginning of what is whole are repaired, not taken for a cut.
            ([0x80, 0x61], 2, "\u{FFFD}a"),
        ] as [([UInt8], Int, String)])
    func end(_ bytes: [UInt8], _ total: Int, _ text: String) {
        #expect(String.tail(of: bytes, of: total, limit: 4) == text)
    }

    @Test func neverLongerThanTheLimit() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<2000 {
            let bytes = (0..<Int.random(in: 0..<40)).map { _ in UInt8.random(in: 0...255, using: &random) }
            #expect(String.tail(of: bytes, of: bytes.count, limit: 16).utf8.count <= 16)
        }
    }
}
