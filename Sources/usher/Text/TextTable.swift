internal import UsherLog

/// Aligned columns for people.
enum TextTable {
    /// One line a row, two blanks between columns; every column but the last is padded.
    ///
    /// - Parameters:
    ///   - rows: cells; already escaped.
    ///   - widest: a cell of more characters is followed by a line break instead of making its column wide.
    static func text(_ rows: [[String]], indent: Int = 0, widest: Int = 60) -> String {
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

    private static func trimmed(_ line: String) -> String {
        var bytes = Array(line.utf8)
        while bytes.last == UInt8(ascii: " ") { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self)
    }
}
