/// Reads parameters of the form `name=value&name=value` (URL Standard, application/x-www-form-urlencoded).
public enum FormParameters {
    public struct Parameter: Sendable, Hashable {
        public var name: String
        public var value: String

        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The parameters in order, decoded. What is not valid UTF-8 after decoding is repaired; a `%` that begins no escape
    /// stays as it is. At most `limit` are read.
    ///
    /// - Returns: nil where there are more than `limit`.
    public static func parse(_ text: some Collection<UInt8>, limit: Int = .max) -> [Parameter]? {
        var parameters: [Parameter] = []
        for part in text.split(separator: UInt8(ascii: "&")) {
            guard parameters.count < limit else { return nil }
            let name = part.prefix { $0 != UInt8(ascii: "=") }
            parameters.append(Parameter(decode(name), decode(part.dropFirst(name.count).dropFirst())))
        }
        return parameters
    }

    private static func decode(_ text: some Collection<UInt8>) -> String {
        let bytes = Array(text)
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count, let high = digit(bytes[index + 1]),
                let low = digit(bytes[index + 2])
            {
                result.append(high << 4 | low)
                index += 3
            } else {
                result.append(bytes[index] == UInt8(ascii: "+") ? 0x20 : bytes[index])
                index += 1
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x37
        case 0x61...0x66: byte - 0x57
        default: nil
        }
    }
}
