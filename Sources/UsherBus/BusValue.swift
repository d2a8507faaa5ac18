internal import CBus
internal import UsherText

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

    /// A whole number of any size that fits.
    public var integer: Int64? {
        switch contents {
        case .byte(let number): Int64(number)
        case .int16(let number): Int64(number)
        case .uint16(let number): Int64(number)
        case .int32(let number): Int64(number)
        case .uint32(let number): Int64(number)
        case .int64(let number): number
        case .uint64(let number): Int64(exactly: number)
        default: nil
        }
    }

    public var boolean: Bool? { if case .boolean(let value) = contents { value } else { nil } }

    public var elements: [BusValue]? {
        switch contents {
        case .array(let elements, _), .structure(let elements): elements
        default: nil
        }
    }

    /// The value of a dictionary's first entry with this key.
    public subscript(key: String) -> BusValue? {
        guard case .dictionary(let entries, _) = contents else { return nil }
        return entries.first { $0.key.string.map { $0.hasSameBytes(as: key) } ?? false }?.value.contents
    }

    /// What is in a variant, however deep.
    public var contents: BusValue {
        var value = self
        while case .variant(let inner) = value { value = inner }
        return value
    }
}

/// Reads messages of the library, within bounds.
enum BusReading {
    /// Bytes of text, and values, that we take of one message.
    private static let largest = 1 << 20
    private static let deepest = 32

    /// A container that was entered, and what was read of it.
    private struct Container {
        var type: UInt8
        /// The signature of what is in it.
        var contents: String
        var values: [BusValue] = []

        var value: BusValue? {
            switch type {
            case UInt8(ascii: "v"): values.first.map { .variant($0) }
            case UInt8(ascii: "r"), UInt8(ascii: "e"): .structure(values)
            default:
                if contents.utf8.first == UInt8(ascii: "{") {
                    .dictionary(
                        values.compactMap { entry in
                            guard case .structure(let pair) = entry, pair.count == 2 else { return nil }
                            return BusValue.Entry(pair[0], pair[1])
                        }, of: String(contents.dropFirst().dropLast()))
                } else {
                    .array(values, of: contents)
                }
            }
        }
    }

    static func message(_ message: OpaquePointer) throws(BusProblem) -> BusMessage {
        unsafe BusMessage(
            sender: text(sd_bus_message_get_sender(message)), path: text(sd_bus_message_get_path(message)),
            interface: text(sd_bus_message_get_interface(message)), member: text(sd_bus_message_get_member(message)),
            arguments: try values(message))
    }

    static func text(_ pointer: UnsafePointer<CChar>?) -> String {
        guard let pointer = unsafe pointer else { return "" }
        return unsafe String(cString: pointer)
    }

    private static func values(_ message: OpaquePointer) throws(BusProblem) -> [BusValue] {
        var open = [Container(type: 0, contents: "")]
        var left = largest
        while true {
            left -= 1
            guard left > 0 else { throw .unsuitable("the answer is larger than \(largest) bytes") }
            var type: CChar = 0
            var contents: UnsafePointer<CChar>?
            let result = unsafe sd_bus_message_peek_type(message, &type, &contents)
            guard result >= 0 else { throw .unsuitable("the answer is no message") }
            guard result > 0 else {
                let done = open.removeLast()
                guard !open.isEmpty else { return done.values }
                unsafe sd_bus_message_exit_container(message)
                if let value = done.value { open[open.count - 1].values.append(value) }
                continue
            }
            let kind = UInt8(bitPattern: type)
            let inner = unsafe text(contents)
            switch kind {
            case UInt8(ascii: "a") where inner == "y":
                open[open.count - 1].values.append(.bytes(unsafe try bytes(message, &left)))
            case UInt8(ascii: "a"), UInt8(ascii: "v"), UInt8(ascii: "r"), UInt8(ascii: "e"):
                guard open.count < deepest, unsafe sd_bus_message_enter_container(message, type, contents) > 0 else {
                    throw .unsuitable("the answer is nested too deep")
                }
                open.append(Container(type: kind, contents: inner))
            default: open[open.count - 1].values.append(unsafe try basic(message, kind, &left))
            }
        }
    }

    private static func bytes(_ message: OpaquePointer, _ left: inout Int) throws(BusProblem) -> [UInt8] {
        var start: UnsafeRawPointer?
        var count = 0
        guard unsafe sd_bus_message_read_array(message, CChar(bitPattern: UInt8(ascii: "y")), &start, &count) >= 0
        else { throw .unsuitable("the answer is no message") }
        left -= count
        guard left > 0 else { throw .unsuitable("the answer is larger than \(largest) bytes") }
        guard let start = unsafe start else { return [] }
        return unsafe Array(UnsafeRawBufferPointer(start: start, count: count))
    }

    private static func basic(
        _ message: OpaquePointer, _ kind: UInt8, _ left: inout Int
    ) throws(BusProblem) -> BusValue {
        switch kind {
        case UInt8(ascii: "s"): return .string(unsafe try string(message, kind, &left))
        case UInt8(ascii: "o"): return .objectPath(unsafe try string(message, kind, &left))
        case UInt8(ascii: "g"): return .signature(unsafe try string(message, kind, &left))
        case UInt8(ascii: "y"): return .byte(unsafe try number(message, kind, 0))
        // The library gives it as an int.
        case UInt8(ascii: "b"): return .boolean(unsafe try number(message, kind, Int32(0)) != 0)
        case UInt8(ascii: "n"): return .int16(unsafe try number(message, kind, 0))
        case UInt8(ascii: "q"): return .uint16(unsafe try number(message, kind, 0))
        case UInt8(ascii: "i"): return .int32(unsafe try number(message, kind, 0))
        case UInt8(ascii: "u"): return .uint32(unsafe try number(message, kind, 0))
        case UInt8(ascii: "x"): return .int64(unsafe try number(message, kind, 0))
        case UInt8(ascii: "t"): return .uint64(unsafe try number(message, kind, 0))
        case UInt8(ascii: "d"): return .double(unsafe try number(message, kind, 0))
        default: throw .unsuitable("the answer holds what we do not take")
        }
    }

