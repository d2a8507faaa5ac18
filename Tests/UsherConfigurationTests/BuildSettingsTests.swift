import Testing
import UsherJSON

@testable import UsherConfiguration

struct BuildSettingsTests {
    private func expand(_ text: String, _ settings: String) throws -> (text: String?, unknown: [String]) {
        let settings = try BuildSettings(reading: Array(settings.utf8))
        let (tree, unknown) = settings.expand(.object([.init("used", .string(text))]), used: ["used"])
        return (tree["used"]?.string, unknown)
    }

    @Test(
        "variables get the values of the settings",
        arguments: [
            ("$(A) ${A}", "A = 1", "1 1", []),
            ("$(A)", "  A=x = y // comment\r\n// A = 2\n\n", "x = y", []),
            ("$(A)", "B = 2\nA = 1.$(B)", "1.2", []),
            ("$(A)", "A = 1\nA = 2", "2", []),
            ("$(A)", "A[sdk=iphoneos*] = 1", "$(A)", ["A"]),
            ("$(B)-$(B)", "A = 1", "$(B)-$(B)", ["B"]),
            ("$(A)", "A = $(A)", "$(A)", ["A"]),
            ("$(A", "A = 1", "$(A", []),
            ("$A $ $", "A = 1", "$A $ $", []),
            ("${A)", "A = 1", "${A)", []),
            ("", "A = 1", "", []),
        ] as [(String, String, String, [String])])
    func values(_ text: String, _ settings: String, _ expected: String, _ unknown: [String]) throws {
        let found = try expand(text, settings)
        #expect(found.text == expected)
        #expect(found.unknown == unknown)
    }

    @Test("values that use each other many times end early") func manyUses() throws {
        let settings = (0..<15).map { "K\($0) = \(String(repeating: "$(K\($0 + 1))", count: 100))\n" }.joined()
        let found = try expand("$(K0)", settings + "K15 = x")
        #expect((found.text?.utf8.count ?? .max) < 8 << 20)
        #expect(!found.unknown.isEmpty)
    }

    @Test(
        "a line that is no setting is refused",
        arguments: [("A = 1\n#include \"x\"", 2), ("A", 1), ("= 1", 1), ("A = 1\n\nB", 3)])
    func refused(_ text: String, _ line: Int) {
        let fault = #expect(throws: BuildSettings.Fault.self) { try BuildSettings(reading: Array(text.utf8)) }
        #expect(fault?.line == line)
    }
}
