/// A strict JSON text (RFC 8259, UTF-8 only) as a flat tape of its values.
///
/// Parsing is iterative and linear; it reports the first error in the text. A document is made to be reused: its
/// storage stays for the next text, so that a steady stream of payloads is parsed without allocation. Strings and
/// numbers are made only when asked for. The parsed bytes are kept (shared, not copied), so raw slices of any value
/// can be handed on byte for byte.
///
/// Beyond the grammar: no byte order mark, no duplicate member in one object (compared after unescaping, by bytes) unless
/// that is allowed, no escape that is half a surrogate pair, no number with a magnitude beyond the range of a double,
/// nesting up to `maximumDepth`.
public struct JSONDocument: Sendable {
    /// Containers inside containers; the outermost is at depth 1.
    public let maximumDepth: Int
    /// Whether an object may have a member twice: RFC 8259 only says that it should not.
    public let allowsRepeatedNames: Bool

    /// The array parsed last, and the part of it that is the text.
    public internal(set) var source: [UInt8] = []
    public internal(set) var range: Range<Int> = 0..<0

    @usableFromInline var tape: [Node] = []
    /// Unescaped text of the strings that needed it, one after the other.
    var decoded: [UInt8] = []
    /// Where in `decoded` such a string lies; a node's `link` is an index here.
    var decodedRanges: [DecodedRange] = []

    // Scratch of the scanner: the open containers and the keys seen in each.
    var frames: [Frame] = []
    var keys: [Key] = []
    var keyIndex = KeyIndex()

    public init(maximumDepth: Int = 512, allowsRepeatedNames: Bool = false) {
        self.maximumDepth = maximumDepth
        self.allowsRepeatedNames = allowsRepeatedNames
    }

    /// Parses a whole array. See `parse(_:in:)`.
    public mutating func parse(_ bytes: [UInt8]) throws(JSONError) {
        try parse(bytes, in: bytes.indices)
    }

    /// Parses one text; after an error the document is empty.
    ///
    /// - Parameters:
    ///   - range: the bytes that are the text; must lie within the array.
    public mutating func parse(_ bytes: [UInt8], in range: Range<Int>) throws(JSONError) {
        precondition(
            range.lowerBound >= 0 && range.upperBound <= bytes.count, "the range must lie within the array")
        if root != nil { reset() }
        guard range.count < Int(UInt32.max) else {
            throw JSONError(code: .tooLarge, offset: 0, found: "\(range.count) bytes", expected: "less than 4 GiB")
        }
        source = bytes
        self.range = range
        // A new document grows once, and not step by step; most texts are short.
        if tape.capacity == 0 {
            tape.reserveCapacity(min(64, range.count / 8 + 4))
            frames.reserveCapacity(8)
            keys.reserveCapacity(16)
        }
        do throws(JSONError) {
            try scan(bytes.span.extracting(range))
        } catch {
            reset()
            throw error
        }
    }

    /// Forgets the text and lets go of its bytes; storage stays for the next one.
    public mutating func reset() {
        source = []
        range = 0..<0
        tape.removeAll(keepingCapacity: true)
        // Most texts leave these empty, and emptying costs more than asking.
        if !decoded.isEmpty { decoded.removeAll(keepingCapacity: true) }
        if !decodedRanges.isEmpty { decodedRanges.removeAll(keepingCapacity: true) }
        if !frames.isEmpty { frames.removeAll(keepingCapacity: true) }
        if !keys.isEmpty { keys.removeAll(keepingCapacity: true) }
        keyIndex.reset()
    }

    /// The outermost value, or nil before the first successful parse.
    public var root: JSONElement? { tape.isEmpty ? nil : JSONElement(0) }
}

extension JSONDocument {
    /// One value, or one member's name, of the tape. Offsets are relative to the text.
    @frozen @usableFromInline
    struct Node: Sendable {
        @usableFromInline var kind: NodeKind
        /// The bytes of the value; of a string those between its quotes.
        @usableFromInline var start: UInt32
        @usableFromInline var end: UInt32
        /// A container's: the node after its last descendant. A string's: its place in `decodedRanges`, or `unescaped`.
        @usableFromInline var link: UInt32

        static let unescaped = UInt32.max
    }

    @frozen @usableFromInline
    enum NodeKind: UInt8, Sendable {
        case null, `false`, `true`, integer, number, string, array, object
    }

    struct DecodedRange: Sendable {
        var start: UInt32
        var end: UInt32
    }

    /// An open container.
    struct Frame: Sendable {
        var node: UInt32
        /// Its first entry in `keys`.
        var firstKey: UInt32
        var isObject: Bool
    }

