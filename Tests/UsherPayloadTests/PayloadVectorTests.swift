import Testing
import UsherJSON
import UsherPayload

struct PayloadVectorTests {
    static let vectors = (try? PayloadVector.all(in: "vectors")) ?? []

    @Test func `there are vectors`() throws {
        #expect(try PayloadVector.all(in: "vectors").count >= 250)
    }

    @Test(arguments: vectors)
    func `inspection agrees with every vector`(_ vector: PayloadVector) throws {
        #expect(vector.size == vector.bytes.count)
        let format = vector.format.flatMap { PayloadFormat(rawValue: $0) } ?? .auto
        let inspection = PayloadInspection.inspect(
            vector.bytes, fileName: vector.path, format: format, pushType: vector.pushType)
        let answer = try JSONValue(parsing: inspection.json)
        #expect(answer["kind"]?.string == vector.kind)
        #expect(vector.expected["valid"]?.boolean == inspection.isValid)
        Self.expectMembers(vector.expected, in: answer)
    }

    /// Every expected member is in the answer; of warnings there may be more.
    static func expectMembers(_ expected: JSONValue, in answer: JSONValue) {
        for member in expected.members ?? [] {
            switch member.name {
            case "warnings":
                let names = answer["warnings"]?.elements ?? []
                for warning in member.value.elements ?? [] { #expect(names.contains(warning)) }
            case "lines":
                let lines = answer["lines"]?.elements ?? []
                let wanted = member.value.elements ?? []
                #expect(lines.count == wanted.count)
                for (line, want) in zip(lines, wanted) { expectMembers(want, in: line) }
            default: #expect(answer[member.name] ?? .null == member.value, "\(member.name)")
            }
        }
    }
}
