import Testing

@testable import UsherPredicate

@Suite("The short way for SELF == \"…\"")
struct PlainConditionTests {
    @Test(
        "means what the parser says",
        arguments: [
            #"SELF == "https://clowntown.example/clowns/crusty""#, #"SELF == """#, #"SELF == "caf\#u{E9} \#u{1F921}""#,
            #"SELF == "a'b""#, #"SELF == " x ""#, "SELF == \"a\nb\"", "SELF == \"a\u{0}b\u{7F}\u{85}\"",
        ])
    func same(text: String) throws {
        // The canonical spelling escapes these.
        let hasControls = text.utf8.contains { $0 < 0x20 || $0 == 0x7F }
        #expect(Self.isShort(text) != hasControls)
        let whole = try ScenePredicate(parsingWhole: text)
        let predicate = try ScenePredicate(parsing: text)
        #expect(predicate == whole)
        #expect(predicate.canonicalText == whole.canonicalText)
        for subject in ["https://clowntown.example/clowns/crusty", "", "cafe\u{301} \u{1F921}", "a'b", " x ", nil] {
            #expect(predicate.evaluate(subject) == whole.evaluate(subject))
            #expect(predicate.terms(for: subject) == whole.terms(for: subject))
        }
    }

    @Test(
        "is not taken where the text needs a closer look",
        arguments: [
            #"SELF == "a" OR SELF == "b""#, #"SELF == "a\n""#, #"SELF == "a"#, #"SELF == ""#,
            #"SELF  == "a""#, #"self == "a""#, #"SELF == 'a'"#, #" SELF == "a""#, "",
        ])
    func other(text: String) {
        #expect(!Self.isShort(text))
    }

    @Test(
        "is not taken for a byte that needs a closer look, wherever it stands",
        arguments: [0x00, 0x1F, 0x22, 0x5C, 0x7F])
    func bytes(byte: UInt8) {
        for count in 0..<40 {
            for place in 0..<count {
                for filling in [UInt8(ascii: "a"), 0x20, 0x21, 0x23, 0x5B, 0x5D, 0x7E, 0xC3] {
                    var bytes = [UInt8](repeating: filling, count: count)
                    #expect(Self.isShort(bytes))
                    bytes[place] = byte
                    #expect(!Self.isShort(bytes), "\(count) bytes of \(filling), at \(place)")
                }
            }
        }
    }

    static func isShort(_ text: String) -> Bool { ScenePredicate.rangeOfEqualText(in: Array(text.utf8).span) != nil }

    static func isShort(_ content: [UInt8]) -> Bool {
        let bytes = Array("SELF == \"".utf8) + content + [UInt8(ascii: "\"")]
        guard let range = ScenePredicate.rangeOfEqualText(in: bytes.span) else { return false }
        #expect(Array(bytes[range]) == content)
        return true
    }
}
