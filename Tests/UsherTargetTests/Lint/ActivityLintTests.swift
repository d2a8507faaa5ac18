import Testing
import UsherTarget

@Suite struct ActivityLintTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var change: @Sendable (inout ActivityLint.Subject) -> Void
        var before: (@Sendable (inout ActivityLint.Subject) -> Void)?
        var hasOwn = false
        var expected: [ActivityLintCode]

        init(
            _ name: String, _ expected: [ActivityLintCode], hasOwn: Bool = false,
            after before: (@Sendable (inout ActivityLint.Subject) -> Void)? = nil,
            _ change: @escaping @Sendable (inout ActivityLint.Subject) -> Void
        ) {
            testDescription = name
            self.expected = expected
            self.hasOwn = hasOwn
            self.before = before
            self.change = change
        }
    }

    /// A good one, which each case changes.
    private static func sample() -> ActivityLint.Subject {
        var subject = ActivityLint.Subject(activityType: "example.clowntown.view-clown")
        subject.title = "Crusty"
        subject.targetContentIdentifier = "clown:1"
        subject.userInfo = Array(#"{"page":3}"#.utf8)
        return subject
    }

    static let cases: [Case] = [
        Case("good", []) { _ in },
        Case("good, after itself", [], after: { _ in }, { _ in }),
        Case("the same in both", []) { $0.persistentIdentifier = "clown:1" },
        Case("different in both", [.differentIdentifiers]) { $0.persistentIdentifier = "clown:2" },
        Case("different in normalisation", [.differentIdentifiers]) {
            $0.targetContentIdentifier = "caf\u{e9}"
            $0.persistentIdentifier = "cafe\u{301}"
        },
        Case("a web address alone", [.onlyWebpage], hasOwn: true) {
            $0.targetContentIdentifier = nil
            $0.webpageURL = "https://clowntown.example/1"
        },
        Case("a web address alone, of an app without ids", []) {
            $0.targetContentIdentifier = nil
            $0.webpageURL = "https://clowntown.example/1"
        },
        Case("a web address beside an id", [], hasOwn: true) { $0.webpageURL = "https://clowntown.example/1" },
        Case(
            "another id for the same", [.changedIdentifier], after: { $0.targetContentIdentifier = "clown:2" }, { _ in }
        ),
        Case(
            "another persistent id for the same page", [.changedIdentifier],
            after: {
                $0.targetContentIdentifier = nil
                $0.persistentIdentifier = "a"
                $0.webpageURL = "https://clowntown.example/1"
                $0.userInfo = nil
            },
            {
                $0.targetContentIdentifier = nil
                $0.persistentIdentifier = "b"
                $0.webpageURL = "https://clowntown.example/1"
            }),
        Case(
            "another id and another title", [],
            after: {
                $0.targetContentIdentifier = "clown:2"
                $0.title = "Bozo"
            }, { _ in }),
        Case(
            "another id and another page", [],
            after: {
                $0.targetContentIdentifier = "clown:2"
                $0.webpageURL = "https://clowntown.example/2"
            }, { $0.webpageURL = "https://clowntown.example/1" }),
        Case(
            "called alike", [],
            after: {
                $0.targetContentIdentifier = "clown:2"
                $0.userInfo = nil
            }, { $0.userInfo = nil }),
        Case("an id where there was none", [], after: { $0.targetContentIdentifier = nil }, { _ in }),
        Case("one word", [.activityType]) { $0.activityType = "reading" },
        Case("an empty label", [.activityType]) { $0.activityType = "example..reading" },
        Case("a blank", [.activityType]) { $0.activityType = "example.my reading" },
        Case("a letter beyond ASCII", [.activityType]) { $0.activityType = "example.caf\u{e9}" },
        Case("as much as may be", []) { $0.userInfo = [UInt8](repeating: 0x20, count: 3072) },
        Case("too much", [.largeUserInfo]) { $0.userInfo = [UInt8](repeating: 0x20, count: 3073) },
        Case("no title", [.noTitle]) { $0.title = nil },
        Case("an empty title", [.noTitle]) { $0.title = "" },
    ]

    @Test(arguments: cases) func finds(_ entry: Case) {
        var subject = Self.sample()
        entry.change(&subject)
        var earlier: ActivityLint.Subject?
        if let before = entry.before {
            var sample = Self.sample()
            before(&sample)
            earlier = sample
        }
        let findings = ActivityLint.findings(in: subject, after: earlier, hasOwnIdentifiers: entry.hasOwn)
        #expect(findings.map(\.code) == entry.expected)
        for finding in findings {
            #expect(!finding.message.isEmpty && !finding.suggestion.isEmpty)
            #expect(!finding.message.hasSuffix("."))
        }
    }

    @Test func codesAndNamesAreOneToOne() {
        #expect(Set(ActivityLintCode.allCases.map(\.number)).count == ActivityLintCode.allCases.count)
        for code in ActivityLintCode.allCases {
            #expect(code.number.hasPrefix("U75"))
            #expect(code.rawValue.hasPrefix("lint."))
            #expect(LintCode(rawValue: code.rawValue) == nil)
        }
    }

    @Test func longWordsAreShortened() throws {
        var subject = Self.sample()
        subject.persistentIdentifier = String(repeating: "x", count: 10_000)
        let finding = try #require(ActivityLint.findings(in: subject).first)
        #expect(finding.message.utf8.count < 400)
    }
}
