import Foundation
import UsherJSON
import UsherTarget

/// The tables in Tests/Fixtures.
enum Fixture {
    /// A file of JSON Lines; the order of members is kept.
    static func lines(_ name: String) throws -> [JSONValue] {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let text = try String(contentsOf: folder.appending(path: "Fixtures/\(name)"), encoding: .utf8)
        return try text.split(separator: "\n").map { try JSONValue(parsing: Array($0.utf8)) }
    }
}
