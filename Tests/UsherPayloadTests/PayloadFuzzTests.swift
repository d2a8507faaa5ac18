import TestSupport
import Testing
import UsherJSON
import UsherPayload

/// Mutated payloads: never a trap, and every error within its input.
struct PayloadFuzzTests {
    static let seeds: [[UInt8]] = Fixture.allPayloads().compactMap {
        try? Fixture.bytes($0)
    }.filter { !$0.isEmpty && $0.count < 6000 }

    static let fragments: [[UInt8]] =
        [
            "\"", "\\", "{", "}", "[", "]", ",", ":", "null", "true", "0", "-", "1e999", "\\u0000", "\\ud800",
            "\u{202E}",
            "\"aps\":", "\"payload\":{", "\"target-content-id\":\"\"", "\u{FEFF}", "\n", "\0", "é",
        ].map { Array($0.utf8) } + [[0xFF], [0xC0, 0xAF], [0xED, 0xA0, 0x80]]

    static func mutate(_ seed: [UInt8], _ generator: inout SeededGenerator) -> [UInt8] {
        var bytes = seed
        for _ in 0...Int.random(in: 0..<4, using: &generator) {
            let position = Int.random(in: 0...bytes.count, using: &generator)
            let end = min(bytes.count, position + Int.random(in: 0..<16, using: &generator))
            switch Int.random(in: 0..<6, using: &generator) {
            case 0: if position < bytes.count { bytes[position] = UInt8.random(in: 0...255, using: &generator) }
            case 1: bytes.removeSubrange(position..<end)
            case 2: bytes.insert(contentsOf: fragments.randomElement(using: &generator) ?? [], at: position)
            case 3: bytes.insert(contentsOf: Array(bytes[position..<end]), at: position)
            case 4: bytes.removeSubrange(position...)
            default:
                let other = seeds.randomElement(using: &generator) ?? []
                bytes.insert(contentsOf: other.prefix(Int.random(in: 0...other.count, using: &generator)), at: position)
            }
        }
        return bytes
    }

    @Test(arguments: 0..<2)
    func `no mutation traps and errors stay within the input`(_ seed: Int) throws {
        try #require(seeds.count > 300)
        var generator = SeededGenerator(seed: UInt64(seed))
        var reader = PayloadReader()
        var valid = 0
        for round in 0..<1000 {
            let bytes = Self.mutate(Self.seeds.randomElement(using: &generator) ?? [], &generator)
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

    private var seeds: [[UInt8]] { Self.seeds }
}
