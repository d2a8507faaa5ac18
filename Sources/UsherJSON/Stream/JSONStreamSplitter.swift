public import UsherText

/// Cuts a stream of bytes into JSON texts and parses each: texts on one line, on several, or directly one after another.
///
/// White space and RS (RFC 7464) between texts are skipped. An object or an array ends at its last bracket, and waits for no
/// line end. What is no JSON gives one text with its error: an object or an array up to the end of the line where its
/// brackets close, all else up to the end of its line. A text that was cut off ends where another begins: at an RS, at a line
/// that is an object of its own, and at a line whose first word cannot follow.
///
/// Incremental and linear; memory is bounded by the limit.
public struct JSONStreamSplitter: Sendable {
    /// One text; the document holds what it says, unless it failed.
    public struct Text: Sendable {
        /// The text is `bytes[range]`, so that nothing is copied; empty where it is too long.
        public var bytes: [UInt8]
        public var range: Range<Int>
        /// Where it begins in the stream.
        public var begin: LinePosition
        /// Why it is no JSON.
        public var failure: Shared<JSONError>?
        /// It has more bytes than the limit: they were not kept.
        public var isTooLong = false
    }

    /// The longest text that is handed on, in bytes.
    public let limit: Int

    /// The bytes being cut, and what comes next of them.
    private var chunk: [UInt8] = []
    private var position = 0
    private var isFinished = false
    /// The position of `chunk[counted]`.
    private var reached = LinePosition()
    private var counted = 0
    /// The end of the line at the position, if it is beyond it.
    private var lineEnd = 0

    /// The text that is not finished; nil between texts.
    private var scan: JSONTextScan?
    /// The position of its first byte.
    private var textBegin = LinePosition()
    /// How many bytes of it earlier chunks had, and where it goes on in this one.
    private var countBefore = 0
    private var start = 0
    /// Its bytes of earlier chunks, up to the limit; nil where it is longer.
    private var held: [UInt8]? = []
    /// The bytes of earlier chunks of its line that may turn out to be another text; nil where the line is longer than the limit.
    private var heldLine: [UInt8]? = []
    /// The position of such a line that was too long to be kept, and is another text.
    private var lostLine: LinePosition?

    /// Where the next text may begin, if all that has come was handed on; nil where a text has begun.
    public mutating func placeBetweenTexts() -> LinePosition? {
        guard scan == nil, position == chunk.count else { return nil }
        count(to: chunk.count)
        return reached
    }

    /// - Parameter begin: where the bytes begin in their input.
    public init(limit: Int = 1 << 20, begin: LinePosition = LinePosition()) {
        self.limit = limit
        reached = begin
    }

    /// Gives the splitter the next bytes; every text of the bytes before must have been taken with `next`.
    public mutating func push(_ bytes: [UInt8]) {
        precondition(position == chunk.count, "take the texts of one chunk before pushing the next")
        if scan == nil { count(to: chunk.count) }
        (chunk, position, counted, start, lineEnd) = (bytes, 0, 0, 0, 0)
    }

    /// Says that no more bytes come.
    public mutating func finish() { isFinished = true }

    /// The next text, or nil when more bytes are needed or, after `finish`, nothing is left.
    ///
    /// - Parameter document: parses it, and holds it where it has no failure.
    public mutating func next(into document: inout JSONDocument) -> Text? {
        if let lostLine {
            self.lostLine = nil
            return tooLong(at: lostLine)
        }
        if scan == nil {
            guard skipBlanks() else { return nil }
            if let text = wholeText(into: &document) { return text }
            (textBegin, start, countBefore, held, heldLine) = (reached, position, 0, [], [])
            scan = JSONTextScan(at: reached)
        }
        return scanText(into: &document)
    }

    // MARK: Texts on one line

    /// Skips what is between texts; false where nothing follows.
    private mutating func skipBlanks() -> Bool {
        while position < chunk.count {
            switch chunk[position] {
            case 0x0A:
                (reached.line, reached.column, counted) = (reached.line + 1, 1, position + 1)
            case 0x20, 0x09, 0x0D, 0x1E: break
            default: return true
            }
            position += 1
        }
        return false
    }

    private mutating func count(to end: Int) {
        if counted < end { reached = reached.moved(over: chunk[counted..<end]) }
        counted = end
    }

