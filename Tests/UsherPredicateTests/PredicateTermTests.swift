import Testing
import UsherPredicate

/// The truth of every sub-predicate, for `explain`.
struct PredicateTermTests {
    @Test func listsAllTermsInTextOrder() throws {
        let text = "SELF == 'ä' OR (NOT NONE {'b'} == SELF AND FALSEPREDICATE)"
        let terms = try ScenePredicate(parsing: text).terms(for: "b")
        let expected: [(Int, String, Int, Bool, PredicateTerm.Kind)] = [
            (0, "SELF == \"ä\" OR ((NOT (NOT ANY {\"b\"} == SELF)) AND FALSEPREDICATE)", 0, false, .compound),
            (1, "SELF == \"ä\"", 0, false, .comparison),
            (1, "(NOT (NOT ANY {\"b\"} == SELF)) AND FALSEPREDICATE", 17, false, .compound),
            (2, "NOT (NOT ANY {\"b\"} == SELF)", 17, true, .compound),
            (3, "NOT ANY {\"b\"} == SELF", 21, false, .compound),
            (4, "ANY {\"b\"} == SELF", 21, true, .comparison),
            (2, "FALSEPREDICATE", 44, false, .constant),
        ]
        #expect(terms.count == expected.count)
        for (term, wanted) in zip(terms, expected) {
            #expect(term.depth == wanted.0)
            #expect(term.text == wanted.1)
            #expect(term.offset == wanted.2)
            #expect(term.result == wanted.3, "\(term.text)")
            #expect(term.kind == wanted.4)
        }
    }

    @Test func constantsAreTerms() {
        #expect(ScenePredicate.always.terms(for: nil).map(\.result) == [true])
        #expect(ScenePredicate.never.terms(for: nil).map(\.result) == [false])
        #expect(ScenePredicate.always.canonicalText == "TRUEPREDICATE")
        #expect("\(ScenePredicate.never)" == "FALSEPREDICATE")
    }
}
