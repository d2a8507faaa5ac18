/// What somebody looks for: words, each the beginning of a word of what is found. Never a query language.
struct NoteQuery: Sendable {
    /// The words, as they were written.
    let words: [String]
    /// Whether the index has words that these can be looked up by. Scripts without blanks between words are one long word
    /// to it: within those, the text itself is searched.
    let isIndexed: Bool

    /// More words, or longer ones, are left out: nobody looks for them.
    static let maximumWords = 32
    static let longestWord = 256

    /// nil where there is no word.
    init?(_ text: String) {
        var words: [String] = []
        for word in text.unicodeScalars.split(whereSeparator: { $0.properties.isWhitespace || $0.value < 0x20 })
        where words.count < NoteQuery.maximumWords {
            let word = String(String.UnicodeScalarView(word.prefix(NoteQuery.longestWord)))
            if !words.contains(where: { $0.utf8.elementsEqual(word.utf8) }) { words.append(word) }
        }
        guard !words.isEmpty else { return nil }
        self.words = words
        let scalars = text.unicodeScalars
        isIndexed =
            !scalars.contains(where: NoteQuery.isWithoutBlanks)
            && scalars.contains { $0.properties.isAlphabetic || $0.properties.numericType != nil }
    }

    /// The words as phrases of FTS5, each a prefix: whatever stands in quotes is no syntax (https://sqlite.org/fts5.html, 3.1).
    var match: String {
        words.map { "\"" + NoteQuery.doubling("\"", in: $0) + "\" *" }.joined(separator: " ")
    }

    /// The words as patterns of LIKE, with `\` as the escape.
    var patterns: [String] {
        words.map { word in
            var pattern = "%"
            for scalar in word.unicodeScalars {
                if "%_\\".unicodeScalars.contains(scalar) { pattern += "\\" }
                pattern.unicodeScalars.append(scalar)
            }
            return pattern + "%"
        }
    }

    private static func doubling(_ mark: Unicode.Scalar, in text: String) -> String {
        var doubled = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if scalar == mark { doubled.append(mark) }
            doubled.append(scalar)
        }
        return String(doubled)
    }

    /// Thai, Lao, Tibetan, Burmese, Khmer, and the scripts of Chinese and Japanese.
    private static func isWithoutBlanks(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x0E00...0x0FFF, 0x1000...0x109F, 0x1780...0x17FF, 0x2E80...0x312F, 0x3190...0x31FF, 0x3400...0x4DBF,
            0x4E00...0x9FFF, 0xF900...0xFAFF, 0xFF66...0xFF9F, 0x1B000...0x1B16F, 0x20000...0x3FFFF:
            true
        default: false
        }
    }
}
