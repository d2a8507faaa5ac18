/// A value of a message on the bus (D-Bus Specification 0.43, type system). File descriptors are left out.
public indirect enum BusValue: Sendable, Hashable {
    case byte(UInt8)
    case boolean(Bool)
    case int16(Int16)
    case uint16(UInt16)
    case int32(Int32)
    case uint32(UInt32)
    case int64(Int64)
    case uint64(UInt64)
    case double(Double)
    case string(String)
    case objectPath(String)
    case signature(String)
    case variant(BusValue)
    /// An array of bytes.
    case bytes([UInt8])
    /// Any other array, and the signature of its elements.
    case array([BusValue], of: String)
    /// Keys and values in their order, and the signature of both: `sv`.
    case dictionary([Entry], of: String)
    case structure([BusValue])

    public struct Entry: Sendable, Hashable {
        public var key: BusValue
        public var value: BusValue

        public init(_ key: BusValue, _ value: BusValue) {
            self.key = key
            self.value = value
        }
    }

    /// `as`
    public static func strings(_ strings: [String]) -> BusValue { .array(strings.map { .string($0) }, of: "s") }

    /// `a{sv}`: options, hints, platform data.
    public static func options(_ options: [(name: String, value: BusValue)]) -> BusValue {
        .dictionary(options.map { Entry(.string($0.name), .variant($0.value)) }, of: "sv")
    }

    public var signature: String {
        switch self {
        case .byte: "y"
        case .boolean: "b"
        case .int16: "n"
        case .uint16: "q"
        case .int32: "i"
        case .uint32: "u"
        case .int64: "x"
        case .uint64: "t"
        case .double: "d"
        case .string: "s"
        case .objectPath: "o"
        case .signature: "g"
        case .variant: "v"
        case .bytes: "ay"
        case .array(_, let element): "a" + element
        case .dictionary(_, let entry): "a{\(entry)}"
        case .structure(let members): "(" + members.map(\.signature).joined() + ")"
        }
    }

    // MARK: - What it is, variants opened; nil where it is something else

    public var string: String? {
        switch contents {
        case .string(let text), .objectPath(let text), .signature(let text): text
        default: nil
        }
    }

    public var uint32: UInt32? { if case .uint32(let number) = contents { number } else { nil } }

    public var elements: [BusValue]? {
        switch contents {
        case .array(let elements, _), .structure(let elements): elements
        default: nil
        }
    }

    /// The value of a dictionary's first entry with this key.
    public subscript(key: String) -> BusValue? {
        guard case .dictionary(let entries, _) = contents else { return nil }
        return entries.first { $0.key.string.map { $0.utf8.elementsEqual(key.utf8) } ?? false }?.value.contents
    }

    /// What is in a variant, however deep.
    public var contents: BusValue {
        var value = self
        while case .variant(let inner) = value { value = inner }
        return value
    }
}
