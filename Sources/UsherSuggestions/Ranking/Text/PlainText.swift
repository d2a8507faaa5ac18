internal import UsherPredicate
internal import UsherText

/// Texts as people compare them.
enum PlainText {
    /// Equal for texts that differ only in case and in runs of blanks.
    static func key(_ text: String) -> [UInt32] { TextFolding.folded(text.whiteSpaceCollapsed) }

    /// Whether a text begins with another, case and accents apart.
    static func begins(_ text: String, with prefix: String) -> Bool {
        TextFolding.folded(text, ignoringAccents: true).starts(
            with: TextFolding.folded(prefix, ignoringAccents: true))
    }

    /// Whether every word of a question begins a word of the text, case and accents apart.
    static func hasWords(_ question: String, in text: String) -> Bool {
        let words = words(of: text)
        return self.words(of: question).allSatisfy { word in words.contains { $0.starts(with: word) } }
    }

    private static func words(of text: String) -> [[UInt32]] {
        text.unicodeScalars.split { !isOfWord($0) }.map {
            TextFolding.folded(String(String.UnicodeScalarView($0)), ignoringAccents: true)
        }
    }

    /// Letters, digits and the marks on them.
    static func isOfWord(_ scalar: Unicode.Scalar) -> Bool {
        let properties = scalar.properties
        if properties.isAlphabetic || properties.numericType != nil { return true }
        switch properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark: return true
        default: return false
        }
    }

    /// By UTF-8, whose order is that of the Unicode scalars; nil is equal to the empty text, which comes first.
    static func precedes(_ one: String?, _ other: String?) -> Bool {
        (one ?? "").utf8.lexicographicallyPrecedes((other ?? "").utf8)
    }
}
