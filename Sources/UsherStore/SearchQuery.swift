/// The words of a search. Each must be the beginning of a word of the text; case and accents are ignored.
///
/// The words are never read as the syntax of FTS5. A word of a script that is written without blanks, or of signs that the
/// index leaves out, is looked for anywhere in the text instead, by reading it.
package struct SearchQuery: Sendable, Hashable {
    /// As they were written.
    package let words: [String]
    /// For MATCH: the words that are not among `pieces`, each by itself.
    package let phrases: [String]
    /// For MATCH: all of them together; nil where there are none.
    package var match: String? { phrases.isEmpty ? nil : phrases.joined(separator: " AND ") }
    /// What must be somewhere in the text, as patterns of `LIKE … ESCAPE '\'`.
    package let pieces: [String]

    /// More words than this are not looked at.
    private static let wordLimit = 32
    /// In characters (Unicode scalars): the rest of a longer word is not looked at either.
    private static let longestWord = 256

    /// Nil where nothing is asked for.
    package init?(_ text: String) {
        var phrases: [String] = []
        var pieces: [String] = []
        var taken: [String] = []
        let words = text.unicodeScalars.split { $0.properties.isWhitespace || $0.value < 0x20 || $0.value == 0x7f }
        for whole in words.prefix(SearchQuery.wordLimit) {
            let word = whole.prefix(SearchQuery.longestWord)
            taken.append(String(word))
            if word.contains(where: { SearchQuery.isWrittenWithoutBlanks($0) })
                || !word.contains(where: { SearchQuery.isIndexed($0) })
            {
                pieces.append(SearchQuery.pattern(word))
            } else {
                // A string of FTS5: the tokenizer takes it apart, and all its words must follow each other.
                var phrase = "\""
                for scalar in word {
                    if scalar == "\"" { phrase.unicodeScalars.append(scalar) }
                    phrase.unicodeScalars.append(scalar)
                }
                phrases.append(phrase + "\"*")
            }
        }
        guard !phrases.isEmpty || !pieces.isEmpty else { return nil }
        self.phrases = phrases
        self.pieces = pieces
        self.words = taken
    }

    /// Whether the tokenizer (unicode61) makes words of it: letters, marks within them, numbers, private use.
    private static func isIndexed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
            .letterNumber, .otherNumber, .privateUse:
            true
        default: false
        }
    }

    /// Han, kana, Hangul, Bopomofo, Thai, Lao, Khmer, Burmese: the tokenizer makes one word of a whole sentence.
    private static func isWrittenWithoutBlanks(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x0E00...0x0EFF, 0x1000...0x109F, 0x1100...0x11FF, 0x1780...0x17FF, 0x2E80...0x2FDF, 0x3005...0x3007,
            0x3021...0x30FF, 0x3100...0x31FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA960...0xA97F, 0xAC00...0xD7FF,
            0xF900...0xFAFF, 0xFF66...0xFFDC, 0x1B000...0x1B16F, 0x20000...0x3FFFF:
            true
        default: false
        }
    }

    /// A word for LIKE, with `\` as the escape.
    package static func pattern(_ word: Substring.UnicodeScalarView) -> String {
        var pattern = "%"
        for scalar in word {
            if scalar == "%" || scalar == "_" || scalar == "\\" { pattern.unicodeScalars.append("\\") }
            pattern.unicodeScalars.append(scalar)
        }
        return pattern + "%"
    }
}