    /// A name seen in an open object: the node and a cheap signature that most different names differ in.
    struct Key: Sendable {
        var node: UInt32
        var signature: UInt32
    }
}

// MARK: - Scanning

// The scanner proper: one loop over the bytes, with the open containers on a stack of its own.

extension JSONDocument {
    private enum Expectation {
        case value, key, separator
    }

    mutating func scan(_ bytes: Span<UInt8>) throws(JSONError) {
        let end = bytes.count
        var i = 0
        if end >= 2 { try rejectOtherEncodings(bytes) }
        i = Self.skipWhitespace(bytes, i)
        guard i < end else {
            throw JSONError(code: .empty, offset: end, found: "end of input", expected: "a value")
        }
        var expectation = Expectation.value
        while true {
            switch expectation {
            case .value:
                guard i < end else { throw syntax(bytes, i, "a value") }
                expectation = .separator
                switch bytes[i] {
                case 0x22:
                    i = try scanString(bytes, i)
                case 0x7B:  // {
                    try open(.object, bytes, i)
                    i = Self.skipWhitespace(bytes, i &+ 1)
                    if i < end, bytes[i] == 0x7D {
                        i += 1
                        close(end: i)
                    } else {
                        expectation = .key
                    }
                case 0x5B:  // [
                    try open(.array, bytes, i)
                    i = Self.skipWhitespace(bytes, i &+ 1)
                    if i < end, bytes[i] == 0x5D {
                        i += 1
                        close(end: i)
                    } else {
                        guard i < end else { throw syntax(bytes, i, "a value or ']'") }
                        expectation = .value
                    }
                case 0x2D, 0x30...0x39:
                    i = try scanNumber(bytes, i)
                case 0x74:
                    i = try scanLiteral("true", .true, bytes, i)
                case 0x66:
                    i = try scanLiteral("false", .false, bytes, i)
                case 0x6E:
                    i = try scanLiteral("null", .null, bytes, i)
                default:
                    throw syntax(bytes, i, "a value")
                }
            case .key:
                guard i < end, bytes[i] == 0x22 else {
                    let isFirst = tape.count == Int(frames[frames.count - 1].node) + 1
                    throw syntax(
                        bytes, i, isFirst ? "'\"' to begin a name, or '}'" : "'\"' to begin a name", inMember: false)
                }
                let keyOffset = i
                i = try scanString(bytes, i, inMember: false)
                try recordKey(bytes, keyOffset)
                i = Self.skipWhitespace(bytes, i)
                guard i < end, bytes[i] == 0x3A else { throw syntax(bytes, i, "':' after the name") }
                i = Self.skipWhitespace(bytes, i &+ 1)
                expectation = .value
            case .separator:
                i = Self.skipWhitespace(bytes, i)
                guard let frame = frames.last else {
                    guard i == end else { throw trailing(bytes, i) }
                    return
                }
                guard i < end else {
                    throw syntax(bytes, i, frame.isObject ? "',' or '}'" : "',' or ']'", inMember: false)
                }
                let byte = bytes[i]
                if byte == 0x2C {
                    i = Self.skipWhitespace(bytes, i &+ 1)
                    expectation = frame.isObject ? .key : .value
                } else if byte == (frame.isObject ? 0x7D : 0x5D) {
                    i += 1
                    close(end: i)
                } else {
                    throw syntax(bytes, i, frame.isObject ? "',' or '}'" : "',' or ']'", inMember: false)
                }
            }
        }
    }

    @inline(__always)
    private static func skipWhitespace(_ bytes: Span<UInt8>, _ start: Int) -> Int {
        var i = start
        while i < bytes.count {
            let byte = bytes[i]
            guard byte <= 0x20, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { break }
            i &+= 1
        }
        return i
    }

    private mutating func open(_ kind: NodeKind, _ bytes: Span<UInt8>, _ i: Int) throws(JSONError) {
        guard frames.count < maximumDepth else {
            throw failure(
                .depth, at: i, found: "level \(maximumDepth + 1)", expected: "at most \(maximumDepth) levels")
        }
        frames.append(
            Frame(
                node: UInt32(truncatingIfNeeded: tape.count), firstKey: UInt32(truncatingIfNeeded: keys.count),
                isObject: kind == .object))
        tape.append(Node(kind: kind, start: UInt32(truncatingIfNeeded: i), end: 0, link: 0))
    }

