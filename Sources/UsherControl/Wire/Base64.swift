/// RFC 4648, section 4: bytes that are no text, in a JSON string.
package enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let padding = UInt8(ascii: "=")

    package static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        var start = 0
        while start < bytes.count {
            let count = min(3, bytes.count - start)
            var group: UInt32 = 0
            for offset in 0..<3 { group = group << 8 | (offset < count ? UInt32(bytes[start + offset]) : 0) }
            for place in 0..<4 {
                text.append(place <= count ? alphabet[Int(group >> UInt32(18 - 6 * place)) & 63] : padding)
            }
            start += 3
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// nil where it is not Base64, padding included.
    package static func decode(_ text: String) -> [UInt8]? {
        let bytes = Array(text.utf8)
        guard bytes.count.isMultiple(of: 4) else { return nil }
        let padded = bytes.suffix(2).reversed().prefix { $0 == padding }.count
        var decoded: [UInt8] = []
        decoded.reserveCapacity(bytes.count / 4 * 3)
        var group: UInt32 = 0
        for (index, byte) in bytes.enumerated() {
            if index < bytes.count - padded {
                guard let value = value(of: byte) else { return nil }
                group = group << 6 | value
            } else {
                group <<= 6
            }
            guard index % 4 == 3 else { continue }
            let kept = index == bytes.count - 1 ? 3 - padded : 3
            for place in 0..<kept { decoded.append(UInt8(truncatingIfNeeded: group >> UInt32(16 - 8 * place))) }
            group = 0
        }
        return decoded
    }

    private static func value(of byte: UInt8) -> UInt32? {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(byte) - 65
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(byte) - 97 + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte) - 48 + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
