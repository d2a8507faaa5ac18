import Foundation
import TestSupport
import Testing
import UsherJSON
import UsherPayload
import UsherScene

struct PayloadCodeTests {
    /// The names of payload codes in Documentation/Errors.md, by their codes.
    static let names: [String: String] = {
        let page = FileManager.default.contents(atPath: Repository.path + "/Documentation/Errors.md") ?? Data()
        let rows = String(decoding: page, as: UTF8.self).matches(of: /- (U1\d{3}) `([^`]+)`/)
        return Dictionary(rows.map { (String($0.1), String($0.2)) }, uniquingKeysWith: { first, _ in first })
    }()

    @Test(arguments: [
        ("json", "U10"), ("aps", "U11"), ("target", "U12"), ("size", "U13"), ("shortcut", "U14"), ("activity", "U15"),
        ("format", "U16"), ("envelope", "U16"), ("simctl", "U16"), ("plist", "U17"),
    ])
    func `codes go by groups`(_ group: String, _ code: String) {
        let codes = Self.names.filter { $0.value.hasPrefix(group + ".") }.keys
        #expect(!codes.isEmpty && codes.allSatisfy { $0.hasPrefix(code) }, "\(codes)")
    }

    @Test func `codes that others print do not change`() {
        #expect(PayloadCode.targetType.code.code == "U1203")
        #expect(PayloadCode.jsonSyntax.code.code == "U1004")
        #expect(PayloadCode.sizeTooLarge.code.code == "U1301")
    }

    @Test(arguments: JSONError.Code.allCases)
    func `every error of the JSON reader has its name`(_ code: JSONError.Code) {
        #expect(PayloadCode(code).code.name == code.rawValue)
    }

    @Test func `every name is given by some vector or sample`() throws {
        // Those of Info.plist, and those that need inputs of a megabyte and more, have tests of their own.
        let elsewhere: Set = ["json.too-large", "size.line-too-long", "target.too-long"]
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
        #expect(Self.names.count > 60)
        for name in Self.names.values where !elsewhere.contains(name) && !name.hasPrefix("plist.") {
            #expect(given.contains(name) || decided.contains(name), "\(name)")
        }
        #expect(given.subtracting(Self.names.values) == [])
    }
}
