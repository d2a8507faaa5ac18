internal import UsherText

/// What an identifier looks like: by form alone, linear in the text.
enum TextShape {
    static func isDigits(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy(isDigit)
    }

    static func isDigit(_ byte: UInt8) -> Bool { (ASCII.zero...ASCII.nine).contains(byte) }

    /// The five groups of a UUID, with or without braces.
    static func isUUID(_ text: String) -> Bool {
        let hasBraces = text.utf8.first == ASCII.openBrace && text.utf8.last == ASCII.closeBrace
        return UUIDText.isOne(hasBraces ? String(text.dropFirst().dropLast()) : text)
    }
}

extension ASCII {
    static func isLetter(_ byte: UInt8) -> Bool { byte.isASCIILetterOrDigit && !TextShape.isDigit(byte) }
}
