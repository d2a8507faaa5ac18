/// The header fields of a message, in order; names are compared without case.
///
/// The fields of a request are kept as the received bytes. A look-up compares names at the positions that the parser
/// found, and makes only one string. Values that are not valid UTF-8 are decoded as ISO 8859-1, so that no byte is
/// lost.
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
    /// Where the names and values of `received` are.
    private var lines: [Line] = []
    /// Those that were appended; all of an answer's.
    private(set) var added: [Field]

    public init(_ fields: [Field] = []) { added = fields }

    /// - Parameters:
    ///   - received: lines that `RequestHead` has found to be well-formed.
    ///   - lines: where their parts are.
    init(received: [UInt8], lines: [Line]) {
        self.received = received
        self.lines = lines
        added = []
    }

    /// Where the parts of one field line are; the value is without the blanks around it.
    struct Line: Sendable {
        var name: Range<Int>
        var value: Range<Int>
    }

    /// All of them, made anew for each call.
    public var fields: [Field] {
        lines.map { Field(text($0.name), text($0.value)) } + added
    }

    /// The value of the first field of that name.
    public subscript(name: String) -> String? {
        if let line = place(of: name, from: 0) { return text(lines[line].value) }
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

    /// The bytes of the value, if exactly one field has that name. For callers that only compare bytes and need no
    /// string.
    public func onlyBytes(_ name: String) -> ArraySlice<UInt8>? {
        guard added.isEmpty else {
            let values = all(name)
            return values.count == 1 ? ArraySlice(values[0].utf8) : nil
        }
        guard let first = place(of: name, from: 0), place(of: name, from: first + 1) == nil else { return nil }
        return received[lines[first].value]
    }

    /// Every value of that name, in order.
    public func all(_ name: String) -> [String] {
        guard var line = place(of: name, from: 0) else { return addedValues(name) }
        var result = [text(lines[line].value)]
        while let next = place(of: name, from: line + 1) {
            result.append(text(lines[next].value))
            line = next
        }
        return result + addedValues(name)
    }

    private func addedValues(_ name: String) -> [String] {
        if added.isEmpty { return [] }
        return added.filter { HTTPFields.isSame($0.name, name) }.map(\.value)
    }

    /// How many fields have that name.
    public func count(_ name: String) -> Int {
        var count = added.count { HTTPFields.isSame($0.name, name) }
        var line = 0
        while let next = place(of: name, from: line) {
            count += 1
            line = next + 1
        }
        return count
    }

    public mutating func append(_ name: String, _ value: String) { added.append(Field(name, value)) }

    /// Puts one field in the place of all that have its name.
    public mutating func replace(_ name: String, _ value: String) {
        added = [Field(name, value)] + fields.filter { !HTTPFields.isSame($0.name, name) }
        received = []
        lines = []
    }

    /// The first of the received lines from `start` on with that name.
    private func place(of name: String, from start: Int) -> Int? {
        let wanted = name.utf8Span.span
        let bytes = received.span
        let lines = lines.span
        var line = start
        while line < lines.count {
            if bytes.isSameWord(lines[line].name, wanted) { return line }
            line += 1
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
}
