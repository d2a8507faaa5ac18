public import UsherText

/// Appends JSON text to a byte array: members in the order they are written, commas and colons placed.
///
/// A writer is made to be reused (`reset()` keeps the storage); writing a member allocates nothing once the array has
/// grown. Misuse of the order (a value without a key in an object) is a programming error and is not repaired.
public struct JSONWriter: Sendable {
    /// Which characters are written as `\uXXXX` though JSON does not demand it.
    public enum Escaping: Sendable {
        /// Control characters below U+0020, the quote and the backslash: what RFC 8259 demands.
        case minimal
        /// Also DEL, C1 controls, line and paragraph separators, bidirectional controls and the byte order mark, so that
        /// the text can be shown on a terminal.
        case terminal
    }

    /// The text so far.
    public private(set) var bytes: [UInt8] = []
    public let escaping: Escaping
    private let isPretty: Bool
    /// How many containers are open.
    private var depth = 0
    /// Whether nothing has been written in the innermost one. The others are never empty: it is in them.
    private var isEmpty = true
    private var followsKey = false

    /// - Parameters:
    ///   - pretty: one member a line, two spaces a level.
    ///   - capacity: how many bytes are made room for at once.
    public init(escaping: Escaping = .terminal, pretty: Bool = false, capacity: Int = 0) {
        self.escaping = escaping
        isPretty = pretty
        if capacity > 0 { bytes.reserveCapacity(capacity) }
    }

    /// Writes behind what an array holds already; nothing is copied.
    public static func append(
        to bytes: inout [UInt8], escaping: Escaping = .terminal, _ body: (inout JSONWriter) -> Void
    ) {
        var writer = JSONWriter(escaping: escaping)
        swap(&writer.bytes, &bytes)
        body(&writer)
        swap(&writer.bytes, &bytes)
    }

    /// The text so far as a string.
    public var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Begins a new text in the same storage.
    public mutating func reset() {
        bytes.removeAll(keepingCapacity: true)
        depth = 0
        followsKey = false
    }

    /// Ends the line: the way to write JSON Lines with one writer.
    public mutating func newline() {
        bytes.append(0x0A)
    }

    // MARK: Containers

    public mutating func beginObject() { begin(0x7B) }

    public mutating func endObject() { end(0x7D) }

    public mutating func beginArray() { begin(0x5B) }

    public mutating func endArray() { end(0x5D) }

    public mutating func beginObject(_ name: String) {
        key(name)
        begin(0x7B)
    }

    public mutating func beginArray(_ name: String) {
        key(name)
        begin(0x5B)
    }

    /// A member's name; its value must follow.
    public mutating func key(_ name: String) {
        let (hasComma, isPretty, escaping) = (depth > 0 && !isEmpty && !isPretty, isPretty, escaping)
        if isPretty { separate() } else if depth > 0 { isEmpty = false }
        bytes.append(addingCapacity: Self.room(for: name) &+ 3) {
            if hasComma { $0.append(0x2C) }
            $0.appendJSON(name, escaping)
            $0.append(0x3A)
            if isPretty { $0.append(0x20) }
        }
        followsKey = true
    }

    // MARK: Values

    public mutating func null() {
        separate()
        bytes.append(addingCapacity: 4) { $0.append("null") }
    }

    public mutating func value(_ value: Bool) {
        separate()
        bytes.append(contentsOf: (value ? "true" : "false").utf8)
    }

    public mutating func value(_ value: Int) {
        self.value(Int64(value))
    }

    public mutating func value(_ value: Int64) {
        separate()
        bytes.append(addingCapacity: 20) { $0.appendDecimal(value) }
    }

    /// The shortest text that reads back as the same double; null where it is not finite.
    public mutating func value(_ value: Double) {
        separate()
        bytes.append(contentsOf: (value.isFinite ? value.description : "null").utf8)
    }

    public mutating func value(_ value: String) {
        separate()
        quoted(value)
    }

    /// A value that is JSON text already; it is copied as it is.
    public mutating func raw(_ text: some Sequence<UInt8>) {
        separate()
        bytes.append(contentsOf: text)
    }

    // MARK: Members

    public mutating func member(_ name: String, _ value: String?) {
        key(name)
        if let value { self.value(value) } else { null() }
    }

    public mutating func member(_ name: String, _ value: Bool?) {
        key(name)
        if let value { self.value(value) } else { null() }
    }

    public mutating func member(_ name: String, _ value: Int?) {
        key(name)
        if let value { self.value(value) } else { null() }
    }

    public mutating func member(_ name: String, _ value: Int64?) {
        key(name)
        if let value { self.value(value) } else { null() }
    }

    /// Members of an object in one piece; it must not be pretty. `body` appends them as JSON text, with commas between them, and
    /// appends at most `room` bytes.
    public mutating func members(room: Int, _ body: (inout OutputSpan<UInt8>) -> Void) {
        separate()
        bytes.append(addingCapacity: room, initializingWith: body)
    }

    public mutating func member(_ name: String, _ values: [String]) {
        beginArray(name)
        for value in values { self.value(value) }
        endArray()
    }

    public mutating func member(_ name: String, raw text: some Sequence<UInt8>) {
        key(name)
        raw(text)
    }

    /// A member that is an array of objects, one for each element: `body` writes its members.
    @inlinable
    public mutating func member<Element>(
        _ name: String, objects elements: some Sequence<Element>, _ body: (inout JSONWriter, Element) -> Void
    ) {
        key(name)
        objects(elements, body)
    }