    @inline(__always)
    private mutating func close(end: Int) {
        let frame = frames.removeLast()
        while keys.count > Int(frame.firstKey) { keys.removeLast() }
        tape[Int(frame.node)].end = UInt32(truncatingIfNeeded: end)
        tape[Int(frame.node)].link = UInt32(truncatingIfNeeded: tape.count)
    }

    private mutating func scanLiteral(
        _ text: String, _ kind: NodeKind, _ bytes: Span<UInt8>, _ start: Int
    ) throws(JSONError) -> Int {
        var i = start
        for byte in text.utf8 {
            guard i < bytes.count, bytes[i] == byte else { throw syntax(bytes, i, "'\(text)'") }
            i += 1
        }
        tape.append(
            Node(kind: kind, start: UInt32(truncatingIfNeeded: start), end: UInt32(truncatingIfNeeded: i), link: 0))
        return i
    }

    private func rejectOtherEncodings(_ bytes: Span<UInt8>) throws(JSONError) {
        switch (bytes[0], bytes[1]) {
        case (0xEF, 0xBB) where bytes.count > 2 && bytes[2] == 0xBF:
            throw JSONError(code: .byteOrderMark, offset: 0, found: "a UTF-8 byte order mark", expected: "a value")
        case (0xFF, 0xFE), (0xFE, 0xFF):
            throw JSONError(
                code: .invalidUTF8, offset: 0, found: "a UTF-16 byte order mark", expected: "text in UTF-8")
        case (0x00, 0x01...), (0x01..., 0x00):
            throw JSONError(
                code: .syntax, offset: bytes[0] == 0 ? 0 : 1, found: "a NUL byte (is the text UTF-16?)",
                expected: "text in UTF-8")
        default: return
        }
    }
}

// MARK: - Strings

// Strings (RFC 8259, section 7): a run of plain bytes is only looked at; an escape switches to unescaping.

extension JSONDocument {
    /// Scans a string that has its opening quote at `quote`; returns the offset after the closing quote.
    @inline(__always)
    private mutating func scanString(_ bytes: Span<UInt8>, _ quote: Int, inMember: Bool = true) throws(JSONError) -> Int
    {
        let start = quote &+ 1
        var i = start
        while true {
            i = Self.skipPlain(bytes, i)
            guard i < bytes.count else { break }
            let byte = bytes[i]
            if byte == 0x22 {
                tape.append(
                    Node(
                        kind: .string, start: UInt32(truncatingIfNeeded: start), end: UInt32(truncatingIfNeeded: i),
                        link: Node.unescaped))
                return i &+ 1
            } else if byte >= 0x80 {
                let length = Self.scalarLength(bytes, i)
                guard length > 0 else { throw invalidUTF8(bytes, i, inMember: inMember) }
                i &+= length
            } else if byte == 0x5C {
                return try scanEscapedString(bytes, start: start, escape: i, inMember: inMember)
            } else {
                break
            }
        }
        throw brokenString(bytes, i, inMember: inMember)
    }

    /// Where plain bytes end: at a quote, a backslash, a control character, a byte outside ASCII or the end of the text.
    @inline(__always)
    private static func skipPlain(_ bytes: Span<UInt8>, _ start: Int) -> Int {
        var i = start
        while bytes.count &- i >= 8 {
            let word = ByteWord(bytes, at: i)
            let found = word.maskOfControls | word.maskOfNonASCII | word.mask(of: 0x22) | word.mask(of: 0x5C)
            if found != 0 { return i &+ ByteWord.first(found) }
            i &+= 8
        }
        while i < bytes.count, isPlain(bytes[i]) { i &+= 1 }
        return i
    }

    /// Printable ASCII but the quote and the backslash, and DEL.
    @inline(__always)
    private static func isPlain(_ byte: UInt8) -> Bool {
        byte &- 0x20 < 0x60 && byte != 0x22 && byte != 0x5C
    }

    private mutating func scanEscapedString(
        _ bytes: Span<UInt8>, start: Int, escape: Int, inMember: Bool
    ) throws(JSONError) -> Int {
        let decodedStart = decoded.count
        for k in start..<escape { decoded.append(bytes[k]) }
        var i = escape
        while i < bytes.count {
            let byte = bytes[i]
            if Self.isPlain(byte) {
                decoded.append(byte)
                i &+= 1
            } else if byte == 0x22 {
                tape.append(
                    Node(
                        kind: .string, start: UInt32(truncatingIfNeeded: start), end: UInt32(truncatingIfNeeded: i),
                        link: UInt32(truncatingIfNeeded: decodedRanges.count)))
                decodedRanges.append(
                    DecodedRange(
                        start: UInt32(truncatingIfNeeded: decodedStart), end: UInt32(truncatingIfNeeded: decoded.count))
                )
                return i &+ 1
            } else if byte >= 0x80 {
                let length = Self.scalarLength(bytes, i)
                guard length > 0 else { throw invalidUTF8(bytes, i, inMember: inMember) }
                for k in i..<i + length { decoded.append(bytes[k]) }
                i &+= length
            } else if byte == 0x5C {
                i = try scanEscape(bytes, i, inMember: inMember)
            } else {
                break
            }
        }
        throw brokenString(bytes, i, inMember: inMember)
    }

