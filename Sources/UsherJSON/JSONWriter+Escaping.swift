internal import UsherText

// Strings are looked at for something to escape; one that has nothing is copied in one piece.

extension JSONWriter {
    mutating func quoted(_ text: String) {
        let span = text.utf8Span.span
        guard Self.isPlain(span) else { return escape(text) }
        bytes.append(addingCapacity: span.count &+ 2) { quoted in
            quoted.append(0x22)
            for i in span.indices { quoted.append(span[i]) }
            quoted.append(0x22)
        }
    }

    /// Says whether text is printable ASCII without quote and backslash.
    static func isPlain(_ bytes: Span<UInt8>) -> Bool {
        guard bytes.count >= 8 else { return (0..<bytes.count).allSatisfy { isPlain(bytes[$0]) } }
        // The last eight overlap those before, so that no bytes remain.
        let last = bytes.count &- 8
        var i = 0
        while i < last {
            guard isPlain(ByteWord(bytes, at: i)) else { return false }
            i &+= 8
        }
        return isPlain(ByteWord(bytes, at: last))
    }

    @inline(__always)
    private static func isPlain(_ byte: UInt8) -> Bool { byte &- 0x20 < 0x5F && byte != 0x22 && byte != 0x5C }

    @inline(__always)
    private static func isPlain(_ word: ByteWord) -> Bool {
        word.maskOfControls | word.maskOfNonASCII | word.mask(of: 0x22) | word.mask(of: 0x5C) | word.mask(of: 0x7F) == 0
    }

    /// Writes a string with everything escaped that must be, or should be on a terminal.
    mutating func escape(_ text: String) {
        bytes.append(0x22)
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x22: bytes.append(contentsOf: "\\\"".utf8)
            case 0x5C: bytes.append(contentsOf: "\\\\".utf8)
            case 0x08: bytes.append(contentsOf: "\\b".utf8)
            case 0x09: bytes.append(contentsOf: "\\t".utf8)
            case 0x0A: bytes.append(contentsOf: "\\n".utf8)
            case 0x0C: bytes.append(contentsOf: "\\f".utf8)
            case 0x0D: bytes.append(contentsOf: "\\r".utf8)
            case ..<0x20: appendEscape(scalar.value)
            case ..<0x7F: bytes.append(UInt8(truncatingIfNeeded: scalar.value))
            default:
                if escaping == .terminal, TerminalText.disturbs(scalar) {
                    appendEscape(scalar.value)
                } else {
                    for byte in scalar.utf8 { bytes.append(byte) }
                }
            }
        }
        bytes.append(0x22)
    }

    private mutating func appendEscape(_ value: UInt32) {
        bytes.append(contentsOf: "\\u".utf8)
        for shift in [12, 8, 4, 0] as [UInt32] {
            let digit = UInt8(truncatingIfNeeded: value >> shift & 0xF)
            bytes.append(digit < 10 ? 0x30 + digit : 0x57 + digit)
        }
    }
}