    /// The same without a name.
    @inlinable
    public mutating func objects<Element>(
        _ elements: some Sequence<Element>, _ body: (inout JSONWriter, Element) -> Void
    ) {
        beginArray()
        for element in elements {
            beginObject()
            body(&self, element)
            endObject()
        }
        endArray()
    }

    public mutating func nullMember(_ name: String) {
        key(name)
        null()
    }

    // MARK: The text

    private mutating func begin(_ bracket: UInt8) {
        separate()
        bytes.append(bracket)
        depth += 1
        isEmpty = true
    }

    private mutating func end(_ bracket: UInt8) {
        depth = max(0, depth - 1)
        if isPretty, !isEmpty { breakLine() }
        bytes.append(bracket)
        isEmpty = false
    }

    mutating func separate() {
        if followsKey {
            followsKey = false
            return
        }
        guard depth > 0 else { return }
        if !isEmpty { bytes.append(0x2C) }
        isEmpty = false
        if isPretty { breakLine() }
    }

    private mutating func breakLine() {
        bytes.append(0x0A)
        for _ in 0..<depth { bytes.append(contentsOf: "  ".utf8) }
    }
}

// MARK: - Escaping

// Strings are looked at for something to escape; one that has nothing is copied in one piece.

extension JSONWriter {
    private mutating func quoted(_ text: String) {
        let escaping = escaping
        bytes.append(addingCapacity: Self.room(for: text)) { $0.appendJSON(text, escaping) }
    }

    /// The most bytes that a string has as JSON text.
    @inline(__always)
    public static func room(for text: String?) -> Int { 6 &* (text?.utf8.count ?? 0) &+ 4 }

    /// Says whether text is printable ASCII without quote and backslash.
    static func isPlain(_ bytes: Span<UInt8>) -> Bool {
        guard bytes.count >= 8 else { return bytes.indices.allSatisfy { isPlain(bytes[$0]) } }
        // The last eight overlap those before, so that no bytes remain.
        let last = bytes.count &- 8
        var i = 0
        while i < last, ByteWord(bytes, at: i).maskOfEscaped == 0 { i &+= 8 }
        return i >= last && ByteWord(bytes, at: last).maskOfEscaped == 0
    }

    /// Where the next byte is that is not plain, or the end.
    static func firstEscaped(in bytes: Span<UInt8>, from start: Int) -> Int {
        var i = start
        while bytes.count &- i >= 8 {
            let found = ByteWord(bytes, at: i).maskOfEscaped
            if found != 0 { return i &+ ByteWord.first(found) }
            i &+= 8
        }
        while i < bytes.count, isPlain(bytes[i]) { i &+= 1 }
        return i
    }

    @inline(__always)
    static func isPlain(_ byte: UInt8) -> Bool { byte &- 0x20 < 0x5F && byte != 0x22 && byte != 0x5C }
}

extension OutputSpan<UInt8> {
    /// Appends a string as JSON text, or null: at most `JSONWriter.room(for:)` bytes.
    public mutating func appendJSON(_ text: String?, _ escaping: JSONWriter.Escaping) {
        guard let text else { return append("null") }
        let utf8 = text.utf8
        let bytes = utf8.span
        append(0x22)
        if JSONWriter.isPlain(bytes) { append(copying: bytes) } else { escape(text, escaping) }
        append(0x22)
    }

    /// Appends a name and the rest of a literal before a string or null: at most `room(for:)` bytes and the literal.
    @inlinable @inline(__always)
    public mutating func appendJSON(_ literal: StaticString, _ text: String?, _ escaping: JSONWriter.Escaping) {
        append(literal)
        appendJSON(text, escaping)
    }

    /// Appends a number, or null: at most 20 bytes.
    public mutating func appendJSON(_ number: Int64?) {
        if let number { appendDecimal(number) } else { append("null") }
    }

    /// Appends text with everything escaped that must be, or should be on a terminal.
    private mutating func escape(_ text: String, _ escaping: JSONWriter.Escaping) {
        let span = text.utf8Span.span
        var place = 0
        while true {
            // Most of it is plain.
            let start = place
            place = JSONWriter.firstEscaped(in: span, from: place)
            append(copying: span.extracting(start..<place))
            if place == span.count { return }
            let byte = span[place]
            guard byte >= 0x80 else {
                place &+= 1
                escape(byte, escaping)
                continue
            }
            let scalar = text.unicodeScalars[text.utf8.index(text.startIndex, offsetBy: place)]
            let end = place &+ UTF8.width(scalar)
            if escaping == .terminal, Printable.disturbs(scalar) {
                appendEscape(scalar.value)
            } else {
                append(copying: span.extracting(place..<end))
            }
            place = end
        }
    }

    /// Appends one of ASCII that is not plain.
    private mutating func escape(_ byte: UInt8, _ escaping: JSONWriter.Escaping) {
        switch byte {
        case 0x22: append("\\\"")
        case 0x5C: append("\\\\")
        case 0x08: append("\\b")
        case 0x09: append("\\t")
        case 0x0A: append("\\n")
        case 0x0C: append("\\f")
        case 0x0D: append("\\r")
        case 0x7F where escaping == .minimal: append(byte)
        default: appendEscape(UInt32(byte))
        }
    }

    private mutating func appendEscape(_ value: UInt32) {
        append("\\u")
        for shift in [12, 8, 4, 0] as [UInt32] {
            append(Hexadecimal.digit(UInt8(truncatingIfNeeded: value >> shift & 0xF)))
        }
    }
}