    private mutating func scanEscape(
        _ bytes: Span<UInt8>, _ backslash: Int, inMember: Bool
    ) throws(JSONError) -> Int {
        let i = backslash + 1
        guard i < bytes.count else { throw syntax(bytes, i, "an escape", inMember: inMember) }
        switch bytes[i] {
        case 0x22, 0x5C, 0x2F: decoded.append(bytes[i])
        case 0x62: decoded.append(0x08)
        case 0x66: decoded.append(0x0C)
        case 0x6E: decoded.append(0x0A)
        case 0x72: decoded.append(0x0D)
        case 0x74: decoded.append(0x09)
        case 0x75: return try scanUnicodeEscape(bytes, backslash, inMember: inMember)
        default: throw syntax(bytes, i, "one of \" \\ / b f n r t u after a backslash", inMember: inMember)
        }
        return i + 1
    }

    private mutating func scanUnicodeEscape(
        _ bytes: Span<UInt8>, _ backslash: Int, inMember: Bool
    ) throws(JSONError) -> Int {
        let unit = try hexadecimal(bytes, backslash + 2, inMember: inMember)
        var i = backslash + 6
        var value = unit
        switch unit {
        case 0xD800..<0xDC00:
            guard i + 1 < bytes.count, bytes[i] == 0x5C, bytes[i + 1] == 0x75 else {
                throw loneSurrogate(unit, at: backslash, inMember: inMember)
            }
            let low = try hexadecimal(bytes, i + 2, inMember: inMember)
            guard (0xDC00..<0xE000).contains(low) else { throw loneSurrogate(unit, at: backslash, inMember: inMember) }
            value = 0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00)
            i += 6
        case 0xDC00..<0xE000:
            throw loneSurrogate(unit, at: backslash, inMember: inMember)
        default: break
        }
        // Never nil: surrogates were sorted out above, and a pair cannot exceed U+10FFFF.
        if let scalar = Unicode.Scalar(value) { decoded.append(contentsOf: String(scalar).utf8) }
        return i
    }

    private func hexadecimal(_ bytes: Span<UInt8>, _ start: Int, inMember: Bool) throws(JSONError) -> UInt32 {
        var value: UInt32 = 0
        for i in start..<start + 4 {
            guard i < bytes.count else { throw syntax(bytes, i, "four hexadecimal digits", inMember: inMember) }
            switch bytes[i] {
            case 0x30...0x39: value = value << 4 | UInt32(bytes[i] - 0x30)
            case 0x41...0x46: value = value << 4 | UInt32(bytes[i] - 0x37)
            case 0x61...0x66: value = value << 4 | UInt32(bytes[i] - 0x57)
            default: throw syntax(bytes, i, "four hexadecimal digits", inMember: inMember)
            }
        }
        return value
    }

    /// The length of the well-formed sequence that begins at `i`, or 0 (Unicode, table 3-7).
    static func scalarLength(_ bytes: Span<UInt8>, _ i: Int) -> Int {
        let lead = bytes[i]
        let length: Int
        var lower: UInt8 = 0x80
        var upper: UInt8 = 0xBF
        switch lead {
        case ..<0x80: return 1
        case 0xC2...0xDF: length = 2
        case 0xE0: (length, lower) = (3, 0xA0)
        case 0xED: (length, upper) = (3, 0x9F)
        case 0xE1...0xEF: length = 3
        case 0xF0: (length, lower) = (4, 0x90)
        case 0xF4: (length, upper) = (4, 0x8F)
        case 0xF1...0xF3: length = 4
        default: return 0
        }
        guard i + length <= bytes.count, bytes[i + 1] >= lower, bytes[i + 1] <= upper else { return 0 }
        var k = i + 2
        while k < i + length {
            guard bytes[k] & 0xC0 == 0x80 else { return 0 }
            k += 1
        }
        return length
    }
}

// MARK: - Numbers

// Numbers (RFC 8259, section 6): the text is kept, so nothing is lost; only a magnitude no double can hold is refused.

