import Foundation
import TestSupport
import Testing
import UsherJSON

/// `usher payload inspect` over the vectors, and what only a program has: files, standard input, statuses.
struct PayloadsTests {
    private static let folder = Repository.path + "/Payloads/vectors"

    static let vectors =
        ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [])
        .filter { $0.hasSuffix(".expect.json") }.map { String($0.dropLast(".expect.json".count)) }.sorted()

    @Test func thereAreVectors() { #expect(Self.vectors.count > 100) }

    @Test func everyVector() throws {
        try UsherProgram.run { usher throws in
            for name in Self.vectors {
                let path = "\(Self.folder)/\(name)"
                let data = try Data(contentsOf: URL(fileURLWithPath: path + ".expect.json"))
                let vector = try JSONValue(parsing: Array(data))
                let expected = vector["expect"] ?? .null
                var arguments = ["payload", "inspect", path]
                if let type = vector["context"]?["apns-push-type"]?.string { arguments += ["--push-type", type] }
                let ending = try usher.run(arguments)
                let answer = ending.json()
                #expect(ending.status == (expected["valid"]?.boolean == false ? 1 : 0), "\(name)")
                for member in ["valid", "error", "target_content_id", "title", "body", "at"] {
                    guard let value = expected[member], expected["lines"] == nil else { continue }
                    #expect(answer[member] == value, "\(name): \(member)")
                }
            }
        }
    }

    @Test func standardInputAndFormat() throws {
        try UsherProgram.run { usher throws in
            let payload = #"{"aps":{"alert":"hi","target-content-id":"t"}}"#
            let ending = try usher("payload", "inspect", "-", input: payload)
            #expect(ending.status == 0)
            #expect(ending.json()["target_content_id"]?.string == "t")
            #expect(try usher("payload", "inspect", "--format", "shortcut", "-", input: payload).status == 1)
            let lines = try usher("payload", "inspect", "-", input: payload + "\n{}\n" + payload)
            #expect(lines.json()["kind"]?.string == "jsonl")
            #expect(lines.json()["lines"]?.elements?.count == 3)
        }
    }
}
