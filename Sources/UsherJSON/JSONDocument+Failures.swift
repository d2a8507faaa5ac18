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
    func brokenString(_ bytes: Span<UInt8>, _ i: Int, inMember: Bool) -> JSONError {
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