extension JSONDocument {
    private mutating func scanNumber(_ bytes: Span<UInt8>, _ start: Int) throws(JSONError) -> Int {
        var i = start
        if bytes[i] == 0x2D { i += 1 }
        guard i < bytes.count, Self.isDigit(bytes[i]) else { throw syntax(bytes, i, "a digit") }
        let firstDigit = i
        i = Self.skipDigits(bytes, i)
        if bytes[firstDigit] == 0x30, i > firstDigit + 1 {
            throw syntax(bytes, firstDigit + 1, "no digit after a leading zero")
        }
        var kind = NodeKind.integer
        if i < bytes.count, bytes[i] == 0x2E {
            kind = .number
            i += 1
            guard i < bytes.count, Self.isDigit(bytes[i]) else { throw syntax(bytes, i, "a digit after the point") }
            i = Self.skipDigits(bytes, i)
        }
        if i < bytes.count, bytes[i] | 0x20 == 0x65 {
            kind = .number
            i += 1
            if i < bytes.count, bytes[i] == 0x2B || bytes[i] == 0x2D { i += 1 }
            guard i < bytes.count, Self.isDigit(bytes[i]) else { throw syntax(bytes, i, "a digit of the exponent") }
            i = Self.skipDigits(bytes, i)
        }
        if kind == .number || i - start > 300 {
            guard Self.isFinite(bytes.extracting(start..<i)) else {
                let text = String(decoding: source[range.lowerBound + start..<range.lowerBound + i], as: UTF8.self)
                throw failure(
                    .numberRange, at: start, found: text.utf8.count > 40 ? "of \(text.utf8.count) digits" : text,
                    expected: "a magnitude below 1.8e308")
            }
        }
        tape.append(
            Node(kind: kind, start: UInt32(truncatingIfNeeded: start), end: UInt32(truncatingIfNeeded: i), link: 0))
        return i
    }

    @inline(__always)
    private static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }

    @inline(__always)
    private static func skipDigits(_ bytes: Span<UInt8>, _ start: Int) -> Int {
        var i = start
        while i < bytes.count, isDigit(bytes[i]) { i &+= 1 }
        return i
    }

    /// Says whether a number's nearest double is finite, looking at the digits only near the limit.
    private static func isFinite(_ text: Span<UInt8>) -> Bool {
        let parts = JSONNumberParts(text)
        guard let magnitude = parts.decimalMagnitude else { return true }
        if magnitude != 308 { return magnitude < 308 }
        var copy: [UInt8] = []
        for i in text.indices { copy.append(text[i]) }
        return Double(String(decoding: copy, as: UTF8.self))?.isFinite ?? false
    }
}

// MARK: - Keys

// Duplicate members. Names of a small object are compared with each other; a larger one gets a hash index.

extension JSONDocument {
    /// Objects up to this many members are searched from end to end.
    private static let linearLimit = 16

    /// Notes the name just scanned (the last node of the tape) in the innermost object.
    @inline(__always)
    private mutating func recordKey(_ bytes: Span<UInt8>, _ offset: Int) throws(JSONError) {
        let node = tape.count - 1
        let signature = signature(of: tape[node], bytes)
        let first = Int(frames[frames.count - 1].firstKey)
        let count = keys.count - first
        if count < Self.linearLimit {
            var k = first
            while k < keys.count {
                if keys[k].signature == signature, areEqual(Int(keys[k].node), node, bytes) {
                    if allowsRepeatedNames { break }
                    throw duplicateKey(node, at: offset)
                }
                k &+= 1
            }
        } else {
            try recordInIndex(bytes, node, first: first, offset: offset)
        }
        keys.append(Key(node: UInt32(truncatingIfNeeded: node), signature: signature))
    }

    private mutating func recordInIndex(
        _ bytes: Span<UInt8>, _ node: Int, first: Int, offset: Int
    ) throws(JSONError) {
        let owner = frames[frames.count - 1].node
        if keys.count - first == Self.linearLimit {
            for k in first..<keys.count {
                let earlier = Int(keys[k].node)
                keyIndex.insert(owner: owner, node: UInt32(earlier), hash: hash(of: earlier, owner, bytes))
            }
        }
        let hash = hash(of: node, owner, bytes)
        var probe = keyIndex.firstProbe(hash)
        while let candidate = keyIndex.candidate(at: &probe, owner: owner, hash: hash) {
            guard areEqual(Int(candidate), node, bytes) else { continue }
            if allowsRepeatedNames { return }
            throw duplicateKey(node, at: offset)
        }
        keyIndex.insert(owner: owner, node: UInt32(truncatingIfNeeded: node), hash: hash)
    }

