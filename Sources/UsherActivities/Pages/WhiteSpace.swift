/// Text of pages as people read it.
enum WhiteSpace {
    /// Without white space at the ends, and with one blank for each run of it (Unicode's `White_Space`).
    static func collapsed(_ text: String) -> String {
        if isCollapsed(text.utf8) { return text }
        var result = String.UnicodeScalarView()
        var isPending = false
        for scalar in text.unicodeScalars {
            if isSpace(scalar) {
                isPending = true
            } else {
                if isPending, !result.isEmpty { result.append(" ") }
                isPending = false
                result.append(scalar)
            }
        }
        return String(result)
    }

    /// Whether a text of ASCII is so already: most are.
    private static func isCollapsed(_ text: String.UTF8View) -> Bool {
        var previous: UInt8 = 0x20
        for byte in text {
            if byte >= 0x80 || byte < 0x20 || (byte == 0x20 && previous == 0x20) { return false }
            previous = byte
        }
        return previous != 0x20 || text.isEmpty
    }

    private static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
        scalar.isASCII ? scalar == " " || (9...13).contains(scalar.value) : scalar.properties.isWhitespace
    }
}
