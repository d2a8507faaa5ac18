internal import CBus

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
