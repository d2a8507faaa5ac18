import Foundation
import TestSupport
import Testing
import UsherJSON

@testable import UsherSuggestions

/// Every worked case of suggestions: lines of `--cases` with what of the results is expected.
@Suite("Suggestion cases")
struct SuggestionCaseTests {
    static let cases: [JSONValue] = {
        let file = Repository.path + "/Tests/Fixtures/suggestions.jsonl"
        let text = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").compactMap { try? JSONValue(parsing: Array($0.utf8)) }
    }()

    @Test func thereAreCases() { #expect(Self.cases.count >= 140) }

    @Test("suggests what the case says", arguments: cases)
    func suggests(_ value: JSONValue) throws {
        let answer = SuggestionCase.answer(to: Array(value.text(escaping: .minimal).utf8))
        #expect(answer.json["id"] == value["id"])
        #expect(answer.json["error"]?["name"] == (value["error"] == .null ? nil : value["error"]))
        #expect((answer.problem == nil) == (value["error"] == .null))
        let results = answer.json["results"]?.elements ?? []
        let expected = value["expect"]?.elements ?? []
        #expect(results.count == expected.count, "\(answer.json.text())")
        for (result, expectation) in zip(results, expected) {
            for member in expectation.members ?? [] {
                #expect(result[member.name] == member.value, "\(member.name): \(answer.json.text())")
            }
        }
    }

    @Test func membersAndTheirOrder() throws {
        let line = """
            {"id":7,"now":"2026-11-21T12:00:00Z","query":{"kind":"place","why":true},"events":[{"time":"2026-11-21T11:59:30.5Z",\
            "app":"a","activity":{"targetContentIdentifier":"x:1","contentAttributeSet":{"namedLocation":"N","own":[1.50]}}}]}
            """
        #expect(
            SuggestionCase.answer(to: Array(line.utf8)).json.text() == """
                {"id":7,"results":[{"kind":"place","title":"N","subtitle":null,"value":null,"app":null,"intent":null,\
                "target":"x:1","label":null,"attributes":{"namedLocation":"N","own":[1.50]},"source":{"app":"a",\
                "name":null,"activity":null,"url":null},"last":"2026-11-21T11:59:30.500Z","count":1,"score":0.994336,\
                "why":{"half_life_s":3600,"events":[{"time":"2026-11-21T11:59:30.500Z","age_s":29.5,"weight":0.994336,\
                "from":"a"}],"left_out":[]}}],"error":null}
                """)
    }

    private static func place(_ members: String) -> String {
        #"{"now":"2026-11-21T12:00:00Z","query":{"kind":"place"},\#(members)}"#
    }

    @Test(
        "what cannot be read is named",
        arguments: [
            ("{", "json.syntax"), ("[]", "suggest.case"), ("{}", "suggest.case"),
            (place(#""apps":[{}]"#), "suggest.case"), (place(#""settings":{"kinds":["all"]}"#), "suggest.case"),
            (place(#""settings":{"phrases":{"x":[]}}"#), "suggest.case"), (place(#""contacts":[{}]"#), "suggest.case"),
            (#"{"now":"2026-11-21T12:00:00Z","query":{"kind":"app","perform":"fly"}}"#, "suggest.perform"),
        ])
    func refusals(_ line: String, _ name: String) {
        let answer = SuggestionCase.answer(to: Array(line.utf8))
        #expect(answer.json["error"]?["name"]?.string == name)
        #expect(answer.json["results"]?.elements?.isEmpty == true)
    }
}
