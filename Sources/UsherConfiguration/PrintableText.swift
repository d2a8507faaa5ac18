/// Makes text from files safe and straight on a terminal.
enum PrintableText {
    /// Control and formatting characters, which could move the cursor or turn the writing direction, as `\u{…}`.
    static func escaped(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: needsEscape) else { return text }
        return text.unicodeScalars.map { needsEscape($0) ? escape($0) : String($0) }.joined()
    }

    private static func needsEscape(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return scalar.value < 0x20 || scalar.value == 0x7F }
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: return true
        default: return false
        }
    }

    private static func escape(_ scalar: Unicode.Scalar) -> String {
        "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
    }

    /// The columns that a character takes on a terminal.
    private static func width(_ scalar: Unicode.Scalar) -> Int {
        if scalar.isASCII { return 1 }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark: return 0
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

    /// The part of a line around a place, and the marker to print under it.
    struct Excerpt {
        var text = ""
        var marker = ""

        private static let longest = 160
        private static let before = 60

        init(line: String, column: Int, length: Int) {
            let scalars = Array(line.unicodeScalars.prefix(column + Excerpt.longest))
            let first = scalars.count > Excerpt.longest ? max(0, column - 1 - Excerpt.before) : 0
            let last = min(scalars.count, first + Excerpt.longest)
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
                } else if needsEscape(scalar) {
                    shown = escape(scalar)
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
