internal import UsherText

/// Quoted text and its escapes.
extension PredicateParser {
    /// Reads the literal that has its opening quote at `position`.
    mutating func parseString() throws(PredicateError) -> String {
        let start = position
        let quote = bytes[start]
        var end = start + 1
        while end < bytes.count, bytes[end] != quote, bytes[end] != 0x5C { end += 1 }
        if end < bytes.count, bytes[end] == quote {
            position = end + 1
            return text(start + 1, end)
        }
        var output = Array(bytes[start + 1..<end])
        position = end
        while position < bytes.count {
            let byte = bytes[position]
            if byte == quote {
                position += 1
                return String(decoding: output, as: UTF8.self)
            }
            if byte == 0x5C {
                try parseEscape(into: &output)
            } else {
                output.append(byte)
                position += 1
            }
        }
        throw .unterminatedString(start, bytes.count, quote: quote)
    }

    private mutating func parseEscape(into output: inout [UInt8]) throws(PredicateError) {
        let start = position
        guard start + 1 < bytes.count else { throw .unterminatedString(start, bytes.count, quote: 0) }
        let letter = bytes[start + 1]
        let simple: UInt8? =
            switch letter {
            case UInt8(ascii: "n"): 0x0A
            case UInt8(ascii: "t"): 0x09
            case UInt8(ascii: "r"): 0x0D
            case UInt8(ascii: "b"): 0x08
            case UInt8(ascii: "f"): 0x0C
            case UInt8(ascii: "v"): 0x0B
            case UInt8(ascii: "a"): 0x07
            case UInt8(ascii: "\\"), UInt8(ascii: "'"), UInt8(ascii: "\""): letter
            default: nil
            }
        if let simple {
            output.append(simple)
            position += 2
            return
        }
        var value: UInt32
        switch letter {
        case UInt8(ascii: "x"), UInt8(ascii: "X"):
            value = try digits(2, base: 16, from: start + 2, escape: start)
        case UInt8(ascii: "u"), UInt8(ascii: "U"):
            value = try digits(4, base: 16, from: start + 2, escape: start)
            if value >= 0xD800, value < 0xDC00, byte(at: position) == 0x5C,
                byte(at: position + 1) | 0x20 == UInt8(ascii: "u")
            {
                let low = try digits(4, base: 16, from: position + 2, escape: position)
                guard low >= 0xDC00, low < 0xE000 else { throw .loneSurrogate(start, position) }
                value = 0x10000 + (value - 0xD800) << 10 + (low - 0xDC00)
            }
        case UInt8(ascii: "0")...UInt8(ascii: "7"):
            value = try digits(3, base: 8, from: start + 1, escape: start)
        default:
            throw .unknownEscape(start, 1 + character(at: start + 1).utf8.count, found: "\\" + character(at: start + 1))
        }
        guard let scalar = Unicode.Scalar(value) else { throw .loneSurrogate(start, position) }
        output.append(contentsOf: Array(String(Character(scalar)).utf8))
    }

    /// Reads exactly `count` digits and moves behind them.
    private mutating func digits(
        _ count: Int, base: UInt8, from start: Int, escape: Int
    ) throws(PredicateError) -> UInt32 {
        var value: UInt32 = 0
        for offset in start..<start + count {
            guard let digit = Hexadecimal.value(of: byte(at: offset)), digit < base else {
                throw .incompleteEscape(
                    escape, min(offset, bytes.count), count, base: base, found: text(escape, min(offset, bytes.count)))
            }
            value = value * UInt32(base) + UInt32(digit)
        }
        position = start + count
        return value
    }
}