    /// Length, first, middle and last byte: enough to distinguish most names of one object.
    @inline(__always)
    private func signature(of node: Node, _ bytes: Span<UInt8>) -> UInt32 {
        guard node.link == Node.unescaped else {
            let range = decodedRanges[Int(node.link)]
            return Self.signature(decoded.span, Int(range.start), Int(range.end))
        }
        return Self.signature(bytes, Int(node.start), Int(node.end))
    }

    @inline(__always)
    private static func signature(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> UInt32 {
        guard end > start else { return 0 }
        let length = end &- start
        return UInt32(truncatingIfNeeded: length) << 24 | UInt32(bytes[start]) << 16
            | UInt32(bytes[start &+ length >> 1]) << 8 | UInt32(bytes[end &- 1])
    }

    /// Compares the unescaped bytes of two strings; names equal only after Unicode normalisation are different names.
    private func areEqual(_ a: Int, _ b: Int, _ bytes: Span<UInt8>) -> Bool {
        switch (tape[a].link == Node.unescaped, tape[b].link == Node.unescaped) {
        case (true, true): ByteWord.areEqual(bytes.extracting(plain(a)), bytes.extracting(plain(b)))
        case (true, false): ByteWord.areEqual(bytes.extracting(plain(a)), decoded.span.extracting(unescaped(b)))
        case (false, true): ByteWord.areEqual(decoded.span.extracting(unescaped(a)), bytes.extracting(plain(b)))
        case (false, false):
            ByteWord.areEqual(decoded.span.extracting(unescaped(a)), decoded.span.extracting(unescaped(b)))
        }
    }

    private func plain(_ node: Int) -> Range<Int> { Int(tape[node].start)..<Int(tape[node].end) }

    private func unescaped(_ node: Int) -> Range<Int> {
        let range = decodedRanges[Int(tape[node].link)]
        return Int(range.start)..<Int(range.end)
    }

    private func hash(of node: Int, _ owner: UInt32, _ bytes: Span<UInt8>) -> UInt32 {
        // The library's seeded hash: a sender cannot choose names that collide.
        var hasher = Hasher()
        hasher.combine(owner)
        let isPlain = tape[node].link == Node.unescaped
        let text = isPlain ? bytes : decoded.span
        let range = isPlain ? plain(node) : unescaped(node)
        var word: UInt64 = 0
        for (k, i) in range.enumerated() {
            word = word << 8 | UInt64(text[i])
            if k & 7 == 7 { hasher.combine(word) }
        }
        hasher.combine(word)
        hasher.combine(range.count)
        return UInt32(truncatingIfNeeded: hasher.finalize())
    }
}

// MARK: - Reading

// Reading: every call takes a handle of this document's current text.

extension JSONDocument {
    @inlinable
    public func kind(_ element: JSONElement) -> JSONKind {
        switch tape[element.index].kind {
        case .null: .null
        case .false, .true: .boolean
        case .integer, .number: .number
        case .string: .string
        case .array: .array
        case .object: .object
        }
    }

    /// The value's bytes within the text, as offsets from its start, quotes and brackets included.
    public func textRange(_ element: JSONElement) -> Range<Int> {
        let node = tape[element.index]
        return node.kind == .string
            ? Int(node.start) - 1..<Int(node.end) + 1 : Int(node.start)..<Int(node.end)
    }

    /// Bytes from the start of the text to the value.
    public func offset(_ element: JSONElement) -> Int { textRange(element).lowerBound }

    /// The value exactly as it was written; shares storage with the source.
    public func raw(_ element: JSONElement) -> ArraySlice<UInt8> {
        let textRange = textRange(element)
        return source[range.lowerBound + textRange.lowerBound..<range.lowerBound + textRange.upperBound]
    }

    /// A boolean's value, or nil of any other kind.
    @inlinable
    public func boolean(_ element: JSONElement) -> Bool? {
        switch tape[element.index].kind {
        case .true: true
        case .false: false
        default: nil
        }
    }

    /// A string's text, unescaped, or nil of any other kind.
    public func string(_ element: JSONElement) -> String? {
        guard tape[element.index].kind == .string else { return nil }
        return String(decoding: stringBytes(element), as: UTF8.self)
    }

