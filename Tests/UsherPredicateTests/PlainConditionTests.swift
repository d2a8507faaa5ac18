import Testing

@testable import UsherPredicate

@Suite("The short way for SELF == \"…\"")
struct PlainConditionTests {
    @Test(
        "means what the parser says",
        arguments: [
            #"SELF == "https://clowntown.example/clowns/crusty""#, #"SELF == """#, #"SELF == "caf\#u{E9} \#u{1F921}""#,
            #"SELF == "a'b""#, #"SELF == " x ""#,
        ])
    func same(text: String) throws {
        let short = try #require(SceneCondition.plainText(of: text))
        let whole = try ScenePredicate(parsingWhole: text)
        let predicate = ScenePredicate(equalTo: short)
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
            #"SELF == "a" OR SELF == "b""#, #"SELF == "a\n""#, #"SELF == "a"#, #"SELF == ""#, "SELF == \"a\nb\"",
            #"SELF  == "a""#, #"self == "a""#, #"SELF == 'a'"#, #" SELF == "a""#, "",
        ])
    func other(text: String) {
        #expect(SceneCondition.plainText(of: text) == nil)
    }
}
