/// Rows of text in aligned columns.
public enum TextTable {
    /// Two blanks between columns; no blanks at line ends. Columns that are empty in every row take no place.
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
            while line.utf8.last == UInt8(ascii: " ") { line.removeLast() }
            return line
        }
    }
}
