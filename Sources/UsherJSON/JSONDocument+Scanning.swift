internal import UsherText

// The scanner proper: one loop over the bytes, with the open containers on a stack of its own.

extension JSONDocument {
    private enum Expectation {
        case value, key, separator
    }

    /// Scans the text, or what it begins with; returns the end of the value.
    mutating func scan(_ bytes: Span<UInt8>, isWhole: Bool) throws(JSONError) -> Int {
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
                let valueEnd = i
                i = Self.skipWhitespace(bytes, i)
                guard let frame = frames.last else {
                    guard i == end || !isWhole else { throw trailing(bytes, i) }
                    return valueEnd
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
        let literal = text.utf8Span.span
        for k in literal.indices {
            guard i < bytes.count, bytes[i] == literal[k] else { throw syntax(bytes, i, "'\(text)'") }
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
    ///
    /// - Parameter inMember: false for a name, which gets a signature.
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
                        link: inMember ? 0 : Self.signature(bytes.extracting(start..<i))))
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
            let found = word.maskOfSpecial
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
                        kind: .escapedString, start: UInt32(truncatingIfNeeded: start),
                        end: UInt32(truncatingIfNeeded: i), link: UInt32(truncatingIfNeeded: decodedRanges.count)))
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
        let isPlain = tape[node].kind == .string
        let signature = isPlain ? tape[node].link : Self.signature(decoded.span.extracting(unescaped(node)))
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

    /// Length, first, middle and last byte: enough to distinguish most names.
    @inline(__always)
    static func signature(_ name: Span<UInt8>) -> UInt32 {
        let length = name.count
        guard length > 0 else { return 0 }
        return UInt32(truncatingIfNeeded: length) << 24 | UInt32(name[0]) << 16 | UInt32(name[length / 2]) << 8
            | UInt32(name[length &- 1])
    }

    /// Compares the unescaped bytes of two strings; names equal only after Unicode normalisation are different names.
    private func areEqual(_ a: Int, _ b: Int, _ bytes: Span<UInt8>) -> Bool {
        switch (tape[a].kind == .string, tape[b].kind == .string) {
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
        let isPlain = tape[node].kind == .string
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
