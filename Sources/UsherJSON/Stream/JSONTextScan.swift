internal import UsherText

/// Finds the end of one text of a stream, byte by byte, whether it is JSON or not.
///
/// An object or an array ends with its last bracket; if it is no JSON, with the line of that bracket. All else ends with
/// its line. A text that is cut off ends where another begins.
struct JSONTextScan: Sendable {
    enum Event: Sendable {
        case none
        /// The brackets are closed, this byte included.
        case closed
        /// The text ends before this byte.
        case ended
        /// The text was cut off: another begins at this offset, which is the beginning of a line.
        case cutOff(at: Int)
    }

    /// Bytes that were taken.
    private(set) var count = 0
    /// The end of the text without the white space that follows.
    private(set) var contentEnd = 0
    /// The position behind the bytes that were taken, in the stream.
    private(set) var reached: LinePosition
    /// The beginning of a line that may turn out to be another text; nil where the line is none.
    private(set) var candidate: Int?

    private var grammar = JSONGrammar()
    /// The text ends with its line.
    private var endsWithLine = false
    private var isBeginning = true
    /// Bytes of a byte order mark that the text began with.
    private var markBytes = 0
    private var depth = 0
    private var isInString = false
    private var isEscaped = false
    private var lastByte: UInt8 = 0
    private var isAtLineStart = false
    /// `contentEnd` at the candidate.
    private var endBeforeCandidate = 0
    /// The first word of the candidate has not ended.
    private var isInFirstWord = false
    /// The candidate is another text if its brackets are closed at its end: `depth` at its beginning.
    private var depthBeforeLine: Int?

    private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

    init(at begin: LinePosition) { reached = begin }

    static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }

    /// Whether the text could be JSON when its brackets are closed.
    var canBeJSON: Bool { grammar.state == .end && !grammar.hasControls }

    /// The end of what belongs to the text for sure.
    var settledEnd: Int { candidate == nil ? contentEnd : endBeforeCandidate }

    /// Ends the text with its line, since it is no JSON.
    mutating func endWithLine() { endsWithLine = true }

    mutating func take(_ byte: UInt8) -> Event {
        if byte == 0x1E { return endOfBytes() }
        if isBeginning, begin(byte) { return .none }
        if endsWithLine {
            if byte == 0x0A { return .ended }
            advance(byte)
            return .none
        }
        if isAtLineStart, beginLine(byte) { return .cutOff(at: count) }
        if isInFirstWord, Self.endsWord(byte), endFirstWord() { return cutAtCandidate() }
        grammar.take(byte)
        if byte == 0x0A {
            if isTextOfItsOwn { return cutAtCandidate() }
            isInString = false
            isAtLineStart = true
        } else if isInString {
            isInString = isEscaped || byte != 0x22
            isEscaped = !isEscaped && byte == 0x5C
        } else {
            switch byte {
            case 0x22: isInString = true
            case 0x7B, 0x5B: depth += 1
            case 0x7D, 0x5D:
                depth -= 1
                if let before = depthBeforeLine, depth < before { depthBeforeLine = nil }
                if depth == 0 {
                    advance(byte)
                    return .closed
                }
            default: break
            }
        }
        advance(byte)
        return .none
    }

    /// What becomes of the text where the stream ends, or a separator is next.
    mutating func endOfBytes() -> Event {
        if !endsWithLine, isInFirstWord && endFirstWord() || isTextOfItsOwn { return cutAtCandidate() }
        return .ended
    }

    /// Whether the byte belongs to a byte order mark, or to the blanks behind it.
    private mutating func begin(_ byte: UInt8) -> Bool {
        if markBytes < 3, byte == Self.mark[markBytes] {
            markBytes += 1
        } else if markBytes < 3 || !Self.isBlank(byte) || byte == 0x0A {
            isBeginning = false
            endsWithLine = markBytes % 3 != 0 || byte != 0x7B && byte != 0x5B
            return false
        }
        advance(byte)
        return true
    }

    private mutating func advance(_ byte: UInt8) {
        count += 1
        reached.move(over: byte)
        guard !Self.isBlank(byte) else { return }
        contentEnd = count
        lastByte = byte
    }

    // MARK: Lines that are texts of their own

    /// Whether the line that begins with this byte is another text for sure.
    private mutating func beginLine(_ byte: UInt8) -> Bool {
        isAtLineStart = false
        candidate = nil
        depthBeforeLine = nil
        switch byte {
        case 0x20, 0x09, 0x0A, 0x0D, 0x22, 0x2C, 0x3A, 0x5D, 0x7D, 0x2F: return false
        case 0x7B, 0x5B:
            guard grammar.takesContainer else { return true }
            guard byte == 0x7B else { return false }
            depthBeforeLine = depth
        default:
            // What a string that was not closed goes on with, as far as one can tell.
            if grammar.isInString { return false }
            if grammar.state == .invalid { return true }
            isInFirstWord = true
        }
        candidate = count
        endBeforeCandidate = contentEnd
        return false
    }

    private static func endsWord(_ byte: UInt8) -> Bool {
        isBlank(byte) || byte == 0x22 || byte == 0x2C || byte == 0x3A || byte | 0x20 == 0x7B || byte | 0x20 == 0x7D
    }

    /// Whether the text before it cannot go on with the word.
    private mutating func endFirstWord() -> Bool {
        isInFirstWord = false
        grammar.take(0x20)
        if grammar.state == .invalid { return true }
        candidate = nil
        return false
    }

    /// Whether the line is an object: it closes the brackets that it opens, and no others, and ends with one.
    private var isTextOfItsOwn: Bool { depthBeforeLine == depth && lastByte == 0x7D }

    private mutating func cutAtCandidate() -> Event {
        contentEnd = endBeforeCandidate
        reached.column = 1
        return .cutOff(at: candidate ?? count)
    }
}
