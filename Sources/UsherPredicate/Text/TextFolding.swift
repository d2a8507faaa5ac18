/// Text folded for comparing outside predicates, as `[c]` and `[cd]` fold it.
public enum TextFolding {
    /// The scalars of a text without differences of case, and where asked for without accents.
    public static func folded(_ text: String, ignoringAccents: Bool = false) -> [UInt32] {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.utf8.map { UInt32(ASCIIFolding.lowercased($0)) } }
        return FoldedText(
            folding: text, options: ignoringAccents ? [.caseInsensitive, .diacriticInsensitive] : .caseInsensitive
        ).scalars
    }
}
