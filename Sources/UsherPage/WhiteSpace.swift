/// Text of pages as people read it.
enum WhiteSpace {
    /// Without white space at the ends, and with one blank for each run of it (Unicode's `White_Space`).
    static func collapsed(_ text: String) -> String {
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

    private static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
        scalar.isASCII ? scalar == " " || (9...13).contains(scalar.value) : scalar.properties.isWhitespace
    }
}