    /// The usual case: an object or array that ends on its line, in this chunk.
    private mutating func wholeText(into document: inout JSONDocument) -> Text? {
        count(to: position)
        guard chunk[position] | 0x20 == 0x7B else { return nil }
        // A line of many texts is searched once.
        if lineEnd <= position { lineEnd = ByteWord.firstOffset(of: 0x0A, in: chunk.span, from: position) }
        guard let end = try? document.parse(prefixOf: chunk, in: position..<lineEnd), end - position <= limit else {
            return nil
        }
        defer { position = end }
        return Text(bytes: chunk, range: position..<end, begin: reached)
    }

    // MARK: Other texts

    private mutating func scanText(into document: inout JSONDocument) -> Text? {
        guard var scan else { return nil }
        self.scan = nil
        while position < chunk.count {
            let event = scan.take(chunk[position])
            if case .none = event {
                position += 1
                continue
            }
            if case .closed = event { position += 1 }
            if let text = text(after: event, &scan, into: &document) { return text }
        }
        if isFinished { return text(after: scan.endOfBytes(), &scan, into: &document) }
        hold(scan)
        self.scan = scan
        return nil
    }

    /// The text that ends with an event; nil where it goes on.
    private mutating func text(
        after event: JSONTextScan.Event, _ scan: inout JSONTextScan, into document: inout JSONDocument
    ) -> Text? {
        var text: Text
        switch event {
        case .none: return nil
        case .closed:
            guard scan.canBeJSON else {
                scan.endWithLine()
                return nil
            }
            text = self.text(to: scan.contentEnd, into: &document)
        case .ended: text = self.text(to: scan.contentEnd, into: &document)
        case .cutOff(let offset):
            text = self.text(to: scan.contentEnd, into: &document)
            goBack(to: offset, in: scan)
        }
        (reached, counted) = (scan.reached, position)
        return text
    }

    private func text(to end: Int, into document: inout JSONDocument) -> Text {
        guard end <= limit, let held else { return tooLong(at: textBegin) }
        var (bytes, range) = (held, 0..<end)
        if countBefore == 0 {
            (bytes, range) = (chunk, start..<start + end)
        } else if end > countBefore {
            bytes += chunk[start..<start + end - countBefore]
        }
        var failure: Shared<JSONError>?
        do throws(JSONError) {
            try document.parse(bytes, in: range)
        } catch {
            failure = Shared(error.inStream(bytes[range]))
        }
        return Text(bytes: bytes, range: range, begin: textBegin, failure: failure)
    }

    private func tooLong(at begin: LinePosition) -> Text {
        Text(bytes: [], range: 0..<0, begin: begin, isTooLong: true)
    }

    /// Goes back to the line that turned out to be another text.
    private mutating func goBack(to offset: Int, in scan: JSONTextScan) {
        if offset >= countBefore {
            position = start + offset - countBefore
        } else if let heldLine {
            chunk = heldLine + chunk[start...]
            (position, lineEnd) = (0, 0)
        } else {
            lostLine = scan.reached
        }
    }

    /// Keeps what may be needed of the text when its end has come.
    private mutating func hold(_ scan: JSONTextScan) {
        let end = start + scan.count - countBefore
        if scan.settledEnd > limit {
            held = nil
        } else if countBefore < limit {
            // Beyond the limit is nothing but white space, or another text.
            held?.append(contentsOf: chunk[start..<min(end, start + limit - countBefore)])
        }
        if let candidate = scan.candidate {
            if candidate >= countBefore { heldLine = [] }
            heldLine?.append(contentsOf: chunk[(start + max(0, candidate - countBefore))..<end])
            if let count = heldLine?.count, count > limit { heldLine = nil }
        }
        (countBefore, start) = (scan.count, position)
    }
}

extension JSONError {
    /// The error of a text that was cut out of a stream: what follows a value is part of it, and words are no JSON at all.
    fileprivate func inStream(_ text: ArraySlice<UInt8>) -> JSONError {
        guard code == .trailingData || code == .syntax, let first = text.first else { return self }
        let isWord = (0x41...0x5A).contains(first & 0xDF)
        guard isWord || code == .trailingData else { return self }
        let word = text.prefix(20).prefix { (0x21...0x7E).contains($0) }
        return JSONError(
            code: .syntax, offset: 0, found: "'\(String(decoding: word, as: UTF8.self))'", expected: "a JSON object")
    }
}
