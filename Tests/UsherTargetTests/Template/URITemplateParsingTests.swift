import Testing
import UsherTarget

@Suite struct URITemplateParsingTests {
    struct Mistake: Sendable, CustomTestStringConvertible {
        let template: String
        let offset: Int
        let hint: String?
        var testDescription: String { template.isEmpty ? "empty" : template }

        init(_ template: String, _ offset: Int, _ hint: String? = nil) {
            (self.template, self.offset, self.hint) = (template, offset, hint)
        }
    }

    @Test(arguments: [
        Mistake("/{clown", 1, "write %7B for the character itself"),
        Mistake("/{", 1),
        Mistake("{a,", 0),
        Mistake("{/", 0),
        Mistake("{a:3", 0),
        Mistake("{a*", 0),
        Mistake("/clown}", 6, "write %7D for the character itself"),
        Mistake("{}", 0),
        Mistake("{+}", 2),
        Mistake("{a,}", 3),
        Mistake("{a,,b}", 3),
        Mistake("{=a}", 1),
        Mistake("{,a}", 1),
        Mistake("{!a}", 1),
        Mistake("{@a}", 1),
        Mistake("{|a}", 1),
        Mistake("{$a}", 1, "a name is written without '$'"),
        Mistake("{{a}}", 1, "one brace is enough"),
        Mistake("{a{b}", 2, "close the expression with '}' first"),
        Mistake("{/?a}", 2, "an expression has one operator"),
        Mistake("{order-id}", 6, "a name has letters, digits, '_' and '.': write '_' for '-'"),
        Mistake("{~a}", 1),
        Mistake("{ a}", 1, "leave no spaces between the braces"),
        Mistake("{a, b}", 3, "leave no spaces between the braces"),
        Mistake("{a }", 2, "leave no spaces between the braces"),
        Mistake("{a?}", 2, "an operator comes first: {?name}"),
        Mistake("{a=1}", 2, "templates have no default values"),
        Mistake("{a|b}", 2, "several variables are separated by ','"),
        Mistake("{*a}", 1, "the '*' comes after the name: {name*}"),
        Mistake("{.a.}", 4, "a dot stands between two parts of a name"),
        Mistake("{a..b}", 3, "a dot stands between two parts of a name"),
        Mistake("{ä}", 1),
        Mistake("{%2x}", 1),
        Mistake("{a:}", 3),
        Mistake("{a:0}", 3),
        Mistake("{a:01}", 3),
        Mistake("{a:10000}", 3),
        Mistake("{a:99999999999999999999999}", 3),
        Mistake("{a:x}", 3),
        Mistake("{a:", 3),
        Mistake("{a:2*}", 4, "a variable has a prefix length or a '*', not both"),
        Mistake("{a*:2}", 3, "a variable has a prefix length or a '*', not both"),
        Mistake("{a*b}", 3),
        Mistake("100%", 3, "write %25 for a percent sign"),
        Mistake("%2", 0),
        Mistake("%zz", 0),
        Mistake("a b", 1, "write %20"),
        Mistake("a\"b", 1, "write %22"),
        Mistake("a\\b", 1, "write %5C"),
        Mistake("/<id>", 1, "a variable is written {name}"),
        Mistake("ä^", 2, "write %5E"),
        Mistake("\u{0}", 0, "write %00"),
        Mistake("\u{85}", 0),
        Mistake("\u{FFFD}", 0),
        Mistake("\u{1FFFE}", 0),
    ])
    func mistake(_ entry: Mistake) {
        let error = #expect(throws: URITemplateError.self) { try URITemplate(entry.template) }
        #expect(error?.code == .syntax)
        #expect(error?.offset == entry.offset)
        if let hint = entry.hint { #expect(error?.hint == hint) }
    }

    @Test func errorText() {
        let error = #expect(throws: URITemplateError.self) { try URITemplate("/{order-id}") }
        #expect(
            error?.description
                == "template.syntax: at byte 7: found '-', expected a letter, digit, '_' or ',' or '}' "
                + "(a name has letters, digits, '_' and '.': write '_' for '-')")
        #expect(error?.message == "found '-', expected a letter, digit, '_' or ',' or '}'")
    }

    @Test(arguments: [
        "", "'", "{a}{b}", "{a.b.c}", "{_}", "{%41b}", "{a:9999}", "{42}", "{?a*,b:3,c}", "\u{E000}\u{10FFFD}",
    ])
    func valid(_ text: String) throws {
        let template = try URITemplate(text)
        #expect(template.text == text)
        #expect(template.description == text)
    }

    @Test func variableNames() throws {
        let template = try URITemplate("{b,a}/{b}{?c*,a:3,B}")
        #expect(template.variableNames == ["b", "a", "c", "B"])
    }

    @Test func lengthIsBounded() throws {
        let limit = URITemplate.maximumLength
        #expect(try URITemplate(String(repeating: "a", count: limit)).text.count == limit)
        let error = #expect(throws: URITemplateError.self) { try URITemplate(String(repeating: "a", count: limit + 1)) }
        #expect(error?.code == .templateTooLong)
    }

    @Test func equalityIsOfBytes() throws {
        #expect(try URITemplate("/{a}") == URITemplate("/{a}"))
        #expect(try URITemplate("/\u{E9}") != URITemplate("/e\u{301}"))
        #expect(TemplateValue.string("\u{E9}") != .string("e\u{301}"))
        #expect(TemplateValue.list(["\u{E9}"]) != .list(["e\u{301}"]))
        #expect(TemplateValue.list(["a"]) == ["a"])
    }

    @Test(arguments: [
        ("clown", "CLOWN"), ("order-id", "ORDER_ID"), ("a.b", "A_B"), ("x1", "X1"), ("%C3", "_C3"), ("é", "_"),
        ("", ""),
    ])
    func variableKey(name: String, key: String) {
        #expect(URITemplate.variableKey(name) == key)
    }
}
