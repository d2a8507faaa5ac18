import Foundation
import TestSupport
import Testing
import UsherJSON

/// `usher payload inspect`: files, standard input, statuses. `PayloadVectorTests` has the vectors.
struct PayloadsTests {
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
