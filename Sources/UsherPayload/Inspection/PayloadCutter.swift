internal import UsherJSON
public import UsherScene
public import UsherText

/// Cuts the bytes of one input after the other into payloads and reads them, in memory bounded by the longest.
public struct PayloadCutter: Sendable {
    /// The text of one payload, and what it says.
    public struct Text: Sendable {
        /// It is `bytes[range]`, so that nothing is copied; empty where it is too long.
        public var bytes: [UInt8]
        public var range: Range<Int>
        /// Where it begins in the input.
        public var begin: LinePosition
        public var reading: Result<Payload, PayloadError>
    }

    private var form = InputForm.stream
    private var splitter = JSONStreamSplitter(limit: PayloadError.longestLine)
    private var reader: PayloadReader
    /// What came of a payload for the simulator; nil for another form, and when it was handed on.
    private var document: [UInt8]?
    private var isFinished = false
    /// Whether the input has had a text.
    private var hasText = false

    /// Begins with an input of any number of payloads.
    public init(_ reader: PayloadReader) { self.reader = reader }

    /// Where the next payload may begin in the input, if all that has come was handed on; nil where a payload has begun.
    public mutating func placeBetweenTexts() -> LinePosition? {
        form == .simulator ? (document == nil ? LinePosition() : nil) : splitter.placeBetweenTexts()
    }

    /// Begins another input, or goes on with one that another cutter has begun; what was not taken of the one before is dropped.
    ///
    /// - Parameter place: where it goes on, between two texts.
    public mutating func begin(_ form: InputForm, at place: LinePosition = LinePosition()) {
        dropRest()
        splitter = JSONStreamSplitter(limit: PayloadError.longestLine, begin: place)
        self.form = form
        if form == .simulator { document = [] }
    }

    /// Gives it the next bytes of the input; every text of the bytes before must have been taken with `next`.
    public mutating func push(_ bytes: [UInt8]) {
        guard form == .simulator else { return splitter.push(bytes) }
        // One byte more than may be tells that it is too long.
        let room = PayloadError.longestLine + 1 - (document?.count ?? 0)
        document?.append(contentsOf: bytes.prefix(max(0, room)))
    }

    /// Says that no more bytes of this input come.
    public mutating func finish() {
        isFinished = true
        splitter.finish()
    }

    /// Drops what was not taken of this input.
    public mutating func dropRest() {
        splitter = JSONStreamSplitter(limit: PayloadError.longestLine)
        form = .stream
        document = nil
        isFinished = false
        hasText = false
    }

    /// The next text, or nil when more bytes are needed or, after `finish`, nothing is left.
    public mutating func next() -> Text? {
        guard form != .simulator else { return wholeInput() }
        if let (text, reading) = reader.next(of: &splitter) {
            hasText = true
            return Text(bytes: text.bytes, range: text.range, begin: text.begin, reading: reading)
        }
        guard form == .document, isFinished, !hasText else { return nil }
        hasText = true
        let error = PayloadError(.jsonEmpty, "nothing but white space: expected a JSON value", offset: 0)
        return Text(bytes: [], range: 0..<0, begin: LinePosition(), reading: .failure(error))
    }

    private mutating func wholeInput() -> Text? {
        guard isFinished, let document else { return nil }
        self.document = nil
        var simulator = PayloadReader(format: reader.format == .auto ? .simctl : reader.format)
        let reading = Result { () throws(PayloadError) in
            guard document.count <= PayloadError.longestLine else { throw .tooLongLine }
            do throws(PayloadError) {
                return try simulator.read(document)
            } catch {
                throw error.positioned(in: document, document.indices, begin: LinePosition())
            }
        }
        return Text(bytes: document, range: document.indices, begin: LinePosition(), reading: reading)
    }
}

extension PayloadReader {
    /// Reads the next text of a stream.
    fileprivate mutating func next(
        of splitter: inout JSONStreamSplitter
    ) -> (JSONStreamSplitter.Text, Result<Payload, PayloadError>)? {
        guard let text = splitter.next(into: &document) else { return nil }
        let reading = Result { () throws(PayloadError) in
            if text.isTooLong { throw .tooLongLine }
            do throws(PayloadError) {
                if let failure = text.failure { throw PayloadError(failure.value) }
                return try readParsed()
            } catch {
                throw error.positioned(in: text.bytes, text.range, begin: text.begin)
            }
        }
        return (text, reading)
    }
}
