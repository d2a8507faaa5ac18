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
        #expect(Suggestion.closest(to: word, among: word == "launch" ? ["launch"] : known) == expected)
    }
}
