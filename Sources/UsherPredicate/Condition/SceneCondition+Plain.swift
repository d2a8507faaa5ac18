extension SceneCondition {
    /// What nearly every stored condition is, `SELF == "…"` in its canonical spelling, read without the parser; nil for
    /// anything else, where the text needs a closer look.
    init?(plain text: String) {
        let start = "SELF == \""
        let bytes = text.utf8
        guard bytes.starts(with: start.utf8), bytes.last == UInt8(ascii: "\""), bytes.count > start.utf8.count,
            bytes.count <= PredicateSyntax.maximumLength
        else { return nil }
        let literal = bytes.dropFirst(start.utf8.count).dropLast()
        guard literal.allSatisfy({ $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") })
        else { return nil }
        texts = [FoldableText(literal: String(Substring(literal)), asPattern: false, options: [])]
        nodes = [
            Node(
                kind: .comparison, comparison: .equal, left: .subject, right: .text(0), offset: 0, parent: -1, end: 1)
        ]
    }
}
