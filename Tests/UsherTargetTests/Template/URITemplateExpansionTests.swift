import Testing
import UsherTarget

@Suite struct URITemplateExpansionTests {
    @Test(arguments: SpecificationExample.all)
    func specification(_ example: SpecificationExample) throws {
        do throws(URITemplateError) {
            #expect(try URITemplate(example.template).expand(example.variables) == example.expansion)
        } catch {
            #expect(error.code.rawValue == example.error)
        }
    }

    @Test func allExamplesAreRead() {
        #expect(SpecificationExample.all.count { $0.id.hasPrefix("own") || $0.id.hasPrefix("error") } == 37)
        #expect(SpecificationExample.all.count == 236)
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let id: String
        let template: String
        let values: [String: TemplateValue]
        let expansion: String
        var testDescription: String { id }

        init(_ id: String, _ template: String, _ values: [String: TemplateValue], _ expansion: String) {
            (self.id, self.template, self.values, self.expansion) = (id, template, values, expansion)
        }
    }

    @Test(arguments: [
        Case("no expression", "https://clowntown.example/", [:], "https://clowntown.example/"),
        Case("empty template", "", [:], ""),
        Case("literal outside ASCII", "/späti/{x}", ["x": "ü"], "/sp%C3%A4ti/%C3%BC"),
        Case("literal triplet stays as written", "/%2f{x}", ["x": "1"], "/%2f1"),
        Case("four bytes of UTF-8", "{x}", ["x": "🤡"], "%F0%9F%A4%A1"),
        Case("triplet passes in +", "{+x}", ["x": "admin%2F"], "admin%2F"),
        Case("triplet passes in #", "{#x}", ["x": "a%2fb"], "#a%2fb"),
        Case("triplet is encoded elsewhere", "{x}", ["x": "admin%2F"], "admin%252F"),
        Case("lone percent in +", "{+x}", ["x": "%foo"], "%25foo"),
        Case("percent at the end in +", "{+x}", ["x": "1%2"], "1%252"),
        Case("prefix counts characters, not bytes", "{x:2}", ["x": "üäö"], "%C3%BC%C3%A4"),
        Case("prefix counts scalars, not graphemes", "{x:1}", ["x": "e\u{301}"], "e"),
        Case("prefix does not part a triplet", "{+x:2}", ["x": "a%2Fb"], "a%2F"),
        Case("prefix does not part a character of triplets", "{+x:1}", ["x": "%C3%BCb"], "%C3%BC"),
        Case("prefix counts encoded triplet characters", "{x:1}", ["x": "%2F"], "%25"),
        Case("empty list is undefined", "{/x}{?x*}", ["x": .list([])], ""),
        Case("empty members", "{?x*}", ["x": ["", "a"]], "?x=&x=a"),
        Case("empty members of ;", "{;x*}", ["x": ["", "a"]], ";x;x=a"),
        Case("empty member values", "{?x*}", ["x": ["k": ""]], "?k="),
        Case("empty member values of ;", "{;x*}", ["x": ["k": "", "l": "1"]], ";k;l=1"),
        Case("empty value of an unnamed member", "{x*}", ["x": ["k": ""]], "k="),
        Case("member order is kept", "{?x*}", ["x": ["b": "1", "a": "2", "b": "3"]], "?b=1&a=2&b=3"),
        Case("string with *", "{?x*}", ["x": "1"], "?x=1"),
        Case("name with dots and triplets", "{?a.b,c%20d}", ["a.b": "1", "c%20d": "2"], "?a.b=1&c%20d=2"),
        Case("names are case-sensitive", "{X}{x}", ["x": "1"], "1"),
        Case("control characters", "{+x}", ["x": "\u{0}\r\n"], "%00%0D%0A"),
    ])
    func expansion(_ entry: Case) throws {
        #expect(try URITemplate(entry.template).expand(entry.values) == entry.expansion)
    }

    @Test(arguments: ["{x:3}", "{+x:3}", "{?x:3}"], [TemplateValue.list(["a"]), ["a": "b"]])
    func prefixOfComposite(template: String, value: TemplateValue) throws {
        let template = try URITemplate(template)
        let error = #expect(throws: URITemplateError.self) { try template.expand(["x": value]) }
        #expect(error?.code == .prefixOfComposite)
        #expect(error?.offset == (template.text == "{x:3}" ? 1 : 2))
    }

    @Test func expansionIsBounded() throws {
        let limit = URITemplate.maximumLength
        #expect(try URITemplate("{x}").expand(["x": .string(String(repeating: "a", count: limit))]).utf8.count == limit)
        for template in ["{x}/{x}", "{x*}", "y{+x}"] {
            let value =
                template == "{x*}"
                ? TemplateValue.list(Array(repeating: "abc", count: limit))
                : .string(String(repeating: "a", count: limit))
            let error = #expect(throws: URITemplateError.self) { try URITemplate(template).expand(["x": value]) }
            #expect(error?.code == .expansionTooLong)
        }
    }
}
