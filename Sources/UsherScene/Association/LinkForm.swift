internal import UsherText

/// How addresses and patterns are compared: `caseSensitive` and `percentEncoded` of an association file.
public struct LinkForm: Hashable, Sendable {
    public var isCaseSensitive: Bool
    /// Compared as written in a URL; else with percent-encoding undone, so that patterns may have any character.
    public var isPercentEncoded: Bool

    public init(caseSensitive: Bool = true, percentEncoded: Bool = true) {
        isCaseSensitive = caseSensitive
        isPercentEncoded = percentEncoded
    }

    /// A number below 4 for each of the forms.
    public var index: Int { (isCaseSensitive ? 0 : 1) + (isPercentEncoded ? 0 : 2) }

    /// A text in this form. A pattern stands in it already, but for the case.
    func apply(to bytes: [UInt8], isPattern: Bool = false) -> [UInt8] {
        var bytes = bytes
        if !isPattern { bytes = isPercentEncoded ? LinkForm.encoded(bytes) : LinkForm.decoded(bytes) }
        return isCaseSensitive ? bytes : LinkForm.folded(bytes)
    }

    /// With what no URL may have as it is percent-encoded: an identifier may be any text.
    private static func encoded(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes.contains(where: isForeign) else { return bytes }
        let digits = Array("0123456789ABCDEF".utf8)
        return bytes.flatMap { byte in
            isForeign(byte) ? [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]] : [byte]
        }
    }

    private static func isForeign(_ byte: UInt8) -> Bool {
        switch byte {
        case 0...0x20, 0x7F...: true
        case UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\\"), UInt8(ascii: "^"),
            UInt8(ascii: "`"), UInt8(ascii: "{"), UInt8(ascii: "|"), UInt8(ascii: "}"):
            true
        default: false
        }
    }

    /// With percent-encoding undone. What is no UTF-8 then becomes U+FFFD; a `%` without two digits stays.
    private static func decoded(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes.contains(UInt8(ascii: "%")) else { return bytes }
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count,
                let high = Hexadecimal.value(of: bytes[index + 1]),
                let low = Hexadecimal.value(of: bytes[index + 2])
            {
                result.append(high << 4 | low)
                index += 3
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        return Array(String(decoding: result, as: UTF8.self).utf8)
    }

    /// In lower case, character by character.
    private static func folded(_ bytes: [UInt8]) -> [UInt8] {
        if bytes.allSatisfy({ $0 < 0x80 }) { return bytes.map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 } }
        var text = ""
        for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
            text += scalar.properties.lowercaseMapping
        }
        return Array(text.utf8)
    }
}
