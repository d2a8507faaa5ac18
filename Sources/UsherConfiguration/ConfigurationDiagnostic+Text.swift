import UsherScene
internal import UsherText

extension ConfigurationDiagnostic: CustomStringConvertible {
    /// `file:line:column: error: message [code name]`.
    public var headline: String {
        let place = location.map { "\($0)" } ?? path
        return "\(Printable.escaped(place)): \(severity.rawValue): \(Printable.escaped(message)) [\(code)]"
    }

    /// The headline, the line with a caret, and the help; without a line end at the end. Control characters are escaped.
    public var description: String {
        var lines = [headline]
        if let location, let sourceLine {
            let number = String(location.line)
            let width = max(5, number.utf8.count)
            let excerpt = CaretText.Excerpt(line: sourceLine, column: location.column, length: length)
            lines.append(String(repeating: " ", count: width - number.utf8.count) + number + " | " + excerpt.text)
            lines.append(String(repeating: " ", count: width) + " | " + excerpt.marker)
        }
        if let help { lines.append("   help: " + Printable.escaped(help)) }
        if let related { lines.append("   see:  " + Printable.escaped(related.description)) }
        return lines.map { $0.droppingTrailingSpaces() }.joined(separator: "\n")
    }
}

extension String {
    fileprivate func droppingTrailingSpaces() -> String {
        var end = utf8.endIndex
        while end > utf8.startIndex, utf8[utf8.index(before: end)] == UInt8(ascii: " ") {
            end = utf8.index(before: end)
        }
        return String(self[..<end])
    }
}
