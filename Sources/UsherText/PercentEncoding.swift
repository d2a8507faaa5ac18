/// Percent-encoding (RFC 3986, section 2).
package enum PercentEncoding {
    /// Letters, digits and `-._~`.
    @inlinable
    package static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x2D, 0x2E, 0x5F, 0x7E: true
        default: byte.isASCIILetterOrDigit
        }
    }

    /// The byte that the triplet at `index` stands for; nil when no triplet stands there.
    @inlinable
    package static func triplet(in bytes: [UInt8], at index: Int) -> UInt8? {
        guard index >= 0, index + 2 < bytes.count, bytes[index] == UInt8(ascii: "%"),
            let high = Hexadecimal.value(of: bytes[index + 1]), let low = Hexadecimal.value(of: bytes[index + 2])
        else { return nil }
        return high << 4 | low
    }

    /// Each triplet becomes its byte; a `%` that begins none stays as it is.
    ///
    /// - Parameters:
    ///   - plus: what `+` stands for.
    ///   - isDecoded: of which bytes the triplets are decoded; the others stay.
    package static func decode(
        _ text: some Collection<UInt8>, plus: UInt8 = UInt8(ascii: "+"),
        where isDecoded: (UInt8) -> Bool = { _ in true }
    ) -> [UInt8] {
        let bytes = Array(text)
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            if let byte = triplet(in: bytes, at: index), isDecoded(byte) {
                output.append(byte)
                index += 3
            } else {
                output.append(bytes[index] == UInt8(ascii: "+") ? plus : bytes[index])
                index += 1
            }
        }
        return output
    }

    /// The same as text; what is not valid UTF-8 after decoding is repaired.
    package static func decodedText(_ text: some Collection<UInt8>, plus: UInt8 = UInt8(ascii: "+")) -> String {
        String(decoding: decode(text, plus: plus), as: UTF8.self)
    }

    /// The text with triplets for the bytes that are not kept.
    ///
    /// - Parameter isUpper: whether the digits are upper case.
    @inlinable @inline(__always)
    package static func encode(
        _ bytes: some Sequence<UInt8>, isUpper: Bool = true, keeping isKept: (UInt8) -> Bool = isUnreserved
    ) -> String {
        var output: [UInt8] = []
        output.reserveCapacity(bytes.underestimatedCount)
        for byte in bytes {
            if isKept(byte) { output.append(byte) } else { appendTriplet(byte, isUpper: isUpper, to: &output) }
        }
        return String(decoding: output, as: UTF8.self)
    }

    @usableFromInline
    package static func appendTriplet(_ byte: UInt8, isUpper: Bool = true, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "%"))
        for value in [byte >> 4, byte & 15] {
            let digit = Hexadecimal.digit(value)
            output.append(isUpper && value > 9 ? digit & 0xDF : digit)
        }
    }
}
