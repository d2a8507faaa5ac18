import UsherScene

/// The text of one configuration file, by lines.
struct SourceFile: Sendable {
    /// Relative to the configuration folder.
    let path: String
    /// Valid UTF-8, a byte order mark dropped.
    let bytes: [UInt8]
    /// Where each line begins.
    private let lineStarts: [Int]

    init(path: String, bytes: [UInt8]) {
        self.path = path
        self.bytes = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
        var starts = [0]
        for (index, byte) in self.bytes.enumerated() where byte == UInt8(ascii: "\n") { starts.append(index + 1) }
        lineStarts = starts
    }

    /// The bytes of a line, without its end; empty for a line that there is not.
    func line(_ number: Int) -> ArraySlice<UInt8> {
        guard number >= 1, number <= lineStarts.count else { return [] }
        let start = lineStarts[number - 1]
        var end = number < lineStarts.count ? lineStarts[number] - 1 : bytes.count
        if end > start, bytes[end - 1] == UInt8(ascii: "\r") { end -= 1 }
        return bytes[start..<end]
    }

    /// Where a position is in `bytes`; the end of the line for a column behind it.
    func offset(of position: SourcePosition) -> Int {
        guard position.line >= 1, position.line <= lineStarts.count else { return bytes.count }
        var offset = lineStarts[position.line - 1]
        var column = 1
        while offset < bytes.count, column < position.column, bytes[offset] != UInt8(ascii: "\n") {
            offset += 1
            while offset < bytes.count, bytes[offset] & 0xC0 == 0x80 { offset += 1 }
            column += 1
        }
        return offset
    }

    /// The position of the character that has a byte. O(log lines + length of the line).
    func position(of offset: Int) -> SourcePosition {
        var offset = min(max(0, offset), bytes.count)
        while offset > 0, offset < bytes.count, bytes[offset] & 0xC0 == 0x80 { offset -= 1 }
        var low = 0
        var high = lineStarts.count
        while low < high {
            let middle = (low + high) / 2
            if lineStarts[middle] <= offset { low = middle + 1 } else { high = middle }
        }
        let before = bytes[lineStarts[low - 1]..<offset]
        return SourcePosition(line: low, column: 1 + before.count { $0 & 0xC0 != 0x80 })
    }

    func location(_ position: SourcePosition) -> SourceLocation {
        SourceLocation(path: path, line: position.line, column: position.column)
    }

    /// Where a byte of a string's value stands, for a string whose opening quote is at `position`.
    func position(ofValueOffset offset: Int, inStringAt position: SourcePosition) -> SourcePosition {
        self.position(
            of: TOMLStringSyntax.sourceOffset(
                ofValueOffset: offset, openingAt: self.offset(of: position), in: bytes))
    }
}
