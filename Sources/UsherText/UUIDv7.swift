/// The text of a UUID of any version: 8-4-4-4-12 hexadecimal digits of either case (RFC 9562, section 4).
public enum UUIDText {
    public static func isOne(_ text: String) -> Bool {
        let bytes = text.utf8
        guard bytes.count == 36 else { return false }
        return bytes.enumerated().allSatisfy { place, byte in
            switch place {
            case 8, 13, 18, 23: byte == UInt8(ascii: "-")
            default:
                (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte) || (0x41...0x46).contains(byte)
            }
        }
    }
}

/// The form of time-ordered identifiers (RFC 9562, 5.7). `UUIDv7.next` in `UsherSystem` makes them.
public enum UUIDv7 {
    /// Whether a text has the form of ours; a sender's own may have it, too.
    public static func isOne(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        guard bytes.count == 36, bytes[14] == UInt8(ascii: "7"), [0x38, 0x39, 0x61, 0x62].contains(bytes[19]) else {
            return false
        }
        return bytes.indices.allSatisfy { place in
            switch place {
            case 8, 13, 18, 23: bytes[place] == UInt8(ascii: "-")
            default: (0x30...0x39).contains(bytes[place]) || (0x61...0x66).contains(bytes[place])
            }
        }
    }

    /// The least number of digits that an identifier can be shortened to.
    public static let shortest = 4

    /// The beginning of an identifier, in the form that its text has: lower case, with hyphens.
    ///
    /// - Parameter text: at least four digits of either case; hyphens may be left out. nil for any other text.
    public static func beginning(_ text: String) -> String? {
        var digits = 0
        var beginning = ""
        var isAfterHyphen = false
        for byte in text.utf8 {
            let isAtHyphen = [8, 12, 16, 20].contains(digits)
            if byte == UInt8(ascii: "-") {
                guard isAtHyphen, !isAfterHyphen else { return nil }
                isAfterHyphen = true
                continue
            }
            guard let digit = Hexadecimal.value(of: byte), digits < 32 else { return nil }
            if isAtHyphen { beginning += "-" }
            beginning.unicodeScalars.append(Unicode.Scalar(Hexadecimal.digit(digit)))
            digits += 1
            isAfterHyphen = false
        }
        return digits >= shortest ? beginning : nil
    }

    /// The least and the greatest sixteen bytes that begin with what `beginning` returns.
    package static func bounds(ofBeginning text: String) -> (least: [UInt8], greatest: [UInt8]) {
        let digits = text.utf8.compactMap { Hexadecimal.value(of: $0) }
        func bytes(filledWith filler: UInt8) -> [UInt8] {
            let all = digits.prefix(32) + Array(repeating: filler, count: max(0, 32 - digits.count))
            return (0..<16).map { all[$0 * 2] << 4 | all[$0 * 2 + 1] }
        }
        return (bytes(filledWith: 0), bytes(filledWith: 15))
    }

    /// The sixteen bytes of an identifier of ours, as the store keeps them; nil for any other text.
    package static func bytes(of text: String) -> [UInt8]? {
        guard isOne(text) else { return nil }
        var digits = 0
        var bytes: [UInt8] = []
        bytes.reserveCapacity(16)
        var byte: UInt8 = 0
        for digit in text.utf8 where digit != UInt8(ascii: "-") {
            byte = byte << 4 | (digit < 0x3a ? digit &- 0x30 : digit &- 0x57)
            digits += 1
            if digits % 2 == 0 { bytes.append(byte) }
        }
        return bytes
    }

    /// The text of an identifier from its sixteen bytes, whatever they are; nil for more or fewer.
    package static func text(of bytes: [UInt8]) -> String? {
        guard bytes.count == 16 else { return nil }
        let high = bytes[..<8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let low = bytes[8...].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return text(high, low)
    }

    /// Makes identifiers over a clock and a source of randomness: each greater than every one it made before.
    ///
    /// The twelve bits after the version are a counter (RFC 9562, 6.2, method 1): it starts in its lower half each
    /// millisecond and runs into the next one when it is used up, or when the clock goes back.
    package struct Generator: Sendable {
        private var milliseconds: UInt64 = 0
        private var counter: UInt16 = 0

        package init() {}

        package mutating func next(milliseconds now: UInt64, using random: inout some RandomNumberGenerator) -> String {
            if now > milliseconds {
                milliseconds = now
                counter = UInt16(truncatingIfNeeded: random.next()) & 0x7ff
            } else if counter < 0xfff {
                counter += 1
            } else {
                milliseconds &+= 1
                counter = UInt16(truncatingIfNeeded: random.next()) & 0x7ff
            }
            let high = (milliseconds << 16) | 0x7000 | UInt64(counter)
            let low = (random.next() & 0x3fff_ffff_ffff_ffff) | 0x8000_0000_0000_0000
            return UUIDv7.text(high, low)
        }
    }

    private static func text(_ high: UInt64, _ low: UInt64) -> String {
        unsafe String(unsafeUninitializedCapacity: 36) { bytes in
            let text = UnsafeMutableRawBufferPointer(bytes)
            let (first, second) = (digits(high >> 32), digits(high))
            let (third, fourth) = (digits(low >> 32), digits(low))
            unsafe text.storeBytes(of: first, as: UInt64.self)
            unsafe text.storeBytes(of: UInt32(truncatingIfNeeded: second), toByteOffset: 9, as: UInt32.self)
            unsafe text.storeBytes(of: UInt32(truncatingIfNeeded: second >> 32), toByteOffset: 14, as: UInt32.self)
            unsafe text.storeBytes(of: UInt32(truncatingIfNeeded: third), toByteOffset: 19, as: UInt32.self)
            unsafe text.storeBytes(of: UInt32(truncatingIfNeeded: third >> 32), toByteOffset: 24, as: UInt32.self)
            unsafe text.storeBytes(of: fourth, toByteOffset: 28, as: UInt64.self)
            let hyphen = UInt8(ascii: "-")
            unsafe (text[8], text[13], text[18], text[23]) = (hyphen, hyphen, hyphen, hyphen)
            return 36
        }
    }

    /// The low 32 bits as eight hexadecimal digits in lower case; the lowest byte is the first digit.
    private static func digits(_ value: UInt64) -> UInt64 {
        // Each half byte goes to a byte of its own.
        var word = UInt64(UInt32(truncatingIfNeeded: value).byteSwapped)
        word = (word | word << 16) & 0x0000_ffff_0000_ffff
        word = (word | word << 8) & 0x00ff_00ff_00ff_00ff
        word = (word >> 4 & 0x000f_000f_000f_000f) | (word << 8 & 0x0f00_0f00_0f00_0f00)
        let isLetter = (word &+ 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
        return word &+ 0x3030_3030_3030_3030 &+ isLetter &* 0x27
    }
}
