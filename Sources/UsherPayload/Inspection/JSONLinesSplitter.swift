import UsherJSON
internal import UsherText

/// Cuts chunks of bytes into lines: incremental, in memory bounded by the line limit.
///
/// Lines end at byte 0x0A and nowhere else (U+2028 is legal inside JSON strings); a CR before it is dropped; lines of
/// nothing but white space are skipped but counted. A line over the limit is reported once and discarded as it arrives.
public struct JSONLinesSplitter: Sendable {
    /// One line that is not blank.
    public struct Line: Sendable {
        /// The physical line number, from 1.
        public var number: Int
        public var content: Content

        public enum Content: Sendable {
            /// The bytes without their line end: a part of an array, so that nothing is copied.
            case text([UInt8], Range<Int>)
            /// More bytes than the limit came without a line end.
            case tooLong
        }
    }

    /// The longest line that is handed on, in bytes without its line end.
    public let limit: Int

    /// The chunk being cut, and where the next line begins in it.
    private var chunk: [UInt8] = []
    private var position = 0
    /// The beginning of a line that earlier chunks did not end.
    private var partial: [UInt8] = []
    private var isDiscarding = false
    private var isFinished = false
    private var linesBefore = 0

    public init(limit: Int = 1 << 20) {
        self.limit = limit
    }

    /// Gives the splitter the next bytes; every line of the bytes before must have been taken with `next`.
    public mutating func push(_ bytes: [UInt8]) {
        precondition(position == chunk.count, "take the lines of one chunk before pushing the next")
        chunk = bytes
        position = 0
    }

    /// Says that no more bytes come: what is left is the last line, though it has no line end.
    public mutating func finish() {
        isFinished = true
    }

    /// The next line, or nil when more bytes are needed or, after `finish`, nothing is left.
    public mutating func next() -> Line? {
        while true {
            let end = ByteWord.firstOffset(of: 0x0A, in: chunk.span, from: position)
            guard end < chunk.count || isFinished && (!partial.isEmpty || isDiscarding || position < chunk.count)
            else {
                keepRest()
                return nil
            }
            let line = makeLine(position..<end)
            position = min(end + 1, chunk.count)
            if let line { return line }
        }
    }

    /// Keeps the part of a line that the chunk ended with, unless the line is too long already.
    private mutating func keepRest() {
        guard position < chunk.count else { return }
        if !isDiscarding {
            // One more than the limit: the last byte may be a CR that does not count.
            if partial.count + chunk.count - position > limit + 1 {
                isDiscarding = true
                partial.removeAll(keepingCapacity: true)
            } else {
                partial.append(contentsOf: chunk[position...])
            }
        }
        position = chunk.count
    }

    private mutating func makeLine(_ range: Range<Int>) -> Line? {
        linesBefore += 1
        if isDiscarding {
            isDiscarding = false
            return Line(number: linesBefore, content: .tooLong)
        }
        guard !partial.isEmpty else { return line(chunk, range) }
        // The chunk may bring far more than the limit before its line end.
        if partial.count + range.count > limit + 1 {
            partial.removeAll(keepingCapacity: true)
            return Line(number: linesBefore, content: .tooLong)
        }
        var whole = partial
        whole.append(contentsOf: chunk[range])
        partial.removeAll(keepingCapacity: true)
        return line(whole, whole.indices)
    }

    private func line(_ bytes: [UInt8], _ range: Range<Int>) -> Line? {
        var end = range.upperBound
        if end > range.lowerBound, bytes[end - 1] == 0x0D { end -= 1 }
        guard end - range.lowerBound <= limit else { return Line(number: linesBefore, content: .tooLong) }
        var start = range.lowerBound
        while start < end, bytes[start] == 0x20 || bytes[start] == 0x09 || bytes[start] == 0x0D { start += 1 }
        guard start < end else { return nil }
        return Line(number: linesBefore, content: .text(bytes, range.lowerBound..<end))
    }
}
