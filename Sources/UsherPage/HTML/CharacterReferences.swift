/// Character references of HTML: `&amp;`, `&#233;`, `&#xE9;` (https://html.spec.whatwg.org/#character-reference-state).
enum CharacterReferences {
    private static let longestName = 32

    /// The scalars of each name, as UTF-8; made when a page first has a name.
    private static let table: [String: [UInt8]] = {
        var table: [String: [UInt8]] = [:]
        let words = names.split(separator: " ")
        table.reserveCapacity(words.count / 2)
        for index in stride(from: 0, to: words.count - 1, by: 2) {
            var text = String.UnicodeScalarView()
            for digits in words[index + 1].split(separator: "+") {
                text.append(UInt32(digits, radix: 16).flatMap(Unicode.Scalar.init) ?? "\u{FFFD}")
            }
            table[String(words[index])] = Array(String(text).utf8)
        }
        return table
    }()

    private static let oldNames = Set(withoutSemicolon.split(separator: " ").map(String.init))
    private static let longestOldName = 6

    /// Appends the text of some bytes of a page.
    static func decode(_ bytes: Span<UInt8>, _ range: Range<Int>, inAttribute: Bool, to output: inout [UInt8]) {
        if output.isEmpty { output.reserveCapacity(range.count) }
        var i = range.lowerBound
        while i < range.upperBound {
            let byte = bytes[i]
            if byte == 0x26, let end = reference(bytes, i + 1..<range.upperBound, inAttribute, &output) {
                i = end
            } else {
                output.append(byte)
                i &+= 1
            }
        }
    }

    /// Reads what follows `&`; returns where it ends, or nil where it is no reference.
    private static func reference(
        _ bytes: Span<UInt8>, _ range: Range<Int>, _ inAttribute: Bool, _ output: inout [UInt8]
    ) -> Int? {
        guard let first = range.first else { return nil }
        if bytes[first] == 0x23 { return number(bytes, first + 1..<range.upperBound, &output) }
        var end = first
        while end < range.upperBound, end - first < longestName, isAlphanumeric(bytes[end]) { end &+= 1 }
        guard end > first else { return nil }
        func name(_ end: Int) -> String {
            var name = ""
            for i in first..<end { name.unicodeScalars.append(Unicode.Scalar(bytes[i])) }
            return name
        }
        if end < range.upperBound, bytes[end] == 0x3B, let text = table[name(end)] {
            output.append(contentsOf: text)
            return end + 1
        }
        // Old names end where they end, though letters follow; in an attribute these may be an address's.
        var short = min(end, first + longestOldName)
        while short > first + 1 {
            let candidate = name(short)
            if oldNames.contains(candidate), let text = table[candidate] {
                if inAttribute, short < range.upperBound, bytes[short] == 0x3D || isAlphanumeric(bytes[short]) {
                    return nil
                }
                output.append(contentsOf: text)
                return short
            }
            short -= 1
        }
        return nil
    }

    /// Reads what follows `&#`.
    private static func number(_ bytes: Span<UInt8>, _ range: Range<Int>, _ output: inout [UInt8]) -> Int? {
        var i = range.lowerBound
        var radix: UInt32 = 10
        if i < range.upperBound, bytes[i] | 0x20 == 0x78 {
            radix = 16
            i &+= 1
        }
        let first = i
        var value: UInt32 = 0
        while i < range.upperBound, let digit = digit(bytes[i]), digit < radix {
            value = min(value * radix + digit, 0x11_0000)
            i &+= 1
        }
        guard i > first else { return nil }
        var scalar: Unicode.Scalar = value == 0 ? "\u{FFFD}" : Unicode.Scalar(value) ?? "\u{FFFD}"
        if (0x80...0x9F).contains(value), PageEncoding.windows1252Controls[Int(value) - 0x80] != "\u{FFFD}" {
            scalar = PageEncoding.windows1252Controls[Int(value) - 0x80]
        }
        output.append(contentsOf: Unicode.UTF8.encode(scalar)!)
        return i < range.upperBound && bytes[i] == 0x3B ? i + 1 : i
    }

    private static func digit(_ byte: UInt8) -> UInt32? {
        switch byte {
        case 0x30...0x39: UInt32(byte - 0x30)
        case 0x41...0x46, 0x61...0x66: UInt32((byte | 0x20) - 0x57)
        default: nil
        }
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        HTMLTokenizer.isLetter(byte) || (0x30...0x39).contains(byte)
    }
}
