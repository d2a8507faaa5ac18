public import UsherScene

/// Cuts the bytes of one input after the other into the texts of payloads, in memory bounded by the longest.
///
/// A document gives one text at its end, also an empty one; lines give none for blank ones.
public struct PayloadCutter: Sendable {
    /// One line, or one document.
    public struct Text: Sendable {
        /// It is `bytes[range]`, so that nothing is copied; empty where it is too long.
        public var bytes: [UInt8]
        public var range: Range<Int>
        /// It has more bytes than `PayloadError.longestLine`.
        public var isTooLong: Bool
        /// That of the input.
        public var form: InputForm
    }

    private var form: InputForm
    private var splitter: JSONLinesSplitter
    /// What came of a document; nil before it begins and when it was handed on.
    private var document: [UInt8]?
    private var isFinished = false

    /// Begins with an input of lines.
    public init() {
        form = .lines
        splitter = JSONLinesSplitter(limit: PayloadError.longestLine)
    }

    /// Begins another input; what was not taken of the one before is dropped.
    public mutating func begin(_ form: InputForm) {
        dropRest()
        self.form = form
        if form != .lines { document = [] }
    }

    /// Gives it the next bytes of the input; every text of the bytes before must have been taken with `next`.
    public mutating func push(_ bytes: [UInt8]) {
        guard form != .lines else { return splitter.push(bytes) }
        // One byte more than may be tells that it is too long.
        let room = PayloadError.longestLine + 1 - (document?.count ?? 0)
        document?.append(contentsOf: bytes.prefix(max(0, room)))
    }

    /// Says that no more bytes of this input come: what is left is the document, or the last line.
    public mutating func finish() {
        isFinished = true
        splitter.finish()
    }

    /// Drops what was not taken of this input.
    public mutating func dropRest() {
        splitter = JSONLinesSplitter(limit: PayloadError.longestLine)
        document = nil
        isFinished = false
    }

    /// The next text, or nil when more bytes are needed or, after `finish`, nothing is left.
    public mutating func next() -> Text? {
        guard form == .lines else {
            guard isFinished, let document else { return nil }
            self.document = nil
            let isTooLong = document.count > PayloadError.longestLine
            return text(isTooLong ? [] : document, isTooLong: isTooLong)
        }
        switch splitter.next()?.content {
        case .text(let bytes, let range): return Text(bytes: bytes, range: range, isTooLong: false, form: form)
        case .tooLong: return text([], isTooLong: true)
        case nil: return nil
        }
    }

    private func text(_ bytes: [UInt8], isTooLong: Bool) -> Text {
        Text(bytes: bytes, range: bytes.indices, isTooLong: isTooLong, form: form)
    }
}

extension PayloadReader {
    /// Reads what an input was cut into: of a file for the simulator that needs no format named.
    public mutating func read(_ text: PayloadCutter.Text) -> Result<Payload, PayloadError> {
        Result { () throws(PayloadError) in
            if text.isTooLong { throw .tooLongLine }
            if text.form == .simulator, format == .auto {
                var reader = PayloadReader(format: .simctl)
                return try reader.read(text.bytes, in: text.range)
            }
            return try read(text.bytes, in: text.range)
        }
    }
}
