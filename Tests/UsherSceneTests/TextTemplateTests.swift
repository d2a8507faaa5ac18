import Testing
import UsherScene
import UsherTarget

@Suite("TextTemplate") struct TextTemplateTests {
    struct Case: CustomTestStringConvertible, Sendable {
        var template: String
        var text: String
        /// Each reading: the values in the order of the names.
        var readings: [[String]]
        var testDescription: String { "\(template) of \(text.prefix(40))" }
    }

    static let cases: [Case] = [
        Case(template: "{file} — Zathura", text: "a.pdf — Zathura", readings: [["a.pdf"]]),
        Case(template: "{file} — Zathura", text: "a — Zathura — Zathura", readings: [["a — Zathura"]]),
        Case(template: "{file} — Zathura", text: " — Zathura", readings: []),
        Case(template: "{file} — Zathura", text: "a.pdf — Zathura!", readings: []),
        Case(template: "{file} ({folder})", text: "a (b) (c)", readings: [["a", "b) (c"], ["a (b)", "c"]]),
        Case(template: "Inbox", text: "Inbox", readings: [[]]),
        Case(template: "Inbox", text: "Inbox ", readings: []),
        Case(template: "{a}{b}", text: "é1", readings: [["é", "1"]]),
        Case(template: "{a}-{a}", text: "x-x", readings: [["x"]]),
        Case(template: "{a}-{a}", text: "x-y", readings: []),
        Case(template: "{a}-{a}", text: "x-y-x-y", readings: [["x-y"]]),
        Case(template: "[{a}]", text: "", readings: []),
    ]

    @Test("gives every reading of the whole text", arguments: cases)
    func readings(_ example: Case) throws {
        let template = try TextTemplate(example.template)
        var readings: [[String]] = []
        let isFollowed = template.forEachReading(of: example.text) { values in
            readings.append(template.variableNames.map { values[$0] ?? "nil" })
            return true
        }
        #expect(isFollowed)
        #expect(readings == example.readings)
    }

    @Test("gives up where there are too many readings")
    func tooMany() throws {
        let template = try TextTemplate("{a}-{b}-{c}-{d}")
        let text = String(repeating: "-", count: 4000)
        #expect(!template.forEachReading(of: text) { _ in true })
    }

    @Test("finds quickly that nothing fits")
    func nothingFits() throws {
        let template = try TextTemplate("{a}-{b}-{c}-{d}-{e}Z{f}")
        #expect(template.forEachReading(of: String(repeating: "-", count: 4096)) { _ in true })
    }

    @Test(
        "names the mistake and its place",
        arguments: [
            ("a{b", "template.syntax", 1), ("a}b", "template.syntax", 1), ("{}", "template.syntax", 0),
            ("{a b}", "template.syntax", 2), (String(repeating: "a", count: 1025), "template.too-long", 1024),
        ])
    func mistakes(_ text: String, _ code: String, _ offset: Int) {
        let mistake = #expect(throws: TextTemplate.Mistake.self) { _ = try TextTemplate(text) }
        #expect(mistake?.code.rawValue == code)
        #expect(mistake?.offset == offset)
    }

    @Test("is filled only where every variable has a value")
    func filled() throws {
        let template = try TextTemplate("{folder}/{file}")
        #expect(template.filled(["folder": "/a", "file": "b"]) == "/a/b")
        #expect(template.filled(["file": "b"]) == nil)
    }
}
