import Foundation
import TestSupport
import Testing
import UsherJSON

@testable import UsherActivities

/// Mutated pages: never a trap, and an answer of bounded size.
struct PageFuzzTests {
    @Test(arguments: 0..<2)
    func `a page that is not as it should be is read as far as it can be`(_ seed: Int) throws {
        let sample = Array(try Data(contentsOf: URL(filePath: Repository.path + "/Payloads/pages/restaurant.json")))
        let place = #""@type":"Restaurant","name":"A","telephone":["1","2"],"geo":{"latitude":1.5,"longitude":"-2"}"#
        let samples = [
            PageCase.block(place),
            #"{"data":["{}",\#(PageCase.block(place))],"base":"/b","title":" t ","partial":true}"#,
            #"[{"@graph":[{"@id":"_:a","address":{"@id":"_:a"}}]},\#(PageCase.block(place))]"#,
        ]
        let mutator = SampleMutator(
            [sample] + samples.map { Array($0.utf8) },
            fragments: [
                "\"", "\\", "{", "}", "[", "]", ",", ":", "null", "1e999", "\\ud800", "\"@id\":\"_:a\"", "\"@graph\":[",
                "\"@context\":", "\"@type\":\"Person\",", "\"@reverse\":{", "\"data\":[", "https://", "//", "?#",
            ])
        var generator = SeededGenerator(seed: UInt64(seed))
        var (read, refused) = (0, 0)
        for round in 0..<2000 {
            let bytes = mutator.mutation(&generator)
            let page = Page(bytes, url: round % 2 == 0 ? "https://a.example/b/" : nil)
            read += page.items.isEmpty ? 0 : 1
            refused += page.findings.isEmpty ? 0 : 1
            #expect(page.items.count <= 100 && page.findings.count <= 100, "seed \(seed), round \(round)")
            for finding in page.findings {
                #expect(!finding.message.isEmpty && finding.block >= 1, "seed \(seed), round \(round)")
                #expect(!finding.message.unicodeScalars.contains { $0.value < 0x20 }, "seed \(seed), round \(round)")
            }
            let sizes = page.items.map { JSONValue.object($0.attributes).text().utf8.count }
            // A byte is six where it is escaped, and a base address may stand before each of a few.
            #expect(sizes.reduce(0, +) <= 100 * bytes.count + 1000, "seed \(seed), round \(round)")
        }
        #expect(read > 50 && refused > 200, "\(read) \(refused)")
    }
}
