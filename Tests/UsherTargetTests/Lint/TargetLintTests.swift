import TestSupport
import Testing
import UsherJSON
import UsherTarget

@Suite struct TargetLintTests {
    /// An identifier of Tests/Fixtures/lint-labelled.jsonl, with what is wrong with it.
    struct Labelled: Sendable, CustomTestStringConvertible {
        let id: String
        let expected: [String]
        var testDescription: String { id }

        static let all: [Labelled] = ((try? Fixture.lines("lint-labelled.jsonl")) ?? []).map { line in
            Labelled(
                id: line["id"]?.string ?? "", expected: (line["expect"]?.elements ?? []).compactMap(\.string))
        }
    }

    @Test(arguments: Labelled.all) func judges(_ entry: Labelled) {
        #expect(TargetLint.findings(in: entry.id).map(\.code.rawValue) == entry.expected)
    }

    @Test func everyCodeIsInTheList() {
        let seen = Labelled.all.reduce(into: Set<String>()) { $0.formUnion($1.expected) }
        #expect(Set(LintCode.allCases.map(\.rawValue)).subtracting(seen) == ["lint.empty", "lint.too-long"])
        #expect(Labelled.all.count { $0.expected.isEmpty } >= 400)
    }

    @Test func limits() {
        #expect(TargetLint.findings(in: "").map(\.code) == [.empty])
        #expect(TargetLint.findings(in: String(repeating: "a", count: 16_384)).isEmpty)
        #expect(TargetLint.findings(in: String(repeating: "a", count: 16_385)).map(\.code) == [.tooLong])
    }

    @Test func findingsAreInTheOrderOfTheCodesAndOnceEach() {
        let findings = TargetLint.findings(in: "http://u:p@localhost/{a}/%7e/undefined")
        #expect(findings.map(\.code) == [.placeholder, .credentials])
        #expect(findings[0].found == "{a}, undefined")
    }

    /// Whatever comes, there is an answer, soon.
    @Test func anythingIsJudged() {
        var generator = SeededGenerator(seed: 7)
        let pieces = [
            "http", "://", "/", "?", "#", "&", "=", "%", "%41", "@", ":", "[", "]", "{", "}", "eyJ", ".", "-",
            "2024-05-12T10:00",
            "\u{301}", "🤡", " ", "\u{0}", "(S(", "Optional(", "..", "\\", "C:\\", "~", "+", "é", "1700000000",
        ]
        for _ in 0..<3000 {
            let count = Int.random(in: 0..<12, using: &generator)
            let text = (0..<count).map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
            for finding in TargetLint.findings(in: text) { #expect(!finding.message.isEmpty) }
        }
        for piece in pieces {
            _ = TargetLint.findings(in: String(repeating: piece, count: 16_384 / piece.utf8.count))
        }
    }
}
