/// The header fields of a message, in order; names are compared without case.
///
/// The fields of a request stay the bytes that were received until somebody asks: a look-up walks over the lines and makes
/// one string. Values are UTF-8, or else taken for ISO 8859-1, so that no byte is lost.
///
/// RFC 9110, 5.
public struct HTTPFields: Sendable {
    public struct Field: Sendable, Hashable {
        public var name: String
        public var value: String

        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// Whole field lines that the parser has approved: name, colon, blanks, value, CR LF.
    private var received: [UInt8] = []
    /// Those that were appended; all of an answer's.
    private(set) var added: [Field]

    public init(_ fields: [Field] = []) { added = fields }

    /// - Parameter received: lines that `RequestHead` has found to be well-formed.
    init(received: [UInt8]) {
        self.received = received
        added = []
    }

    /// All of them, made anew for each call.
    public var fields: [Field] {
        var result: [Field] = []
        var line = 0
        while let next = Line(received.span, at: line) {
            result.append(Field(text(next.name), text(next.value)))
            line = next.end
        }
        return result + added
    }

    /// The value of the first field of that name.
    public subscript(name: String) -> String? {
        if let value = firstReceived(name) { return text(value) }
        return added.first { HTTPFields.isSame($0.name, name) }?.value
    }

    /// Every value of that name, in order.
    public func all(_ name: String) -> [String] {
        var result: [String] = []
        var line = 0
        let wanted = name.utf8Span.span
        while let next = Line(received.span, at: line) {
            if received.span.isSameWord(next.name, wanted) { result.append(text(next.value)) }
            line = next.end
        }
        return result + added.filter { HTTPFields.isSame($0.name, name) }.map(\.value)
    }

    public mutating func append(_ name: String, _ value: String) { added.append(Field(name, value)) }

    /// Puts one field in the place of all that have its name.
    public mutating func replace(_ name: String, _ value: String) {
        added = [Field(name, value)] + fields.filter { !HTTPFields.isSame($0.name, name) }
        received = []
    }

    private func firstReceived(_ name: String) -> Range<Int>? {
        let bytes = received.span
        let wanted = name.utf8Span.span
        var line = 0
        while let next = Line(bytes, at: line) {
            if bytes.isSameWord(next.name, wanted) { return next.value }
            line = next.end
        }
        return nil
    }

    private func text(_ range: Range<Int>) -> String {
        let bytes = received[range]
        return String(validating: bytes, as: UTF8.self)
            ?? String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }

    static func isSame(_ one: String, _ other: String) -> Bool {
        let span = one.utf8Span.span
        return span.isSameWord(0..<span.count, other.utf8Span.span)
    }

    /// One field line.
    private struct Line {
        var name: Range<Int>
        var value: Range<Int>
        /// Where the next one begins.
        var end: Int

        init?(_ bytes: Span<UInt8>, at start: Int) {
            guard start < bytes.count, let feed = bytes.firstIndex(of: 0x0A, from: start) else { return nil }
            var colon = start
            while colon < feed, bytes[colon] != 0x3A { colon += 1 }
            name = start..<colon
            value = bytes.trimmed(min(colon + 1, feed)..<max(feed - 1, min(colon + 1, feed)))
            end = feed + 1
        }
    }
}
