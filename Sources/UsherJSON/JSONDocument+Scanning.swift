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
