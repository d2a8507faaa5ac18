/// What a JSON value is (RFC 8259, section 3).
@frozen
public enum JSONKind: UInt8, Hashable, Sendable {
    case null, boolean, number, string, array, object

    /// The kind with its article, for messages: "a string", "null".
    public var phrase: String {
        switch self {
        case .null: "null"
        case .boolean: "a boolean"
        case .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}

/// One value of a `JSONDocument`: a handle that is valid until the document parses again.
@frozen
public struct JSONElement: Hashable, Sendable {
    @usableFromInline let index: Int

    @inlinable
    init(_ index: Int) { self.index = index }
}

/// One member of an object, in the order of the text.
@frozen
public struct JSONMember: Hashable, Sendable {
    @usableFromInline let index: Int

    @inlinable
    init(_ index: Int) { self.index = index }

    /// The member's name, a string element.
    @inlinable public var key: JSONElement { JSONElement(index) }
    @inlinable public var value: JSONElement { JSONElement(index + 1) }
}
