import TestSupport
import Testing
import UsherScene

/// Components: path, query and fragment together.
@Suite struct LinkRuleTests {
    static let location = SourceLocation(path: "a", line: 1, column: 1)

    static func rule(
        _ path: String? = nil, query: String? = nil, items: [(String, String)]? = nil, fragment: String? = nil,
        excludes: Bool = false, form: LinkForm = LinkForm()
    ) throws -> LinkRule {
        var rule = LinkRule(excludes: excludes, form: form, location: location)
        if let path { rule.path = try LinkPattern(path, form: form) }
        if let query { rule.query = .text(try LinkPattern(query, form: form)) }
        if let items {
            rule.query = .items(
                try items.map { LinkRule.Item(name: $0, value: try LinkPattern($1, form: form), form: form) })
        }
        if let fragment { rule.fragment = try LinkPattern(fragment, form: form) }
        return rule
    }

    struct Case: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var rule: LinkRule
        var yes: [String]
        var no: [String]
        init(_ id: String, _ rule: LinkRule, yes: [String], no: [String]) {
            (testDescription, self.rule, self.yes, self.no) = (id, rule, yes, no)
        }
    }

    static let cases: [Case] = {
        do {
            return [
                Case("nothing-said", try rule(), yes: ["", "/a?b#c"], no: []),
                Case("path", try rule("/a"), yes: ["/a", "/a?b", "/a#c", "/a?x=1#c"], no: ["/a/", "/b", ""]),
                Case("root", try rule("/"), yes: ["", "/", "?a", "#b"], no: ["/x"]),
                Case("query", try rule(query: "a=*"), yes: ["/x?a=1", "?a=#f"], no: ["/x", "/x?b&a=1"]),
                Case("no-query", try rule(query: ""), yes: ["/x", "/x?", "/x#f"], no: ["/x?a"]),
                Case(
                    "items", try rule(items: [("article", "????")]), yes: ["/?article=1234", "/?b=1&article=abcd&c"],
                    no: ["/?article=12345", "/", "/?Article=1234", "/?article"]),
                Case(
                    "every-item-of-a-name", try rule(items: [("a", "1*")]), yes: ["/?a=1&a=12"], no: ["/?a=1&a=2"]),
                Case(
                    "absent-is-empty", try rule(items: [("a", "*"), ("b", "")]), yes: ["/", "/?b=", "/?b", "/?a=1"],
                    no: ["/?b=1"]),
                Case(
                    "items-any-case", try rule(items: [("Q", "X")], form: LinkForm(caseSensitive: false)),
                    yes: ["/?q=x", "/?Q=x"], no: ["/?q=y"]),
                Case(
                    "items-decoded", try rule(items: [("a&b", "c d")], form: LinkForm(percentEncoded: false)),
                    yes: ["/?a%26b=c%20d"], no: ["/?a&b=c%20d", "/?a%26b=c+d"]),
                Case("value-with-equals", try rule(items: [("a", "b=c")]), yes: ["/?a=b=c"], no: ["/?a=b"]),
                Case("fragment", try rule(fragment: "top*"), yes: ["#top", "/a#top-1"], no: ["/", "#", "/top"]),
                Case("question-in-fragment", try rule("/a", query: ""), yes: ["/a#b?c"], no: []),
                Case(
                    "all-of-them", try rule("/h/*", items: [("a", "?*")], fragment: "f"), yes: ["/h/1?a=1#f"],
                    no: ["/h/1?a=1", "/h/1#f", "/g/1?a=1#f"]),
            ]
        } catch { return [] }
    }()

    @Test(arguments: cases) func matches(_ example: Case) {
        for text in example.yes {
            var address = LinkAddress(text[...])
            #expect(example.rule.matches(&address), "\(text)")
        }
        for text in example.no {
            var address = LinkAddress(text[...])
            #expect(!example.rule.matches(&address), "\(text)")
        }
    }

    @Test func allAreThere() { #expect(Self.cases.count == 14) }

    @Test func firstRuleDecides() throws {
        let association = SiteAssociation(
            path: "aasa",
            rules: [
                try Self.rule("/help/website/*", excludes: true), try Self.rule("/help/*"),
                try Self.rule("*", excludes: true),
            ])
        func verdict(_ text: String) -> String {
            var address = LinkAddress(text[...])
            switch association.verdict(on: &address) {
            case .included(let rule): return "+" + rule.summary
            case .excluded(let rule): return "-" + rule.summary
            case .unmatched: return "?"
            }
        }
        #expect(verdict("/help/website/1") == "-/help/website/*")
        #expect(verdict("/help/1") == "+/help/*")
        #expect(verdict("/") == "-*")
    }

    @Test func summariesAndLengths() throws {
        let rule = try Self.rule("/help/*", items: [("article", "????")], fragment: "top")
        #expect(rule.summary == "/help/*?article=????#top")
        #expect(rule.literalLength == 6 + 7 + 3)
        #expect(try Self.rule(fragment: "x").summary == "#x")
    }

    @Test func coveredPrefix() throws {
        #expect(try Self.rule("/help/*").coveredPrefix == Array("/help/".utf8))
        #expect(try Self.rule("/*").coveredPrefix == [])
        #expect(try Self.rule("*").coveredPrefix == [])
        #expect(try Self.rule().coveredPrefix == [])
        #expect(try Self.rule("/a").coveredPrefix == nil)
        #expect(try Self.rule("*", query: "?*").coveredPrefix == nil)
        #expect(try Self.rule("*", fragment: "*").coveredPrefix == [])
    }

    /// Many rules are found by an index: the first that matches, as if each were tried.
    @Test(arguments: 0..<10) func manyRules(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let forms = [true, false].flatMap { one in
            [true, false].map { LinkForm(caseSensitive: one, percentEncoded: $0) }
        }
        let pieces = ["/", "a", "B", "b", "*", "?", "%41", "ab", "$(digit)", "1"]
        let rules = try (0..<100).map { number in
            let text =
                "/"
                + (0..<Int.random(in: 0...4, using: &random)).map { _ in
                    pieces.randomElement(using: &random) ?? ""
                }.joined()
            var rule = try Self.rule(
                number % 20 == 0 ? nil : text, fragment: number % 3 == 0 ? "f*" : nil, excludes: number % 2 == 0,
                form: forms.randomElement(using: &random) ?? LinkForm())
            rule.location = SourceLocation(path: "a", line: number, column: 1)
            return rule
        }
        let association = SiteAssociation(path: "a", rules: rules)
        var hits = 0
        for _ in 0..<500 {
            let text =
                "/"
                + (0..<Int.random(in: 0...4, using: &random)).map { _ in
                    ["a", "A", "b", "/", "1", "%41", "#f"].randomElement(using: &random) ?? ""
                }.joined()
            var address = LinkAddress(text[...])
            let expected = rules.first { $0.matches(&address) }
            var found: LinkRule?
            switch association.verdict(on: &address) {
            case .included(let rule), .excluded(let rule): found = rule
            case .unmatched: break
            }
            #expect(found?.location == expected?.location, "\(text)")
            if found != nil { hits += 1 }
        }
        #expect(hits > 20)
    }
}
