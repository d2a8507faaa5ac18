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
        Array(Printable.escaped(String(decoding: bytes, as: UTF8.self)).unicodeScalars)
    }

    /// The columns that a character takes on a terminal.
    private static func width(_ scalar: Unicode.Scalar) -> Int {
        if scalar.isASCII { return 1 }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: break
        }
        // The blocks that are wide throughout (Unicode 15, EastAsianWidth.txt), and emoji.
        switch scalar.value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAFF,
            0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F680...0x1F6FF,
            0x1F900...0x1F9FF, 0x20000...0x3FFFD:
            return 2
        default: return 1
        }
    }

    /// The part of a line around a place, and the marker to print under it: tabs are four blanks, wide characters two columns.
    public struct Excerpt {
        public private(set) var text = ""
        public private(set) var marker = ""

        private static let before = 60

        /// - Parameters:
        ///   - column: of the first character that is meant, from 1.
        ///   - length: how many characters are meant.
        ///   - longest: how many characters are shown, besides a mark where something is left out.
        public init(line: String, column: Int, length: Int, longest: Int = 160) {
            let scalars = Array(line.unicodeScalars.prefix(column + longest))
            let first = scalars.count > longest ? max(0, column - 1 - Excerpt.before) : 0
            let last = min(scalars.count, first + longest)
            if first > 0 {
                text = "…"
                marker = " "
            }
            var marked = 0
            for index in first..<max(first, last) {
                let scalar = scalars[index]
                let (shown, columns): (String, Int)
                if scalar == "\t" {
                    (shown, columns) = ("    ", 4)
                } else if Printable.disturbs(scalar) {
                    shown = Printable.escape(scalar)
                    columns = shown.utf8.count
                } else {
                    (shown, columns) = (String(scalar), width(scalar))
                }
                text += shown
                if index + 1 < column {
                    marker += String(repeating: " ", count: columns)
                } else if index + 1 - column < length {
                    marked += columns
                }
            }
            if last < scalars.count { text += "…" }
            marker += "^" + String(repeating: "~", count: max(0, marked - 1))
        }
    }
}
