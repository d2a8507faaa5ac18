extension SceneCondition {
    /// The text of what nearly every stored condition is, `SELF == "…"` in its canonical spelling, read without the parser;
    /// nil for anything else, where the condition needs a closer look.
    static func plainText(of text: String) -> String? {
        let beginning = "SELF == \""
        let start = beginning.utf8Span.span
        let bytes = text.utf8Span.span
        let last = bytes.count - 1
        guard last >= start.count, bytes[last] == UInt8(ascii: "\""), bytes.count <= PredicateSyntax.maximumLength
        else { return nil }
        for i in start.indices where bytes[i] != start[i] { return nil }
        for i in start.count..<last {
            let byte = bytes[i]
            guard byte >= 0x20, byte != 0x7F, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") else { return nil }
        }
        return String(Substring(text.utf8.dropFirst(start.count).dropLast()))
    }

    /// `SELF == "…"`.
    init(equalTo text: String) {
        texts = [FoldableText(literal: text, asPattern: false, options: [])]
        nodes = [
            Node(
                kind: .comparison, comparison: .equal, left: .subject, right: .text(0), offset: 0, parent: -1, end: 1)
        ]
    }
}
