internal import UsherPredicate
internal import UsherScene
internal import UsherText

/// Phrases after which a kind of text is likely to be typed.
struct Phrases {
    private static let builtIn: [(TextContentType, String)] = [
        (.location, "meet at"), (.location, "meet me at"), (.location, "come to"), (.location, "the address is"),
        (.location, "directions to"), (.telephoneNumber, "call me at"), (.telephoneNumber, "number is"),
        (.telephoneNumber, "phone is"), (.emailAddress, "email me at"), (.emailAddress, "e-mail me at"),
        (.emailAddress, "email is"),
    ]

    private let all: [(type: TextContentType, scalars: [UInt32])]

    init(_ configured: [TextContentType: [String]]) {
        let added = TextContentType.allCases.flatMap { type in (configured[type] ?? []).map { (type, $0) } }
        all = (Phrases.builtIn + added).compactMap { type, text in
            let scalars = Phrases.folded(text)
            return scalars.isEmpty ? nil : (type, scalars)
        }
    }

    /// What the text before the cursor asks for: the type of the longest phrase that it ends in and that begins a word.
    func contentType(after text: String) -> TextContentType? {
        let text = Phrases.folded(text)
        var best: (type: TextContentType, length: Int)?
        for phrase in all where phrase.scalars.count > best?.length ?? 0 {
            let start = text.count - phrase.scalars.count
            guard start >= 0, text[start...].elementsEqual(phrase.scalars) else { continue }
            if start > 0, let before = Unicode.Scalar(text[start - 1]), PlainText.isOfWord(before) { continue }
            best = (phrase.type, phrase.scalars.count)
        }
        return best?.type
    }

    /// Without case, runs of blanks, and blanks and `: , . –` at the end.
    private static func folded(_ text: String) -> [UInt32] {
        var scalars = String.UnicodeScalarView(text.whiteSpaceCollapsed.unicodeScalars)
        while let last = scalars.last, last.properties.isWhitespace || ":,.–".unicodeScalars.contains(last) {
            scalars.removeLast()
        }
        return TextFolding.folded(String(scalars))
    }
}
