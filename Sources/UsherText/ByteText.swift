/// Bytes as base64 (RFC 4648, sections 4 and 5).
public enum Base64 {
    public enum Alphabet: Sendable {
        /// `+` and `/`, padded.
        case standard
        /// `-` and `_`; written without padding.
        case url
    }

    public static func encode(_ bytes: [UInt8], _ alphabet: Alphabet = .standard) -> String {
        let letters = letters(of: alphabet)
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        var start = 0
        while start < bytes.count {
            let count = min(3, bytes.count - start)
            var group: UInt32 = 0
            for index in 0..<3 { group = group << 8 | (index < count ? UInt32(bytes[start + index]) : 0) }
            for index in 0..<4 where index <= count {
                text.append(letters[Int(group >> (18 - 6 * UInt32(index)) & 63)])
            }
            if alphabet == .standard { for _ in count..<3 { text.append(UInt8(ascii: "=")) } }
            start += 3
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Nil where the text is not exactly what some bytes are written as: no white space, no other alphabet, no bits left
    /// over.
    ///
    /// - Parameter padding: whether `=` must be there; else it may be.
    public static func decode(
        _ text: some StringProtocol, _ alphabet: Alphabet = .standard, requiresPadding: Bool? = nil
    ) -> [UInt8]? {
        var digits = Array(text.utf8)
        let length = digits.count
        while digits.last == UInt8(ascii: "="), length - digits.count < 2 { digits.removeLast() }
        let padding = length - digits.count
        let rest = digits.count % 4
        guard rest != 1 else { return nil }
        let complete = rest == 0 ? 0 : 4 - rest
        guard padding == complete || (padding == 0 && !(requiresPadding ?? (alphabet == .standard))) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count * 3 / 4)
        var group: UInt32 = 0
        var bits = 0
        for digit in digits {
            guard let value = value(of: digit, alphabet) else { return nil }
            group = group << 6 | value
            bits += 6
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(truncatingIfNeeded: group >> UInt32(bits)))
            }
        }
        return group & (1 << UInt32(bits) - 1) == 0 ? bytes : nil
    }

    private static func letters(of alphabet: Alphabet) -> [UInt8] {
        let common = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
        return Array(common.utf8) + Array((alphabet == .standard ? "+/" : "-_").utf8)
    }

    private static func value(of letter: UInt8, _ alphabet: Alphabet) -> UInt32? {
        switch (letter, alphabet) {
        case (0x41...0x5A, _): UInt32(letter - 0x41)
        case (0x61...0x7A, _): UInt32(letter - 0x61 + 26)
        case (0x30...0x39, _): UInt32(letter - 0x30 + 52)
        case (UInt8(ascii: "+"), .standard), (UInt8(ascii: "-"), .url): 62
        case (UInt8(ascii: "/"), .standard), (UInt8(ascii: "_"), .url): 63
        default: nil
        }
    }
}

/// Bytes as pairs of hexadecimal digits (RFC 4648, section 8).
public enum Hexadecimal {
    /// In lower case.
    public static func encode(_ bytes: some Sequence<UInt8>) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.underestimatedCount * 2)
        for byte in bytes {
            text.append(digit(byte >> 4))
            text.append(digit(byte & 15))
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Nil where the text is anything but pairs of digits, in either case.
    public static func decode(_ text: some StringProtocol) -> [UInt8]? {
        var bytes: [UInt8] = []
        var high: UInt8?
        for byte in text.utf8 {
            guard let digit = value(of: byte) else { return nil }
            if let first = high {
                bytes.append(first << 4 | digit)
                high = nil
            } else {
                high = digit
            }
        }
        return high == nil ? bytes : nil
    }

    /// The value of one digit, in either case; nil for any other byte.
    @inlinable
    public static func value(of digit: UInt8) -> UInt8? {
        switch digit {
        case 0x30...0x39: digit &- 0x30
        case 0x41...0x46: digit &- 0x37
        case 0x61...0x66: digit &- 0x57
        default: nil
        }
    }

    /// The digit of a value below sixteen, in lower case.
    @inlinable
    package static func digit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 &+ value : 0x57 &+ value }
}