    private static func number<Number: BitwiseCopyable>(
        _ message: OpaquePointer, _ kind: UInt8, _ zero: Number
    ) throws(BusProblem) -> Number {
        var number = zero
        guard unsafe sd_bus_message_read_basic(message, CChar(bitPattern: kind), &number) > 0 else {
            throw .unsuitable("the answer is no message")
        }
        return number
    }

    private static func string(
        _ message: OpaquePointer, _ kind: UInt8, _ left: inout Int
    ) throws(BusProblem) -> String {
        var pointer: UnsafePointer<CChar>?
        guard unsafe sd_bus_message_read_basic(message, CChar(bitPattern: kind), &pointer) > 0 else {
            throw .unsuitable("the answer is no message")
        }
        let string = unsafe text(pointer)
        left -= string.utf8.count
        guard left > 0 else { throw .unsuitable("the answer is larger than \(largest) bytes") }
        return string
    }
}

/// Writes values into messages of the library, within bounds.
enum BusWriting {
    /// Bytes of text that we send in one message.
    private static let largest = 4 << 20

    static func append(_ values: [BusValue], to message: OpaquePointer) throws(BusProblem) {
        var left = largest
        for value in values { unsafe try append(value, message, &left) }
    }

    /// A text that C would read only the beginning of.
    static func check(_ text: String) throws(BusProblem) {
        if text.utf8.contains(0) { throw .unsuitable("a text in it holds a NUL character") }
    }

    // Values are made by Usher, which nests them three deep.
    private static func append(_ value: BusValue, _ message: OpaquePointer, _ left: inout Int) throws(BusProblem) {
        switch value {
        case .string(let text), .objectPath(let text), .signature(let text):
            try check(text)
            left -= text.utf8.count
            guard left > 0 else { throw .unsuitable("it is larger than \(largest) bytes") }
            let type = value.signature.utf8.first ?? 0
            unsafe try check(sd_bus_message_append_basic(message, CChar(bitPattern: type), text), type)
        case .byte(let number): unsafe try append(number, "y", message)
        case .boolean(let truth): unsafe try append(Int32(truth ? 1 : 0), "b", message)
        case .int16(let number): unsafe try append(number, "n", message)
        case .uint16(let number): unsafe try append(number, "q", message)
        case .int32(let number): unsafe try append(number, "i", message)
        case .uint32(let number): unsafe try append(number, "u", message)
        case .int64(let number): unsafe try append(number, "x", message)
        case .uint64(let number): unsafe try append(number, "t", message)
        case .double(let number): unsafe try append(number, "d", message)
        case .variant(let inner):
            unsafe try open("v", inner.signature, message)
            unsafe try append(inner, message, &left)
            unsafe try close(message)
        case .bytes(let bytes):
            left -= bytes.count
            guard left > 0 else { throw .unsuitable("it is larger than \(largest) bytes") }
            let type = UInt8(ascii: "y")
            let result = unsafe bytes.withUnsafeBytes {
                unsafe sd_bus_message_append_array(message, CChar(bitPattern: type), $0.baseAddress, $0.count)
            }
            try check(result, type)
        case .array(let elements, let signature):
            unsafe try open("a", signature, message)
            for element in elements { unsafe try append(element, message, &left) }
            unsafe try close(message)
        case .dictionary(let entries, let signature):
            unsafe try open("a", "{\(signature)}", message)
            for entry in entries {
                unsafe try open("e", signature, message)
                unsafe try append(entry.key, message, &left)
                unsafe try append(entry.value, message, &left)
                unsafe try close(message)
            }
            unsafe try close(message)
        case .structure(let members):
            unsafe try open("r", members.map(\.signature).joined(), message)
            for member in members { unsafe try append(member, message, &left) }
            unsafe try close(message)
        }
    }

    private static func append<Number: BitwiseCopyable>(
        _ number: Number, _ type: Unicode.Scalar, _ message: OpaquePointer
    ) throws(BusProblem) {
        var number = number
        let type = UInt8(truncatingIfNeeded: type.value)
        unsafe try check(sd_bus_message_append_basic(message, CChar(bitPattern: type), &number), type)
    }

    private static func open(
        _ type: Unicode.Scalar, _ contents: String, _ message: OpaquePointer
    ) throws(BusProblem) {
        let type = UInt8(truncatingIfNeeded: type.value)
        unsafe try check(sd_bus_message_open_container(message, CChar(bitPattern: type), contents), type)
    }

    private static func close(_ message: OpaquePointer) throws(BusProblem) {
        unsafe try check(sd_bus_message_close_container(message), 0)
    }

    private static func check(_ result: Int32, _ type: UInt8) throws(BusProblem) {
        guard result < 0 else { return }
        throw .unsuitable(
            type == UInt8(ascii: "o") ? "an object path in it is none of D-Bus" : "a value in it is none of D-Bus")
    }
}
