/// A position in a text and its line, to be shown. A class, since errors are copied often and few have one.
public final class TextExcerpt: Hashable, Sendable {
    public let position: LinePosition
    /// The line behind its number, and a caret below it.
    public let lines: [String]

    public init(_ position: LinePosition, _ lines: [String]) {
        self.position = position
        self.lines = lines
    }

    /// Finds a position, and of its line what is around it.
    ///
    /// - Parameters:
    ///   - place: the index of a byte of a text that is a part of the array.
    ///   - begin: the first byte of the text, and its position.
    public convenience init(of bytes: [UInt8], at place: Int, begin: (index: Int, position: LinePosition)) {
        let position = begin.position.moved(over: bytes[begin.index..<place])
        // No more of a line is shown.
        let before = bytes[max(0, place - 480)..<place]
        let line = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? before.startIndex
        let after = bytes[place..<min(bytes.count, place + 480)]
        let end = after.firstIndex(of: 0x0A) ?? after.endIndex
        var text = String(decoding: bytes[line..<end], as: UTF8.self)
        while text.last == "\r" { text.removeLast() }
        var column = LinePosition().moved(over: bytes[line..<place]).column
        if column < position.column { (text, column) = ("…" + text, column + 1) }
        let excerpt = CaretText.Excerpt(line: text, column: column, length: 1, longest: 118)
        let number = "\(position.line) | "
        self.init(
            position, [number + excerpt.text, String(repeating: " ", count: number.utf8.count) + excerpt.marker])
    }

    /// The position in words, and the lines.
    public var text: [String] { ["line \(position.line), column \(position.column)"] + lines }

    public static func == (left: TextExcerpt, right: TextExcerpt) -> Bool {
        left.position == right.position && left.lines == right.lines
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(position)
        hasher.combine(lines)
    }
}
