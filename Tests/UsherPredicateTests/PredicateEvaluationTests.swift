import Testing
import UsherPredicate

/// Choices of the evaluation that the vectors leave open.
struct PredicateEvaluationTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var text: String
        var subject: String?
        var expected: Bool

        var testDescription: String { "\(text) of \(subject ?? "nil") is \(expected)" }

        init(_ text: String, _ subject: String?, _ expected: Bool) {
            self.text = text
            self.subject = subject
            self.expected = expected
        }
    }

    static let null: [Case] = [
        Case("SELF <= nil", nil, true), Case("SELF >= nil", nil, true), Case("SELF < nil", nil, false),
        Case("nil LIKE nil", nil, false), Case("SELF LIKE SELF", nil, false), Case("SELF IN SELF", nil, false),
        Case("SELF != 'a'", nil, true), Case("SELF IN {nil}", nil, true), Case("SELF IN {'a', SELF}", nil, true),
        Case("SELF BETWEEN {nil, nil}", nil, false), Case("SELF BETWEEN {nil, 'z'}", "a", false),
        Case("{nil} CONTAINS SELF", "", false), Case("ANY {nil, 'a'} == SELF", nil, true),
        Case("SELF BEGINSWITH nil", "a", false), Case("SELF IN nil", "a", false), Case("'a' != nil", "", true),
    ]

    static let lists: [Case] = [
        Case("SELF IN[cd] {'CAFE'}", "café", true), Case("SELF IN {'e\u{301}'}", "é", false),
        Case("SELF IN[c] {'e\u{301}'}", "é", true), Case("{'A'} CONTAINS[c] SELF", "a", true),
        Case("ALL {} == SELF", "a", true), Case("NONE {} == SELF", "a", true), Case("ANY {} LIKE '*'", "a", false),
        Case("ANY {'ab', 'b'} IN 'abc'", "", true), Case("ALL {'ab', 'b'} IN {'b'}", "", false),
        Case("ANY {SELF, 'x'} BEGINSWITH 'x'", "a", true), Case("SELF BETWEEN {'d', 'b'}", "c", false),
        Case("SELF BETWEEN {SELF, SELF}", "c", true), Case("ANY {'a*'} LIKE SELF", "a\\*", true),
        Case("ALL {'ab','cb'} ENDSWITH SELF", "b", true), Case("NOT ALL {'a','b'} CONTAINS SELF", "b", true),
    ]

    static let text: [Case] = [
        Case("SELF BEGINSWITH 'ab'", "ab\u{301}", false), Case("SELF BEGINSWITH[d] 'ab'", "ab\u{301}", true),
        Case("SELF CONTAINS 'e'", "é", false), Case("SELF CONTAINS[d] 'e'", "é", true),
        Case("SELF CONTAINS[c] 's'", "ß", false), Case("SELF CONTAINS[c] 'SS'", "aßb", true),
        Case("SELF ENDSWITH[c] 'ß'", "STRASS", true), Case("SELF BEGINSWITH[c] 'k'", "\u{212A}elvin", true),
        Case("SELF ENDSWITH[d] 'cafe'", "cafe\u{301}", true), Case("SELF ENDSWITH 'cafe'", "cafe\u{301}", false),
        Case("SELF CONTAINS '\u{1100}'", "가", false), Case("SELF CONTAINS '가'", "각", false),
        Case("SELF ==[c] 'a\u{323}\u{301}'", "A\u{301}\u{323}", true), Case("SELF ==[d] 'か'", "が", false),
        Case("SELF ==[d] 'か'", "か\u{3099}", false), Case("SELF == ';'", "\u{37E}", false),
        Case("SELF ==[d] ';'", "\u{37E}", true), Case("SELF == 'é'", "e\u{301}", false),
        Case("SELF < 'é'", "e\u{301}", false), Case("SELF <= 'é'", "e\u{301}", true), Case("SELF < 'f'", "é", true),
        Case("SELF < '\u{1F921}'", "\u{FF5E}", true), Case("SELF ==[c] '\u{10400}'", "\u{10428}", true),
        Case("'a\\u0000b' == SELF", "a\0b", true), Case("SELF CONTAINS '\\u0000'", "a\0b", true),
        Case("SELF ENDSWITH 'a'", "", false), Case("SELF ENDSWITH[c] 'ab'", "b", false),
        Case("SELF BEGINSWITH 'abc'", "ab", false), Case("'' IN SELF", "", false), Case("'' IN {''}", "x", true),
        Case("SELF CONTAINS SELF", "", false), Case("SELF ENDSWITH SELF", "a\u{301}", true),
    ]

    static let patterns: [Case] = [
        Case("SELF LIKE ''", "", true), Case("SELF LIKE 'a\\\\'", "a\\", true), Case("SELF LIKE '\\\\a'", "a", true),
        Case("SELF LIKE '?'", "🤡", true), Case("SELF LIKE '??'", "e\u{301}", true), Case("SELF LIKE '?'", "é", true),
        Case("SELF LIKE 'é'", "e\u{301}", false), Case("SELF LIKE[c] 'É'", "e\u{301}", true),
        Case("SELF LIKE[c] 'STRA?E'", "straße", true), Case("SELF LIKE[c] 'strasse'", "STRAßE", true),
        Case("SELF LIKE[c] 's*'", "ß", false), Case("SELF LIKE[d] 'caf?'", "cafe\u{301}", true),
        Case("SELF LIKE[c] '*ß?'", "massex", false), Case("SELF LIKE[c] '*ß??'", "massex", true),
        Case("SELF LIKE '*\\\\**'", "a*b", true), Case("SELF LIKE '*\\\\**'", "ab", false),
        Case("SELF LIKE '**a**?'", "aab", true), Case("SELF LIKE[cd] '*É*'", "une ecole", true),
        Case("SELF LIKE 'a*\u{E9}'", "ab\u{E9}", true), Case("SELF LIKE 'a\u{E9}*'", "ae", false),
    ]

    @Test(arguments: null + lists + text + patterns)
    func holdsAsChosen(_ example: Case) throws {
        #expect(try ScenePredicate(parsing: example.text).evaluate(example.subject) == example.expected)
    }

    @Test func oneSubjectServesManyPredicates() throws {
        let subject = PredicateSubject("CAFÉ")
        for text in ["SELF ==[c] 'café'", "SELF ==[cd] 'cafe'", "SELF LIKE '?AF*'", "SELF BEGINSWITH[d] 'CAFE'"] {
            for _ in 0..<2 { #expect(try ScenePredicate(parsing: text).evaluate(subject), "\(text)") }
        }
        #expect(subject.text == "CAFÉ")
        #expect(PredicateSubject(nil).text == nil)
    }

    @Test func equalityIsThatOfTheCanonicalText() throws {
        #expect(try ScenePredicate(parsing: " self='a' ") == ScenePredicate(parsing: "(SELF == \"a\")"))
        #expect(try ScenePredicate(parsing: "SELF == 'é'") != ScenePredicate(parsing: "SELF == 'e\u{301}'"))
        #expect(
            try Set(["SELF LIKE 'a'", "SELF LIKE \"a\"", "SELF LIKE 'b'"].map { try ScenePredicate(parsing: $0) }).count
                == 2)
    }
}
