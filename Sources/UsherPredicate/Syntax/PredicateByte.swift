/// Byte classes of predicate text.
enum PredicateByte {
    static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte >= 0x09 && byte <= 0x0D }

    static func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }

    static func isWordStart(_ byte: UInt8) -> Bool {
        byte >= 0x61 && byte <= 0x7A || byte >= 0x41 && byte <= 0x5A || byte == 0x5F
    }

    static func isWord(_ byte: UInt8) -> Bool { isWordStart(byte) || isDigit(byte) }
}
