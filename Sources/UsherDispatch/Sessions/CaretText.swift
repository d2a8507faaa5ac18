internal import UsherLog

/// A text with a caret under the place that is meant.
public enum CaretText {
    private static let widest = 100

    /// Two lines: the text, escaped and cut around the place where it is long, and the caret.
    ///
    /// - Parameters:
    ///   - offset: bytes from the start of the text.
    ///   - length: how many bytes are meant; the first gets a caret, the others tildes.
    public static func lines(_ text: String, offset: Int, length: Int = 1) -> [String] {
        let bytes = Array(text.utf8)
        let start = min(max(offset, 0), bytes.count)
        let end = min(start + max(length, 1), bytes.count)
        var before = escaped(bytes[..<start])
        var meant = escaped(bytes[start..<max(start, end)])
        var after = escaped(bytes[max(start, end)...])
        if before.count > widest / 2 { before = ["…"] + before.suffix(widest / 2) }
        if meant.count > widest / 2 { (meant, after) = (Array(meant.prefix(widest / 2)), ["…"]) }
        if after.count > widest / 2 { after = after.prefix(widest / 2) + ["…"] }
        func string(_ scalars: [Unicode.Scalar]) -> String {
            var view = String.UnicodeScalarView()
            view.append(contentsOf: scalars)
            return String(view)
        }
        let mark = "^" + String(repeating: "~", count: max(0, meant.count - 1))
        return [string(before + meant + after), String(repeating: " ", count: before.count) + mark]
    }

    private static func escaped(_ bytes: ArraySlice<UInt8>) -> [Unicode.Scalar] {
        Array(TerminalText.escape(String(decoding: bytes, as: UTF8.self)).unicodeScalars)
    }
}
