import Testing
import UsherJSON
import UsherPayload

struct DiagnosticCatalogTests {
    @Test func `names and codes are unique and complete`() {
        let entries = DiagnosticCatalog.entries
        #expect(Set(entries.map(\.code)).count == entries.count)
        #expect(Set(entries.map(\.name)).count == entries.count)
        #expect(Set(entries.map(\.name)) == Set(DiagnosticName.allCases))
        for entry in entries {
            #expect(entry.code.utf8.count == 5 && entry.code.hasPrefix("U1"))
            #expect(!entry.meaning.isEmpty && !entry.remedy.isEmpty)
        }
    }

    @Test(arguments: [
        ("json", "U10"), ("aps", "U11"), ("target", "U12"), ("size", "U13"), ("shortcut", "U14"), ("activity", "U15"),
        ("format", "U16"), ("envelope", "U16"), ("simctl", "U16"), ("plist", "U17"),
    ])
    func `codes go by groups`(_ group: String, _ code: String) {
        let entries = DiagnosticCatalog.entries.filter { $0.name.rawValue.hasPrefix(group + ".") }
        #expect(!entries.isEmpty)
        for entry in entries { #expect(entry.code.hasPrefix(code), "\(entry.name.rawValue)") }
    }

    @Test func `codes that others print do not change`() {
        #expect(DiagnosticName.targetType.code == "U1203")
        #expect(DiagnosticName.jsonSyntax.code == "U1004")
        #expect(DiagnosticName.sizeTooLarge.code == "U1301")
    }

    @Test(arguments: JSONError.Code.allCases)
    func `every error of the JSON reader has its name`(_ code: JSONError.Code) {
        #expect(DiagnosticName(code).rawValue == code.rawValue)
    }

    @Test func `every name is given by some vector or sample`() throws {
        // Those of Info.plist, and those that need inputs of a megabyte and more, have tests of their own.
        let elsewhere: Set<DiagnosticName> = [.jsonTooLarge, .sizeLineTooLong, .targetTooLong]
        var given: Set<String> = []
        var decided: Set<String> = []
        for path in Fixture.allPayloads() {
            let inspection = PayloadInspection.inspect(
                try Fixture.bytes(path), fileName: path,
                pushType: path.contains("background-with-alert") ? "background" : nil)
            let answer = try JSONValue(parsing: inspection.json)
            for entry in [answer] + (answer["lines"]?.elements ?? []) {
                given.formUnion(([entry["error"]] + (entry["warnings"]?.elements ?? [])).compactMap { $0?.string })
            }
        }
        // What only dispatch can know; Scripts/record-decisions holds it to this table.
        for line in try Fixture.bytes(Fixture.decisions).split(separator: 0x0A) {
            let sample = try JSONValue(parsing: Array(line))
            for decision in sample.members?.flatMap({ $0.value.elements ?? [] }) ?? [] {
                decided.formUnion(decision["warnings"]?.elements?.compactMap(\.string) ?? [])
            }
        }
        for name in DiagnosticName.allCases where !elsewhere.contains(name) && !name.rawValue.hasPrefix("plist.") {
            #expect(given.contains(name.rawValue) || decided.contains(name.rawValue), "\(name.rawValue)")
        }
        for name in given { #expect(DiagnosticName(rawValue: name) != nil) }
    }
}
