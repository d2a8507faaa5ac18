public import UsherScene

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

    func location(_ position: SourcePosition) -> SourceLocation { SourceLocation(path: path, position) }

    /// Where a byte of a string's value stands, for a string whose opening quote is at `position`.
    func position(ofValueOffset offset: Int, inStringAt position: SourcePosition) -> SourcePosition {
        self.position(
            of: TOMLStringSyntax.sourceOffset(
                ofValueOffset: offset, openingAt: self.offset(of: position), in: bytes))
    }
}

/// A place in a file: line and column from 1, columns in Unicode scalars.
struct SourcePosition: Hashable, Comparable, Sendable {
    var line: Int
    var column: Int

    /// Where every file begins.
    static let start = SourcePosition(line: 1, column: 1)

    static func < (one: Self, other: Self) -> Bool {
        (one.line, one.column) < (other.line, other.column)
    }
}

extension SourceLocation {
    init(path: String, _ position: SourcePosition) {
        self.init(path: path, line: position.line, column: position.column)
    }
}

/// From a place up to, not including, another.
struct SourceRegion: Hashable, Sendable {
    var begin: SourcePosition
    var end: SourcePosition

    /// The beginning of a file.
    static let start = SourceRegion(begin: .start, end: .start)

    /// The number of characters, where the region stays on one line; else 1.
    var length: Int { begin.line == end.line ? max(1, end.column - begin.column) : 1 }
}

/// The text of every configuration file that was read: leads from places to lines, and into strings.
public struct SourceMap: Sendable {
    private var files: [String: SourceFile] = [:]

    init() {}

    mutating func insert(_ file: SourceFile) { files[file.path] = file }

    /// Where a byte of a string's value is written: `offset` counts the UTF-8 bytes of the value, `string` is the place
    /// of its opening quote.
    ///
    /// Escapes, line ends and all four forms of a TOML string are followed. Gives `string` itself where there is no such
    /// file or no string at that place. O(offset).
    public func location(ofOffset offset: Int, inStringAt string: SourceLocation) -> SourceLocation {
        guard let file = files[string.path] else { return string }
        return file.location(
            file.position(
                ofValueOffset: offset, inStringAt: SourcePosition(line: string.line, column: string.column)))
    }

    /// The files that were not there before, are not there any more, or read differently; by name.
    public func changes(since old: SourceMap) -> [String] {
        Set(files.keys).union(old.files.keys).filter { files[$0]?.bytes != old.files[$0]?.bytes }.sorted()
    }

    /// The line of a place, without its end; nil where there is no such file.
    public func text(ofLineAt location: SourceLocation) -> String? {
        files[location.path].map { String(decoding: $0.line(location.line), as: UTF8.self) }
    }
}
