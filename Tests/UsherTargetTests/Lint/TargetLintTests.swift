import TestSupport
import Testing
import UsherJSON
import UsherTarget

@Suite struct TargetLintTests {
    /// An identifier of Tests/Fixtures/lint-labelled.jsonl, with what is wrong with it.
    struct Labelled: Sendable, CustomTestStringConvertible {
        let id: String
        let expected: Set<String>
        let part: String
        var testDescription: String { id }

        var found: Set<String> { Set(TargetLint.findings(in: id).map(\.code.rawValue)) }

        static let all: [Labelled] = ((try? Fixture.lines("lint-labelled.jsonl")) ?? []).map { line in
            Labelled(
                id: line["id"]?.string ?? "", expected: Set((line["expect"]?.elements ?? []).compactMap(\.string)),
                part: line["part"]?.string ?? "")
        }
    }

    /// Of the findings, how many were right; of what is wrong, how much was found.
    static func rates(_ list: [Labelled]) -> (precision: Double, recall: Double) {
        var (right, wrong, missed) = (0, 0, 0)
        for entry in list {
            let found = entry.found
            right += found.intersection(entry.expected).count
            wrong += found.subtracting(entry.expected).count
            missed += entry.expected.subtracting(found).count
        }
        return (Double(right) / Double(max(right + wrong, 1)), Double(right) / Double(max(right + missed, 1)))
    }

    @Test func labelledList() {
        let parts = Dictionary(grouping: Labelled.all, by: \.part)
        for (part, list) in parts.sorted(by: { $0.key < $1.key }) {
            let rates = Self.rates(list)
            let warned = list.count { $0.expected.isEmpty && !$0.found.isEmpty }
            print(
                "lint \(part): \(list.count) identifiers, precision \(rates.precision), recall \(rates.recall), warned \(warned)"
            )
            #expect(rates.precision >= 0.98, "\(part)")
            #expect(rates.recall >= 0.9, "\(part)")
            for entry in list where entry.found != entry.expected {
                print(
                    "lint \(part): \(entry.id.debugDescription): \(entry.found.sorted()), not \(entry.expected.sorted())"
                )
            }
        }
        #expect(Labelled.all.count >= 980)
        #expect(parts.count == 4)
        #expect(Labelled.all.count { $0.expected.isEmpty } >= 400)
    }

    /// No finding at all where there is nothing wrong: a linter that cries wolf is switched off.
    @Test(arguments: Labelled.all.filter { $0.expected.isEmpty && $0.part == "development" })
    func fine(_ entry: Labelled) {
        #expect(TargetLint.findings(in: entry.id).isEmpty)
    }

    @Test func everyCodeIsInTheList() {
        let seen = Labelled.all.reduce(into: Set<String>()) { $0.formUnion($1.expected) }
        #expect(Set(LintCode.allCases.map(\.rawValue)).subtracting(seen) == ["lint.empty", "lint.too-long"])
        #expect(Set(LintCode.allCases.map(\.number)).count == LintCode.allCases.count)
    }

    @Test func limits() {
        #expect(TargetLint.findings(in: "").map(\.code) == [.empty])
        #expect(TargetLint.findings(in: String(repeating: "a", count: 16_384)).isEmpty)
        #expect(TargetLint.findings(in: String(repeating: "a", count: 16_385)).map(\.code) == [.tooLong])
    }

    @Test func findingsAreInTheOrderOfTheCodesAndOnceEach() {
        let findings = TargetLint.findings(in: "http://u:p@localhost/a?zoom=1&utm_source=x&utm_medium=y&scroll=3#top")
        #expect(findings.map(\.code) == [.localHost, .viewState, .fragment, .tracking, .credentials])
        #expect(findings[1].found == "zoom=1, scroll=3")
    }

    @Test func secretsAreNotRepeated() {
        let token = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjMifQ.dBjftJeZ4CVPmB92K27uhbUJU1p1rwW1gFWFOEjXk"
        let finding = TargetLint.findings(in: "https://a.example/f?access_token=verysecretvalue1&jwt=\(token)").first
        #expect(finding?.code == .token)
        #expect(finding?.message.contains("verysecret") == false)
        #expect(finding?.message.contains("eyJzdWIi") == false)
    }

    /// Whatever comes, there is an answer, soon.
    @Test func anythingIsJudged() {
        var generator = SeededGenerator(seed: 7)
        let pieces = [
            "http", "://", "/", "?", "#", "&", "=", "%", "%41", "@", ":", "[", "]", "{", "}", "eyJ", ".", "-",
            "2024-05-12T10:00",
            "\u{301}", "🤡", " ", "\u{0}", "(S(", "Optional(", "..", "\\", "C:\\", "~", "+", "é", "1700000000",
        ]
        for _ in 0..<20_000 {
            let count = Int.random(in: 0..<12, using: &generator)
            let text = (0..<count).map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
            for finding in TargetLint.findings(in: text) { #expect(!finding.message.isEmpty) }
        }
        for piece in pieces {
            _ = TargetLint.findings(in: String(repeating: piece, count: 16_384 / piece.utf8.count))
        }
    }
}
