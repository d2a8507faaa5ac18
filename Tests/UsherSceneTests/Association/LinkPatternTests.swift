import Foundation
import Testing
import UsherScene

/// Patterns against texts, by way of a rule for paths: the rest of an address with a host before it.
@Suite struct LinkPatternTests {
    struct Case: CustomTestStringConvertible, Sendable {
        var pattern: String
        var path: String
        var matches: Bool
        var form = LinkForm()
        init(_ pattern: String, _ path: String, _ matches: Bool, _ form: LinkForm = LinkForm()) {
            (self.pattern, self.path, self.matches, self.form) = (pattern, path, matches, form)
        }
        var testDescription: String { "\(pattern) \(matches ? "matches" : "does not match") \(path)" }
    }

    static let anyCase = LinkForm(caseSensitive: false)
    static let plain = LinkForm(percentEncoded: false)
    static let plainAnyCase = LinkForm(caseSensitive: false, percentEncoded: false)
    static let variables = LinkVariables([
        "food": ["burrito", "taco", "taco-*"], "one": ["?"], "none": [], "empty": ["", "x"], "grocer*": ["a", "bb"],
    ])

    static let cases = [
        // Wildcards.
        Case("*", "", true), Case("*", "/", true), Case("*", "/a/b", true), Case("/", "", true), Case("/", "/", true),
        Case("/", "/a", false), Case("/buy/*", "/buy/", true), Case("/buy/*", "/buy/a/b/c", true),
        Case("/buy/*", "/buy", false), Case("/buy*", "/buy", true), Case("/buy/?*", "/buy/", false),
        Case("/buy/?*", "/buy/x", true), Case("/*/b", "/a/c/b", true), Case("/*/b", "/a/c/b/", false),
        Case("/a?c", "/abc", true), Case("/a?c", "/ac", false), Case("/a?c", "/abbc", false),
        Case("/????", "/1234", true),
        Case("/????", "/12345", false), Case("/**a", "/xa", true), Case("/*ab", "/aab", true),
        Case("/*a*b*c", "/xaxbxc", true), Case("/*a*b*c", "/xaxcxb", false), Case("/a.b", "/axb", false),
        // Case.
        Case("/Buy", "/buy", false), Case("/Buy", "/bUY", true, anyCase), Case("/É", "/é", true, plainAnyCase),
        // Percent-encoding: compared as written, or undone.
        Case("/a%20b", "/a%20b", true), Case("/a b", "/a%20b", false), Case("/a b", "/a%20b", true, plain),
        Case("/a%20b", "/a b", true), Case("/%C3%A9", "/é", true), Case("/é", "/%C3%A9", true, plain),
        Case("/é", "/é", false), Case("/?", "/é", false), Case("/??????", "/é", true), Case("/?", "/é", true, plain),
        Case("/%C3%A9", "/%c3%a9", false), Case("/%C3%A9", "/%c3%a9", true, anyCase), Case("/a%", "/a%", true, plain),
        Case("/\u{FFFD}", "/%FF", true, plain), Case("/a/b", "/a%2Fb", true, plain), Case("/a/b", "/a%2Fb", false),
        // Variables.
        Case("/$(food)", "/taco", true, LinkForm()), Case("/$(food)", "/tacos", false),
        Case("/$(food)", "/taco-al-pastor", true), Case("/$(food)/$(food)", "/taco-x/y/burrito", true),
        Case("/$(food)", "/Taco", false), Case("/$(food)", "/Taco", true, anyCase), Case("/$(one)", "/x", true),
        Case("/$(one)", "/xx", false), Case("/$(none)", "/", false), Case("/$(empty)", "/", true),
        Case("/$(empty)$(empty)", "/xx", true), Case("/$(empty)$(empty)", "/xxx", false),
        Case("/$(grocer*)", "/bb", true),
        Case("/*$(food)", "/a/burrito", true), Case("/*$(food)z", "/burrito/tacoz", true),
        Case("/$(digit)$(digit)", "/42", true), Case("/$(digit)", "/x", false), Case("/$(xdigit)", "/F", true),
        Case("/$(xdigit)", "/g", false), Case("/$(upper)", "/a", false), Case("/$(upper)", "/a", true, anyCase),
        Case("/$(lower)$(alpha)$(alnum)", "/aZ9", true), Case("/$(alpha)", "/é", false, plain),
        Case("/$(lang)/*", "/de/a", true), Case("/$(lang)/*", "/DE/a", false),
        Case("/$(lang)/*", "/DE/a", true, anyCase),
        Case("/$(lang)-$(region)", "/pt-BR", true), Case("/$(region)", "/us", false),
        Case("/$(region)", "/us", true, anyCase), Case("/$(lang)", "/gsw", true), Case("/$(lang)", "/xy", false),
        Case("/$x", "/$x", true), Case("/$", "/$", true),
    ]

    @Test(arguments: cases) func path(_ example: Case) throws {
        let pattern = try LinkPattern(example.pattern, form: example.form, variables: Self.variables)
        #expect(Self.matches(pattern, example.path, example.form) == example.matches)
    }

    static func matches(_ pattern: LinkPattern, _ rest: String, _ form: LinkForm = LinkForm()) -> Bool {
        var address = LinkAddress(rest[...])
        let location = SourceLocation(path: "a", line: 1, column: 1)
        return LinkRule(path: pattern, form: form, location: location).matches(&address)
    }

    @Test func mistakes() throws {
        #expect(throws: LinkPatternError.self) { try LinkPattern("/$(nothing)") }
        do throws(LinkPatternError) {
            _ = try LinkPattern("/é$(Food)/", variables: Self.variables)
            Issue.record("names have no case")
        } catch {
            #expect(error.kind == .unknownVariable("Food"))
            #expect(error.offset == 3)
            #expect(error.length == 7)
        }
        do throws(LinkPatternError) {
            _ = try LinkPattern("/$(food")
            Issue.record("the variable is not closed")
        } catch {
            #expect(error.kind == .unclosedVariable)
        }
    }

    @Test func literalLength() throws {
        #expect(try LinkPattern("/buy/*").literalLength == 5)
        #expect(try LinkPattern("*").literalLength == 0)
        #expect(try LinkPattern("/a?b$(digit)c").literalLength == 4)
    }

    /// A pattern that makes backtracking matchers take years.
    @Test func manyStarsTakeNoTime() throws {
        let pattern = try LinkPattern(String(repeating: "*a", count: 200) + "*b")
        let text = "/" + String(repeating: "a", count: 4000)
        #expect(!Self.matches(pattern, text))
        let variables = LinkVariables(["a": ["a", "aa", "a*"]])
        let other = try LinkPattern(String(repeating: "$(a)", count: 40) + "b", variables: variables)
        #expect(!Self.matches(other, String(text.dropFirst().prefix(500))))
    }

    @Test func codesOfFoundation() throws {
        // Debian's ICU may be newer than the toolchain's: what is common to both is enough to show a slip.
        for code in ["de", "en", "gsw", "zh"] {
            #expect(Locale.LanguageCode.isoLanguageCodes.map(\.identifier).contains(code))
        }
        for code in Locale.Region.isoRegions.map(\.identifier) where code.count == 2 {
            #expect(Self.matches(try LinkPattern("/$(region)"), "/" + code), "\(code)")
        }
        for code in Locale.LanguageCode.isoLanguageCodes.map(\.identifier) {
            #expect(Self.matches(try LinkPattern("/$(lang)"), "/" + code), "\(code)")
        }
    }
}
