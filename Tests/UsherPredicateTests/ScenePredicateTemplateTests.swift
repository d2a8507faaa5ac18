import Testing
import UsherPredicate

/// Variables are values in the tree.
struct ScenePredicateTemplateTests {
    @Test func substitutesValuesNotText() throws {
        let template = try ScenePredicateTemplate(parsing: "SELF == $TARGET", variables: ["TARGET", "CLOWN"])
        let value = "it's \" OR TRUEPREDICATE"
        let predicate = try #require(template.substituting(["TARGET": value]))
        #expect(predicate.evaluate(value))
        #expect(!predicate.evaluate("anything"))
        #expect(predicate.canonicalText == "SELF == \"it's \\\" OR TRUEPREDICATE\"")
    }

    @Test func knowsWhichVariablesItUses() throws {
        let template = try ScenePredicateTemplate(
            parsing: "SELF IN {$A, 'x', $B} OR SELF BEGINSWITH[c] $A", variables: ["A", "B", "C"])
        #expect(template.usedVariables == ["A", "B"])
        #expect(template.canonicalText == "SELF IN {$A, \"x\", $B} OR SELF BEGINSWITH[c] $A")
        #expect(template.substituting(["A": "1"]) == nil)
        let predicate = try #require(template.substituting(["A": "q", "B": "2", "C": "unused"]))
        #expect(predicate.canonicalText == "SELF IN {\"q\", \"x\", \"2\"} OR SELF BEGINSWITH[c] \"q\"")
        #expect(predicate.evaluate("Q1"))
        #expect(predicate.evaluate("2"))
        #expect(!predicate.evaluate("3"))
        #expect(try ScenePredicate(parsing: predicate.canonicalText) == predicate)
    }

    @Test func aTemplateWithoutVariablesIsAPredicate() throws {
        let template = try ScenePredicateTemplate(parsing: "SELF == 'a'", variables: [])
        #expect(template.usedVariables.isEmpty)
        #expect(template.substituting([:]) == (try ScenePredicate(parsing: "SELF == 'a'")))
    }

    @Test func keepsTheOffsetsOfItsText() throws {
        let template = try ScenePredicateTemplate(
            parsing: "SELF == $TARGET OR SELF LIKE $P", variables: ["TARGET", "P"])
        let predicate = try #require(template.substituting(["TARGET": String(repeating: "x", count: 99), "P": "b*"]))
        #expect(predicate.terms(for: "bc").map(\.offset) == [0, 0, 19])
        #expect(predicate.terms(for: "bc").map(\.result) == [true, false, true])
    }

    @Test func namesTheVariablesThereAre() throws {
        let error = try #require(throws: PredicateError.self) {
            try ScenePredicateTemplate(parsing: "SELF == $TARGTE", variables: ["TARGET", "CLOWN"])
        }
        #expect(error.kind == .unsupported)
        #expect(error.code == "predicate.unknown-variable")
        #expect(error.offset == 8 && error.length == 7)
        #expect(error.hint == "did you mean $TARGET?")
        #expect(error.expected == ["$CLOWN", "$TARGET"])
        let none = try #require(throws: PredicateError.self) {
            try ScenePredicateTemplate(parsing: "SELF == $X", variables: [])
        }
        #expect(none.hint == "no variables can be used here")
    }

    @Test func assignmentsStayUnsupported() throws {
        let error = try #require(throws: PredicateError.self) {
            try ScenePredicateTemplate(parsing: "$A := 'x' == SELF", variables: ["A"])
        }
        #expect(error.code == "predicate.unknown-variable")
    }
}
