import TestSupport
import Testing
import UsherConfiguration
import UsherScene

/// From a byte of a string's value back to where it is written.
@Suite struct SourceMapTests {
    struct Case: CustomTestStringConvertible, Sendable {
        var id: String
        /// A TOML string, written behind `name = ` on line 2.
        var written: String
        var offset: Int
        var line: Int
        var column: Int
        var testDescription: String { id }
    }

    static let cases = [
        Case(id: "literal, first", written: "'abc'", offset: 0, line: 2, column: 9),
        Case(id: "literal, backslash is itself", written: #"'a\bc'"#, offset: 2, line: 2, column: 11),
        Case(id: "literal, end", written: "'abc'", offset: 3, line: 2, column: 12),
        Case(id: "literal, beyond the end", written: "'abc'", offset: 30, line: 2, column: 12),
        Case(id: "basic, quote", written: #""a\"b""#, offset: 2, line: 2, column: 12),
        Case(id: "basic, at an escape", written: #""a\"b""#, offset: 1, line: 2, column: 10),
        Case(id: "basic, tab and backslash", written: #""\t\\b""#, offset: 2, line: 2, column: 13),
        Case(id: "basic, short unicode escape", written: #""\u00E9b""#, offset: 2, line: 2, column: 15),
        Case(id: "basic, inside a unicode escape", written: #""\u00E9b""#, offset: 1, line: 2, column: 9),
        Case(id: "basic, long unicode escape", written: #""\U0001F921b""#, offset: 4, line: 2, column: 19),
        Case(id: "characters, not bytes", written: "'é漢b'", offset: 5, line: 2, column: 11),
        Case(id: "inside a character", written: "'é漢b'", offset: 3, line: 2, column: 10),
        Case(id: "multi-line literal, first line end dropped", written: "'''\nabc'''", offset: 1, line: 3, column: 2),
        Case(id: "multi-line literal, no line end first", written: "'''abc\ndef'''", offset: 4, line: 3, column: 1),
        Case(id: "multi-line literal, quotes inside", written: "'''a''b'''", offset: 3, line: 2, column: 14),
        Case(id: "multi-line literal, quote before the end", written: "'''ab''''", offset: 2, line: 2, column: 13),
        Case(id: "multi-line basic, quotes inside", written: "\"\"\"a\"\"b\"\"\"", offset: 3, line: 2, column: 14),
        Case(
            id: "multi-line basic, trimmed line end", written: "\"\"\"ab \\\n   \n  cd\"\"\"", offset: 3, line: 4,
            column: 3),
        Case(
            id: "multi-line basic, trimmed, spaces behind", written: "\"\"\"ab\\  \n  cd\"\"\"", offset: 3, line: 3,
            column: 4),
        Case(
            id: "multi-line basic, CRLF counts once", written: "\"\"\"\r\nab\r\ncd\"\"\"", offset: 3, line: 4, column: 1
        ),
        Case(id: "empty", written: "''", offset: 0, line: 2, column: 9),
    ]

    @Test(arguments: cases) func locationInsideAString(_ test: Case) throws {
        let folder = TemporaryFolder()
        try folder.write("id = \"example.app\"\nname = \(test.written)\nwebsite = true\n", to: "app.toml")
        let loaded = ConfigurationLoader.load(path: folder.path + "/app.toml", searchPath: nil)
        #expect(loaded.diagnostics.filter { $0.code != .invalidValue }.map(\.description) == [])
        let opening = SourceLocation(path: "app.toml", line: 2, column: 8)
        let found = loaded.sources.location(ofOffset: test.offset, inStringAt: opening)
        #expect("\(found)" == "app.toml:\(test.line):\(test.column)")
    }

    /// Every offset of what toml++ reads is a byte that is written there, whatever the form.
    @Test(arguments: ["\"%\"", "'%'", "\"\"\"%\"\"\"", "'''%'''", "\"\"\"\n%\"\"\"", "'''\r\n%'''"])
    func everyOffset(_ form: String) throws {
        let text = "SELF == xyz é漢🤡 end"
        let folder = TemporaryFolder()
        let source = "id = \"example.app\"\nname = \(form.replacing("%", with: text))\nwebsite = true\n"
        try folder.write(source, to: "app.toml")
        let loaded = ConfigurationLoader.load(path: folder.path + "/app.toml", searchPath: nil)
        let name = try #require(loaded.configuration.apps.first?.name)
        #expect(name == text)
        let opening = SourceLocation(path: "app.toml", line: 2, column: 8)
        var offset = 0
        for scalar in name.unicodeScalars {
            let place = loaded.sources.location(ofOffset: offset, inStringAt: opening)
            let line = try #require(loaded.sources.text(ofLineAt: place))
            #expect(Array(line.unicodeScalars)[place.column - 1] == scalar)
            offset += String(scalar).utf8.count
        }
    }

    @Test func unknownPlacesLeadNowhere() throws {
        let loaded = SampleConfigurationTests.loaded
        let elsewhere = SourceLocation(path: "nowhere.toml", line: 3, column: 4)
        #expect(loaded.sources.location(ofOffset: 5, inStringAt: elsewhere) == elsewhere)
        #expect(loaded.sources.text(ofLineAt: elsewhere) == nil)
        let noString = SourceLocation(path: "apps/clown-town.toml", line: 6, column: 11)
        #expect(loaded.sources.location(ofOffset: 5, inStringAt: noString) == noString)
        let noLine = SourceLocation(path: "apps/clown-town.toml", line: 9999, column: 1)
        #expect(loaded.sources.text(ofLineAt: noLine) == "")
    }
}
