// Strings (RFC 8259, section 7): a run of plain bytes is only looked at; an escape switches to unescaping.

extension JSONDocument {
    /// Scans a string that has its opening quote at `quote`; returns the offset after the closing quote.
    @inline(__always)
    mutating func scanString(_ bytes: Span<UInt8>, _ quote: Int, inMember: Bool = true) throws(JSONError) -> Int {
        let start = quote &+ 1
        var i = start
        while true {
            i = Self.skipPlain(bytes, i)
            guard i < bytes.count else { break }
            let byte = bytes[i]
            if byte == 0x22 {
                tape.append(
                    Node(
                        kind: .string, start: UInt32(truncatingIfNeeded: start), end: UInt32(truncatingIfNeeded: i),
                        link: Node.unescaped))
                return i &+ 1
            } else if byte >= 0x80 {
                let length = Self.scalarLength(bytes, i)
                guard length > 0 else { throw invalidUTF8(bytes, i, inMember: inMember) }
                i &+= length
            } else if byte == 0x5C {
                return try scanEscapedString(bytes, start: start, escape: i, inMember: inMember)
            } else {
                break
            }
        }
        throw brokenString(bytes, i, inMember: inMember)
    }

    /// Where plain bytes end: at a quote, a backslash, a control character, a byte outside ASCII or the end of the text.
    @inline(__always)
    private static func skipPlain(_ bytes: Span<UInt8>, _ start: Int) -> Int {
        var i = start
        while bytes.count &- i >= 8 {
            let word = ByteWord(bytes, at: i)
            let found = word.maskOfControls | word.maskOfNonASCII | word.mask(of: 0x22) | word.mask(of: 0x5C)
            if found != 0 { return i &+ ByteWord.first(found) }
            i &+= 8
        }
        while i < bytes.count, isPlain(bytes[i]) { i &+= 1 }
        return i
    }

    /// Printable ASCII but the quote and the backslash, and DEL.
    @inline(__always)
    private static func isPlain(_ byte: UInt8) -> Bool {
        byte &- 0x20 < 0x60 && byte != 0x22 && byte != 0x5C
    }

    private mutating func scanEscapedString(
        _ bytes: Span<UInt8>, start: Int, escape: Int, inMember: Bool
    ) throws(JSONError) -> Int {
        let decodedStart = decoded.count
        for k in start..<escape { decoded.append(bytes[k]) }
        var i = escape
        while i < bytes.count {
            let byte = bytes[i]
            if Self.isPlain(byte) {
                decoded.append(byte)
                i &+= 1
            } else if byte == 0x22 {
                tape.append(
                    Node(
                        kind: .string, start: UInt32(truncatingIfNeeded: start), end: UInt32(truncatingIfNeeded: i),
                        link: UInt32(truncatingIfNeeded: decodedRanges.count)))
                decodedRanges.append(
                    DecodedRange(
                        start: UInt32(truncatingIfNeeded: decodedStart), end: UInt32(truncatingIfNeeded: decoded.count))
                )
                return i &+ 1
            } else if byte >= 0x80 {
                let length = Self.scalarLength(bytes, i)
                guard length > 0 else { throw invalidUTF8(bytes, i, inMember: inMember) }
                for k in i..<i + length { decoded.append(bytes[k]) }
                i &+= length
            } else if byte == 0x5C {
                i = try scanEscape(bytes, i, inMember: inMember)
            } else {
                break
            }
        }
        throw brokenString(bytes, i, inMember: inMember)
    }

    private mutating func scanEscape(
        _ bytes: Span<UInt8>, _ backslash: Int, inMember: Bool
    ) throws(JSONError) -> Int {
        let i = backslash + 1
        guard i < bytes.count else { throw syntax(bytes, i, "an escape", inMember: inMember) }
        switch bytes[i] {
        case 0x22, 0x5C, 0x2F: decoded.append(bytes[i])
        case 0x62: decoded.append(0x08)
        case 0x66: decoded.append(0x0C)
        case 0x6E: decoded.append(0x0A)
        case 0x72: decoded.append(0x0D)
        case 0x74: decoded.append(0x09)
        case 0x75: return try scanUnicodeEscape(bytes, backslash, inMember: inMember)
        default: throw syntax(bytes, i, "one of \" \\ / b f n r t u after a backslash", inMember: inMember)
        }
        return i + 1
    }

    private mutating func scanUnicodeEscape(
        _ bytes: Span<UInt8>, _ backslash: Int, inMember: Bool
    ) throws(JSONError) -> Int {
        let unit = try hexadecimal(bytes, backslash + 2, inMember: inMember)
        var i = backslash + 6
        var value = unit
        switch unit {
        case 0xD800..<0xDC00:
            guard i + 1 < bytes.count, bytes[i] == 0x5C, bytes[i + 1] == 0x75 else {
                throw loneSurrogate(unit, at: backslash, inMember: inMember)
            }
            let low = try hexadecimal(bytes, i + 2, inMember: inMember)
            guard (0xDC00..<0xE000).contains(low) else { throw loneSurrogate(unit, at: backslash, inMember: inMember) }
            value = 0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00)
            i += 6
        case 0xDC00..<0xE000:
            throw loneSurrogate(unit, at: backslash, inMember: inMember)
        default: break
        }
        // Never nil: surrogates were sorted out above, and a pair cannot exceed U+10FFFF.
        if let scalar = Unicode.Scalar(value) { decoded.append(contentsOf: String(scalar).utf8) }
        return i
    }

    private func hexadecimal(_ bytes: Span<UInt8>, _ start: Int, inMember: Bool) throws(JSONError) -> UInt32 {
        var value: UInt32 = 0
        for i in start..<start + 4 {
            guard i < bytes.count else { throw syntax(bytes, i, "four hexadecimal digits", inMember: inMember) }
            switch bytes[i] {
            case 0x30...0x39: value = value << 4 | UInt32(bytes[i] - 0x30)
            case 0x41...0x46: value = value << 4 | UInt32(bytes[i] - 0x37)
            case 0x61...0x66: value = value << 4 | UInt32(bytes[i] - 0x57)
            default: throw syntax(bytes, i, "four hexadecimal digits", inMember: inMember)
            }
        }
        return value
    }

    /// The length of the well-formed sequence that begins at `i`, or 0 (Unicode, table 3-7).
    static func scalarLength(_ bytes: Span<UInt8>, _ i: Int) -> Int {
        let lead = bytes[i]
        let length: Int
        var lower: UInt8 = 0x80
        var upper: UInt8 = 0xBF
        switch lead {
        case ..<0x80: return 1
        case 0xC2...0xDF: length = 2
        case 0xE0: (length, lower) = (3, 0xA0)
        case 0xED: (length, upper) = (3, 0x9F)
        case 0xE1...0xEF: length = 3
        case 0xF0: (length, lower) = (4, 0x90)
        case 0xF4: (length, upper) = (4, 0x8F)
        case 0xF1...0xF3: length = 4
        default: return 0
        }
        guard i + length <= bytes.count, bytes[i + 1] >= lower, bytes[i + 1] <= upper else { return 0 }
        var k = i + 2
        while k < i + length {
            guard bytes[k] & 0xC0 == 0x80 else { return 0 }
            k += 1
        }
        return length
    }
}
