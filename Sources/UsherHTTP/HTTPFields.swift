/// The header fields of a message, in order; names are compared without case.
///
/// RFC 9110, 5.
public struct HTTPFields: Sendable {
    public struct Field: Sendable {
        public var name: String
        public var value: String

        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    public private(set) var fields: [Field]

    public init(_ fields: [Field] = []) { self.fields = fields }

    /// The value of the first field of that name.
    public subscript(name: String) -> String? {
        fields.first { HTTPFields.isSame($0.name, name) }?.value
    }

    /// Every value of that name, in order.
    public func all(_ name: String) -> [String] {
        fields.filter { HTTPFields.isSame($0.name, name) }.map(\.value)
    }

    public mutating func append(_ name: String, _ value: String) { fields.append(Field(name, value)) }

    private static func isSame(_ one: String, _ other: String) -> Bool {
        one.utf8.count == other.utf8.count
            && zip(one.utf8, other.utf8).allSatisfy { lowercase($0) == lowercase($1) }
    }

    private static func lowercase(_ byte: UInt8) -> UInt8 {
        byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte
    }
}
