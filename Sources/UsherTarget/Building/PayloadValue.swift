internal import UsherText

/// A JSON value for the parts of a payload that are the app's own.
///
/// Members keep the order in which they are given. A number that JSON cannot hold (infinity, not a number) is written
/// as null.
///
///     let custom: PayloadValue = ["clown": "crusty", "noses": 2, "tags": ["red", "round"]]
public enum PayloadValue: Sendable {
    case null
    case boolean(Bool)
    case integer(Int64)
    case number(Double)
    case string(String)
    case array([PayloadValue])
    case object([Member])

    /// A member of an object.
    public struct Member: Sendable {
        public var name: String
        public var value: PayloadValue

        public init(_ name: String, _ value: PayloadValue) {
            self.name = name
            self.value = value
        }
    }
}

extension PayloadValue: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    public init(stringLiteral value: String) { self = .string(value) }
    public init(booleanLiteral value: Bool) { self = .boolean(value) }
    public init(integerLiteral value: Int64) { self = .integer(value) }
    public init(floatLiteral value: Double) { self = .number(value) }
    public init(arrayLiteral elements: PayloadValue...) { self = .array(elements) }

    /// Keeps the order in which the members are written.
    public init(dictionaryLiteral elements: (String, PayloadValue)...) {
        self = .object(elements.map { Member($0.0, $0.1) })
    }
}

extension PayloadValue {
    /// The value as JSON text in UTF-8, without white space. RFC 8259.
    public var bytes: [UInt8] {
        var output: [UInt8] = []
        // Nesting comes from the caller, so it is kept on a stack of its own.
        var work: [Step] = [.value(self)]
        while let step = work.popLast() {
            switch step {
            case .text(let text): output.append(contentsOf: text.utf8)
            case .name(let name):
                Self.append(name, to: &output)
                output.append(ASCII.colon)
            case .value(.null): output.append(contentsOf: "null".utf8)
            case .value(.boolean(let value)): output.append(contentsOf: (value ? "true" : "false").utf8)
            case .value(.integer(let value)): output.append(contentsOf: String(value).utf8)
            case .value(.number(let value)):
                output.append(contentsOf: (value.isFinite ? value.description : "null").utf8)
            case .value(.string(let text)): Self.append(text, to: &output)
            case .value(.array(let elements)):
                output.append(0x5B)
                work.append(.text("]"))
                for (index, element) in elements.enumerated().reversed() {
                    work.append(.value(element))
                    if index > 0 { work.append(.text(",")) }
                }
            case .value(.object(let members)):
                output.append(ASCII.openBrace)
                work.append(.text("}"))
                for (index, member) in members.enumerated().reversed() {
                    work.append(.value(member.value))
                    work.append(.name(member.name))
                    if index > 0 { work.append(.text(",")) }
                }
            }
        }
        return output
    }

    private enum Step {
        case text(String)
        case name(String)
        case value(PayloadValue)
    }

    private static func append(_ text: String, to output: inout [UInt8]) {
        output.append(0x22)
        for byte in text.utf8 {
            switch byte {
            case 0x22, 0x5C: output.append(contentsOf: [0x5C, byte])
            case 0x0A: output.append(contentsOf: "\\n".utf8)
            case 0x0D: output.append(contentsOf: "\\r".utf8)
            case 0x09: output.append(contentsOf: "\\t".utf8)
            case 0..<0x20:
                output.append(contentsOf: "\\u00".utf8)
                output.append(contentsOf: Hexadecimal.encode([byte]).utf8)
            default: output.append(byte)
            }
        }
        output.append(0x22)
    }
}