    /// A string's UTF-8 bytes, unescaped; empty of any other kind.
    public func stringBytes(_ element: JSONElement) -> ArraySlice<UInt8> {
        let node = tape[element.index]
        guard node.kind == .string else { return [] }
        guard node.link == Node.unescaped else {
            let place = decodedRanges[Int(node.link)]
            return decoded[Int(place.start)..<Int(place.end)]
        }
        return source[range.lowerBound + Int(node.start)..<range.lowerBound + Int(node.end)]
    }

    /// A number's digits as written, or nil of any other kind.
    public func numberText(_ element: JSONElement) -> String? {
        guard kind(element) == .number else { return nil }
        return String(decoding: raw(element), as: UTF8.self)
    }

    /// A number's value where it is whole and fits (`9.0` is 9), else nil.
    public func int64(_ element: JSONElement) -> Int64? {
        guard kind(element) == .number else { return nil }
        let text = source.span.extracting(raw(element).indices)
        guard text.count <= 18, tape[element.index].kind == .integer, text[0] != 0x2D else {
            return JSONNumberParts(text).integer(text)
        }
        // Nearly every number: digits only, and too few to overflow.
        var value: Int64 = 0
        for i in text.indices { value = value &* 10 &+ Int64(text[i] &- 0x30) }
        return value
    }

    /// The double nearest to a number; always finite. Nil of any other kind.
    public func double(_ element: JSONElement) -> Double? {
        numberText(element).flatMap { Double($0) }
    }

    // MARK: Containers

    /// An object's first member in the order of the text; nil where there is none, or of any other kind.
    @inlinable
    public func firstMember(_ element: JSONElement) -> JSONMember? {
        let node = tape[element.index]
        guard node.kind == .object, Int(node.link) > element.index + 1 else { return nil }
        return JSONMember(element.index + 1)
    }

    /// The member after another one of the same object.
    @inlinable
    public func nextMember(_ member: JSONMember, in object: JSONElement) -> JSONMember? {
        let next = following(member.index + 1)
        return next < Int(tape[object.index].link) ? JSONMember(next) : nil
    }

    /// An array's first element; nil where there is none, or of any other kind.
    @inlinable
    public func firstElement(_ element: JSONElement) -> JSONElement? {
        let node = tape[element.index]
        guard node.kind == .array, Int(node.link) > element.index + 1 else { return nil }
        return JSONElement(element.index + 1)
    }

    /// The element after another one of the same array.
    @inlinable
    public func nextElement(_ element: JSONElement, in array: JSONElement) -> JSONElement? {
        let next = following(element.index)
        return next < Int(tape[array.index].link) ? JSONElement(next) : nil
    }

    /// An object's members, in order.
    public func members(_ object: JSONElement) -> [JSONMember] {
        var result: [JSONMember] = []
        var next = firstMember(object)
        while let member = next {
            result.append(member)
            next = nextMember(member, in: object)
        }
        return result
    }

    /// An array's elements, in order.
    public func elements(_ array: JSONElement) -> [JSONElement] {
        var result: [JSONElement] = []
        var next = firstElement(array)
        while let element = next {
            result.append(element)
            next = nextElement(element, in: array)
        }
        return result
    }

    /// The value of an object's member, found by its name's bytes; O(members).
    public func value(_ name: String, in object: JSONElement) -> JSONElement? {
        var next = firstMember(object)
        while let member = next {
            if stringBytes(member.key).elementsEqual(name.utf8) { return member.value }
            next = nextMember(member, in: object)
        }
        return nil
    }

    /// The node after a node and all its descendants.
    @inlinable
    func following(_ index: Int) -> Int {
        let node = tape[index]
        return node.kind == .array || node.kind == .object ? Int(node.link) : index + 1
    }
}

extension JSONDocument {
    /// The JSON pointer (RFC 6901) of a value of this document; O(the values before it). A cold path: for messages.
    public func pointer(_ element: JSONElement) -> String {
        var pointer = ""
        var container = 0
        while container < element.index {
            let isObject = tape[container].kind == .object
            var child = container + 1
            var position = 0
            let end = following(container)
            guard element.index < end else { break }
            while child < end {
                let value = isObject ? child + 1 : child
                let next = following(value)
                if element.index < next {
                    JSONPointer.append(
                        isObject ? string(JSONElement(child)) ?? "" : String(position), to: &pointer)
                    // A name stands for its member.
                    container = element.index == child ? element.index : value
                    break
                }
                child = next
                position += 1
            }
        }
        return pointer
    }
}

// MARK: - Failures

// The texts of errors; cold, and free to walk the tape for the pointer.

extension JSONDocument {
    func failure(
        _ code: JSONError.Code, at offset: Int, found: String, expected: String? = nil, inMember: Bool = true
    ) -> JSONError {
        JSONError(
            code: code, offset: offset, pointer: openPath(inMember: inMember), found: found, expected: expected)
    }

