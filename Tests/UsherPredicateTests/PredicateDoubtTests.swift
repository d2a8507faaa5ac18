import TestSupport
import Testing
import UsherPredicate

/// What is valid in a condition, and most likely not meant.
@Suite struct PredicateDoubtTests {
    static let address = "https://a.example/"

    @Test(arguments: [
        ("SELF == 'a' AND SELF == 'b'", "SELF == \"a\" AND SELF == \"b\"@0"),
        ("SELF == 'a' AND SELF == 'a'", ""),
        ("SELF == 'a' OR SELF == 'b'", ""),
        ("SELF == 'x' OR (SELF == 'a' AND SELF == 'b')", "SELF == \"a\" AND SELF == \"b\"@16"),
        ("SELF == 'a' AND SELF == 'b' OR SELF == 'c' AND SELF == nil", "…@0"),
        ("NOT (SELF == 'a' AND SELF == 'b')", "SELF == \"a\" AND SELF == \"b\"@5"),
        ("SELF IN {'a', 'b'} AND SELF == 'c'", "…@0"),
        ("SELF IN {'a', 'b'} AND SELF ENDSWITH 'b'", ""),
        ("{'a', 'b'} CONTAINS SELF AND SELF ENDSWITH 'c'", "…@0"),
        ("SELF == 'a' AND (SELF == 'b' OR SELF == nil)", "…@0"),
        ("SELF == 'a' AND (SELF == 'b' OR SELF == $TARGET)", ""),
        ("SELF == 'a' AND SELF ==[c] 'A'", ""),
        ("SELF == $TARGET AND SELF == 'b'", ""),
        ("SELF == $TARGET AND SELF != $TARGET", "…@0"),
        ("SELF == $TARGET AND SELF !=[c] $TARGET", ""),
        ("SELF == $TARGET AND NOT SELF == $TARGET", "…@0"),
        ("SELF == nil AND SELF BEGINSWITH 'a'", "…@0"),
        ("SELF == nil AND SELF != 'a'", ""),
        ("SELF BEGINSWITH 'ab' AND SELF BEGINSWITH 'ac'", "…@0"),
        ("SELF BEGINSWITH 'ab' AND SELF BEGINSWITH 'a'", ""),
        ("SELF BEGINSWITH[c] 'AB' AND SELF BEGINSWITH 'ab'", ""),
        ("SELF BEGINSWITH[c] 'AB' AND SELF BEGINSWITH 'ac'", "…@0"),
        ("SELF BEGINSWITH 'AB' AND SELF BEGINSWITH 'ab'", "…@0"),
        ("SELF BEGINSWITH 'é' AND SELF BEGINSWITH 'e'", ""),
        ("SELF LIKE 'a*c' AND SELF ENDSWITH 'd'", "…@0"),
        ("SELF LIKE 'a*' AND SELF LIKE '?b*'", ""),
        ("SELF LIKE 'a?c' AND SELF LIKE 'b*'", "…@0"),
        ("SELF LIKE 'a\\\\*' AND SELF LIKE 'ab*'", "…@0"),
        ("SELF LIKE 'a*' AND SELF BEGINSWITH 'ab' AND SELF CONTAINS 'z'", ""),
        ("SELF CONTAINS ''", "…@0"), ("SELF IN {}", "…@0"), ("SELF == 'a' OR SELF IN {}", "SELF IN {}@15"),
        ("FALSEPREDICATE", ""), ("SELF == 'a' OR FALSEPREDICATE", ""), ("TRUEPREDICATE", ""),
        ("SELF < 'a' AND SELF > 'b'", ""),
    ])
    func contradictions(_ text: String, _ expected: String) throws {
        let template = try ScenePredicateTemplate(parsing: text, variables: ["TARGET"])
        let found = template.doubts.map { "\($0.text)@\($0.offset)" }.joined(separator: ", ")
        #expect(
            expected.hasPrefix("…") ? found == template.canonicalText + String(expected.dropFirst()) : found == expected
        )
        #expect(template.doubts.allSatisfy { $0.kind == .contradiction })
        guard template.usedVariables.isEmpty else { return }
        #expect(try ScenePredicate(parsing: text).doubts == template.doubts)
    }

    /// Whatever is called a contradiction is false for every subject that is tried.
    @Test(arguments: 0..<4 as Range<UInt64>)
    func aContradictionIsNeverTrue(seed: UInt64) throws {
        var numbers = SeededGenerator(seed: 40_000 + seed)
        var count = 0
        for _ in 0..<1500 {
            let text = RandomPredicate.text(depth: 3, using: &numbers)
            let predicate = try ScenePredicate(parsing: text)
            let doubts = predicate.doubts.filter { $0.kind == .contradiction }
            if doubts.isEmpty { continue }
            count += 1
            let subjects: [String?] = [nil, ""] + (0..<20).map { _ in RandomPredicate.word(using: &numbers) }
            for subject in subjects {
                let terms = predicate.terms(for: subject)
                for doubt in doubts {
                    let meant = terms.filter { $0.offset == doubt.offset && $0.text == doubt.text }
                    #expect(!meant.isEmpty && meant.allSatisfy { !$0.result }, "\(text), \(subject ?? "nil")")
                }
            }
        }
        #expect(count > 30)
    }

    @Test(
        arguments: [
            ("\(address)orders?id=*", "\"\(address)orders\\\\?id=*\""),
            ("\(address)orders?*id=*", "\"\(address)orders\\\\?*id=*\""),
            ("*/orders?order[id]=7", "\"*/orders\\\\?order[id]=7\""),
            ("\(address)search?*", "\"\(address)search\\\\?*\""),
            ("\(address)?/b?id=1", "\"\(address)?/b\\\\?id=1\""),
            ("\(address)orders\\\\?id=*", nil), ("\(address)cr?sty", nil), ("\(address)?*", nil), ("\(address)a?", nil),
            ("search?*", nil), ("a??*", nil), ("*?=*", nil), ("\(address)a?/b=c", nil),
        ] as [(String, String?)])
    func questionMarks(_ pattern: String, _ remedy: String?) throws {
        let doubts = try ScenePredicate(parsing: "SELF == 'a' OR SELF LIKE[c] '\(pattern)'").doubts
        #expect(doubts.compactMap(\.remedy) == [remedy].compactMap { $0 })
        #expect(doubts.allSatisfy { $0.kind == .questionMark && $0.offset == 15 })
        guard let remedy else { return }
        // The remedy means the question mark itself.
        let mended = try ScenePredicate(parsing: "SELF LIKE \(remedy)")
        #expect(mended.doubts == [])
    }

    @Test func aLargeConditionIsJudgedInTime() throws {
        let list = (0..<2000).map { "'\($0)'" }.joined(separator: ",")
        let others = (0..<2000).map { "SELF != 'x\($0)'" }.joined(separator: " AND ")
        #expect(try ScenePredicate(parsing: "SELF IN {\(list)} AND \(others)").doubts == [])
        let nested =
            String(repeating: "(SELF == 'a' OR SELF == 'b') AND (", count: 100) + "SELF == 'c'"
            + String(repeating: ")", count: 100)
        #expect(try ScenePredicate(parsing: nested).doubts.count == 1)
    }
}
