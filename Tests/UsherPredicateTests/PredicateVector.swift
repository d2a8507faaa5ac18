import Foundation
import TestSupport
import Testing

/// One line of Tests/Fixtures/predicates.jsonl.
struct PredicateVector: Decodable, Sendable, CustomTestStringConvertible {
    enum Outcome: Sendable, Equatable {
        case value(Bool)
        case error(String)
    }

    var id: String
    var format: String
    var subject: String?
    var expected: Outcome
    var canonical: String?

    private enum CodingKeys: String, CodingKey {
        case id, format
        case subject = "self"
        case expected = "expect"
        case canonical
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(String.self, forKey: .id)
        format = try container.decode(String.self, forKey: .format)
        subject = try container.decodeIfPresent(String.self, forKey: .subject)
        canonical = try container.decodeIfPresent(String.self, forKey: .canonical)
        if let value = try? container.decode(Bool.self, forKey: .expected) {
            expected = .value(value)
        } else {
            expected = .error(try container.decode(String.self, forKey: .expected))
        }
    }

    var testDescription: String { id }

    static func all() throws -> [PredicateVector] {
        let file = Repository.path + "/Tests/Fixtures/predicates.jsonl"
        return try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").map {
            try JSONDecoder().decode(PredicateVector.self, from: Data($0.utf8))
        }
    }
}
