/// Non-literal search: BEGINSWITH, ENDSWITH, CONTAINS and IN on text.
///
/// A match covers whole scalars of the source and doesn't end inside a combining sequence. Empty text is never found.
extension FoldableText {
    func begins(with needle: FoldableText, _ options: FoldingOptions) -> Bool {
        if needle.isASCII, let answer = beginsQuickly(with: needle, options) { return answer }
        let text = folded(options)
        let wanted = needle.folded(options)
        return !wanted.scalars.isEmpty && Self.occurs(wanted, in: text, at: 0)
    }

    func ends(with needle: FoldableText, _ options: FoldingOptions) -> Bool {
        if needle.isASCII, let answer = endsQuickly(with: needle, options) { return answer }
        let text = folded(options)
        let wanted = needle.folded(options)
        let start = text.scalars.count - wanted.scalars.count
        guard !wanted.scalars.isEmpty, start >= 0 else { return false }
        return text.mayBegin(at: start) && Self.occurs(wanted, in: text, at: start)
    }

    func contains(_ needle: FoldableText, _ options: FoldingOptions) -> Bool {
        if isASCII, needle.isASCII { return containsASCII(needle, options) }
        let text = folded(options)
        let wanted = needle.folded(options)
        guard !wanted.scalars.isEmpty, wanted.scalars.count <= text.scalars.count else { return false }
        return (0...text.scalars.count - wanted.scalars.count).contains { start in
            text.mayBegin(at: start) && Self.occurs(wanted, in: text, at: start)
        }
    }

    private static func occurs(_ needle: FoldedText, in text: FoldedText, at start: Int) -> Bool {
        let count = needle.scalars.count
        guard start + count <= text.scalars.count else { return false }
        for index in 0..<count where text.scalars[start + index] != needle.scalars[index] { return false }
        return text.mayEnd(at: start + count)
    }

    /// Nil when a character beyond ASCII could change the answer, such as a combining mark behind the match.
    private func beginsQuickly(with needle: FoldableText, _ options: FoldingOptions) -> Bool? {
        let folds = options.contains(.caseInsensitive)
        // Between ASCII texts Swift's prefix is a memcmp.
        if isASCII, !folds { return !needle.text.isEmpty && text.hasPrefix(needle.text) }
        let textSpan = text.utf8Span
        let needleSpan = needle.text.utf8Span
        let bytes = textSpan.span
        let wanted = needleSpan.span
        if wanted.isEmpty { return false }
        for index in 0..<min(wanted.count, bytes.count) {
            let byte = bytes[index]
            if byte == wanted[index] { continue }
            if byte >= 0x80 { return nil }
            if !folds || ASCII.lowercased(byte) != ASCII.lowercased(wanted[index]) { return false }
        }
        if wanted.count > bytes.count { return false }
        return wanted.count == bytes.count || bytes[wanted.count] < 0x80 ? true : nil
    }

    private func endsQuickly(with needle: FoldableText, _ options: FoldingOptions) -> Bool? {
        let textSpan = text.utf8Span
        let needleSpan = needle.text.utf8Span
        let bytes = textSpan.span
        let wanted = needleSpan.span
        if wanted.isEmpty { return false }
        let folds = options.contains(.caseInsensitive)
        for distance in 1...min(wanted.count, max(bytes.count, 1)) where distance <= bytes.count {
            let byte = bytes[bytes.count - distance]
            let other = wanted[wanted.count - distance]
            if byte == other { continue }
            if byte >= 0x80 { return nil }
            if !folds || ASCII.lowercased(byte) != ASCII.lowercased(other) { return false }
        }
        return wanted.count <= bytes.count
    }

    private func containsASCII(_ needle: FoldableText, _ options: FoldingOptions) -> Bool {
        let textSpan = text.utf8Span
        let needleSpan = needle.text.utf8Span
        let bytes = textSpan.span
        let wanted = needleSpan.span
        guard !wanted.isEmpty, wanted.count <= bytes.count else { return false }
        let folds = options.contains(.caseInsensitive)
        let first = folds ? ASCII.lowercased(wanted[0]) : wanted[0]
        for start in 0...bytes.count - wanted.count {
            if (folds ? ASCII.lowercased(bytes[start]) : bytes[start]) != first { continue }
            var index = 1
            while index < wanted.count {
                let byte = bytes[start + index]
                if byte != wanted[index] {
                    if !folds || ASCII.lowercased(byte) != ASCII.lowercased(wanted[index]) { break }
                }
                index += 1
            }
            if index == wanted.count { return true }
        }
        return false
    }
}
