internal import CBus

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
