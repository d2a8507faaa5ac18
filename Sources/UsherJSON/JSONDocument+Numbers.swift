// Numbers (RFC 8259, section 6): the text is kept, so nothing is lost; only a magnitude no double can hold is refused.

extension JSONDocument {
    mutating func scanNumber(_ bytes: Span<UInt8>, _ start: Int) throws(JSONError) -> Int {
        var i = start
        if bytes[i] == 0x2D { i += 1 }
        guard i < bytes.count, Self.isDigit(bytes[i]) else { throw syntax(bytes, i, "a digit") }
        let firstDigit = i
        i = Self.skipDigits(bytes, i)
        if bytes[firstDigit] == 0x30, i > firstDigit + 1 {
            throw syntax(bytes, firstDigit + 1, "no digit after a leading zero")
        }
        var kind = NodeKind.integer
        if i < bytes.count, bytes[i] == 0x2E {
            kind = .number
            i += 1
            guard i < bytes.count, Self.isDigit(bytes[i]) else { throw syntax(bytes, i, "a digit after the point") }
            i = Self.skipDigits(bytes, i)
        }
        if i < bytes.count, bytes[i] | 0x20 == 0x65 {
            kind = .number
            i += 1
            if i < bytes.count, bytes[i] == 0x2B || bytes[i] == 0x2D { i += 1 }
            guard i < bytes.count, Self.isDigit(bytes[i]) else { throw syntax(bytes, i, "a digit of the exponent") }
            i = Self.skipDigits(bytes, i)
        }
        if kind == .number || i - start > 300 {
            guard Self.isFinite(bytes.extracting(start..<i)) else {
                let text = String(decoding: source[range.lowerBound + start..<range.lowerBound + i], as: UTF8.self)
                throw failure(
                    .numberRange, at: start, found: text.utf8.count > 40 ? "of \(text.utf8.count) digits" : text,
                    expected: "a magnitude below 1.8e308")
            }
        }
        tape.append(
            Node(kind: kind, start: UInt32(truncatingIfNeeded: start), end: UInt32(truncatingIfNeeded: i), link: 0))
        return i
    }

    @inline(__always)
    private static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }

    @inline(__always)
    private static func skipDigits(_ bytes: Span<UInt8>, _ start: Int) -> Int {
        var i = start
        while i < bytes.count, isDigit(bytes[i]) { i &+= 1 }
        return i
    }

    /// Says whether a number's nearest double is finite, looking at the digits only near the limit.
    private static func isFinite(_ text: Span<UInt8>) -> Bool {
        let parts = JSONNumberParts(text)
        guard let magnitude = parts.decimalMagnitude else { return true }
        if magnitude != 308 { return magnitude < 308 }
        var copy: [UInt8] = []
        for i in text.indices { copy.append(text[i]) }
        return Double(String(decoding: copy, as: UTF8.self))?.isFinite ?? false
    }
}
