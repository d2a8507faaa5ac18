import Testing
import UsherPredicate

/// Length, nesting and size are bounded, and hitting a bound is an error like any other.
struct PredicateLimitTests {
    static func nested(_ opener: String, _ count: Int, _ closer: String) -> String {
        String(repeating: opener, count: count) + "SELF == 'a'" + String(repeating: closer, count: count)
    }

    @Test(arguments: [("(", ")"), ("NOT ", ""), ("!", ""), ("NOT (", ")")])
    func nestingEndsAt256(_ opener: String, _ closer: String) throws {
        let deepest = try ScenePredicate(parsing: Self.nested(opener, 256, closer))
        #expect(deepest.evaluate("a"))
        #expect(try ScenePredicate(parsing: deepest.canonicalText) == deepest)
        for count in [257, 5000] {
            let text = Self.nested(opener, count, closer)
            let error = try #require(throws: PredicateError.self) { try ScenePredicate(parsing: text) }
            #expect(error.kind == .limit)
            #expect(error.code == "predicate.too-long")
            #expect(error.offset < text.utf8.count)
        }
    }

    @Test(arguments: ["(", "{", "NOT ", "!", "-", "~", "SELF[", "f(", "ANY ", "SELF == (", "{{", "SELF == -"])
    func unfinishedNestingIsAnError(_ opener: String) {
        #expect(throws: PredicateError.self) {
            try ScenePredicate(parsing: String(repeating: opener, count: 3000))
        }
    }

    @Test func mixedConditionsNestTo256Levels() throws {
        func mixed(_ count: Int) -> String {
            String(repeating: "SELF == 'a' OR SELF == 'b' AND NOT (", count: count) + "NONE {'a'} == SELF"
                + String(repeating: ")", count: count)
        }
        let deepest = try ScenePredicate(parsing: mixed(85))
        #expect(try ScenePredicate(parsing: deepest.canonicalText) == deepest)
        let error = try #require(throws: PredicateError.self) { try ScenePredicate(parsing: mixed(86)) }
        #expect(error.code == "predicate.too-long")
    }

    @Test func lengthEndsAt64KiB() throws {
        let room = 65536 - "SELF == ''".utf8.count
        let longest = String(repeating: "x", count: room)
        #expect(try ScenePredicate(parsing: "SELF == '\(longest)'").evaluate(longest))
        let error = try #require(throws: PredicateError.self) {
            try ScenePredicate(parsing: "SELF == '\(longest)y'")
        }
        #expect(error.kind == .limit)
        #expect(error.code == "predicate.too-long")
    }

    @Test func nodesEndAt4096() throws {
        func list(_ count: Int) -> String {
            "SELF IN {" + (0..<count).map { "'\($0)'" }.joined(separator: ",") + "}"
        }
        // The comparison and the array count as well.
        #expect(try ScenePredicate(parsing: list(4094)).evaluate("4093"))
        let error = try #require(throws: PredicateError.self) { try ScenePredicate(parsing: list(4095)) }
        #expect(error.kind == .limit)
        #expect(error.code == "predicate.too-long")
    }

    @Test func aThousandTabsFit() throws {
        let text = (0..<1400).map { "SELF == 'https://tabs.example/\($0)'" }.joined(separator: " OR ")
        let predicate = try ScenePredicate(parsing: text)
        #expect(predicate.evaluate("https://tabs.example/1399"))
        #expect(!predicate.evaluate("https://tabs.example/1400"))
        #expect(predicate.terms(for: nil).count == 1401)
    }

    @Test func patternsDoNotBacktrack() throws {
        let subject = String(repeating: "a", count: 16384)
        let stars = String(repeating: "*a", count: 500) + "*b"
        #expect(try !ScenePredicate(parsing: "SELF LIKE '\(stars)'").evaluate(subject))
        #expect(try !ScenePredicate(parsing: "SELF LIKE[cd] '\(stars)é'").evaluate(subject + "é!"))
    }

    /// The subject as its own pattern is the one comparison that is quadratic in it; it's made once, not per term.
    @Test func theSubjectAsPatternIsMatchedOnce() throws {
        let terms = (0..<3000).map { _ in "SELF LIKE SELF" }.joined(separator: " AND ")
        let predicate = try ScenePredicate(parsing: "(" + terms + ")")
        let subject = String(repeating: "*a", count: 2000) + "b"
        #expect(predicate.evaluate(subject) == (try ScenePredicate(parsing: "SELF LIKE SELF").evaluate(subject)))
    }
}
