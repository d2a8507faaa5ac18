import Testing
import UsherTarget

@Suite struct TargetCatalogTests {
    let catalog: TargetCatalog

    init() throws {
        catalog = try TargetCatalog([
            "clown": "https://clowntown.example/clowns/{clown}",
            "show": "https://clowntown.example/shows/{show}{?seat*}",
            "page": "https://clowntown.example/{+page}",
            "bare": "{+id}",
        ])
    }

    @Test func builds() throws {
        #expect(try catalog.build("clown", ["clown": "crusty"]) == "https://clowntown.example/clowns/crusty")
        #expect(try catalog.build("show", ["show": "a/b"]) == "https://clowntown.example/shows/a%2Fb")
        #expect(
            try catalog.build("show", ["show": "7", "seat": ["1", "2"]])
                == "https://clowntown.example/shows/7?seat=1&seat=2")
    }

    struct Wrong: Sendable, CustomTestStringConvertible {
        let name: String
        let values: [String: TemplateValue]
        let code: TargetError.Code
        let hint: String?
        var testDescription: String { "\(name) \(values)" }
    }

    @Test(arguments: [
        Wrong(name: "clwn", values: [:], code: .unknownTemplate, hint: "did you mean 'clown'?"),
        Wrong(name: "zzzzzzzz", values: [:], code: .unknownTemplate, hint: "the templates are clown, show, page, bare"),
        Wrong(name: "clown", values: [:], code: .missingVariable, hint: "give it one: clown=…"),
        Wrong(name: "clown", values: ["clown": .undefined], code: .missingVariable, hint: "give it one: clown=…"),
        Wrong(name: "clown", values: ["clown": .list([])], code: .missingVariable, hint: "give it one: clown=…"),
        Wrong(name: "clown", values: ["clown": ""], code: .emptyVariable, hint: nil),
        Wrong(
            name: "clown", values: ["clown": "a", "clwn": "b"], code: .unknownVariable, hint: "did you mean 'clown'?"),
        Wrong(name: "show", values: ["seat": "1"], code: .missingVariable, hint: "give it one: show=…"),
        Wrong(name: "bare", values: ["id": .string(String(repeating: "a", count: 16_385))], code: .template, hint: nil),
    ])
    func refusals(_ wrong: Wrong) {
        let error = #expect(throws: TargetError.self) { try catalog.build(wrong.name, wrong.values) }
        #expect(error?.code == wrong.code)
        #expect(error?.hint == wrong.hint)
    }

    @Test func emptyIdentifiers() throws {
        #expect(throws: TargetError.self) { try URITemplate("{?x}").build([:]) }
        #expect(throws: TargetError.self) { try URITemplate("").build([:]) }
    }

    @Test func templatesThatCannotBeRead() {
        let error = #expect(throws: TargetError.self) { try TargetCatalog(["a": "x", "b": "{"]) }
        #expect(error?.code == .template)
        #expect(error?.name == "b")
        #expect(error?.templateError?.code == .syntax)
    }

    @Test func theMostLiteralTemplateWins() {
        let readings = catalog.matches("https://clowntown.example/clowns/crusty")
        #expect(readings.map(\.name) == ["clown", "page", "bare"])
        #expect(readings.first?.match.variables == ["clown": "crusty"])
        #expect(catalog.matches("").isEmpty)
    }

    @Test func whatIsBuiltIsTakenApart() throws {
        for value in ["crusty", "a/b", "ü", "100%", "a b", "🤡", "%2F"] {
            let identifier = try catalog.build("clown", ["clown": .string(value)])
            #expect(catalog.matches(identifier).first?.match.variables == ["clown": value])
        }
    }
}
