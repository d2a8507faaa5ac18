import TestSupport
import Testing
import UsherJSON
import UsherPayload

/// Mutated payloads: never a trap, and every error within its input.
struct PayloadFuzzTests {
    static let mutator = SampleMutator(
        Fixture.allPayloads().compactMap { try? Fixture.bytes($0) }.filter { !$0.isEmpty && $0.count < 6000 },
        fragments: [
            "\"", "\\", "{", "}", "[", "]", ",", ":", "null", "true", "0", "-", "1e999", "\\u0000", "\\ud800",
            "\"aps\":",
            "\"payload\":{", "\"target-content-id\":\"\"",
        ])

    @Test(arguments: 0..<2)
    func `no mutation traps and errors stay within the input`(_ seed: Int) throws {
        try #require(Self.mutator.samples.count > 300)
        var generator = SeededGenerator(seed: UInt64(seed))
        var reader = PayloadReader()
        var valid = 0
        for round in 0..<1000 {
            let bytes = Self.mutator.mutation(&generator)
            do {
                let payload = try reader.read(bytes)
                valid += 1
                #expect(payload.raw.count <= bytes.count)
                #expect(payload.targetContentIdentifier?.isEmpty != true)
                #expect(payload.targetContentIdentifier?.utf8.contains(0) != true)
                for warning in payload.warnings { #expect((0...bytes.count).contains(warning.offset ?? 0)) }
            } catch {
                #expect((0...bytes.count).contains(error.offset ?? 0), "seed \(seed), round \(round)")
                #expect(!error.message.isEmpty && !error.help.isEmpty)
                #expect(!error.message.unicodeScalars.contains { $0.value < 0x20 }, "seed \(seed), round \(round)")
            }
            let name = ["a.json", "a.jsonl", "a.apns", nil][round % 4]
            let inspection = PayloadInspection.inspect(bytes, fileName: name)
            #expect(throws: Never.self) { try JSONValue(parsing: inspection.json) }
        }
        #expect(valid > 20)
    }
}
