/// What a piece of an identifier looks like: a number, a UUID, a hash, words.
///
/// All are guesses by form alone; each is linear in the text.
enum TextShape {
    static func isDigits(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy(isDigit)
    }

    static func isDigit(_ byte: UInt8) -> Bool { (ASCII.zero...ASCII.nine).contains(byte) }

    /// Digits with perhaps a sign and a point.
    static func isNumber(_ text: String) -> Bool {
        !text.isEmpty && Double(text) != nil && text.utf8.allSatisfy { isDigit($0) || $0 == 0x2E || $0 == 0x2D }
    }

    /// The five groups of a UUID, with or without braces.
    static func isUUID(_ text: String) -> Bool {
        var bytes = Array(text.utf8)
        if bytes.first == ASCII.openBrace, bytes.last == ASCII.closeBrace {
            bytes = Array(bytes.dropFirst().dropLast())
        }
        guard bytes.count == 36 else { return false }
        for (index, byte) in bytes.enumerated() {
            let isDash = [8, 13, 18, 23].contains(index)
            guard isDash ? byte == 0x2D : PercentEncoding.hexValue(byte) != nil else { return false }
        }
        return true
    }

    /// Whether something in the text was given once: a number of five digits, or letters and digits mixed.
    static func hasIdentity(_ text: String) -> Bool {
        var run = 0
        var mixed = (letters: 0, digits: 0)
        for byte in text.utf8 {
            run = isDigit(byte) ? run + 1 : 0
            if run >= 5 { return true }
            guard ASCII.isLetterOrDigit(byte) else {
                mixed = (0, 0)
                continue
            }
            if isDigit(byte) { mixed.digits += 1 } else { mixed.letters += 1 }
            if mixed.digits >= 2, mixed.letters >= 1, mixed.digits + mixed.letters >= 7 { return true }
        }
        return isNumbered(text)
    }

    /// Two numbers with a dash: `2024-0012`.
    private static func isNumbered(_ text: String) -> Bool {
        let parts = text.split(separator: "-")
        return zip(parts, parts.dropFirst()).contains { left, right in
            isDigits(String(left)) && isDigits(String(right)) && left.utf8.count + right.utf8.count >= 5
        }
    }

    /// Long, of letters and digits mixed: nobody typed it.
    static func isRandom(_ text: String, length: Int) -> Bool {
        text.utf8.count >= length && text.utf8.contains(where: isDigit) && text.utf8.contains(where: ASCII.isLetter)
            && text.utf8.allSatisfy { ASCII.isLetterOrDigit($0) || [0x2D, 0x5F, 0x2F, 0x2B, 0x3D, 0x2E].contains($0) }
    }

    /// Seconds or milliseconds since 1970, from 2001 to 2099.
    static func isEpoch(_ text: String) -> Bool {
        guard isDigits(text), text.utf8.count == 10 || text.utf8.count == 13 || text.utf8.count == 16,
            let seconds = Int(text.prefix(10))
        else { return false }
        return (1_000_000_000...4_102_444_800).contains(seconds)
    }

    /// Whether a date with a time of day stands in the text: `2024-05-12T14:30`, `20240512T143000`.
    static func hasDateAndTime(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        for start in bytes.indices where isDigit(bytes[start]) && (start == 0 || !isDigit(bytes[start - 1])) {
            for pattern in ["0000-00-00T00:00", "0000-00-00 00:00", "00000000T0000"]
            where bytes[start...].starts(with: pattern.utf8, by: { isDigit($0) ? isDigit($1) : $0 == $1 }) {
                return true
            }
        }
        return false
    }

    /// Three pieces of base64url, the first of which begins like a JSON object: a JSON Web Token.
    static func tokenInText(_ text: String) -> String? {
        let bytes = Array(text.utf8)
        var start = 0
        while start + 3 < bytes.count {
            guard bytes[start...].starts(with: "eyJ".utf8), start == 0 || !isBase64URL(bytes[start - 1]) else {
                start += 1
                continue
            }
            var end = start
            var dots = 0
            while end < bytes.count, isBase64URL(bytes[end]) || bytes[end] == ASCII.period {
                if bytes[end] == ASCII.period { dots += 1 }
                end += 1
            }
            if dots >= 2 { return String(decoding: bytes[start..<end], as: UTF8.self) }
            start = end
        }
        return nil
    }

    private static func isBase64URL(_ byte: UInt8) -> Bool {
        ASCII.isLetterOrDigit(byte) || byte == 0x2D || byte == ASCII.underscore
    }

    /// The words of a text: what stands between the separators and has a letter.
    static func words(_ text: String, by separators: String) -> [Substring] {
        text.split { separators.contains($0) }.filter { $0.contains(where: \.isLetter) }
    }
}

extension ASCII {
    static func isLetter(_ byte: UInt8) -> Bool { isLetterOrDigit(byte) && !TextShape.isDigit(byte) }
}