extension UInt8 {
    @inlinable
    package var isASCIILetterOrDigit: Bool {
        switch self {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: false
        }
    }

    /// A capital of ASCII as the small letter; any other byte as it is.
    @inlinable
    package var lowercasedASCII: UInt8 { (0x41...0x5A).contains(self) ? self | 0x20 : self }
}

extension BidirectionalCollection<UInt8> {
    /// Without certain bytes at both ends.
    ///
    /// - Parameter trailing: the bytes that are left out at the end, where they are others.
    package func trimmed(_ blanks: String, atEnd trailing: String? = nil) -> SubSequence {
        let isTrailing = (trailing ?? blanks).utf8
        let start = firstIndex { !blanks.utf8.contains($0) } ?? endIndex
        var rest = self[start...]
        while let last = rest.last, isTrailing.contains(last) { rest.removeLast() }
        return rest
    }
}

extension StringProtocol {
    /// Without white space at both ends; nil where nothing else is in it.
    @inlinable package var trimmed: String? {
        // Most texts begin and end with a visible ASCII character.
        if let first = unicodeScalars.first, let last = unicodeScalars.last, "!"..."~" ~= first, "!"..."~" ~= last {
            return String(self)
        }
        guard let first = unicodeScalars.firstIndex(where: { !$0.properties.isWhitespace }),
            let last = unicodeScalars.lastIndex(where: { !$0.properties.isWhitespace })
        else { return nil }
        return String(String.UnicodeScalarView(unicodeScalars[first...last]))
    }
}

extension String {
    /// Without white space at the ends, and with one blank for each run of it (Unicode's `White_Space`).
    package var whiteSpaceCollapsed: String {
        if isCollapsedASCII { return self }
        var result = UnicodeScalarView()
        var isPending = false
        for scalar in unicodeScalars {
            if scalar.isASCII ? scalar == " " || (9...13).contains(scalar.value) : scalar.properties.isWhitespace {
                isPending = !result.isEmpty
            } else {
                if isPending { result.append(" ") }
                isPending = false
                result.append(scalar)
            }
        }
        return String(result)
    }

    /// Most texts are ASCII, and so already.
    private var isCollapsedASCII: Bool {
        var previous: UInt8 = 0x20
        let bytes = utf8Span.span
        for i in bytes.indices {
            let byte = bytes[i]
            if byte >= 0x80 || byte < 0x20 || (byte == 0x20 && previous == 0x20) { return false }
            previous = byte
        }
        return previous != 0x20 || isEmpty
    }
}

extension String {
    /// The end of a text that may be cut and may be no UTF-8: at most `limit` bytes, repaired, from a whole character on.
    ///
    /// - Parameters:
    ///   - bytes: the last bytes of it.
    ///   - total: how many bytes it has in all.
    public static func tail(of bytes: [UInt8], of total: Int, limit: Int) -> String {
        func tail(_ bytes: [UInt8], isCut: Bool) -> String {
            let end = bytes.suffix(limit)
            // Of a character that was cut, the continuation bytes are left: at most three.
            let cut = isCut || end.count < bytes.count ? end.prefix(3).prefix(while: { $0 & 0xC0 == 0x80 }).count : 0
            return String(decoding: end.dropFirst(cut), as: UTF8.self)
        }
        let text = tail(bytes, isCut: total > bytes.count)
        // A byte that was repaired has become three.
        return text.utf8.count > limit ? tail(Array(text.utf8), isCut: false) : text
    }

    /// Whether both are the same bytes. `==` alone takes different spellings of a character for one.
    @inlinable
    package func hasSameBytes(as other: String) -> Bool {
        let (own, others) = (utf8, other.utf8)
        return own.count == others.count && ByteWord.areEqual(own.span, others.span)
    }
}

extension String? {
    /// Whether both are the same bytes, or both are nil.
    @inlinable
    package func hasSameBytes(as other: String?) -> Bool {
        guard let self, let other else { return self == nil && other == nil }
        return self.hasSameBytes(as: other)
    }
}
