/// Rows of text in aligned columns, two blanks apart, without blanks at line ends. Widths count Unicode scalars.
public enum TextTable {
    /// One line a row. Columns that are empty in every row take no place.
    ///
    /// - Parameter rows: cells; already escaped.
    public static func lines(_ rows: [[String]], indent: Int = 0) -> [String] {
        let columns = rows.map(\.count).max() ?? 0
        let widths = (0..<columns).map { column in
            rows.map { $0.count > column ? $0[column].unicodeScalars.count : 0 }.max() ?? 0
        }
        return rows.map { row in
            var line = String(repeating: " ", count: indent)
            for (column, cell) in row.enumerated() where widths[column] > 0 {
                line += cell.padded(to: widths[column]) + "  "
            }
            return trimmed(line)
        }
    }

    /// One line a row, its end included; the last cell of a row makes no column wider.
    ///
    /// - Parameters:
    ///   - rows: cells; already escaped.
    ///   - widest: a cell of more characters is followed by a line break instead of making its column wide.
    public static func text(_ rows: [[String]], indent: Int = 0, widest: Int = 60) -> String {
        var widths: [Int] = []
        for row in rows {
            for (column, cell) in row.enumerated().dropLast() {
                while widths.count <= column { widths.append(0) }
                let width = cell.unicodeScalars.count
                if width <= widest { widths[column] = max(widths[column], width) }
            }
        }
        var text = ""
        for row in rows {
            var line = String(repeating: " ", count: indent)
            for (column, cell) in row.enumerated() {
                guard column + 1 < row.count else {
                    line += cell
                    break
                }
                line += cell.padded(to: widths[column]) + "  "
                if cell.unicodeScalars.count > widths[column], column + 2 == row.count {
                    text += trimmed(line) + "\n"
                    line = String(repeating: " ", count: indent + widths.reduce(0) { $0 + $1 + 2 })
                }
            }
            text += trimmed(line) + "\n"
        }
        return text
    }

    private static func trimmed(_ line: String) -> String { String(Substring(line.utf8.trimmed("", atEnd: " "))) }
}

extension String {
    /// With blanks up to `width` characters.
    public func padded(to width: Int) -> String {
        let missing = width - unicodeScalars.count
        return missing > 0 ? self + String(repeating: " ", count: missing) : self
    }
}
