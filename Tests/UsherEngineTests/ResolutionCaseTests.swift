import Foundation
import TestSupport
import Testing
import UsherJSON

@testable import UsherEngine

/// Every worked case of the resolution.
@Suite("Resolution cases")
struct ResolutionCaseTests {
    static let cases: [JSONValue] = {
        let file = Repository.path + "/Tests/Fixtures/resolution.jsonl"
        let text = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").compactMap { try? JSONValue(parsing: Array($0.utf8)) }
    }()

    @Test func thereAreCases() { #expect(Self.cases.count >= 19) }

    @Test("decides as the case says", arguments: cases)
    func decides(_ value: JSONValue) throws {
        let answer = try ResolutionCase(value).decide()
        for member in value["expect"]?.members ?? [] {
            #expect(answer[member.name] == member.value, "\(value.text())")
        }
        let ends = ["activate", "create", "error"].filter { name in answer.members?.contains { $0.name == name } == true
        }
        #expect(ends.count == 1, "\(answer.text())")
    }

    @Test(
        "what cannot be understood is named",
        arguments: [
            (#"{"id":1,"sessions":[{"can":"TRUEPREDICATE"}]}"#, "a session has no id"),
            (#"{"id":1,"sessions":[{"id":"a","can":"SELF MATCHES 'x'"}]}"#, "session a, can"),
            (#"{"id":1,"sessions":[{"id":"a","state":"open"}]}"#, "there is no state open"),
            ("[]", "a case is a JSON object"),
        ])
    func invalid(text: String, message: String) throws {
        let value = try JSONValue(parsing: Array(text.utf8))
        let error = #expect(throws: ResolutionCase.Invalid.self) { _ = try ResolutionCase(value) }
        #expect(error?.message.contains(message) == true)
    }
}
