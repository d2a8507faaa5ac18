import Foundation
import TestSupport
import Testing
import UsherJSON

/// The project's payload files.
enum Fixture {
    static let payloads = URL(filePath: Repository.path + "/Payloads")

    /// A table of what dispatch decides for the samples; no payload.
    static let decisions = "decisions.jsonl"

    /// The bytes of a file by its path below `Payloads/`.
    static func bytes(_ path: String) throws -> [UInt8] { try bytes(payloads.appending(path: path)) }

    static func bytes(_ url: URL) throws -> [UInt8] { Array(try Data(contentsOf: url)) }

    /// Every file below `Payloads/` that is a payload, by its path there.
    static func allPayloads() -> [String] {
        let root = payloads.path
        let paths = FileManager.default.enumerator(atPath: root)?.compactMap { $0 as? String } ?? []
        return paths.filter { path in
            ["json", "jsonl", "ndjson", "apns", "txt", "bin"].contains((path as NSString).pathExtension)
                && !path.hasSuffix(".expect.json") && path != decisions
                // What senders post to hooks is no payload yet, and what pages say none at all.
                && !path.hasPrefix("hooks/") && !path.hasPrefix("pages/")
        }.sorted()
    }
}

/// A payload with what a correct reader must say about it.
struct PayloadVector: Sendable, CustomTestStringConvertible {
    var path: String
    var bytes: [UInt8]
    /// How many bytes it is to have.
    var size: Int?
    var kind: String
    var pushType: String?
    var format: String?
    var expected: JSONValue

    var testDescription: String { path }

    static func all(in folder: String) throws -> [PayloadVector] {
        try Fixture.allPayloads().filter { $0.hasPrefix(folder + "/") }.map { path in
            let url = Fixture.payloads.appending(path: path)
            let expectation = try JSONValue(parsing: Fixture.bytes(URL(filePath: url.path + ".expect.json")))
            return PayloadVector(
                path: path, bytes: try Fixture.bytes(url),
                size: expectation["bytes"]?.int64.flatMap { Int(exactly: $0) }, kind: expectation["kind"]?.string ?? "",
                pushType: expectation["context"]?["apns-push-type"]?.string,
                format: expectation["context"]?["format"]?.string,
                expected: try #require(expectation["expect"]))
        }
    }
}
