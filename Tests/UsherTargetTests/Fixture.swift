import Foundation
import TestSupport
import UsherJSON
import UsherTarget

/// The tables in Tests/Fixtures.
enum Fixture {
    /// A file of JSON Lines; the order of members is kept.
    static func lines(_ name: String) throws -> [JSONValue] {
        let file = Repository.path + "/Tests/Fixtures/" + name
        let text = try String(contentsOfFile: file, encoding: .utf8)
        return try text.split(separator: "\n").map { try JSONValue(parsing: Array($0.utf8)) }
    }
}
