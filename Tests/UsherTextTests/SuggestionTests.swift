import Testing
import UsherText

@Suite("Suggestions")
struct SuggestionTests {
    @Test(
        "did you mean",
        arguments: [
            ("lauch", "launch"), ("FOCUS", "focus"), ("shwo", "show"), ("xyz", nil),
            ("example.clowntwon", "example.clowntown"),
            ("launch", nil), ("", nil),
        ] as [(String, String?)])
    func closest(word: String, expected: String?) {
        let known = ["launch", "focus", "show", "example.clowntown"]
        #expect(Spelling.closest(to: word, among: word == "launch" ? ["launch"] : known) == expected)
    }

    @Test(
        "strictly: a word may be meant as it is",
        arguments: [
            ("serch", "search"), ("lst", "list"), ("Lists", "list"), ("shwo", "show"), ("exprt", "export"),
            ("test", nil), ("milk", nil), ("shop", "show"), ("report", nil), ("march", nil),
        ] as [(String, String?)])
    func strict(word: String, expected: String?) {
        #expect(
            Spelling.closest(to: word, among: ["list", "show", "search", "export", "pick"], isStrict: true)
                == expected)
    }
}
