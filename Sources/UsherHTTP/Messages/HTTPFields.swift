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
    /// The lengths of the names in `received`, a bit each: most look-ups are of names that are not there.
    private var lengths: UInt64 = 0
    /// Those that were appended; all of an answer's.
    private(set) var added: [Field]

    public init(_ fields: [Field] = []) { added = fields }

    /// - Parameters:
    ///   - received: lines that `RequestHead` has found to be well-formed.
    ///   - lengths: of the names in them; see `mark(ofLength:)`.
    init(received: [UInt8], lengths: UInt64) {
        self.received = received
        self.lengths = lengths
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

    /// Whether exactly one field has that name, and exactly this value.
    public func has(_ name: String, only value: String) -> Bool {
        guard let bytes = onlyBytes(name) else { return false }
        let wanted = value.utf8Span.span
        let found = bytes.span
        guard found.count == wanted.count else { return false }
        for i in wanted.indices where found[i] != wanted[i] { return false }
        return true
    }

    /// The bytes of the value, if exactly one field has that name: for those who only compare them.
    public func onlyBytes(_ name: String) -> ArraySlice<UInt8>? {
        guard added.isEmpty else {
            let values = all(name)
            return values.count == 1 ? ArraySlice(values[0].utf8) : nil
        }
        guard mayHave(name) else { return nil }
        let bytes = received.span
        let wanted = name.utf8Span.span
        var found: Range<Int>?
        var line = 0
        while let next = Line(bytes, at: line) {
            if bytes.isSameWord(next.name, wanted) {
                if found != nil { return nil }
                found = next.value
            }
            line = next.end
        }
        return found.map { received[$0] }
    }

    /// Every value of that name, in order.
    public func all(_ name: String) -> [String] {
        guard mayHave(name) else { return addedValues(name) }
        var result: [String] = []
        var line = 0
        let wanted = name.utf8Span.span
        while let next = Line(received.span, at: line) {
            if received.span.isSameWord(next.name, wanted) { result.append(text(next.value)) }
            line = next.end
        }
        return result + addedValues(name)
    }

    private func addedValues(_ name: String) -> [String] {
        if added.isEmpty { return [] }
        return added.filter { HTTPFields.isSame($0.name, name) }.map(\.value)
    }

    /// How many fields have that name.
    public func count(_ name: String) -> Int {
        var count = 0
        if mayHave(name) {
            var line = 0
            let wanted = name.utf8Span.span
            while let next = Line(received.span, at: line) {
                if received.span.isSameWord(next.name, wanted) { count += 1 }
                line = next.end
            }
        }
        for field in added where HTTPFields.isSame(field.name, name) { count += 1 }
        return count
    }

    /// The bit of a name's length; the longest names share one.
    static func mark(ofLength length: Int) -> UInt64 { 1 << UInt64(min(length, 63)) }

    private func mayHave(_ name: String) -> Bool { lengths & HTTPFields.mark(ofLength: name.utf8.count) != 0 }

    public mutating func append(_ name: String, _ value: String) { added.append(Field(name, value)) }

    /// Puts one field in the place of all that have its name.
    public mutating func replace(_ name: String, _ value: String) {
        added = [Field(name, value)] + fields.filter { !HTTPFields.isSame($0.name, name) }
        received = []
        lengths = 0
    }

    private func firstReceived(_ name: String) -> Range<Int>? {
        guard mayHave(name) else { return nil }
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