    func syntax(_ bytes: Span<UInt8>, _ i: Int, _ expected: String, inMember: Bool = true) -> JSONError {
        if i < bytes.count, bytes[i] >= 0x80, Self.scalarLength(bytes, i) == 0 {
            return invalidUTF8(bytes, i, inMember: inMember)
        }
        return failure(.syntax, at: i, found: Self.describe(bytes, i), expected: expected, inMember: inMember)
    }

    func trailing(_ bytes: Span<UInt8>, _ i: Int) -> JSONError {
        if bytes[i] >= 0x80, Self.scalarLength(bytes, i) == 0 { return invalidUTF8(bytes, i, inMember: false) }
        return failure(.trailingData, at: i, found: Self.describe(bytes, i), expected: "the end of the input")
    }

    func invalidUTF8(_ bytes: Span<UInt8>, _ i: Int, inMember: Bool) -> JSONError {
        failure(
            .invalidUTF8, at: i, found: "byte 0x\(Self.hexadecimal(UInt32(bytes[i]), digits: 2))",
            expected: "text in UTF-8", inMember: inMember)
    }

    /// A string that ended without its quote, or met a raw control character.
    private func brokenString(_ bytes: Span<UInt8>, _ i: Int, inMember: Bool) -> JSONError {
        syntax(bytes, i, i < bytes.count ? "'\"' or an escape (\\n, \\u0000 …)" : "'\"'", inMember: inMember)
    }

    func loneSurrogate(_ unit: UInt32, at offset: Int, inMember: Bool) -> JSONError {
        failure(
            .loneSurrogate, at: offset, found: "\\u\(Self.hexadecimal(unit, digits: 4))",
            expected: "a high surrogate followed by a low one", inMember: inMember)
    }

    func duplicateKey(_ node: Int, at offset: Int) -> JSONError {
        let key = string(JSONElement(node)) ?? ""
        var shown = JSONWriter(escaping: .terminal)
        shown.value(key.utf8.count > 80 ? String(key.unicodeScalars.prefix(60)) + "…" : key)
        var pointer = openPath(inMember: false)
        JSONPointer.append(key, to: &pointer)
        return JSONError(
            code: .duplicateKey, offset: offset, pointer: pointer, found: shown.text,
            expected: "each name once")
    }

    /// The pointer to the value being read: each open container's member or index in progress.
    ///
    /// - Parameters:
    ///   - inMember: false where the innermost container waits for a name or a separator.
    private func openPath(inMember: Bool) -> String {
        var pointer = ""
        for (level, frame) in frames.enumerated() {
            let isInnermost = level + 1 == frames.count
            if isInnermost, !inMember { break }
            if frame.isObject {
                let keyEnd = isInnermost ? keys.count : Int(frames[level + 1].firstKey)
                guard keyEnd > Int(frame.firstKey) else { break }
                JSONPointer.append(string(JSONElement(Int(keys[keyEnd - 1].node))) ?? "", to: &pointer)
            } else {
                let child = isInnermost ? tape.count : Int(frames[level + 1].node)
                var node = Int(frame.node) + 1
                var index = 0
                while node < child {
                    node = following(node)
                    index += 1
                }
                JSONPointer.append(String(index), to: &pointer)
            }
        }
        return pointer
    }

    /// What stands at an offset, safe to print.
    private static func describe(_ bytes: Span<UInt8>, _ i: Int) -> String {
        guard i < bytes.count else { return "the end of the input" }
        let byte = bytes[i]
        switch byte {
        case 0x00: return "a NUL byte"
        case 0x0A: return "a line feed"
        case 0x09: return "a tab"
        case 0x21...0x7E: return "'\(Character(Unicode.Scalar(byte)))'"
        case 0x80...:
            var value = UInt32(byte)
            switch scalarLength(bytes, i) {
            case 2: value = value & 0x1F
            case 3: value = value & 0x0F
            case 4: value = value & 0x07
            default: return "byte 0x\(hexadecimal(value, digits: 2))"
            }
            for k in i + 1..<i + scalarLength(bytes, i) { value = value << 6 | UInt32(bytes[k] & 0x3F) }
            return "U+\(hexadecimal(value, digits: 4))"
        default: return "U+\(hexadecimal(UInt32(byte), digits: 4))"
        }
    }

    private static func hexadecimal(_ value: UInt32, digits: Int) -> String {
        let text = String(value, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
    }
}
