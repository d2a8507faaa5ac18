/// A JSON value by itself: for cold paths, where a tree is handier than a document's tape.
///
/// Members keep their order; numbers keep their text, so that nothing is lost on the way through. Equality compares
/// bytes (names and strings equal only after Unicode normalisation differ) and the order of members.
public enum JSONValue: Sendable {
    case null
    case boolean(Bool)
    /// The digits as written.
    case number(String)
    case string(String)
    case array([JSONValue])
    case object([Member])

    public struct Member: Sendable {
        public var name: String
        public var value: JSONValue

        public init(_ name: String, _ value: JSONValue) {
            self.name = name
            self.value = value
        }
    }

    /// Parses a text; see `JSONDocument` for what is refused.
    public init(parsing bytes: [UInt8], maximumDepth: Int = 512) throws(JSONError) {
        var document = JSONDocument(maximumDepth: maximumDepth)
        try document.parse(bytes)
        self = document.root.map { document.value($0) } ?? .null
    }
}

extension JSONValue {
    public var kind: JSONKind {
        switch self {
        case .null: .null
        case .boolean: .boolean
        case .number: .number
        case .string: .string
        case .array: .array
        case .object: .object
        }
    }

    public var boolean: Bool? { if case .boolean(let value) = self { value } else { nil } }

    public var string: String? { if case .string(let value) = self { value } else { nil } }

    public var elements: [JSONValue]? { if case .array(let value) = self { value } else { nil } }

    public var members: [Member]? { if case .object(let value) = self { value } else { nil } }

    public var numberText: String? { if case .number(let value) = self { value } else { nil } }

    /// A number's value where it is whole and fits.
    public var int64: Int64? {
        guard let numberText else { return nil }
        let text = Array(numberText.utf8)
        return JSONNumberParts(text.span).integer(text.span)
    }

    public var double: Double? { numberText.flatMap { Double($0) } }

    /// The first member of this name, compared by bytes; nil also where the value is no object.
    public subscript(name: String) -> JSONValue? {
        members?.first { $0.name.utf8.elementsEqual(name.utf8) }?.value
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral, ExpressibleByNilLiteral
{
    public init(stringLiteral value: String) { self = .string(value) }

    public init(booleanLiteral value: Bool) { self = .boolean(value) }

    public init(integerLiteral value: Int64) { self = .number(String(value)) }

    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }

    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(elements.map { Member($0.0, $0.1) })
    }

    public init(nilLiteral: ()) { self = .null }
}
